//! Reducers: inside of a caller, an action counts as less risky.
//!
//! They are the one place where a graph lowers a risk, so what they may not touch is checked here
//! and not left to the decision: critical, blocked, always asked and channel-bound actions.

use crate::actions::{reference, risk};
use crate::domain::Catalogue;
use crate::fields::Fields;
use crate::node::Node;
use crate::report::Report;
use countersign_core::model::graph::{Asking, ChannelRule, Reducer, Rule, ToolMapping};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier};

const KEYS: [&str; 3] = ["caller", "action", "to"];

pub(crate) fn read(
    node: Option<&Node>,
    catalogue: &Catalogue,
    tools: &[ToolMapping],
    report: &mut Report,
) -> Vec<Reducer> {
    let items = node.and_then(|node| report.list(node, "reducers")).unwrap_or_default();
    items.iter().filter_map(|item| reducer(item, catalogue, tools, report)).collect()
}

fn reducer(
    node: &Node,
    catalogue: &Catalogue,
    tools: &[ToolMapping],
    report: &mut Report,
) -> Option<Reducer> {
    let fields = Fields::read(node, "reducers", &KEYS, report)?;
    let mut required = |key: &str| {
        let found = fields.get(key);
        if found.is_none() {
            let help = "a reducer is `{caller: …, action: …, to: …}`";
            report.problem(node.span, format!("this reducer has no `{key}`"), help);
        }
        found
    };
    let (caller, action, to) = (required("caller"), required("action"), required("to"));
    let caller = caller.and_then(|node| self::caller(node, catalogue, tools, report));
    let action = action.and_then(|node| reference(node, "action", catalogue, report));
    let to = to.and_then(|node| risk(node, "to", report));
    let reducer = Reducer { caller: caller?.to_owned(), action: action?, to: to? };
    if let Some(rule) = catalogue.rules.get(&reducer.action) {
        refuse_what_may_not_be_reduced(node, &reducer, rule, report);
    }
    Some(reducer)
}

/// An action or a tool. One that is never on the stack reduces nothing, so only a misspelt verb of
/// a known domain is refused.
fn caller<'n>(
    node: &'n Node,
    catalogue: &Catalogue,
    tools: &[ToolMapping],
    report: &mut Report,
) -> Option<&'n str> {
    let name = report.text(node, "caller")?;
    let is_tool = tools.iter().any(|tool| tool.pattern.matches(name));
    let known = Action::parse(name).is_ok_and(|action| catalogue.rules.contains_key(&action));
    if is_tool || known {
        return Some(name);
    }
    let domain = name.split_once('.').map(|(domain, _)| domain);
    if domain.is_some_and(|domain| catalogue.domains.contains_key(domain)) {
        return reference(node, "caller", catalogue, report).map(|_| name);
    }
    let message = format!("the caller `{name}` is neither an action nor a tool of this graph");
    report.warn(node.span, message, "check its spelling; until it occurs it reduces nothing");
    Some(name)
}

fn refuse_what_may_not_be_reduced(
    node: &Node,
    reducer: &Reducer,
    rule: &Rule,
    report: &mut Report,
) {
    let Reducer { action, to, .. } = reducer;
    let mut refuse = |fault: String, help: &str| {
        report.problem(node.span, format!("`{action}` cannot be reduced: {fault}"), help);
    };
    let remove = "remove the reducer";
    if rule.tier == Tier::Blocked {
        refuse("it is blocked".to_owned(), remove);
    }
    if rule.risk == Risk::Critical {
        refuse("its risk is critical".to_owned(), remove);
    }
    if rule.asking == Asking::Always {
        refuse("it is marked `always_ask`".to_owned(), remove);
    }
    if rule.channel == ChannelRule::TrustedOnly {
        refuse("it needs the trusted channel".to_owned(), remove);
    }
    if *to > rule.risk {
        let fault = format!("`{to}` is above its own risk, `{}`", rule.risk);
        refuse(fault, "a reducer only lowers; raise the risk in the domain's `actions`");
    }
}
