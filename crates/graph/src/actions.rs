//! Actions: the detail that a domain gives for one of its own, and names of actions elsewhere.
//!
//! Wherever a graph names an action outside of the tier lists, the action must be in one of them:
//! a misspelt name would silently mean an unclassified action.

use crate::domain::Catalogue;
use crate::fields::{Fields, is_remark};
use crate::lists::Listed;
use crate::node::Node;
use crate::report::Report;
use crate::suggest;
use countersign_core::model::category::{Category, FLOORS};
use countersign_core::model::graph::{Asking, ChannelRule, Rule, WhenIdle};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier, Undo};
use std::collections::{HashMap, HashSet};

const KEYS: [&str; 5] = ["risk", "categories", "reversible", "always_ask", "when_idle"];

/// What a domain's `actions` says about one verb.
pub(crate) struct Detail {
    risk: Option<Risk>,
    categories: Vec<Category>,
    undo: Undo,
    asking: Asking,
    when_idle: WhenIdle,
}

impl Detail {
    pub(crate) const NONE: Self = Self {
        risk: None,
        categories: Vec::new(),
        undo: Undo::Irreversible,
        asking: Asking::ByTier,
        when_idle: WhenIdle::Ask,
    };

    fn read(node: &Node, what: &str, report: &mut Report) -> Option<Self> {
        let fields = Fields::read(node, what, &KEYS, report)?;
        let mut flag =
            |key: &str| fields.get(key).and_then(|node| report.flag(node, key)) == Some(true);
        Some(Self {
            undo: if flag("reversible") { Undo::Reversible } else { Undo::Irreversible },
            asking: if flag("always_ask") { Asking::Always } else { Asking::ByTier },
            when_idle: if flag("when_idle") { WhenIdle::Pass } else { WhenIdle::Ask },
            risk: fields.get("risk").and_then(|node| risk(node, "risk", report)),
            categories: categories(fields.get("categories"), report),
        })
    }

    pub(crate) fn rule(self, tier: Tier, channel: ChannelRule) -> Rule {
        let own = self.risk.unwrap_or(Rule::default_risk(tier));
        Rule {
            tier,
            risk: self.categories.iter().map(Category::floor).fold(own, Risk::max),
            categories: self.categories,
            undo: self.undo,
            asking: self.asking,
            when_idle: self.when_idle,
            channel,
        }
    }
}

pub(crate) fn risk(node: &Node, what: &str, report: &mut Report) -> Option<Risk> {
    report.word(node, what, &Risk::INPUT, Risk::from_input)
}

/// A domain's `actions`, by verb.
pub(crate) fn details<'n>(
    node: Option<&'n Node>,
    listed: &[Listed<'_>],
    report: &mut Report,
) -> HashMap<&'n str, Detail> {
    let entries = node.and_then(|node| report.map(node, "actions")).unwrap_or_default();
    if entries.is_empty() {
        return HashMap::new();
    }
    let verbs: HashSet<&str> = listed.iter().map(|listed| listed.verb).collect();
    let mut details = HashMap::with_capacity(entries.len());
    for entry in entries {
        let verb = entry.key.name.as_str();
        if verbs.contains(verb) {
            let detail = Detail::read(&entry.value, verb, report).unwrap_or(Detail::NONE);
            details.insert(verb, detail);
        } else if !is_remark(entry) {
            let message =
                format!("`actions` describes `{verb}`, which no list of the domain names");
            report.misspelt(entry.key.span, message, || suggest::verb(verb, listed));
        }
    }
    details
}

pub(crate) fn categories(node: Option<&Node>, report: &mut Report) -> Vec<Category> {
    let items = node.and_then(|node| report.list(node, "categories")).unwrap_or_default();
    let mut seen = HashSet::new();
    let mut categories = Vec::with_capacity(items.len());
    for item in items {
        let Some(name) = report.text(item, "categories") else { continue };
        match Category::parse(name) {
            Ok(category) if !seen.insert(category.clone()) => {
                let message = format!("`{name}` stands twice in `categories`");
                report.problem(item.span, message, "remove one of the two");
            }
            Ok(category) => {
                warn_of_misspelling(name, item, report);
                categories.push(category);
            }
            Err(error) => {
                report.problem(
                    item.span,
                    error.to_string(),
                    "name one category, for example `purchase`",
                );
            }
        }
    }
    categories
}

/// Unknown categories are allowed and count as high; `purchse` would lower `purchase` to that.
fn warn_of_misspelling(name: &str, item: &Node, report: &mut Report) {
    let known = || FLOORS.iter().flat_map(|(_, names)| names.iter().copied());
    if known().any(|word| word == name) {
        return;
    }
    if let Some(word) = suggest::nearest(name, known()).filter(|_| !name.contains(':')) {
        let message = format!("the category `{name}` is not known, and counts as high");
        report.warn(item.span, message, format!("did you mean `{word}`?"));
    }
}

/// A list of actions, each of which a domain lists.
pub(crate) fn references(
    node: Option<&Node>,
    what: &str,
    catalogue: &Catalogue,
    report: &mut Report,
) -> Vec<Action> {
    let items = node.and_then(|node| report.list(node, what)).unwrap_or_default();
    let mut seen = HashSet::with_capacity(items.len());
    let mut actions = Vec::with_capacity(items.len());
    for item in items {
        let Some(action) = reference(item, what, catalogue, report) else { continue };
        if seen.insert(action.clone()) {
            actions.push(action);
        } else {
            let message = format!("`{action}` stands twice in `{what}`");
            report.problem(item.span, message, "remove one of the two");
        }
    }
    actions
}

pub(crate) fn reference(
    node: &Node,
    what: &str,
    catalogue: &Catalogue,
    report: &mut Report,
) -> Option<Action> {
    let name = report.text(node, what)?;
    let action = Action::parse(name).ok().filter(|action| catalogue.rules.contains_key(action));
    if action.is_none() {
        let message = format!("`{what}` names `{name}`, and no list of the graph does");
        report.misspelt(node.span, message, || help_for_unknown(name, catalogue));
    }
    action
}

fn help_for_unknown(name: &str, catalogue: &Catalogue) -> String {
    let Some((domain, verb)) = name.split_once('.') else {
        return "write an action as `domain.verb`".to_owned();
    };
    if !catalogue.domains.contains_key(domain) {
        let domains = catalogue.domains.keys().map(String::as_str);
        return match suggest::nearest(domain, domains) {
            Some(near) => format!("did you mean `{near}.{verb}`?"),
            None => "add the domain and list the action in it".to_owned(),
        };
    }
    let siblings = catalogue.rules.keys().filter(|action| action.domain() == domain);
    let otherwise = format!("add `{verb}` to one of the lists of `{domain}`");
    suggest::help(name, siblings.map(Action::as_str), &otherwise)
}
