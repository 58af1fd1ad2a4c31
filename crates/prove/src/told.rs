//! An example in words, and as data.

use countersign_graph::policies::ArgumentFacts;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, PathFacts, RecipientFacts};
use serde_json::{Map, Value, json};

/// What a call has to have, each in a few words. None where any call will do.
pub fn words(facts: &ArgumentFacts) -> Vec<String> {
    let mut found = Vec::new();
    tell(&facts.path, "path", path, &mut found);
    tell(&facts.host, "host", host, &mut found);
    tell(&facts.recipient, "recipient", recipient, &mut found);
    tell(&facts.amount, "amount", |amount| vec![self::amount(amount)], &mut found);
    tell(&facts.branch, "branch", |branch| vec![format!("branch {branch}")], &mut found);
    found
}

fn tell<T>(
    fact: &Fact<T>,
    name: &str,
    told: impl FnOnce(&T) -> Vec<String>,
    found: &mut Vec<String>,
) {
    match fact {
        Fact::Absent => {}
        Fact::Known(known) => found.extend(told(known)),
        Fact::Unreadable(_) => found.push(format!("a {name} that cannot be read")),
    }
}

fn path(facts: &PathFacts) -> Vec<String> {
    let mut found = match (&facts.path, &facts.name) {
        (Some(path), _) => vec![format!("path {path}")],
        (None, Some(name)) => vec![format!("name {name}, in nobody knows which folder")],
        (None, None) => Vec::new(),
    };
    let seen = |sign: &str| {
        let own = facts.under.iter().filter(|folder| folder.starts_with(sign));
        own.max_by_key(|folder| folder.len())
    };
    if facts.in_workspace {
        found.push(format!("in the workspace as {}", seen(".").map_or(".", String::as_str)));
    } else if facts.path.is_some() {
        found.push("outside of the workspace".to_owned());
    }
    found.extend(seen("~").map(|path| format!("in the home folder as {path}")));
    if facts.secret {
        found.push("which counts as secret".to_owned());
    }
    found
}

fn host(facts: &HostFacts) -> Vec<String> {
    let mut found = vec![format!("host {}", facts.host)];
    found.extend(facts.scheme.iter().map(|scheme| format!("scheme {scheme}")));
    found.extend(facts.port.map(|port| format!("port {port}")));
    if facts.local_network {
        found.push("in the local network".to_owned());
    }
    found
}

fn recipient(facts: &RecipientFacts) -> Vec<String> {
    let who = match (facts.known, facts.vip) {
        (true, _) => "a recipient who is a contact",
        (false, true) => "a recipient who may be a contact",
        (false, false) => "a recipient who is no contact",
    };
    let at = facts.hosts.first().map_or_else(String::new, |host| format!(" at {host}"));
    vec![format!("{who}{at}")]
}

fn amount(facts: &AmountFacts) -> String {
    let currency = facts.currency.as_deref().unwrap_or("no currency");
    format!("amount {} in minor units, {currency}", facts.minor_units)
}

/// The facts by the names that policies call them. Absent ones are left out.
pub fn json(facts: &ArgumentFacts) -> Value {
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
    let unreadable = unreadable(facts);
    if !unreadable.is_empty() {
        put("unreadable", json!(unreadable));
    }
    Value::Object(found)
}

fn unreadable(facts: &ArgumentFacts) -> Vec<&'static str> {
    fn is<T>(fact: &Fact<T>) -> bool {
        matches!(fact, Fact::Unreadable(_))
    }
    let groups = [
        ("path", is(&facts.path)),
        ("host", is(&facts.host)),
        ("recipient", is(&facts.recipient)),
        ("amount", is(&facts.amount)),
        ("branch", is(&facts.branch)),
    ];
    groups.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect()
}
