//! Reads reducers: within a given caller, an action counts as less risky.
//!
//! Only reducers lower a risk. So loading refuses reducers of critical, blocked, `always_ask` and
//! trusted-channel actions instead of leaving the check to the decision.

use crate::action_references::read_action;
use crate::actions::read_risk;
use crate::domain::DomainCatalogue;
use crate::fields::MapFields;
use crate::node::DocumentNode;
use crate::report::ProblemReport;
use countersign_core::model::graph::{AskingRule, ChannelRule, Reducer, Rule, ToolMapping};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier};

const KEYS: [&str; 3] = ["caller", "action", "to"];

pub(crate) fn read_reducers(
    node: Option<&DocumentNode>,
    catalogue: &DomainCatalogue,
    tools: &[ToolMapping],
    report: &mut ProblemReport,
) -> Vec<Reducer> {
    let items = node.and_then(|node| report.read_list(node, "reducers")).unwrap_or_default();
    items.iter().filter_map(|item| read_reducer(item, catalogue, tools, report)).collect()
}

fn read_reducer(
    node: &DocumentNode,
    catalogue: &DomainCatalogue,
    tools: &[ToolMapping],
    report: &mut ProblemReport,
) -> Option<Reducer> {
    let fields = MapFields::read(node, "reducers", &KEYS, report)?;
    let mut required = |key: &str| {
        let found = fields.get(key);
        if found.is_none() {
            let help = "a reducer is `{caller: …, action: …, to: …}`";
            report.add_problem(node.span, format!("this reducer has no `{key}`"), help);
        }
        found
    };
    let (caller, action, to) = (required("caller"), required("action"), required("to"));
    let caller = caller.and_then(|node| self::read_caller(node, catalogue, tools, report));
    let action = action.and_then(|node| read_action(node, "action", catalogue, report));
    let to = to.and_then(|node| read_risk(node, "to", report));
    let reducer = Reducer { caller: caller?.to_owned(), action: action?, to: to? };
    if let Some(rule) = catalogue.rules.get(&reducer.action) {
        refuse_irreducible_action(node, &reducer, rule, report);
    }
    Some(reducer)
}

/// Reads an action or a tool. An unknown caller is harmless, because it reduces nothing; only a
/// misspelled verb of a known domain is refused.
fn read_caller<'n>(
    node: &'n DocumentNode,
    catalogue: &DomainCatalogue,
    tools: &[ToolMapping],
    report: &mut ProblemReport,
) -> Option<&'n str> {
    let name = report.read_text(node, "caller")?;
    let is_tool = tools.iter().any(|tool| tool.pattern.matches(name));
    let known = Action::parse(name).is_ok_and(|action| catalogue.rules.contains_key(&action));
    if is_tool || known {
        return Some(name);
    }
    let domain = name.split_once('.').map(|(domain, _)| domain);
    if domain.is_some_and(|domain| catalogue.domains.contains_key(domain)) {
        return read_action(node, "caller", catalogue, report).map(|_| name);
    }
    let message = format!("the caller `{name}` is neither an action nor a tool of this graph");
    report.add_warning(
        node.span,
        message,
        "check its spelling; a caller that never occurs reduces nothing",
    );
    Some(name)
}

fn refuse_irreducible_action(
    node: &DocumentNode,
    reducer: &Reducer,
    rule: &Rule,
    report: &mut ProblemReport,
) {
    let Reducer { action, to, .. } = reducer;
    let mut refuse = |fault: String, help: &str| {
        report.add_problem(node.span, format!("`{action}` cannot be reduced: {fault}"), help);
    };
    let remove = "remove the reducer";
    if rule.tier == Tier::Blocked {
        refuse("it is blocked".to_owned(), remove);
    }
    if rule.risk == Risk::Critical {
        refuse("its risk is critical".to_owned(), remove);
    }
    if rule.asking == AskingRule::Always {
        refuse("it is marked `always_ask`".to_owned(), remove);
    }
    if rule.channel == ChannelRule::TrustedOnly {
        refuse("it needs the trusted channel".to_owned(), remove);
    }
    if *to > rule.risk {
        let fault = format!("`{to}` is above its own risk, `{}`", rule.risk);
        refuse(fault, "a reducer can only lower a risk; raise it in the domain's `actions`");
    }
}
