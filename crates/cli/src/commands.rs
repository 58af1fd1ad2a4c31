//! `countersign commands`: what rules make of a command line, and why. Nothing is run.

mod corpus;
mod explained;

use crate::args::CommandsExplainArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::out;
use crate::settings::Settings;
use countersign_commands::{
    CommandContext, CommandRule, NoDiskLookup, RuleEffect, RuleError, RuleSet, parse_body,
    parse_rules,
};
use countersign_engine::disk::Ground;
use countersign_graph::{Problem, Problems, Span};
use explained::Explained;

pub(crate) use corpus::test;

pub(crate) fn explain(args: &CommandsExplainArgs, settings: &Settings) -> Result<Exit, Failure> {
    let mut rules = given(&args.rules)?;
    let graph = args.graph.file.as_deref();
    // A rule that is tried out is tried out by itself, unless a graph is named too.
    let by_graph = graph.is_some() || (rules.is_empty() && settings.has_graph(graph));
    if by_graph {
        rules.extend(of_graph(&GraphFile::open(graph, settings)?)?);
    }
    let rules = RuleSet::new(rules);
    let workspace = match &args.workspace {
        Some(folder) => folder.clone(),
        None => current()?,
    };
    for folder in std::iter::once(&workspace).chain(&args.cwd) {
        whole(folder)?;
    }
    let disk = settings.disk();
    let ground = Ground::new(&disk, Some(&workspace), args.cwd.as_deref());
    let here = ground.places();
    let cwd = args.cwd.as_deref().or(Some(&workspace));
    let on_paper = CommandContext { workspace: Some(&workspace), cwd, disk: &NoDiskLookup };
    let judged = rules.judge(&args.command, if by_graph { &here } else { &on_paper });
    let explained = Explained { rules: &rules, judged: &judged, here: &here };
    if args.json {
        out::show_json(&explained.json())?;
    } else {
        out::show(&explained.page())?;
    }
    Ok(Exit::from_verdict(&judged.verdict))
}

fn whole(folder: &str) -> Result<(), Failure> {
    if folder.starts_with('/') {
        return Ok(());
    }
    let help = "write it from the root: `--workspace /home/me/project`";
    Err(Failure::usage(format!("`{folder}` is not a whole path"), help))
}

fn given(texts: &[String]) -> Result<Vec<CommandRule>, Failure> {
    let mut rules: Vec<CommandRule> = Vec::new();
    for text in texts {
        rules.extend(parse_rules(text).map_err(|error| misread(text, &error))?);
    }
    Ok(rules)
}

fn of_graph(file: &GraphFile) -> Result<Vec<CommandRule>, Failure> {
    let commands = &file.loaded.graph.commands;
    let allow = commands.allow.iter().map(|body| (RuleEffect::Allow, body));
    let deny = commands.deny.iter().map(|body| (RuleEffect::Deny, body));
    let rule = |(effect, body): (RuleEffect, &String)| {
        parse_body(effect, body).map_err(|error| misread(body, &error))
    };
    allow.chain(deny).map(rule).collect()
}

fn misread(text: &str, error: &RuleError) -> Failure {
    let problem = Problem::new(Span::at(error.offset), error.message.clone(), error.help);
    Problems::new("--rule", text.as_bytes(), vec![problem]).into()
}

fn current() -> Result<String, Failure> {
    let help = "name the folder with `--workspace`";
    let folder = std::env::current_dir()
        .map_err(|error| Failure::new(format!("the current folder is not known: {error}"), help))?;
    folder
        .to_str()
        .map(str::to_owned)
        .ok_or_else(|| Failure::new("the name of the current folder is no text", help))
}
