//! Describes the facts of an example as text and as JSON.

use countersign_graph::policies::ArgumentFacts;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, PathFacts, RecipientFacts};
use serde_json::{Map, Value, json};

/// The facts that a call needs, each in a few words; empty if any call will do.
pub fn describe_facts(facts: &ArgumentFacts) -> Vec<String> {
    let mut found = Vec::new();
    push_fact(&facts.path, "path", describe_path, &mut found);
    push_fact(&facts.host, "host", describe_host, &mut found);
    push_fact(&facts.recipient, "recipient", describe_recipient, &mut found);
    push_fact(&facts.amount, "amount", |amount| vec![describe_amount(amount)], &mut found);
    push_fact(&facts.branch, "branch", |branch| vec![format!("branch {branch}")], &mut found);
    found
}

fn push_fact<T>(
    fact: &Fact<T>,
    name: &str,
    describe: impl FnOnce(&T) -> Vec<String>,
    found: &mut Vec<String>,
) {
    match fact {
        Fact::Absent => {}
        Fact::Known(known) => found.extend(describe(known)),
        Fact::Unreadable(_) => found.push(format!("a {name} that cannot be read")),
    }
}

fn describe_path(facts: &PathFacts) -> Vec<String> {
    let mut found = match (&facts.path, &facts.name) {
        (Some(path), _) => vec![format!("path {path}")],
        (None, Some(name)) => vec![format!("name {name}, in an unknown folder")],
        (None, None) => Vec::new(),
    };
    let seen_from = |sign: &str| {
        let relative = facts.under.iter().filter(|folder| folder.starts_with(sign));
        relative.max_by_key(|folder| folder.len())
    };
    if facts.in_workspace {
        found.push(format!("in the workspace as {}", seen_from(".").map_or(".", String::as_str)));
    } else if facts.path.is_some() {
        found.push("outside of the workspace".to_owned());
    }
    found.extend(seen_from("~").map(|path| format!("in the home folder as {path}")));
    if facts.secret {
        found.push("which counts as secret".to_owned());
    }
    found
}

fn describe_host(facts: &HostFacts) -> Vec<String> {
    let mut found = vec![format!("host {}", facts.host)];
    found.extend(facts.scheme.iter().map(|scheme| format!("scheme {scheme}")));
    found.extend(facts.port.map(|port| format!("port {port}")));
    if facts.local_network {
        found.push("in the local network".to_owned());
    }
    found
}

fn describe_recipient(facts: &RecipientFacts) -> Vec<String> {
    let who = match (facts.known, facts.vip) {
        (true, _) => "a recipient who is a contact",
        (false, true) => "a recipient who may be a contact",
        (false, false) => "a recipient who is not a contact",
    };
    let at = facts.hosts.first().map_or_else(String::new, |host| format!(" at {host}"));
    vec![format!("{who}{at}")]
}

fn describe_amount(facts: &AmountFacts) -> String {
    let currency = facts.currency.as_deref().unwrap_or("no currency");
    format!("amount {} in minor units, {currency}", facts.minor_units)
}

/// The facts under their names in policies. Absent facts are left out.
pub fn facts_to_json(facts: &ArgumentFacts) -> Value {
    let mut found = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            found.insert(name.to_owned(), value);
        }
    };
    if let Some(path) = facts.path.as_known() {
        put("path", json!(path.path));
        put("name", json!(path.name));
        put("under", json!(path.under));
        put("in_workspace", json!(path.in_workspace));
        put("secret", json!(path.secret));
    }
    if let Some(host) = facts.host.as_known() {
        put("host", json!(host.host));
        put("hosts", json!(host.hosts));
        put("scheme", json!(host.scheme));
        put("port", json!(host.port));
        put("local_network", json!(host.local_network));
    }
    if let Some(recipient) = facts.recipient.as_known() {
        put("known_recipient", json!(recipient.known));
        put("vip", json!(recipient.vip));
        put("recipient_hosts", json!(recipient.hosts));
    }
    if let Some(amount) = facts.amount.as_known() {
        put("amount", json!(amount.minor_units));
        put("currency", json!(amount.currency));
    }
    put("branch", json!(facts.branch.as_known()));
    let unreadable = unreadable_groups(facts);
    if !unreadable.is_empty() {
        put("unreadable", json!(unreadable));
    }
    Value::Object(found)
}

fn unreadable_groups(facts: &ArgumentFacts) -> Vec<&'static str> {
    fn is_unreadable<T>(fact: &Fact<T>) -> bool {
        matches!(fact, Fact::Unreadable(_))
    }
    let groups = [
        ("path", is_unreadable(&facts.path)),
        ("host", is_unreadable(&facts.host)),
        ("recipient", is_unreadable(&facts.recipient)),
        ("amount", is_unreadable(&facts.amount)),
        ("branch", is_unreadable(&facts.branch)),
    ];
    groups.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect()
}
