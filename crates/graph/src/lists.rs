//! Reads the three tier lists of a domain.
//!
//! The tiers are a partition: every verb is in exactly one list, once, in one spelling.

use crate::fields::MapFields;
use crate::node::{DocumentNode, MapKey};
use crate::problem::TextSpan;
use crate::report::ProblemReport;
use crate::suggest::did_you_mean;
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

/// One verb of a tier list.
pub(crate) struct ListedVerb<'n> {
    pub(crate) verb: &'n str,
    pub(crate) tier: Tier,
    pub(crate) action: Action,
}

/// The help for a verb that is in no list of its domain.
pub(crate) fn suggest_verb(given: &str, listed: &[ListedVerb<'_>]) -> String {
    let fallback = "add it to one of the domain's three lists";
    did_you_mean(given, listed.iter().map(|listed| listed.verb), fallback)
}

/// Every verb of the domain, which names all three lists. Invalid entries are reported and left out.
pub(crate) fn read_tier_lists<'n>(
    domain: &MapKey,
    fields: &MapFields<'n>,
    report: &mut ProblemReport,
) -> Vec<ListedVerb<'n>> {
    let missing = Tier::ALL.iter().filter(|tier| fields.get(tier.word()).is_none());
    missing.for_each(|tier| report_missing_list(domain, *tier, report));
    read_present_lists(domain, fields, report)
}

/// The same, where lists may be left out.
pub(crate) fn read_present_lists<'n>(
    domain: &MapKey,
    fields: &MapFields<'n>,
    report: &mut ProblemReport,
) -> Vec<ListedVerb<'n>> {
    let mut listed = Vec::new();
    let mut seen = HashMap::new();
    for tier in Tier::ALL.iter().copied() {
        let Some(node) = fields.get(tier.word()) else { continue };
        let items = report.read_list(node, tier.word()).unwrap_or_default();
        listed.reserve(items.len());
        for item in items {
            let Some(verb) = report.read_text(item, tier.word()) else { continue };
            match Action::new(&domain.name, verb) {
                Ok(action) if check_unique(verb, tier, item, &mut seen, report) => {
                    listed.push(ListedVerb { verb, tier, action });
                }
                Ok(_) => {}
                Err(error) => report_invalid_verb(item.span, verb, &error.to_string(), report),
            }
        }
    }
    listed
}

fn report_missing_list(domain: &MapKey, tier: Tier, report: &mut ProblemReport) {
    let message = format!("the domain `{}` has no list `{tier}`", domain.name);
    let help = format!("add `{tier}`, with `[]` if it is empty; a domain names all three lists");
    report.add_problem(domain.span, message, help);
}

fn report_invalid_verb(span: TextSpan, verb: &str, error: &str, report: &mut ProblemReport) {
    let message = format!("`{}` cannot be an action: {error}", verb.escape_debug());
    report.add_problem(span, message, "name the action with letters, digits, `_`, `-` or `.`");
}

fn check_unique<'n>(
    verb: &'n str,
    tier: Tier,
    item: &DocumentNode,
    seen: &mut HashMap<Cow<'n, str>, (&'n str, Tier)>,
    report: &mut ProblemReport,
) -> bool {
    let (earlier, other) = match seen.entry(fold_name(verb)) {
        Slot::Vacant(slot) => {
            slot.insert((verb, tier));
            return true;
        }
        Slot::Occupied(slot) => *slot.get(),
    };
    let (message, help) = if earlier != verb {
        (format!("`{earlier}` and `{verb}` differ only in case or whitespace"), "keep one spelling")
    } else if tier == other {
        (format!("`{verb}` is listed twice in `{tier}`"), "remove one of the two")
    } else {
        let message = format!("`{verb}` is listed in both `{other}` and `{tier}`");
        (message, "keep it in one list; an action has exactly one tier")
    };
    report.add_problem(item.span, message, help);
    false
}

/// Removes what people overlook when they compare names: case and whitespace.
pub(crate) fn fold_name(name: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase() && byte > b' ';
    if name.bytes().all(plain) {
        return Cow::Borrowed(name);
    }
    let lower = name.to_lowercase();
    Cow::Owned(lower.chars().filter(|c| !c.is_whitespace()).collect())
}
