//! Reads the command rules: lists of rules in the language of `countersign_commands`, and the
//! variables that a line may set.
//!
//! A rule of a class is parsed like an allow rule; which action a command is decided as is not
//! looked at here.

use crate::action_references::find_action;
use crate::domain::DomainCatalogue;
use crate::fields::{MapFields, is_comment_in_name_map};
use crate::node::{DocumentNode, MapKey};
use crate::problem::TextSpan;
use crate::report::{ProblemReport, span_within_text};
use countersign_commands::{
    CommandContext, CommandRule, NoDiskLookup, RuleEffect, RuleSet, explain_refused_variable,
    limits, parse_body,
};
use countersign_core::model::graph::CommandRules;
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use std::collections::HashMap;

const KEYS: [&str; 4] = ["allow", "deny", "classes", "env"];

/// For checking rules on their own, when workspace, directory and disk are unknown.
pub(crate) const UNKNOWN_CONTEXT: CommandContext<'static> =
    CommandContext { workspace: None, cwd: None, disk: &NoDiskLookup };

/// A rule with its span in the graph file.
pub(crate) struct LocatedRule {
    pub(crate) rule: CommandRule,
    pub(crate) span: TextSpan,
    pub(crate) body: String,
    pub(crate) list: RuleList,
}

/// The list that a rule is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RuleList {
    Allow,
    Deny,
    /// The name of the action.
    Class(String),
}

impl RuleList {
    fn describe(&self) -> String {
        match self {
            Self::Allow => "`allow`".to_owned(),
            Self::Deny => "`deny`".to_owned(),
            Self::Class(action) => format!("the class `{action}`"),
        }
    }

    /// A command that a class covers is not allowed by it, but the rule is read in the same way.
    fn effect(&self) -> RuleEffect {
        match self {
            Self::Allow | Self::Class(_) => RuleEffect::Allow,
            Self::Deny => RuleEffect::Deny,
        }
    }
}

pub(crate) fn read_command_rules(
    node: Option<&DocumentNode>,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> CommandRules {
    let rules = read_rules(node, report);
    refuse_duplicate_rules(&rules, report);
    warn_about_useless_rules(&rules, report);
    let (mut allow, mut deny) = (Vec::new(), Vec::new());
    let mut class_bodies: HashMap<String, Vec<String>> = HashMap::new();
    for LocatedRule { body, list, .. } in rules {
        match list {
            RuleList::Allow => allow.push(body),
            RuleList::Deny => deny.push(body),
            RuleList::Class(action) => class_bodies.entry(action).or_default().push(body),
        }
    }
    let actions = read_class_actions(node, catalogue, report).into_iter();
    let classes = actions.map(|action| {
        let bodies = class_bodies.remove(action.as_str()).unwrap_or_default();
        (action, bodies)
    });
    CommandRules { allow, deny, classes: classes.collect(), env: read_variables(node, report) }
}

/// The lists of the classes, in the order of the file.
fn class_lists(node: Option<&DocumentNode>) -> impl Iterator<Item = (&MapKey, &DocumentNode)> {
    let classes = node.and_then(|node| node.get("classes"));
    let entries = classes.and_then(DocumentNode::entries).unwrap_or_default().iter();
    let entries = entries.filter(|entry| !is_comment_in_name_map(entry));
    entries.map(|entry| (&entry.key, &entry.value))
}

/// The actions of the classes. A command cannot be decided as an action that nobody may do.
fn read_class_actions(
    node: Option<&DocumentNode>,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> Vec<Action> {
    let mut actions = Vec::new();
    for (key, _) in class_lists(node) {
        let Some(action) = find_action(&key.name, key.span, "classes", catalogue, report) else {
            continue;
        };
        if catalogue.rules.get(&action).is_some_and(|rule| rule.tier == Tier::Blocked) {
            let message = format!("`classes` names `{action}`, which is blocked");
            let help = "list the commands in `deny`, or take the action out of `blocked`";
            report.add_problem(key.span, message, help);
        }
        actions.push(action);
    }
    actions
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
    for (list, key) in [(RuleList::Allow, "allow"), (RuleList::Deny, "deny")] {
        rules.extend(fields.get(key).map(|node| read_list(node, &list, key, report)));
    }
    fields.get("classes").and_then(|node| report.read_map(node, "classes"));
    for (key, node) in class_lists(node) {
        rules.push(read_list(node, &RuleList::Class(key.name.clone()), &key.name, report));
    }
    let mut rules: Vec<LocatedRule> = rules.into_iter().flatten().collect();
    if rules.len() > limits::MAX_RULES {
        let message = format!("there are more than {} command rules", limits::MAX_RULES);
        let span = node.map_or(TextSpan::at_offset(0), |node| node.span);
        report.add_problem(span, message, "remove rules that nobody needs");
        rules.clear();
    }
    rules.sort_by_key(|located| located.span.start);
    rules
}

fn read_list(
    node: &DocumentNode,
    list: &RuleList,
    label: &str,
    report: &mut ProblemReport,
) -> Vec<LocatedRule> {
    let entries = report.read_list(node, label).unwrap_or_default();
    entries.iter().filter_map(|entry| read_rule(entry, list, label, report)).collect()
}

fn read_rule(
    entry: &DocumentNode,
    list: &RuleList,
    label: &str,
    report: &mut ProblemReport,
) -> Option<LocatedRule> {
    let body = report.read_text(entry, label)?;
    match parse_body(list.effect(), body) {
        Ok(rule) => {
            let body = body.trim().to_owned();
            Some(LocatedRule { rule, span: entry.span, body, list: list.clone() })
        }
        Err(error) => {
            let message = format!("`{}` is not a command rule: {error}", body.escape_debug());
            report.add_problem(span_within_text(entry, body, error.offset), message, error.help);
            None
        }
    }
}

pub(crate) fn refuse_duplicate_rules(rules: &[LocatedRule], report: &mut ProblemReport) {
    for (index, located) in rules.iter().enumerate() {
        let has_same_body = |earlier: &&LocatedRule| earlier.rule.body == located.rule.body;
        let Some(earlier) = rules.get(..index).and_then(|before| before.iter().find(has_same_body))
        else {
            continue;
        };
        let body = &located.body;
        if earlier.list == located.list {
            let message = format!("the command rule `{body}` occurs twice");
            report.add_problem(located.span, message, "remove one of the two");
            continue;
        }
        let lists = [&earlier.list, &located.list];
        let help = if lists.contains(&&RuleList::Deny) {
            "keep it in one of the two; a deny rule wins"
        } else {
            "keep it in one of the two"
        };
        // The order of the lists, not of the file, so that the message is the same for both.
        let mut names = lists.map(RuleList::describe);
        names.sort();
        let message = format!("`{body}` is listed in both {}", names.join(" and "));
        report.add_problem(located.span, message, help);
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
