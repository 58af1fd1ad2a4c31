//! One command rule of a repository, with `--project`.
//!
//! See docs/decisions/0137-a-repositorys-rules-are-a-layer.md.

use super::{RuleArgs, RuleTrial, check_rule, confirm, explain_edit};
use crate::RulesContext;
use countersign_console::{BOLD, Exit, Failure, Page, YELLOW, out};
use countersign_core::model::graph::LayerStanding;
use countersign_graph::command_rule_edit::{RuleChoice, RuleFile, edit_command_rule};
use countersign_graph::layer::{apply_layer, parse_layer};
use countersign_graph::{LoadedGraph, Problems};
use countersign_setup::{GraphFile, draw_diff, files, find_repository_root, layer_path};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// What a new file starts with.
const FIRST_TEXT: &str = "\
# What agents may do in this repository, beside everybody's own rules.
commands:
  deny: []
";

pub(super) fn change_rule(
    choice: RuleChoice,
    args: &RuleArgs,
    graph: &GraphFile,
    context: &RulesContext,
) -> Result<Exit, Failure> {
    let warning = check_rule(choice, &args.rule)?;
    let (disk, home) = (context.file_system(), context.home.as_deref());
    let root = find_repository_root(&disk, home, Path::new("."))?;
    let path = layer_path(&root);
    let name = path.display().to_string();
    let old = if files::exists(&path) { Some(files::read(&path)?) } else { None };
    let text = match &old {
        Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        None => FIRST_TEXT.to_owned(),
    };
    let problems = || Problems::new(&name, text.as_bytes(), Vec::new());
    let edited = edit_command_rule(&text, RuleFile::Layer, choice, &args.rule)
        .map_err(|error| explain_edit(&problems(), choice, &args.rule, error))?;
    let before = add_rules(&graph.loaded, &name, &text)?;
    let after = add_rules(&graph.loaded, &name, &edited)?;
    let project = Some(root.as_str());
    let trial = RuleTrial { args, choice, before: &before, after: &after, project };
    let mut page = Page::new();
    draw_diff(&mut page, &path, if old.is_some() { &text } else { "" }, &edited);
    trial.draw(&mut page, context)?;
    if let Some(exit) = confirm(page, warning, args)? {
        return Ok(exit);
    }
    match &old {
        Some(old) => files::replace(&path, old, edited.as_bytes())?,
        None => create(&path, &edited)?,
    }
    out::show(&describe_result(&name, &edited)?)?;
    Ok(Exit::Allowed)
}

/// The operator's graph with the rules of the repository, as if they were accepted.
fn add_rules(graph: &LoadedGraph, name: &str, text: &str) -> Result<LoadedGraph, Failure> {
    let layer = parse_layer(name, text.as_bytes())?;
    let merged = apply_layer(&graph.graph, &layer, LayerStanding::Trusted);
    let mut loaded = graph.clone();
    loaded.graph = merged;
    Ok(loaded)
}

fn create(path: &Path, text: &str) -> Result<(), Failure> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Failure::file("write", path, &error, "nothing was changed"))
}

fn describe_result(name: &str, text: &str) -> Result<Page, Failure> {
    let mut page = Page::new();
    page.text("wrote ").styled(BOLD, name).end();
    if parse_layer(name, text.as_bytes())?.needs_trust() {
        page.styled(YELLOW, "note: ");
        page.text("it could allow more, so none of it counts before `countersign graph trust`");
    } else {
        page.text("it holds from the next call in this repository on");
    }
    page.end();
    Ok(page)
}
