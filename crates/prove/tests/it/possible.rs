//! What the solver is told about facts must hold for the facts of every call.

use countersign_graph::policies::ArgumentFacts;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, PathFacts, RecipientFacts};
use countersign_prove::are_possible;

/// Texts that policies may spell out, near to those below and far from them.
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

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A path as it is worked out: with the workspace at `/home/me/w` and the home at `/home/me`.
fn path(path: &str, under: &[&str]) -> ArgumentFacts {
    let name = path.rsplit('/').next().filter(|name| !name.is_empty());
    let known = PathFacts {
        path: Some(path.to_owned()),
        name: name.map(str::to_owned),
        under: owned(under),
        in_workspace: under.contains(&"."),
        secret: path.contains(".ssh"),
    };
    ArgumentFacts { path: Fact::Known(known), ..ArgumentFacts::absent() }
}

fn name(name: &str) -> ArgumentFacts {
    let known = PathFacts {
        path: None,
        name: Some(name.to_owned()),
        under: Vec::new(),
        in_workspace: false,
        secret: name == ".env",
    };
    ArgumentFacts { path: Fact::Known(known), ..ArgumentFacts::absent() }
}

fn host(host: &str, hosts: &[&str]) -> ArgumentFacts {
    let known = HostFacts {
        host: host.to_owned(),
        hosts: owned(hosts),
        scheme: Some("https".into()),
        port: Some(443),
        local_network: host == "localhost",
    };
    ArgumentFacts { host: Fact::Known(known), ..ArgumentFacts::absent() }
}

fn recipient(hosts: &[&str]) -> ArgumentFacts {
    let known = RecipientFacts { known: true, vip: true, hosts: owned(hosts) };
    ArgumentFacts { recipient: Fact::Known(known), ..ArgumentFacts::absent() }
}

fn amount(minor_units: i64) -> ArgumentFacts {
    let known = AmountFacts { minor_units, currency: None };
    ArgumentFacts { amount: Fact::Known(known), ..ArgumentFacts::absent() }
}

#[test]
fn it_holds_for_facts_as_they_are_worked_out() {
    for facts in [
        ArgumentFacts::absent(),
        path("/", &["/"]),
        path("/etc/ssh/x", &["/etc/ssh/x", "/etc/ssh", "/etc", "/"]),
        path("/a*b/x", &["/a*b/x", "/a*b", "/"]),
        path("/etc2", &["/etc2", "/"]),
        path("/home/me", &["/home/me", "/home", "/", "~"]),
        path(
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
        path("/home/me/w", &["/home/me/w", "/home/me", "/home", "/", ".", "~/w", "~"]),
        path(
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
        name(".env"),
        name("a\"b\\"),
        host("example.com", &["example.com", "com"]),
        host("www.example.com", &["www.example.com", "example.com", "com"]),
        host("notexample.com", &["notexample.com", "com"]),
        host("10.0.0.1", &["10.0.0.1"]),
        host("::1", &["::1"]),
        host("localhost", &["localhost"]),
        recipient(&[]),
        recipient(&["www.example.com", "example.com", "com"]),
        recipient(&["10.0.0.1"]),
        amount(0),
        amount(i64::MAX),
    ] {
        assert_eq!(are_possible(&facts, TEXTS), Ok(()), "{facts:?}");
    }
}

#[test]
fn it_does_not_hold_for_facts_that_contradict_each_other() {
    for facts in [
        path("/etc/ssh/x", &["/etc/ssh/x", "/etc/ssh", "/"]),
        path("/etc/ssh/x", &["/etc/ssh/x", "/etc/ssh", "/etc"]),
        path("/etc/x", &["/etc/x", "/etc", "/", "/home"]),
        path("/etc/x/", &["/etc/x/", "/etc/x", "/etc", "/"]),
        path("/etc/x", &["/etc/x", "/etc", "/", "./src", "."]),
        path("/w/src/x", &["/w/src/x", "/w/src", "/w", "/", "./src"]),
        path("/w/src/doc", &["/w/src/doc", "/w/src", "/w", "/", "./src", "./doc", "."]),
        name("a/b"),
        host("example.com", &["example.com", "com", "other.com"]),
        host("example.com", &["com"]),
        host("www.example.com", &["www.example.com", "com"]),
        recipient(&["example.com", "other.com"]),
        recipient(&["www.example.com", "com"]),
        amount(-1),
    ] {
        assert!(are_possible(&facts, TEXTS).is_err(), "{facts:?}");
    }
}
