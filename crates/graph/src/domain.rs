//! One domain: its lists, the detail of its actions, its conditions.

use crate::actions::{Detail, details};
use crate::fields::Fields;
use crate::limits;
use crate::lists::{self, Listed};
use crate::node::{Entry, Node};
use crate::report::Report;
use crate::settings::{self, Dated};
use crate::suggest;
use countersign_core::model::graph::{
    ChannelRule, Conditions, Demand, Destinations, Domain, Rule, Visible,
};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Tier, TrustLevel};
use std::collections::{BTreeMap, HashMap, HashSet};

const KEYS: [&str; 12] = [
    "trust_level",
    "autonomous",
    "requires_approval",
    "blocked",
    "actions",
    "trusted_channel_required",
    "cooling_period_hours",
    "undo_window_days",
    "require_diff",
    "visible",
    "last_reviewed",
    "single_destination",
];

/// The one domain whose events go to one destination unless its file says otherwise.
const NOTIFICATIONS: &str = "notifications";

/// What the domains of a file come to.
pub(crate) struct Catalogue {
    pub(crate) domains: BTreeMap<String, Domain>,
    pub(crate) rules: HashMap<Action, Rule>,
    pub(crate) dates: Vec<Dated>,
}

impl Catalogue {
    pub(crate) fn read(entries: &[&Entry], visible: Visible, report: &mut Report) -> Self {
        let (domains, rules, dates) = (BTreeMap::new(), HashMap::new(), Vec::new());
        let mut catalogue = Self { domains, rules, dates };
        let mut names = HashMap::new();
        for entry in entries {
            if let Some(earlier) = names.insert(lists::folded(&entry.key.name), &entry.key.name) {
                let name = &entry.key.name;
                let message = format!("`{earlier}` and `{name}` differ only in case or blanks");
                report.problem(entry.key.span, message, "keep one of the two domains");
            }
            if is_domain_name(entry, report) {
                catalogue.add(entry, visible, report);
            }
        }
        catalogue
    }

    fn add(&mut self, entry: &Entry, visible: Visible, report: &mut Report) {
        let name = &entry.key.name;
        let Some(fields) = Fields::read(&entry.value, name, &KEYS, report) else { return };
        self.add_rules(entry, &fields, report);
        let dated =
            fields.get("last_reviewed").and_then(|node| settings::last_reviewed(node, report));
        let domain = Domain {
            trust: trust_level(&fields, report),
            last_reviewed: dated.as_ref().map(|dated| dated.reviewed.clone()),
            visible: settings::visible(fields.get("visible"), visible, report),
            destinations: destinations(name, &fields, report),
            conditions: conditions(&fields, report),
        };
        self.dates.extend(dated);
        self.domains.insert(name.clone(), domain);
    }

    fn add_rules(&mut self, entry: &Entry, fields: &Fields<'_>, report: &mut Report) {
        let listed = lists::read(&entry.key, fields, report);
        let mut details = details(fields.get("actions"), &listed, report);
        let bound = channel_bound(fields.get("trusted_channel_required"), &listed, report);
        self.rules.reserve(listed.len());
        for Listed { verb, tier, action } in listed {
            let detail = details.remove(verb).unwrap_or(Detail::NONE);
            let trusted = bound.contains(verb);
            let channel = if trusted { ChannelRule::TrustedOnly } else { ChannelRule::Any };
            self.rules.insert(action, detail.rule(tier, channel));
        }
    }
}

/// A dot would make the domain's actions belong to another domain.
fn is_domain_name(entry: &Entry, report: &mut Report) -> bool {
    let name = &entry.key.name;
    let fault = if name.contains('.') {
        Some("it contains a dot, and an action's domain ends at its first dot".to_owned())
    } else {
        Action::new(name, "x").err().map(|error| error.to_string())
    };
    if let Some(fault) = &fault {
        let message = format!("`{}` cannot be a domain: {fault}", name.escape_debug());
        let help = "name the domain with letters, digits, `_` or `-`";
        report.problem(entry.key.span, message, help);
    }
    fault.is_none()
}

fn trust_level(fields: &Fields<'_>, report: &mut Report) -> Option<TrustLevel> {
    let words: Vec<_> = TrustLevel::ALL.iter().map(|level| level.word()).collect();
    let node = fields.get("trust_level")?;
    report.word(node, "trust_level", &words, TrustLevel::from_word)
}

fn destinations(name: &str, fields: &Fields<'_>, report: &mut Report) -> Destinations {
    let written =
        fields.get("single_destination").and_then(|node| report.flag(node, "single_destination"));
    if written.unwrap_or(name == NOTIFICATIONS) { Destinations::One } else { Destinations::Any }
}

fn conditions(fields: &Fields<'_>, report: &mut Report) -> Conditions {
    let diff = fields.get("require_diff").and_then(|node| report.flag(node, "require_diff"));
    let cooling = "cooling_period_hours";
    let undo = "undo_window_days";
    Conditions {
        diff: if diff == Some(true) { Demand::Needed } else { Demand::NotNeeded },
        cooling_hours: fields
            .get(cooling)
            .and_then(|node| report.whole(node, cooling, limits::COOLING_HOURS)),
        undo_days: fields.get(undo).and_then(|node| report.whole(node, undo, limits::UNDO_DAYS)),
    }
}

/// The verbs that only the trusted channel may bring.
fn channel_bound<'n>(
    node: Option<&'n Node>,
    listed: &[Listed<'_>],
    report: &mut Report,
) -> HashSet<&'n str> {
    let what = "trusted_channel_required";
    let items = node.and_then(|node| report.list(node, what)).unwrap_or_default();
    if items.is_empty() {
        return HashSet::new();
    }
    let tiers: HashMap<_, _> = listed.iter().map(|listed| (listed.verb, listed.tier)).collect();
    let mut bound = HashSet::new();
    for item in items {
        let Some(verb) = report.text(item, what) else { continue };
        match tiers.get(verb) {
            None => {
                let message = format!("`{what}` names `{verb}`, and no list of the domain does");
                report.misspelt(item.span, message, || suggest::verb(verb, listed));
            }
            Some(Tier::Blocked) => {
                let message = format!("`{what}` names `{verb}`, which is blocked");
                let help = "remove it from one of the two; no channel opens a blocked action";
                report.problem(item.span, message, help);
            }
            Some(_) if !bound.insert(verb) => {
                let message = format!("`{verb}` stands twice in `{what}`");
                report.problem(item.span, message, "remove one of the two");
            }
            Some(_) => {}
        }
    }
    bound
}
