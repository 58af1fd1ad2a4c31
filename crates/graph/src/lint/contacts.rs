//! Contacts: who is known, and where that is asked.

use super::{Check, File, Findings, texts};
use crate::load::domain_entries;
use crate::node::Entry;
use crate::problem::Span;
use countersign_core::model::words::Tier;

const UNKNOWN: [&str; 2] = ["send_unknown", "send_to_unknown"];

pub(super) fn lint(file: &File<'_>, found: &mut Findings) {
    for domain in domain_entries(file.root) {
        let unknown = verbs(domain, Tier::ALL).find(|(verb, _)| UNKNOWN.contains(verb));
        let named = file.graph.contacts.values().any(|ids| !ids.is_empty());
        match (sending(domain), unknown) {
            (Some((verb, span)), None) if named && !thinks_of_strangers(domain) => {
                let name = &domain.key.name;
                let message = format!("`{name}.{verb}` does not ask whether a recipient is known");
                found.add(Check::UnknownRecipients, span, message);
            }
            (Some((verb, _)), Some((unknown, span))) if !named => {
                let name = &domain.key.name;
                let message = format!(
                    "no contact is named, so that `{name}.{verb}` is always decided as `{unknown}`"
                );
                found.add(Check::NoContacts, span, message);
            }
            (Some(_) | None, Some(_) | None) => {}
        }
    }
}

fn verbs<'f>(
    domain: &'f Entry,
    tiers: &'f [Tier],
) -> impl Iterator<Item = (&'f str, Span)> + use<'f> {
    tiers.iter().flat_map(|tier| texts(domain.value.get(tier.word())))
}

/// The first verb that sends and is not blocked.
fn sending(domain: &Entry) -> Option<(&str, Span)> {
    verbs(domain, &[Tier::Autonomous, Tier::RequiresApproval])
        .find(|(verb, _)| verb.starts_with("send") && !UNKNOWN.contains(verb))
}

/// A verb of its own for strangers, under whatever name, shows that somebody thought of them.
fn thinks_of_strangers(domain: &Entry) -> bool {
    verbs(domain, Tier::ALL).any(|(verb, _)| verb.starts_with("send") && verb.contains("unknown"))
}
