//! Reads the command rules: two lists, each entry a rule in the language of `countersign_commands`, and
//! the variables that a line may set.

use crate::fields::MapFields;
use crate::node::DocumentNode;
use crate::problem::TextSpan;
use crate::report::ProblemReport;
use countersign_commands::{
    CommandContext, CommandRule, NoDiskLookup, RuleEffect, RuleError, RuleSet,
    explain_refused_variable, limits, parse_body,
};
use countersign_core::model::graph::CommandRules;

const KEYS: [&str; 3] = ["allow", "deny", "env"];

/// For checking rules on their own, when workspace, directory and disk are unknown.
pub(crate) const UNKNOWN_CONTEXT: CommandContext<'static> =
    CommandContext { workspace: None, cwd: None, disk: &NoDiskLookup };

/// A rule with its span in the graph file.
pub(crate) struct LocatedRule {
    pub(crate) rule: CommandRule,
    pub(crate) span: TextSpan,
    pub(crate) body: String,
}

pub(crate) fn read_command_rules(
    node: Option<&DocumentNode>,
    report: &mut ProblemReport,
) -> CommandRules {
    let rules = read_rules(node, report);
    refuse_duplicate_rules(&rules, report);
    warn_about_useless_rules(&rules, report);
    let bodies = |effect| {
        rules
            .iter()
            .filter(|located| located.rule.effect == effect)
            .map(|located| located.body.clone())
            .collect()
    };
    CommandRules {
        allow: bodies(RuleEffect::Allow),
        deny: bodies(RuleEffect::Deny),
        env: read_variables(node, report),
    }
}

/// The names of variables. One that could load code or choose a program is refused.
fn read_variables(node: Option<&DocumentNode>, report: &mut ProblemReport) -> Vec<String> {
    let list = node.and_then(|node| node.get("env"));
    let entries = list.and_then(|list| report.read_list(list, "env")).unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        let Some(name) = report.read_text(entry, "env") else { continue };
        if let Some(why) = explain_refused_variable(name) {
            let message = format!("a line cannot set `{}`: {why}", name.escape_debug());
            report.add_problem(entry.span, message, "remove it, and let such a line ask");
        } else if names.iter().any(|earlier| earlier.eq_ignore_ascii_case(name)) {
            let message = format!("the variable `{name}` occurs twice");
            report.add_problem(entry.span, message, "remove one of the two");
        } else {
            names.push(name.to_owned());
        }
    }
    names
}

/// Every valid rule, in the order of the file.
pub(crate) fn read_rules(
    node: Option<&DocumentNode>,
    report: &mut ProblemReport,
) -> Vec<LocatedRule> {
    let Some(fields) = node.and_then(|node| MapFields::read(node, "commands", &KEYS, report))
    else {
        return Vec::new();
    };
    let mut rules = Vec::new();
    for effect in [RuleEffect::Allow, RuleEffect::Deny] {
        let word = effect.word();
        let entries = fields.get(word).and_then(|node| report.read_list(node, word));
        for entry in entries.unwrap_or_default() {
            rules.extend(read_rule(entry, effect, report));
        }
    }
    if rules.len() > limits::MAX_RULES {
        let message = format!("there are more than {} command rules", limits::MAX_RULES);
        let span = node.map_or(TextSpan::at_offset(0), |node| node.span);
        report.add_problem(span, message, "remove rules that nobody needs");
        rules.clear();
    }
    rules.sort_by_key(|located: &LocatedRule| located.span.start);
    rules
}

fn read_rule(
    entry: &DocumentNode,
    effect: RuleEffect,
    report: &mut ProblemReport,
) -> Option<LocatedRule> {
    let body = report.read_text(entry, effect.word())?;
    match parse_body(effect, body) {
        Ok(rule) => Some(LocatedRule { rule, span: entry.span, body: body.trim().to_owned() }),
        Err(error) => {
            let message = format!("`{}` is not a command rule: {error}", body.escape_debug());
            report.add_problem(error_span(entry, body, &error), message, error.help);
            None
        }
    }
}

/// The span of the error inside an entry. The whole entry if escapes make the offset uncertain.
fn error_span(entry: &DocumentNode, body: &str, error: &RuleError) -> TextSpan {
    let TextSpan { start, end } = entry.span;
    match (end.saturating_sub(start)).checked_sub(body.len()) {
        Some(0) => TextSpan::new(start + error.offset, end),
        // Quoted, without escapes.
        Some(2) => TextSpan::new(start + 1 + error.offset, end),
        Some(_) | None => entry.span,
    }
}

fn refuse_duplicate_rules(rules: &[LocatedRule], report: &mut ProblemReport) {
    for (index, located) in rules.iter().enumerate() {
        let has_same_body = |earlier: &&LocatedRule| earlier.rule.body == located.rule.body;
        let Some(earlier) = rules.get(..index).and_then(|before| before.iter().find(has_same_body))
        else {
            continue;
        };
        let body = &located.body;
        if earlier.rule.effect == located.rule.effect {
            let message = format!("the command rule `{body}` occurs twice");
            report.add_problem(located.span, message, "remove one of the two");
        } else {
            let message = format!("`{body}` is listed in both `allow` and `deny`");
            report.add_problem(
                located.span,
                message,
                "keep it in one of the two; a deny rule wins",
            );
        }
    }
}

/// A rule that covers nothing is valid, but its author should know.
fn warn_about_useless_rules(rules: &[LocatedRule], report: &mut ProblemReport) {
    let rule_set = RuleSet::new(rules.iter().map(|located| located.rule.clone()).collect());
    for warning in rule_set.warnings(&UNKNOWN_CONTEXT) {
        if let Some(located) = rules.get(warning.rule) {
            let message = format!("`{}` covers nothing: {}", located.body, warning.why);
            report.add_warning(located.span, message, "name the exact command, or remove the rule");
        }
    }
}
