//! Finds command rules that allow more than they seem to, and rules without effect.
//!
//! Rules for interpreters and wrappers cover nothing; loading the graph already warns about them.

use super::{Findings, LintCheck, LintedGraph};
use crate::commands::{LocatedRule, UNKNOWN_CONTEXT, read_rules};
use crate::report::ProblemReport;
use countersign_commands::{
    CommandVerdict, DenyCause, RuleBody, RuleBreadth, RuleEffect, RuleEnd, RuleSet, RuleToken,
    find_breadth,
};
use countersign_core::model::command::rendered;

pub(super) fn lint(file: &LintedGraph<'_>, found: &mut Findings) {
    // Loading the graph already reported invalid rules.
    let placed = read_rules(file.root.get("commands"), &mut ProblemReport::default());
    for (at, one) in placed.iter().enumerate() {
        check_breadth(one, found);
        check_redundancy(&placed, (at, one), found);
    }
}

fn check_breadth(one: &LocatedRule, found: &mut Findings) {
    let body = &one.body;
    let (check, what) = match find_breadth(&one.rule) {
        None => return,
        Some(RuleBreadth::RunsWorkspaceCode) => {
            (LintCheck::CommandRunsWorkspace, "runs code of the workspace, where the agent writes")
        }
        Some(RuleBreadth::ReachesOtherMachines) => {
            (LintCheck::CommandReachesOut, "reaches any machine, with words that the agent chooses")
        }
        Some(RuleBreadth::ReadsAnyFile) => {
            (LintCheck::CommandReadsAnywhere, "reads files outside of the workspace too")
        }
    };
    found.add(check, one.span, format!("`{body}` {what}"));
}

/// The plainest command that an allow rule is about: is it denied, or allowed by another rule?
fn check_redundancy(
    placed: &[LocatedRule],
    (at, one): (usize, &LocatedRule),
    found: &mut Findings,
) {
    let (RuleEffect::Allow, RuleBody::Command { tokens, end }) = (one.rule.effect, &one.rule.body)
    else {
        return;
    };
    let words = tokens.iter().map(|token| match token {
        RuleToken::Word(word) => Some(word.clone()),
        RuleToken::InWorkspace => None,
    });
    let Some(words) = words.collect::<Option<Vec<String>>>() else { return };
    let others: Vec<&LocatedRule> =
        placed.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, one)| one).collect();
    let rules = RuleSet::new(others.iter().map(|other| other.rule.clone()).collect());
    let other = |at: usize| others.get(at).map(|other| (&other.body, &other.rule.body));
    let body = &one.body;
    let message = match (rules.judge(&rendered(&words), &UNKNOWN_CONTEXT).verdict, end) {
        (CommandVerdict::Deny { cause: DenyCause::Rule(at), .. }, _) => match (other(at), end) {
            // With more arguments it may be a command that is not denied.
            (Some((_, RuleBody::Command { end: RuleEnd::Exact, .. })), RuleEnd::Open)
            | (None, _) => return,
            (Some((denied, _)), _) => format!("`{body}` allows nothing: `{denied}` is denied"),
        },
        (CommandVerdict::Match { rules }, RuleEnd::Exact) => {
            match rules.first().and_then(|at| other(*at)) {
                Some((wider, _)) => format!("`{body}` is allowed by `{wider}` too"),
                None => return,
            }
        }
        (
            CommandVerdict::Match { .. } | CommandVerdict::Ask { .. } | CommandVerdict::Deny { .. },
            _,
        ) => return,
    };
    found.add(LintCheck::CommandWithoutEffect, one.span, message);
}
