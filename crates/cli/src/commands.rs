//! `countersign commands`: what rules make of a command line, and why.
//!
//! Nothing is run, and no disk is looked at: paths are taken as they are written.

mod corpus;
mod explained;

use crate::args::CommandsExplain;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use countersign_commands::{NotLooked, Places, Rule, RuleError, Rules, Verdict, parse_rules};
use countersign_graph::{Problem, Problems, Span};

pub(crate) use corpus::test;

pub(crate) fn explain(args: &CommandsExplain) -> Result<Exit, Failure> {
    let rules = given(&args.rules)?;
    let here = match &args.workspace {
        Some(folder) => folder.clone(),
        None => current()?,
    };
    if !here.starts_with('/') {
        let help = "write it from the root: `--workspace /home/me/project`";
        return Err(Failure::usage(format!("`{here}` is not a whole path"), help));
    }
    let places = Places { workspace: Some(&here), cwd: Some(&here), disk: &NotLooked };
    let judged = rules.judge(&args.command, &places);
    if args.json {
        out::show_json(&explained::json(&rules, &judged, &places))?;
    } else {
        out::show(&explained::page(&rules, &judged, &places))?;
    }
    Ok(match judged.verdict {
        Verdict::Match { .. } => Exit::Allowed,
        Verdict::Ask { .. } => Exit::Pending,
        Verdict::Deny { .. } => Exit::Blocked,
    })
}

fn given(texts: &[String]) -> Result<Rules, Failure> {
    let mut rules: Vec<Rule> = Vec::new();
    for text in texts {
        rules.extend(parse_rules(text).map_err(|error| misread(text, &error))?);
    }
    Ok(Rules::new(rules))
}

fn misread(text: &str, error: &RuleError) -> Failure {
    let problem = Problem::new(Span::at(error.at), error.message.clone(), error.help);
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
