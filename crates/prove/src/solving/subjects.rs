//! Lists what is asked about: each action of both graphs, and the unlisted ones.

use crate::ProofSubject;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use std::collections::BTreeSet;

pub(super) fn list_subjects(old: &Graph, new: &Graph) -> Vec<ProofSubject> {
    let listed: BTreeSet<&Action> = old.rules.keys().chain(new.rules.keys()).collect();
    let domains: BTreeSet<&String> = old.domains.keys().chain(new.domains.keys()).collect();
    let unlisted = |domain: &str| {
        let verbs = numbered_names("other");
        let mut actions = verbs.filter_map(|verb| Action::new(domain, &verb).ok());
        actions.find(|action| !listed.contains(action))
    };
    let new_domain = numbered_names("elsewhere").find(|domain| !domains.contains(domain));
    let mut found: Vec<_> =
        listed.iter().map(|action| ProofSubject::Action((*action).clone())).collect();
    found.extend(
        domains.iter().filter_map(|domain| unlisted(domain)).map(ProofSubject::OtherInDomain),
    );
    found.extend(new_domain.and_then(|domain| unlisted(&domain)).map(ProofSubject::OtherAction));
    found
}

/// An endless list of names, so that one of them is always unused.
fn numbered_names(stem: &'static str) -> impl Iterator<Item = String> {
    (0_u64..)
        .map(move |number| if number == 0 { stem.to_owned() } else { format!("{stem}{number}") })
}
