//! From what a solver shows to a call that somebody could make.
//!
//! A solver picks any text that fits, and knows only part of how facts hang together. So each
//! group of facts is left out where it does not matter, and otherwise put in a form that a call
//! can have; after each step the call must still be newly allowed. What resists is no example.

mod paths;

use crate::example::Newly;
use crate::spelled::Spelled;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, RecipientFacts};
use countersign_graph::policies::{ArgumentFacts, FactGroup, is_possible_fact_value};
use std::net::IpAddr;

pub(crate) fn make_unreadable(facts: &mut ArgumentFacts, group: FactGroup) {
    let why = || format!("the {} cannot be read", group.string_expression());
    match group {
        FactGroup::Path => facts.path = Fact::Unreadable(why()),
        FactGroup::Host => facts.host = Fact::Unreadable(why()),
        FactGroup::Recipient => facts.recipient = Fact::Unreadable(why()),
        FactGroup::Amount => facts.amount = Fact::Unreadable(why()),
        FactGroup::Branch => facts.branch = Fact::Unreadable(why()),
    }
}

/// The same call, as little of it as matters, in forms that facts have.
pub(crate) fn repaired(
    newly: &Newly<'_, '_>,
    mut facts: ArgumentFacts,
    spelled: &Spelled,
) -> Result<ArgumentFacts, String> {
    for group in FactGroup::ALL {
        let found = variants(group, &facts, spelled)
            .into_iter()
            .find(|variant| newly.check(variant).is_some());
        facts = found.ok_or_else(|| {
            let group = group.string_expression();
            format!("the solver's example has a {group} that no call can have")
        })?;
    }
    Ok(facts)
}

/// The simplest first; facts that cannot be read stay so if nothing simpler does.
fn variants(group: FactGroup, facts: &ArgumentFacts, spelled: &Spelled) -> Vec<ArgumentFacts> {
    let facts = || facts.clone();
    match group {
        FactGroup::Path => each(&facts().path, |p| paths::forms(p, spelled))
            .map(|path| ArgumentFacts { path, ..facts() })
            .collect(),
        FactGroup::Host => each(&facts().host, |h| hosts(h, spelled))
            .map(|host| ArgumentFacts { host, ..facts() })
            .collect(),
        FactGroup::Recipient => each(&facts().recipient, recipients)
            .map(|recipient| ArgumentFacts { recipient, ..facts() })
            .collect(),
        FactGroup::Amount => each(&facts().amount, |a| amounts(a, spelled))
            .map(|amount| ArgumentFacts { amount, ..facts() })
            .collect(),
        FactGroup::Branch => each(&facts().branch, |b| branches(b, spelled))
            .map(|branch| ArgumentFacts { branch, ..facts() })
            .collect(),
    }
}

fn each<T: Clone>(
    fact: &Fact<T>,
    forms: impl FnOnce(&T) -> Vec<T>,
) -> impl Iterator<Item = Fact<T>> {
    let others = match fact {
        Fact::Absent => Vec::new(),
        Fact::Known(known) => forms(known).into_iter().map(Fact::Known).collect(),
        Fact::Unreadable(_) => vec![fact.clone()],
    };
    std::iter::once(Fact::Absent).chain(others)
}

fn hosts(shown: &HostFacts, spelled: &Spelled) -> Vec<HostFacts> {
    let mut names: Vec<String> = Vec::new();
    let usual = |local| if local { "nas.local" } else { "example.net" };
    let spelled_hosts = [spelled.of("hosts"), spelled.of("host")].concat();
    let above = spelled_hosts.iter().filter(|host| shown.hosts.iter().any(|h| h == *host));
    names.push(usual(shown.local_network).to_owned());
    for host in above {
        names.extend([format!("www.{host}"), (*host).to_owned()]);
    }
    names.push(shown.host.clone());
    names.retain(|host| is_possible_fact_value("host", host));
    let schemes = texts("scheme", &shown.scheme, &["https", "http", "ftp"]);
    let ports = [None, shown.port];
    let near = if shown.local_network { &[false, true][..] } else { &[false] };
    let mut found = Vec::new();
    for host in &names {
        for local_network in near.iter().copied() {
            for scheme in &schemes {
                found.extend(ports.iter().map(|port| HostFacts {
                    host: host.clone(),
                    hosts: domains(host),
                    scheme: scheme.clone(),
                    port: *port,
                    local_network,
                }));
            }
        }
    }
    found
}

/// The host and every domain it belongs to.
fn domains(host: &str) -> Vec<String> {
    if host.parse::<IpAddr>().is_ok() {
        return vec![host.to_owned()];
    }
    let above = std::iter::successors(Some(host), |name| Some(name.split_once('.')?.1));
    above.map(str::to_owned).collect()
}

/// No such text, then the one shown if it can be, then usual ones.
fn texts(fact: &str, shown: &Option<String>, usual: &[&str]) -> Vec<Option<String>> {
    let mut found = vec![None];
    if let Some(shown) = shown {
        found.extend(is_possible_fact_value(fact, shown).then(|| Some(shown.clone())));
        found.extend(usual.iter().map(|text| Some((*text).to_owned())));
    }
    found
}

fn recipients(shown: &RecipientFacts) -> Vec<RecipientFacts> {
    let longest = shown
        .hosts
        .iter()
        .filter(|h| is_possible_fact_value("recipient_hosts", h))
        .max_by_key(|h| h.len());
    let mut found = Vec::new();
    for (known, vip) in [(false, false), (false, true), (true, true)] {
        for host in [None, longest] {
            let hosts = host.map_or_else(Vec::new, |host| domains(host));
            found.push(RecipientFacts { known, vip, hosts });
        }
    }
    found
}

fn amounts(shown: &AmountFacts, spelled: &Spelled) -> Vec<AmountFacts> {
    let mut usual = spelled.of("currency");
    usual.extend(["EUR", "USD", "CHF", "JPY"]);
    let amount = |currency| AmountFacts { minor_units: shown.minor_units, currency };
    let currencies = match &shown.currency {
        None => vec![None],
        Some(shown) => {
            let kept = usual.contains(&shown.as_str()).then(|| Some(shown.clone()));
            let usual = usual.iter().map(|code| Some((*code).to_owned()));
            std::iter::once(None).chain(kept).chain(usual).collect()
        }
    };
    if shown.minor_units < 0 { Vec::new() } else { currencies.into_iter().map(amount).collect() }
}

fn branches(shown: &str, spelled: &Spelled) -> Vec<String> {
    let spelled = spelled.of("branch");
    let all = ["topic"].into_iter().chain(spelled).chain([shown]);
    all.filter(|name| {
        is_possible_fact_value("branch", name) && name.split('/').all(paths::is_plain)
    })
    .map(str::to_owned)
    .collect()
}
