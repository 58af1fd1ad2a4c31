//! `countersign check`: what the graph says about an action, and what is enforced.
//!
//! The first line is the seed's word for the listed tier. If the enforced outcome differs, a second
//! line shows it. The exit code is always that of the enforced outcome.

mod decide;
mod result;

use crate::args::{CheckArgs, parse_confidence};
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
    let (action, confidence) = parse_words(&args.words)?;
    let file = args.graph.search(args.daemon.path.as_deref(), settings).open()?;
    file.announce();
    let graph = &file.loaded.graph;
    let report = CheckReport {
        action: &action,
        confidence,
        printed: printed_tier(graph, &action, confidence, SystemClock.now().date()),
        decision: decide::decide_check(&file, &action, confidence, args, settings)?,
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

/// `email send 0.9` or `email.send 0.9`; without a number, the agent is not sure at all.
fn parse_words(words: &[String]) -> Result<(Action, f64), Failure> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (domain, verb, rest) = match words.as_slice() {
        [first, rest @ ..] if first.contains('.') => {
            let (domain, verb) = first.split_once('.').unwrap_or((first, ""));
            (domain, verb, rest)
        }
        [domain, verb, rest @ ..] => (*domain, *verb, rest),
        [] | [_] => {
            return Err(Failure::usage(
                "an action has two parts, a domain and a verb",
                "write `countersign check email send` or `countersign check email.send`",
            ));
        }
    };
    let action = Action::new(domain, verb).map_err(|error| {
        Failure::usage(error.to_string(), "write domain and action as the graph lists them")
    })?;
    let confidence = match rest {
        [] => 0.0,
        [number] => parse_confidence(number).map_err(|message| {
            Failure::usage(format!("`{number}` is not a confidence"), message)
        })?,
        [_, extra, ..] => {
            let message = format!("`{extra}` is one word too many");
            return Err(Failure::usage(message, "write the action, then the confidence"));
        }
    };
    Ok((action, confidence))
}
