//! The three tier lists of a domain.
//!
//! Tiers are a partition: every verb stands in exactly one list, once, in one spelling.

use crate::fields::Fields;
use crate::node::{Key, Node};
use crate::problem::Span;
use crate::report::Report;
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

/// One verb of a tier list.
pub(crate) struct Listed<'n> {
    pub(crate) verb: &'n str,
    pub(crate) tier: Tier,
    pub(crate) action: Action,
}

/// Every verb of the domain; what is listed wrongly is reported and left out.
pub(crate) fn read<'n>(domain: &Key, fields: &Fields<'n>, report: &mut Report) -> Vec<Listed<'n>> {
    let mut listed = Vec::new();
    let mut seen = HashMap::new();
    for tier in Tier::ALL.iter().copied() {
        let Some(node) = fields.get(tier.word()) else {
            missing_list(domain, tier, report);
            continue;
        };
        let items = report.list(node, tier.word()).unwrap_or_default();
        listed.reserve(items.len());
        for item in items {
            let Some(verb) = report.text(item, tier.word()) else { continue };
            match Action::new(&domain.name, verb) {
                Ok(action) if is_new(verb, tier, item, &mut seen, report) => {
                    listed.push(Listed { verb, tier, action });
                }
                Ok(_) => {}
                Err(error) => unusable_verb(item.span, verb, &error.to_string(), report),
            }
        }
    }
    listed
}

fn missing_list(domain: &Key, tier: Tier, report: &mut Report) {
    let message = format!("the domain `{}` has no list `{tier}`", domain.name);
    let help = format!("add `{tier}`, with `[]` if it is empty; a domain names all three lists");
    report.problem(domain.span, message, help);
}

fn unusable_verb(span: Span, verb: &str, error: &str, report: &mut Report) {
    let message = format!("`{}` cannot be an action: {error}", verb.escape_debug());
    report.problem(span, message, "name the action with letters, digits, `_`, `-` or `.`");
}

fn is_new<'n>(
    verb: &'n str,
    tier: Tier,
    item: &Node,
    seen: &mut HashMap<Cow<'n, str>, (&'n str, Tier)>,
    report: &mut Report,
) -> bool {
    let (earlier, other) = match seen.entry(folded(verb)) {
        Slot::Vacant(slot) => {
            slot.insert((verb, tier));
            return true;
        }
        Slot::Occupied(slot) => *slot.get(),
    };
    let (message, help) = if earlier != verb {
        (format!("`{earlier}` and `{verb}` differ only in case or blanks"), "keep one spelling")
    } else if tier == other {
        (format!("`{verb}` stands twice in `{tier}`"), "remove one of the two")
    } else {
        let message = format!("`{verb}` stands in `{other}` and in `{tier}`");
        (message, "keep it in one list; an action has exactly one tier")
    };
    report.problem(item.span, message, help);
    false
}

/// A name without what people overlook: case and blanks.
pub(crate) fn folded(name: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase() && byte > b' ';
    if name.bytes().all(plain) {
        return Cow::Borrowed(name);
    }
    let lower = name.to_lowercase();
    Cow::Owned(lower.chars().filter(|c| !c.is_whitespace()).collect())
}
