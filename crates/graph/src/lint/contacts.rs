//! Checks whether sending actions and the contact list fit together.

use super::{LintCheck, LintFindings, LintedGraph, list_texts};
use crate::load::domain_entries;
use crate::node::MapEntry;
use crate::problem::TextSpan;
use countersign_core::model::words::Tier;

const UNKNOWN_RECIPIENT_VERBS: [&str; 2] = ["send_unknown", "send_to_unknown"];

pub(super) fn lint(linted: &LintedGraph<'_>, findings: &mut LintFindings) {
    for domain in domain_entries(linted.root) {
        let unknown =
            list_verbs(domain, Tier::ALL).find(|(verb, _)| UNKNOWN_RECIPIENT_VERBS.contains(verb));
        let has_contacts = linted.graph.contacts.values().any(|ids| !ids.is_empty());
        match (find_sending_verb(domain), unknown) {
            (Some((verb, span)), None) if has_contacts && !has_verb_for_strangers(domain) => {
                let name = &domain.key.name;
                let message =
                    format!("`{name}.{verb}` does not check whether a recipient is known");
                findings.add(LintCheck::UnknownRecipients, span, message);
            }
            (Some((verb, _)), Some((unknown, span))) if !has_contacts => {
                let name = &domain.key.name;
                let message = format!(
                    "no contact is listed, so `{name}.{verb}` is always decided as `{unknown}`"
                );
                findings.add(LintCheck::NoContacts, span, message);
            }
            (Some(_) | None, Some(_) | None) => {}
        }
    }
}

fn list_verbs<'f>(
    domain: &'f MapEntry,
    tiers: &'f [Tier],
) -> impl Iterator<Item = (&'f str, TextSpan)> + use<'f> {
    tiers.iter().flat_map(|tier| list_texts(domain.value.get(tier.word())))
}

/// The first verb that sends and is not blocked.
fn find_sending_verb(domain: &MapEntry) -> Option<(&str, TextSpan)> {
    list_verbs(domain, &[Tier::Autonomous, Tier::RequiresApproval])
        .find(|(verb, _)| verb.starts_with("send") && !UNKNOWN_RECIPIENT_VERBS.contains(verb))
}

/// Any verb for unknown recipients shows that the operator thought of them.
fn has_verb_for_strangers(domain: &MapEntry) -> bool {
    list_verbs(domain, Tier::ALL)
        .any(|(verb, _)| verb.starts_with("send") && verb.contains("unknown"))
}
