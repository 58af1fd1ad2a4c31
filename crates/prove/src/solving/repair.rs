//! Turns the solver's example into a call that somebody could make.
//!
//! A solver picks any text that satisfies the constraints, and the constraints are incomplete. So
//! each group of facts is dropped if it does not matter, and otherwise replaced by a realistic one.
//! After each step the call must still be newly allowed; otherwise there is no example.

mod paths;

use super::example::NewlyAllowedTest;
use super::literals::PolicyLiterals;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, RecipientFacts};
use countersign_graph::policies::{ArgumentFacts, FactGroup, is_possible_fact_value};
use std::net::IpAddr;

pub(crate) fn make_unreadable(facts: &mut ArgumentFacts, group: FactGroup) {
    let why = || format!("the {} cannot be read", group.name());
    match group {
        FactGroup::Path => facts.path = Fact::Unreadable(why()),
        FactGroup::Host => facts.host = Fact::Unreadable(why()),
        FactGroup::Recipient => facts.recipient = Fact::Unreadable(why()),
        FactGroup::Amount => facts.amount = Fact::Unreadable(why()),
        FactGroup::Branch => facts.branch = Fact::Unreadable(why()),
    }
}

/// Simplifies the facts and makes them realistic, group by group.
pub(crate) fn repair_example(
    test: &NewlyAllowedTest<'_, '_>,
    mut facts: ArgumentFacts,
    literals: &PolicyLiterals,
) -> Result<ArgumentFacts, String> {
    for group in FactGroup::ALL {
        let found = list_variants(group, &facts, literals)
            .into_iter()
            .find(|variant| test.evaluate_tiers(variant).is_some());
        facts = found.ok_or_else(|| {
            let group = group.name();
            format!("the solver's example has an impossible {group}")
        })?;
    }
    Ok(facts)
}

/// Variants of one group, simplest first. An unreadable fact stays unreadable or becomes absent.
fn list_variants(
    group: FactGroup,
    facts: &ArgumentFacts,
    literals: &PolicyLiterals,
) -> Vec<ArgumentFacts> {
    let facts = || facts.clone();
    match group {
        FactGroup::Path => list_forms(&facts().path, |p| paths::path_forms(p, literals))
            .map(|path| ArgumentFacts { path, ..facts() })
            .collect(),
        FactGroup::Host => list_forms(&facts().host, |h| host_forms(h, literals))
            .map(|host| ArgumentFacts { host, ..facts() })
            .collect(),
        FactGroup::Recipient => list_forms(&facts().recipient, recipient_forms)
            .map(|recipient| ArgumentFacts { recipient, ..facts() })
            .collect(),
        FactGroup::Amount => list_forms(&facts().amount, |a| amount_forms(a, literals))
            .map(|amount| ArgumentFacts { amount, ..facts() })
            .collect(),
        FactGroup::Branch => list_forms(&facts().branch, |b| branch_forms(b, literals))
            .map(|branch| ArgumentFacts { branch, ..facts() })
            .collect(),
    }
}

fn list_forms<T: Clone>(
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

fn host_forms(example: &HostFacts, literals: &PolicyLiterals) -> Vec<HostFacts> {
    let mut names: Vec<String> = Vec::new();
    let usual = |local| if local { "nas.local" } else { "example.net" };
    let spelled_hosts = [literals.texts_for("hosts"), literals.texts_for("host")].concat();
    let above = spelled_hosts.iter().filter(|host| example.hosts.iter().any(|h| h == *host));
    names.push(usual(example.local_network).to_owned());
    for host in above {
        names.extend([format!("www.{host}"), (*host).to_owned()]);
    }
    names.push(example.host.clone());
    names.retain(|host| is_possible_fact_value("host", host));
    let schemes = text_forms("scheme", &example.scheme, &["https", "http", "ftp"]);
    let ports = [None, example.port];
    let local_flags = if example.local_network { &[false, true][..] } else { &[false] };
    let mut found = Vec::new();
    for host in &names {
        for local_network in local_flags.iter().copied() {
            for scheme in &schemes {
                found.extend(ports.iter().map(|port| HostFacts {
                    host: host.clone(),
                    hosts: list_domains(host),
                    scheme: scheme.clone(),
                    port: *port,
                    local_network,
                }));
            }
        }
    }
    found
}

/// The host and every domain that contains it.
fn list_domains(host: &str) -> Vec<String> {
    if host.parse::<IpAddr>().is_ok() {
        return vec![host.to_owned()];
    }
    let above = std::iter::successors(Some(host), |name| Some(name.split_once('.')?.1));
    above.map(str::to_owned).collect()
}

/// No text, then the solver's text if it is possible, then common ones.
fn text_forms(fact: &str, example: &Option<String>, usual: &[&str]) -> Vec<Option<String>> {
    let mut found = vec![None];
    if let Some(example) = example {
        found.extend(is_possible_fact_value(fact, example).then(|| Some(example.clone())));
        found.extend(usual.iter().map(|text| Some((*text).to_owned())));
    }
    found
}

fn recipient_forms(example: &RecipientFacts) -> Vec<RecipientFacts> {
    let longest_host = example
        .hosts
        .iter()
        .filter(|h| is_possible_fact_value("recipient_hosts", h))
        .max_by_key(|h| h.len());
    let mut found = Vec::new();
    for (known, vip) in [(false, false), (false, true), (true, true)] {
        for host in [None, longest_host] {
            let hosts = host.map_or_else(Vec::new, |host| list_domains(host));
            found.push(RecipientFacts { known, vip, hosts });
        }
    }
    found
}

fn amount_forms(example: &AmountFacts, literals: &PolicyLiterals) -> Vec<AmountFacts> {
    let mut usual = literals.texts_for("currency");
    usual.extend(["EUR", "USD", "CHF", "JPY"]);
    let amount = |currency| AmountFacts { minor_units: example.minor_units, currency };
    let currencies = match &example.currency {
        None => vec![None],
        Some(example) => {
            let kept = usual.contains(&example.as_str()).then(|| Some(example.clone()));
            let usual = usual.iter().map(|code| Some((*code).to_owned()));
            std::iter::once(None).chain(kept).chain(usual).collect()
        }
    };
    if example.minor_units < 0 { Vec::new() } else { currencies.into_iter().map(amount).collect() }
}

fn branch_forms(example: &str, literals: &PolicyLiterals) -> Vec<String> {
    let literals = literals.texts_for("branch");
    let all = ["topic"].into_iter().chain(literals).chain([example]);
    all.filter(|name| {
        is_possible_fact_value("branch", name) && name.split('/').all(paths::is_plain_name)
    })
    .map(str::to_owned)
    .collect()
}
