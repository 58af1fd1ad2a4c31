//! `graph trust`: accepts the rules of a repository, as they are now.

use super::args::GraphTrustArgs;
use super::diff::draw_differences;
use crate::RulesContext;
use countersign_console::{BOLD, Exit, Failure, Page, is_confirmed, out};
use countersign_core::model::graph::LayerStanding;
use countersign_graph::diff;
use countersign_graph::layer::apply_layer;
use countersign_setup::{
    FoundLayer, TrustState, TrustedLayers, find_layer, find_repository_root, layer_path,
};
use std::path::{Path, PathBuf};

pub(super) fn trust(args: &GraphTrustArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let data = args.daemon.path.clone().map_or_else(|| context.data(), Ok)?;
    let mut list = TrustedLayers::open(&data)?;
    let folder = match args.folder.as_deref() {
        // The file itself is a natural thing to name.
        Some(path) if path.is_file() => path.parent().unwrap_or(Path::new(".")),
        Some(path) => path,
        None => Path::new("."),
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (files, home) = (context.file_system(), context.home.as_deref());
    let root = find_repository_root(&files, home, folder)?;
    if args.remove {
        return remove(&layer_path(&root), &mut list);
    }
    let Some(FoundLayer { path, layer }) = find_layer(&files, home, folder)? else {
        return Err(Failure::usage(
            format!("{root} has no rules of its own"),
            "they are in `countersign.yaml` in the root of a repository; see `docs/guides/teams.md`",
        ));
    };
    let mut page = Page::new();
    if !layer.needs_trust() {
        page.text(&format!("{path} only makes your graph stricter, so it holds without trust."));
        out::show(page.end())?;
        return Ok(Exit::Allowed);
    }
    let state = list.state(&path, &layer.hash);
    if state == TrustState::Trusted {
        out::show(&Page::from_line(&format!("{path}: you trust this version already")))?;
        return Ok(Exit::Allowed);
    }
    if state == TrustState::Changed {
        page.text(&path).text(" has changed since you trusted it.").end();
    }
    let graph = args.graph.search(args.daemon.path.as_deref(), context.graph_places()).open()?;
    let before = &graph.loaded.graph;
    let after = apply_layer(before, &layer, LayerStanding::Trusted);
    page.text("In ").styled(BOLD, &root).text(" it changes your graph ").text(&graph.name);
    page.text(" like this:").end().end();
    draw_differences(&mut page, &diff::diff(before, &after));
    out::show(&page)?;
    if !args.yes && !is_confirmed("Have you read it, and may it decide there?")? {
        out::eprint(&Page::from_line("nothing was written"));
        return Ok(Exit::Cancelled);
    }
    list.add(&path, layer.hash)?;
    out::show(&Page::from_line(&format!("{path}: trusted, until it changes")))?;
    Ok(Exit::Allowed)
}

/// Also for a file that is gone.
fn remove(path: &PathBuf, list: &mut TrustedLayers) -> Result<Exit, Failure> {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let shown = real.display().to_string();
    if !list.remove(&shown)? {
        return Err(Failure::usage(
            format!("{shown} is not trusted"),
            "there is nothing to remove",
        ));
    }
    out::show(&Page::from_line(&format!("{shown}: no longer trusted")))?;
    Ok(Exit::Allowed)
}
