//! Reads domains: the tier lists, the details of the actions and the conditions of each.

use crate::actions::{ActionDetail, read_details};
use crate::fields::MapFields;
use crate::limits;
use crate::lists::{self, ListedVerb};
use crate::node::{DocumentNode, MapEntry};
use crate::report::ProblemReport;
use crate::settings::{self, ReviewDate};
use countersign_core::model::graph::{
    ChannelRule, Conditions, Demand, Destinations, Domain, Rule, VisibilityRule,
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

/// The only domain that has a single destination by default.
const NOTIFICATIONS_DOMAIN: &str = "notifications";

/// All domains of a graph file, with the rule of every action they list.
pub(crate) struct DomainCatalogue {
    pub(crate) domains: BTreeMap<String, Domain>,
    pub(crate) rules: HashMap<Action, Rule>,
    /// The actions that state their risk. For others, the tier gives it.
    pub(crate) with_stated_risk: HashSet<Action>,
    pub(crate) dates: Vec<ReviewDate>,
}

impl DomainCatalogue {
    pub(crate) fn read(
        entries: &[&MapEntry],
        visible: VisibilityRule,
        report: &mut ProblemReport,
    ) -> Self {
        let mut catalogue = Self {
            domains: BTreeMap::new(),
            rules: HashMap::new(),
            with_stated_risk: HashSet::new(),
            dates: Vec::new(),
        };
        let mut names = HashMap::new();
        for entry in entries {
            if let Some(earlier) = names.insert(lists::fold_name(&entry.key.name), &entry.key.name)
            {
                let name = &entry.key.name;
                let message = format!("`{earlier}` and `{name}` differ only in case or whitespace");
                report.add_problem(entry.key.span, message, "keep one of the two domains");
            }
            if check_domain_name(entry, report) {
                catalogue.add(entry, visible, report);
            }
        }
        catalogue
    }

    fn add(&mut self, entry: &MapEntry, visible: VisibilityRule, report: &mut ProblemReport) {
        let name = &entry.key.name;
        let Some(fields) = MapFields::read(&entry.value, name, &KEYS, report) else { return };
        self.add_rules(entry, &fields, report);
        let dated =
            fields.get("last_reviewed").and_then(|node| settings::read_last_reviewed(node, report));
        let domain = Domain {
            trust: read_trust_level(&fields, report),
            last_reviewed: dated.as_ref().map(|dated| dated.reviewed.clone()),
            visible: settings::read_visible(fields.get("visible"), visible, report),
            destinations: read_destinations(name, &fields, report),
            conditions: read_conditions(&fields, report),
        };
        self.dates.extend(dated);
        self.domains.insert(name.clone(), domain);
    }

    fn add_rules(&mut self, entry: &MapEntry, fields: &MapFields<'_>, report: &mut ProblemReport) {
        let listed = lists::read_tier_lists(&entry.key, fields, report);
        let mut details = read_details(fields.get("actions"), &listed, report);
        let trusted_verbs =
            read_trusted_channel_verbs(fields.get("trusted_channel_required"), &listed, report);
        self.rules.reserve(listed.len());
        for ListedVerb { verb, tier, action } in listed {
            let detail = details.remove(verb).unwrap_or(ActionDetail::NONE);
            let is_trusted = trusted_verbs.contains(verb);
            let channel = if is_trusted { ChannelRule::TrustedOnly } else { ChannelRule::Any };
            if detail.risk.is_some() {
                self.with_stated_risk.insert(action.clone());
            }
            self.rules.insert(action, detail.into_rule(tier, channel));
        }
    }
}

/// Reports a name that cannot be a domain. A dot is refused because an action's domain ends at its
/// first dot.
pub(crate) fn check_domain_name(entry: &MapEntry, report: &mut ProblemReport) -> bool {
    let name = &entry.key.name;
    let fault = if name.contains('.') {
        Some("it contains a dot, and an action's domain ends at its first dot".to_owned())
    } else {
        Action::new(name, "x").err().map(|error| error.to_string())
    };
    if let Some(fault) = &fault {
        let message = format!("`{}` cannot be a domain: {fault}", name.escape_debug());
        let help = "name the domain with letters, digits, `_` or `-`";
        report.add_problem(entry.key.span, message, help);
    }
    fault.is_none()
}

fn read_trust_level(fields: &MapFields<'_>, report: &mut ProblemReport) -> Option<TrustLevel> {
    let words: Vec<_> = TrustLevel::ALL.iter().map(|level| level.word()).collect();
    let node = fields.get("trust_level")?;
    report.read_word(node, "trust_level", &words, TrustLevel::from_word)
}

fn read_destinations(
    name: &str,
    fields: &MapFields<'_>,
    report: &mut ProblemReport,
) -> Destinations {
    let declared = fields
        .get("single_destination")
        .and_then(|node| report.read_bool(node, "single_destination"));
    if declared.unwrap_or(name == NOTIFICATIONS_DOMAIN) {
        Destinations::One
    } else {
        Destinations::Any
    }
}

pub(crate) fn read_conditions(fields: &MapFields<'_>, report: &mut ProblemReport) -> Conditions {
    let diff = fields.get("require_diff").and_then(|node| report.read_bool(node, "require_diff"));
    let cooling = "cooling_period_hours";
    let undo = "undo_window_days";
    Conditions {
        diff: if diff == Some(true) { Demand::Needed } else { Demand::NotNeeded },
        cooling_hours: fields
            .get(cooling)
            .and_then(|node| report.read_integer(node, cooling, limits::COOLING_HOURS_RANGE)),
        undo_days: fields
            .get(undo)
            .and_then(|node| report.read_integer(node, undo, limits::UNDO_DAYS_RANGE)),
    }
}

/// The verbs that are accepted only from the trusted channel.
fn read_trusted_channel_verbs<'n>(
    node: Option<&'n DocumentNode>,
    listed: &[ListedVerb<'_>],
    report: &mut ProblemReport,
) -> HashSet<&'n str> {
    let label = "trusted_channel_required";
    let items = node.and_then(|node| report.read_list(node, label)).unwrap_or_default();
    if items.is_empty() {
        return HashSet::new();
    }
    let tiers: HashMap<_, _> = listed.iter().map(|listed| (listed.verb, listed.tier)).collect();
    let mut trusted_verbs = HashSet::new();
    for item in items {
        let Some(verb) = report.read_text(item, label) else { continue };
        match tiers.get(verb) {
            None => {
                let message =
                    format!("`{label}` names `{verb}`, which is in no list of the domain");
                report.add_problem_with(item.span, message, || lists::suggest_verb(verb, listed));
            }
            Some(Tier::Blocked) => {
                let message = format!("`{label}` names `{verb}`, which is blocked");
                let help = "remove it from one of the two; no channel opens a blocked action";
                report.add_problem(item.span, message, help);
            }
            Some(_) if !trusted_verbs.insert(verb) => {
                let message = format!("`{verb}` is listed twice in `{label}`");
                report.add_problem(item.span, message, "remove one of the two");
            }
            Some(_) => {}
        }
    }
    trusted_verbs
}
