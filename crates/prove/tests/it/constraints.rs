//! The constraints hold for the facts of real calls, and exclude contradictory ones.

use countersign_graph::policies::ArgumentFacts;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, PathFacts, RecipientFacts};
use countersign_prove::check_facts_possible;

/// Literals that policies may use, related and unrelated to the facts below.
const TEXTS: &[&str] = &[
    "/",
    "/home",
    "/home/me",
    "/home/me/w/src",
    "/etc",
    "/etc/ssh",
    "/a*b",
    ".",
    "./src",
    "./src/a",
    "./doc",
    "~",
    "~/w",
    "~/.ssh",
    "~/.ssh/x",
    "src",
    "a.rs",
    ".env",
    "x",
    "a\"b\\",
    "com",
    "example.com",
    "www.example.com",
    "other.com",
    "10.0.0.1",
    "0.1",
    "1",
    "::1",
    "localhost",
];

fn to_strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The facts of a path, with the workspace at `/home/me/w` and the home folder at `/home/me`.
fn path_facts(path: &str, under: &[&str]) -> ArgumentFacts {
    let name = path.rsplit('/').next().filter(|name| !name.is_empty());
    let known = PathFacts {
        path: Some(path.to_owned()),
        name: name.map(str::to_owned),
        under: to_strings(under),
        in_workspace: under.contains(&"."),
        secret: path.contains(".ssh"),
    };
    ArgumentFacts { path: Fact::Known(known), ..ArgumentFacts::absent() }
}

fn name_facts(name: &str) -> ArgumentFacts {
    let known = PathFacts {
        path: None,
        name: Some(name.to_owned()),
        under: Vec::new(),
        in_workspace: false,
        secret: name == ".env",
    };
    ArgumentFacts { path: Fact::Known(known), ..ArgumentFacts::absent() }
}

fn host_facts(host: &str, hosts: &[&str]) -> ArgumentFacts {
    let known = HostFacts {
        host: host.to_owned(),
        hosts: to_strings(hosts),
        scheme: Some("https".into()),
        port: Some(443),
        local_network: host == "localhost",
    };
    ArgumentFacts { host: Fact::Known(known), ..ArgumentFacts::absent() }
}

fn recipient_facts(hosts: &[&str]) -> ArgumentFacts {
    let known = RecipientFacts { known: true, vip: true, hosts: to_strings(hosts) };
    ArgumentFacts { recipient: Fact::Known(known), ..ArgumentFacts::absent() }
}

fn amount_facts(minor_units: i64) -> ArgumentFacts {
    let known = AmountFacts { minor_units, currency: None };
    ArgumentFacts { amount: Fact::Known(known), ..ArgumentFacts::absent() }
}

#[test]
fn the_constraints_hold_for_real_facts() {
    for facts in [
        ArgumentFacts::absent(),
        path_facts("/", &["/"]),
        path_facts("/etc/ssh/x", &["/etc/ssh/x", "/etc/ssh", "/etc", "/"]),
        path_facts("/a*b/x", &["/a*b/x", "/a*b", "/"]),
        path_facts("/etc2", &["/etc2", "/"]),
        path_facts("/home/me", &["/home/me", "/home", "/", "~"]),
        path_facts(
            "/home/me/.ssh/x",
            &[
                "/home/me/.ssh/x",
                "/home/me/.ssh",
                "/home/me",
                "/home",
                "/",
                "~/.ssh/x",
                "~/.ssh",
                "~",
            ],
        ),
        path_facts("/home/me/w", &["/home/me/w", "/home/me", "/home", "/", ".", "~/w", "~"]),
        path_facts(
            "/home/me/w/src/a.rs",
            &[
                "/home/me/w/src/a.rs",
                "/home/me/w/src",
                "/home/me/w",
                "/home/me",
                "/home",
                "/",
                "./src/a.rs",
                "./src",
                ".",
                "~/w/src/a.rs",
                "~/w/src",
                "~/w",
                "~",
            ],
        ),
        name_facts(".env"),
        name_facts("a\"b\\"),
        host_facts("example.com", &["example.com", "com"]),
        host_facts("www.example.com", &["www.example.com", "example.com", "com"]),
        host_facts("notexample.com", &["notexample.com", "com"]),
        host_facts("10.0.0.1", &["10.0.0.1"]),
        host_facts("::1", &["::1"]),
        host_facts("localhost", &["localhost"]),
        recipient_facts(&[]),
        recipient_facts(&["www.example.com", "example.com", "com"]),
        recipient_facts(&["10.0.0.1"]),
        amount_facts(0),
        amount_facts(i64::MAX),
    ] {
        assert_eq!(check_facts_possible(&facts, TEXTS), Ok(()), "{facts:?}");
    }
}

#[test]
fn the_constraints_exclude_contradictory_facts() {
    for facts in [
        path_facts("/etc/ssh/x", &["/etc/ssh/x", "/etc/ssh", "/"]),
        path_facts("/etc/ssh/x", &["/etc/ssh/x", "/etc/ssh", "/etc"]),
        path_facts("/etc/x", &["/etc/x", "/etc", "/", "/home"]),
        path_facts("/etc/x/", &["/etc/x/", "/etc/x", "/etc", "/"]),
        path_facts("/etc/x", &["/etc/x", "/etc", "/", "./src", "."]),
        path_facts("/w/src/x", &["/w/src/x", "/w/src", "/w", "/", "./src"]),
        path_facts("/w/src/doc", &["/w/src/doc", "/w/src", "/w", "/", "./src", "./doc", "."]),
        name_facts("a/b"),
        host_facts("example.com", &["example.com", "com", "other.com"]),
        host_facts("example.com", &["com"]),
        host_facts("www.example.com", &["www.example.com", "com"]),
        recipient_facts(&["example.com", "other.com"]),
        recipient_facts(&["www.example.com", "com"]),
        amount_facts(-1),
    ] {
        assert!(check_facts_possible(&facts, TEXTS).is_err(), "{facts:?}");
    }
}
