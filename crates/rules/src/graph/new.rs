//! `graph new`: writes a starter graph that works alone from today.

use super::args::{GraphNewArgs, StarterArg};
use crate::RulesContext;
use countersign_console::{Exit, Failure, Page, out};
use countersign_graph::Format;
use countersign_setup::Starter;
use countersign_setup::files::exists;
use std::path::PathBuf;

pub(super) fn new_graph(args: &GraphNewArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let starter = match args.kind {
        StarterArg::Coding => Starter::Coding,
        StarterArg::Personal => Starter::Personal,
        StarterArg::Assistive => Starter::Assistive,
    };
    let path = match &args.file {
        Some(path) => path.clone(),
        None => default_path(context)?,
    };
    let shown = path.display().to_string();
    if Format::from_path(&shown) != Some(Format::Yaml) {
        let message = format!("`{shown}` does not end in `.yaml`");
        return Err(Failure::usage(message, "starter graphs are written in YAML"));
    }
    if exists(&path) {
        let help = "name another file, or move it away; nothing was written";
        return Err(Failure::usage(format!("`{shown}` exists already"), help));
    }
    let written = starter.write(&path, context.now().date())?;
    let mut page = Page::new();
    for file in &written {
        page.text("wrote ").text(&file.display().to_string()).end();
    }
    page.text("next: read it, then ");
    match args.file {
        None => page.text("run `countersign serve`").end(),
        Some(_) => page.text(&format!("run `countersign serve --graph {shown}`")).end(),
    };
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// Where a graph is found without being named, and no agent works.
fn default_path(context: &RulesContext) -> Result<PathBuf, Failure> {
    let folder = context.graph_folder().ok_or_else(|| {
        Failure::usage("your config folder is not known", "name the file to write, or set HOME")
    })?;
    Ok(folder.join("countersign.yaml"))
}
