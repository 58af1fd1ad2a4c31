//! `countersign check`: what the graph says about an action, and what is enforced.
//!
//! The first line is Consent Graph's word for the listed tier. If the enforced outcome differs, a second
//! line shows it. The exit code is always that of the enforced outcome.

mod decide;
mod result;

use crate::RulesContext;
use clap::Args;
use countersign_console::{Exit, Failure, Page, out, suggest};
use countersign_core::decide::printed_tier;
use countersign_core::model::names::Action;
use countersign_setup::{DaemonFolder, GraphOption};
use result::CheckReport;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    about = "Show what the graph says about an action, and what is enforced",
    before_help = CHECK_EXAMPLES,
    after_help = Exit::help_table(),
)]
pub struct CheckArgs {
    /// The action, as `email send` or `email.send`, and how sure the agent is, from 0 to 1
    #[arg(value_name = "ACTION", num_args = 1..=3, required = true, allow_negative_numbers = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) daemon: DaemonFolder,
    /// The target: a path, an address or a recipient. With a target, policies are evaluated too
    #[arg(long = "target", value_name = "TARGET", allow_hyphen_values = true)]
    pub(crate) targets: Vec<String>,
    /// The folder that paths are relative to, and whose repository's rules count [default: the
    /// current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Show the reason, and what would change the outcome
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  countersign check email send 0.9
  countersign check git.push
  countersign check email send 0.9 --explain --graph graphs/personal/countersign.yaml
  countersign check files delete --target notes.txt --explain
  countersign check files delete && rm notes.txt

The first line is the listed tier: SILENT, VISIBLE, FORCED or BLOCKED. If the enforced outcome
differs, a second line shows it. The exit code is that of the enforced outcome.";

pub fn parse_confidence(given: &str) -> Result<f64, String> {
    let number: Option<f64> = given.parse().ok();
    match number.filter(|number| (0.0..=1.0).contains(number)) {
        // Minus zero is zero.
        Some(number) => Ok(number + 0.0),
        None => Err("a confidence is a number from 0 to 1, for example 0.9".to_owned()),
    }
}

pub fn check(args: &CheckArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let (action, confidence) = parse_words(&args.words)?;
    let file = args.graph.search(args.daemon.path.as_deref(), context.graph_places()).open()?;
    file.announce();
    let (decision, graph) = decide::decide_check(&file, &action, confidence, args, context)?;
    let graph = &*graph;
    let report = CheckReport {
        action: &action,
        confidence,
        printed: printed_tier(graph, &action, confidence, context.now().date()),
        decision,
        file: &file,
        graph,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_is_finite_and_from_zero_to_one() {
        for (given, number) in [("0", 0.0), ("1", 1.0), ("0.85", 0.85), (".5", 0.5), ("-0", 0.0)] {
            assert_eq!(parse_confidence(given), Ok(number), "{given}");
        }
        for given in ["7", "NaN", "abc", "", "-0.5", "inf", "-inf", "1.0000001", "0,9", "90%"] {
            assert!(parse_confidence(given).is_err(), "{given}");
        }
    }
}
