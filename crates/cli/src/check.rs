//! `countersign check`: what the graph says about an action, and what is enforced.
//!
//! The first line is the seed's word for the listed tier. If the enforced outcome differs, a second
//! line shows it. The exit code is always that of the enforced outcome.

mod decide;
mod result;

use crate::args::CheckArgs;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::page::Page;
use crate::settings::Settings;
use crate::{out, suggest};
use countersign_core::decide::printed_tier;
use countersign_core::model::names::Action;
use countersign_engine::Clock as _;
use result::CheckReport;

pub(crate) fn check(args: &CheckArgs, settings: &Settings) -> Result<Exit, Failure> {
    let action = parse_action(&args.domain, &args.action)?;
    let file = args.graph.search(args.daemon.path.as_deref(), settings).open()?;
    file.announce();
    let graph = &file.loaded.graph;
    let report = CheckReport {
        action: &action,
        confidence: args.confidence,
        printed: printed_tier(graph, &action, args.confidence, SystemClock.now().date()),
        decision: decide::decide_check(&file, &action, args, settings)?,
        file: &file,
        policies_evaluated: !args.targets.is_empty(),
        suggestion: match graph.rule(&action) {
            Some(_) => None,
            None => suggest::similar_action(graph, &action),
        },
    };
    if let Some(suggestion) = report.suggestion {
        out::eprint(&Page::from_line(&format!("did you mean {suggestion}?")));
    }
    if args.json {
        out::show_json(&report.to_json())?;
    } else {
        out::show(&report.draw(args))?;
    }
    Ok(report.exit())
}

fn parse_action(domain: &str, action: &str) -> Result<Action, Failure> {
    if let Some((first, second)) = domain.split_once('.') {
        let help = format!("write `countersign check {first} {second}`");
        return Err(Failure::usage(format!("a domain contains no dot, but `{domain}` does"), help));
    }
    Action::new(domain, action).map_err(|error| {
        Failure::usage(error.to_string(), "write domain and action as the graph lists them")
    })
}
