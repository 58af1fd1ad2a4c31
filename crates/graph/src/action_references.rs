//! Reads references to actions from other parts of a graph than their domain.
//!
//! A referenced action must be in a tier list: a misspelled name would silently mean an
//! unclassified action.

use crate::domain::DomainCatalogue;
use crate::node::DocumentNode;
use crate::problem::TextSpan;
use crate::report::ProblemReport;
use crate::suggest;
use countersign_core::model::names::Action;
use std::collections::HashSet;

/// Reads a list of actions; each must be in a tier list.
pub(crate) fn read_action_list(
    node: Option<&DocumentNode>,
    label: &str,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> Vec<Action> {
    let items = node.and_then(|node| report.read_list(node, label)).unwrap_or_default();
    let mut seen = HashSet::with_capacity(items.len());
    let mut actions = Vec::with_capacity(items.len());
    for item in items {
        let Some(action) = read_action(item, label, catalogue, report) else { continue };
        if seen.insert(action.clone()) {
            actions.push(action);
        } else {
            let message = format!("`{action}` is listed twice in `{label}`");
            report.add_problem(item.span, message, "remove one of the two");
        }
    }
    actions
}

pub(crate) fn read_action(
    node: &DocumentNode,
    label: &str,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> Option<Action> {
    let name = report.read_text(node, label)?;
    find_action(name, node.span, label, catalogue, report)
}

/// The action of this name. Reports one that is in no tier list.
pub(crate) fn find_action(
    name: &str,
    span: TextSpan,
    label: &str,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> Option<Action> {
    let action = Action::parse(name).ok().filter(|action| catalogue.rules.contains_key(action));
    if action.is_none() {
        let message = format!("`{label}` names `{name}`, which is in no list of the graph");
        report.add_problem_with(span, message, || suggest_action(name, catalogue));
    }
    action
}

fn suggest_action(name: &str, catalogue: &DomainCatalogue) -> String {
    let Some((domain, verb)) = name.split_once('.') else {
        return "write an action as `domain.verb`".to_owned();
    };
    if !catalogue.domains.contains_key(domain) {
        let domains = catalogue.domains.keys().map(String::as_str);
        return match suggest::find_nearest(domain, domains) {
            Some(near) => format!("did you mean `{near}.{verb}`?"),
            None => "add the domain and list the action in it".to_owned(),
        };
    }
    let siblings = catalogue.rules.keys().filter(|action| action.domain() == domain);
    let fallback = format!("add `{verb}` to one of the lists of `{domain}`");
    suggest::did_you_mean(name, siblings.map(Action::as_str), &fallback)
}
