//! `countersign check`: what the graph says about an action, and what is enforced.
//!
//! The first line is the seed's word for the tier as listed. Where enforcement differs, a second
//! line says so; the exit code is always that of what is enforced.

mod answer;
mod supposed;

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::page::Page;
use crate::settings::Settings;
use crate::{out, suggest};
use answer::Answer;
use countersign_core::decide::printed_tier;
use countersign_core::model::names::Action;

pub(crate) fn check(args: &CheckArgs, settings: &Settings) -> Result<Exit, Failure> {
    let action = named(&args.domain, &args.action)?;
    let file = GraphFile::open(args.graph.file.as_deref(), settings)?;
    let graph = &file.loaded.graph;
    let answer = Answer {
        action: &action,
        confidence: args.confidence,
        printed: printed_tier(graph, &action, args.confidence),
        decision: supposed::decided(&file, &action, args, settings)?,
        file: &file,
        asked: !args.targets.is_empty(),
        meant: match graph.rule(&action) {
            Some(_) => None,
            None => suggest::action(graph, &action),
        },
    };
    if let Some(meant) = answer.meant {
        out::tell(&Page::of(&format!("did you mean {meant}?")));
    }
    if args.json {
        out::show_json(&answer.json())?;
    } else {
        out::show(&answer.page(args))?;
    }
    Ok(answer.exit())
}

fn named(domain: &str, action: &str) -> Result<Action, Failure> {
    if let Some((first, second)) = domain.split_once('.') {
        let help = format!("write `countersign check {first} {second}`");
        return Err(Failure::usage(format!("a domain has no dot, and `{domain}` has one"), help));
    }
    Action::new(domain, action).map_err(|error| {
        Failure::usage(error.to_string(), "write domain and action as the graph lists them")
    })
}
