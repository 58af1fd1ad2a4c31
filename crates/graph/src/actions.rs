//! Reads the details of a domain's actions: risk, categories, and how they are asked.

use crate::fields::{MapFields, is_comment};
use crate::lists::{ListedVerb, suggest_verb};
use crate::node::DocumentNode;
use crate::report::ProblemReport;
use crate::suggest;
use countersign_core::model::category::{Category, FLOORS};
use countersign_core::model::graph::{AskingRule, ChannelRule, Rule, WhenIdle};
use countersign_core::model::words::{Risk, Tier, Undo};
use std::collections::{HashMap, HashSet};

const KEYS: [&str; 5] = ["risk", "categories", "reversible", "always_ask", "when_idle"];

/// The entry of one verb in a domain's `actions`.
pub(crate) struct ActionDetail {
    pub(crate) risk: Option<Risk>,
    categories: Vec<Category>,
    undo: Option<Undo>,
    asking: AskingRule,
    when_idle: WhenIdle,
}

impl ActionDetail {
    pub(crate) const NONE: Self = Self {
        risk: None,
        categories: Vec::new(),
        undo: None,
        asking: AskingRule::ByTier,
        when_idle: WhenIdle::Ask,
    };

    fn read(node: &DocumentNode, label: &str, report: &mut ProblemReport) -> Option<Self> {
        let fields = MapFields::read(node, label, &KEYS, report)?;
        let mut flag = |key: &str| fields.get(key).and_then(|node| report.read_bool(node, key));
        let undo = |yes| if yes { Undo::Reversible } else { Undo::Irreversible };
        Some(Self {
            undo: flag("reversible").map(undo),
            asking: if flag("always_ask") == Some(true) {
                AskingRule::Always
            } else {
                AskingRule::ByTier
            },
            when_idle: if flag("when_idle") == Some(true) { WhenIdle::Pass } else { WhenIdle::Ask },
            risk: fields.get("risk").and_then(|node| read_risk(node, "risk", report)),
            categories: read_categories(fields.get("categories"), report),
        })
    }

    pub(crate) fn into_rule(self, tier: Tier, channel: ChannelRule) -> Rule {
        // A stated risk replaces the floors of the rule's own categories, but for critical ones.
        let counts = |floor: &Risk| self.risk.is_none() || *floor == Risk::Critical;
        let stated = self.risk.unwrap_or(Rule::default_risk(tier));
        Rule {
            tier,
            risk: self
                .categories
                .iter()
                .map(Category::floor)
                .filter(counts)
                .fold(stated, Risk::max),
            categories: self.categories,
            undo: self.undo,
            asking: self.asking,
            when_idle: self.when_idle,
            channel,
        }
    }
}

pub(crate) fn read_risk(
    node: &DocumentNode,
    label: &str,
    report: &mut ProblemReport,
) -> Option<Risk> {
    report.read_word(node, label, &Risk::INPUT, Risk::from_input)
}

/// The details in a domain's `actions`, by verb.
pub(crate) fn read_details<'n>(
    node: Option<&'n DocumentNode>,
    listed: &[ListedVerb<'_>],
    report: &mut ProblemReport,
) -> HashMap<&'n str, ActionDetail> {
    let entries = node.and_then(|node| report.read_map(node, "actions")).unwrap_or_default();
    if entries.is_empty() {
        return HashMap::new();
    }
    let verbs: HashSet<&str> = listed.iter().map(|listed| listed.verb).collect();
    let mut details = HashMap::with_capacity(entries.len());
    for entry in entries {
        let verb = entry.key.name.as_str();
        if verbs.contains(verb) {
            let detail =
                ActionDetail::read(&entry.value, verb, report).unwrap_or(ActionDetail::NONE);
            details.insert(verb, detail);
        } else if !is_comment(entry) {
            let message =
                format!("`actions` describes `{verb}`, which is in no list of the domain");
            report.add_problem_with(entry.key.span, message, || suggest_verb(verb, listed));
        }
    }
    details
}

pub(crate) fn read_categories(
    node: Option<&DocumentNode>,
    report: &mut ProblemReport,
) -> Vec<Category> {
    let items = node.and_then(|node| report.read_list(node, "categories")).unwrap_or_default();
    let mut seen = HashSet::new();
    let mut categories = Vec::with_capacity(items.len());
    for item in items {
        let Some(name) = report.read_text(item, "categories") else { continue };
        match Category::parse(name) {
            Ok(category) if !seen.insert(category.clone()) => {
                let message = format!("`{name}` is listed twice in `categories`");
                report.add_problem(item.span, message, "remove one of the two");
            }
            Ok(category) => {
                warn_about_misspelled_category(name, item, report);
                categories.push(category);
            }
            Err(error) => {
                report.add_problem(
                    item.span,
                    error.to_string(),
                    "name one category, for example `purchase`",
                );
            }
        }
    }
    categories
}

/// Unknown categories are allowed and count as high; the typo `purchse` would lower the critical
/// `purchase` to that.
fn warn_about_misspelled_category(name: &str, item: &DocumentNode, report: &mut ProblemReport) {
    let known = || FLOORS.iter().flat_map(|(_, names)| names.iter().copied());
    if known().any(|word| word == name) {
        return;
    }
    if let Some(word) = suggest::find_nearest(name, known()).filter(|_| !name.contains(':')) {
        let message = format!("the category `{name}` is unknown and counts as high");
        report.add_warning(item.span, message, format!("did you mean `{word}`?"));
    }
}
