//! Finds command rules that allow more than they seem to, and rules without effect.
//!
//! Rules for interpreters and wrappers cover nothing; loading the graph already warns about them. How
//! broad the rule of a class is does not matter here: its action has a risk and a tier of its own.

use super::{LintCheck, LintFindings, LintedGraph};
use crate::commands::{LocatedRule, RuleList, UNKNOWN_CONTEXT, read_rules};
use crate::report::ProblemReport;
use countersign_commands::{
    CommandVerdict, DenyCause, RuleBody, RuleBreadth, RuleEffect, RuleEnd, RuleSet, RuleToken,
    find_breadth,
};
use countersign_core::model::command::render_argv;

pub(super) fn lint(linted: &LintedGraph<'_>, findings: &mut LintFindings) {
    // Loading the graph already reported invalid rules.
    let rules = read_rules(linted.root.get("commands"), &mut ProblemReport::default());
    for (index, located) in rules.iter().enumerate() {
        if located.list == RuleList::Allow {
            check_breadth(located, findings);
        }
        check_redundancy(&rules, index, findings);
    }
}

fn check_breadth(located: &LocatedRule, findings: &mut LintFindings) {
    let body = &located.body;
    let (check, description) = match find_breadth(&located.rule) {
        None => return,
        Some(RuleBreadth::RunsWorkspaceCode) => (
            LintCheck::CommandRunsWorkspace,
            "runs code from the workspace, which the agent can write",
        ),
        Some(RuleBreadth::ReachesOtherMachines) => (
            LintCheck::CommandReachesOut,
            "can reach any machine with arguments that the agent chooses",
        ),
    };
    findings.add(check, located.span, format!("`{body}` {description}"));
}

/// Judges the simplest command that a rule covers by the other rules of its list and the deny rules,
/// to see whether it is denied or already covered.
fn check_redundancy(rules: &[LocatedRule], index: usize, findings: &mut LintFindings) {
    let Some(located) = rules.get(index) else { return };
    let (RuleEffect::Allow, RuleBody::Command { tokens, end }) =
        (located.rule.effect, &located.rule.body)
    else {
        return;
    };
    let words = tokens.iter().map(|token| match token {
        RuleToken::Word(word) => Some(word.clone()),
        RuleToken::InWorkspace | RuleToken::UnlistedTask => None,
    });
    let Some(words) = words.collect::<Option<Vec<String>>>() else { return };
    let others: Vec<&LocatedRule> = rules
        .iter()
        .enumerate()
        .filter(|(other_index, _)| *other_index != index)
        .map(|(_, other)| other)
        .filter(|other| other.list == located.list || other.list == RuleList::Deny)
        .collect();
    let other_rules = RuleSet::new(others.iter().map(|other| other.rule.clone()).collect());
    let other_body = |at: usize| others.get(at).map(|other| (&other.body, &other.rule.body));
    let body = &located.body;
    let (allows, allowed) = match located.list {
        RuleList::Allow | RuleList::Deny => ("allows", "allowed"),
        RuleList::Class(_) => ("covers", "covered"),
    };
    let message = match (other_rules.judge(&render_argv(&words), &UNKNOWN_CONTEXT).verdict, end) {
        (CommandVerdict::Deny { cause: DenyCause::Rule(at), .. }, _) => match (other_body(at), end)
        {
            // With more arguments it may be a command that is not denied.
            (Some((_, RuleBody::Command { end: RuleEnd::Exact, .. })), RuleEnd::Open)
            | (None, _) => return,
            (Some((denied, _)), _) => format!("`{body}` {allows} nothing: `{denied}` is denied"),
        },
        (CommandVerdict::Match { rules }, RuleEnd::Exact) => {
            match rules.first().and_then(|at| other_body(*at)) {
                Some((wider, _)) => format!("`{body}` is already {allowed} by `{wider}`"),
                None => return,
            }
        }
        (
            CommandVerdict::Match { .. } | CommandVerdict::Ask { .. } | CommandVerdict::Deny { .. },
            _,
        ) => return,
    };
    findings.add(LintCheck::CommandWithoutEffect, located.span, message);
}
