//! Command rules that reach further than they look, or not at all.
//!
//! Rules for interpreters, wrappers and the like cover nothing, and reading the graph warns of
//! them.

use super::{Check, File, Findings};
use crate::commands::{NOWHERE, Placed, placed};
use crate::report::Report;
use countersign_commands::{Body, Breadth, Cause, Effect, End, Rules, Token, Verdict, breadth};
use countersign_core::model::command::rendered;

pub(super) fn lint(file: &File<'_>, found: &mut Findings) {
    // What is wrong with them was reported when the graph was read.
    let placed = placed(file.root.get("commands"), &mut Report::default());
    for (at, one) in placed.iter().enumerate() {
        broad(one, found);
        without_effect(&placed, (at, one), found);
    }
}

fn broad(one: &Placed, found: &mut Findings) {
    let body = &one.body;
    let (check, what) = match breadth(&one.rule) {
        None => return,
        Some(Breadth::RunsTheWorkspace) => {
            (Check::CommandRunsWorkspace, "runs code of the workspace, where the agent writes")
        }
        Some(Breadth::ReachesOut) => {
            (Check::CommandReachesOut, "reaches any machine, with words that the agent chooses")
        }
        Some(Breadth::ReadsAnywhere) => {
            (Check::CommandReadsAnywhere, "reads files outside of the workspace too")
        }
    };
    found.add(check, one.span, format!("`{body}` {what}"));
}

/// The plainest command that an allow rule is about: is it denied, or allowed by another rule?
fn without_effect(placed: &[Placed], (at, one): (usize, &Placed), found: &mut Findings) {
    let (Effect::Allow, Body::Command { tokens, end }) = (one.rule.effect, &one.rule.body) else {
        return;
    };
    let words = tokens.iter().map(|token| match token {
        Token::Word(word) => Some(word.clone()),
        Token::InWorkspace => None,
    });
    let Some(words) = words.collect::<Option<Vec<String>>>() else { return };
    let others: Vec<&Placed> =
        placed.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, one)| one).collect();
    let rules = Rules::new(others.iter().map(|other| other.rule.clone()).collect());
    let other = |at: usize| others.get(at).map(|other| (&other.body, &other.rule.body));
    let body = &one.body;
    let message = match (rules.judge(&rendered(&words), &NOWHERE).verdict, end) {
        (Verdict::Deny { cause: Cause::Rule(at), .. }, _) => match (other(at), end) {
            // More words can make it another command than the denied one.
            (Some((_, Body::Command { end: End::Exact, .. })), End::Open) | (None, _) => return,
            (Some((denied, _)), _) => format!("`{body}` allows nothing: `{denied}` is denied"),
        },
        (Verdict::Match { rules }, End::Exact) => match rules.first().and_then(|at| other(*at)) {
            Some((wider, _)) => format!("`{body}` is allowed by `{wider}` too"),
            None => return,
        },
        (Verdict::Match { .. } | Verdict::Ask { .. } | Verdict::Deny { .. }, _) => return,
    };
    found.add(Check::CommandWithoutEffect, one.span, message);
}
