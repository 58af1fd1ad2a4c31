//! `graph trust`: lets a graph in a working folder count, as it is now.

use super::args::GraphTrustArgs;
use super::{autonomous_verbs, pluralize};
use crate::RulesContext;
use countersign_console::{BOLD, Exit, Failure, Page, is_confirmed, out};
use countersign_setup::{GraphFile, TrustState, TrustedGraphs, trusted_path, working_folder_graph};
use std::path::{Path, PathBuf};

pub(super) fn trust(args: &GraphTrustArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let data = args.daemon.path.clone().map_or_else(|| context.data(), Ok)?;
    let mut list = TrustedGraphs::open(&data)?;
    if args.remove {
        return remove(args, &mut list);
    }
    let named = match args.graph.named_file() {
        Some(path) => path.to_owned(),
        None => working_folder_graph()?,
    };
    let path = trusted_path(&named)?;
    let (content, file) = GraphFile::read(named);
    let file = file?;
    let name = file.name.as_str();
    if list.state(&path, &content) == TrustState::Trusted {
        out::show(&Page::from_line(&format!("{name}: you trust this version already")))?;
        return Ok(Exit::Allowed);
    }
    out::show(&draw_permissions(&file, list.state(&path, &content)))?;
    if !args.yes && !is_confirmed("Have you read it, and may it decide in this folder?")? {
        out::eprint(&Page::from_line("nothing was written"));
        return Ok(Exit::Cancelled);
    }
    list.add(&path, &content)?;
    out::show(&Page::from_line(&format!("{name}: trusted, until it changes")))?;
    Ok(Exit::Allowed)
}

/// Also for a file that is gone.
fn remove(args: &GraphTrustArgs, list: &mut TrustedGraphs) -> Result<Exit, Failure> {
    let candidates: Vec<PathBuf> = match args.graph.named_file() {
        Some(path) => vec![path.to_owned()],
        None => countersign_setup::GRAPH_NAMES.iter().map(PathBuf::from).collect(),
    };
    let mut page = Page::new();
    for path in candidates {
        if list.remove(&trusted_path(&path)?)? {
            page.text(&format!("{}: no longer trusted", path.display())).end();
        }
    }
    if page.as_str().is_empty() {
        let named = args.graph.named_file().map_or_else(
            || "no graph in this folder".to_owned(),
            |path: &Path| format!("`{}`", path.display()),
        );
        return Err(Failure::usage(format!("{named} was trusted"), "there is nothing to remove"));
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// What the graph lets an agent do without asking.
fn draw_permissions(file: &GraphFile, state: TrustState) -> Page {
    let graph = &file.loaded.graph;
    let mut page = Page::new();
    if state == TrustState::Changed {
        page.text(&file.name).text(" has changed since you trusted it.").end();
    }
    page.text(&file.name).text(" lets agents do this without asking:").end();
    let verbs = autonomous_verbs(graph);
    if verbs.is_empty() {
        page.text("  nothing").end();
    }
    for (domain, verbs) in verbs {
        page.text("  ").styled(BOLD, domain).text(": ").text(&verbs.join(", ")).end();
    }
    let rules = graph.commands.allow.len();
    if rules > 0 {
        let what = pluralize(rules, "command rule");
        page.text(&format!("  and what {what} allow; `countersign graph show` lists all")).end();
    }
    page
}
