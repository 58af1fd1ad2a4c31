//! Who may know whom, checked on the resolved dependency graph.
//!
//! The table below is the rule; ARCHITECTURE.md shows the same table, generated from it. A new
//! crate of the workspace is an error until somebody says here what it may know.

use crate::failure::{Ended, Failure, judge};
use crate::metadata::{Built, Metadata, Package};
use std::path::Path;

/// One crate of the workspace and what it may depend on, in any kind of dependency.
struct Room {
    name: &'static str,
    knows: &'static [&'static str],
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// No runtime, database, HTTP, clock or randomness, however far away.
    Pure,
    Open,
}

const CORE: &str = "countersign-core";
const GRAPH: &str = "countersign-graph";
const COMMANDS: &str = "countersign-commands";
const HARNESS: &str = "countersign-harness";
const STORE: &str = "countersign-store";
const ENGINE: &str = "countersign-engine";
const STORIES: &str = "countersign-stories";
const REFERENCE: &str = "countersign-reference";
const FUZZ: &str = "countersign-fuzz";
const PROVE: &str = "countersign-prove";
const IMPORT: &str = "countersign-import";
const SCRATCH: &str = "countersign-scratch";
const CARD: &str = "countersign-card";
const API: &str = "countersign-api";
const SERVER: &str = "countersign-server";
const CLIENT: &str = "countersign-client";
const TERMINAL: &str = "countersign-terminal";
const CLI: &str = "countersign";

const ROOMS: &[Room] = &[
    Room { name: CORE, knows: &[], kind: Kind::Pure },
    Room { name: GRAPH, knows: &[CORE, COMMANDS], kind: Kind::Pure },
    Room { name: COMMANDS, knows: &[CORE], kind: Kind::Pure },
    Room { name: HARNESS, knows: &[CORE], kind: Kind::Pure },
    Room { name: CARD, knows: &[CORE, GRAPH, COMMANDS], kind: Kind::Pure },
    Room { name: API, knows: &[CORE, CARD], kind: Kind::Pure },
    Room { name: STORE, knows: &[CORE, SCRATCH], kind: Kind::Open },
    Room { name: ENGINE, knows: &[CORE, GRAPH, COMMANDS, STORE, SCRATCH], kind: Kind::Open },
    Room {
        name: SERVER,
        knows: &[CORE, GRAPH, COMMANDS, CARD, API, ENGINE, CLIENT],
        kind: Kind::Open,
    },
    Room { name: CLIENT, knows: &[CORE, API], kind: Kind::Open },
    Room { name: TERMINAL, knows: &[CORE, CARD, API], kind: Kind::Open },
    Room { name: STORIES, knows: &[CORE, GRAPH, COMMANDS, ENGINE, SCRATCH], kind: Kind::Open },
    Room { name: SCRATCH, knows: &[], kind: Kind::Open },
    Room { name: REFERENCE, knows: &[CORE], kind: Kind::Pure },
    Room { name: PROVE, knows: &[CORE, GRAPH], kind: Kind::Open },
    Room { name: IMPORT, knows: &[CORE], kind: Kind::Open },
    Room {
        name: FUZZ,
        knows: &[CORE, GRAPH, COMMANDS, STORIES, REFERENCE, IMPORT],
        kind: Kind::Open,
    },
    Room {
        name: CLI,
        knows: &[
            CORE, GRAPH, COMMANDS, HARNESS, CARD, API, CLIENT, TERMINAL, SERVER, ENGINE, STORIES,
            PROVE, IMPORT,
        ],
        kind: Kind::Open,
    },
    Room {
        name: "xtask",
        knows: &[CORE, GRAPH, COMMANDS, ENGINE, STORIES, SCRATCH],
        kind: Kind::Open,
    },
];

/// What a pure room must not reach. A name that ends in `*` stands for all that begin so.
const IMPURE: &[&str] = &[
    // runtimes
    "tokio",
    "tokio-*",
    "async-*",
    "smol",
    "mio",
    "polling",
    "rayon",
    "crossbeam-channel",
    // databases
    "sqlx",
    "sqlx-*",
    "rusqlite",
    "libsqlite3-sys",
    "postgres",
    "redb",
    "sled",
    "rocksdb",
    "diesel",
    // HTTP
    "hyper",
    "hyper-*",
    "reqwest",
    "axum",
    "axum-*",
    "tower",
    "tower-*",
    "ureq",
    "rmcp",
    "rustls",
    // clocks
    "time",
    "jiff",
    "quanta",
    "coarsetime",
    "iana-time-zone",
    // randomness
    "getrandom",
    "rand",
    "fastrand",
];

/// Impure only with one of these features: without them it is arithmetic on dates.
const IMPURE_WITH: &[(&str, &[&str])] =
    &[("chrono", &["now", "clock"]), ("uuid", &["v1", "v4", "v6", "v7"])];

pub fn step(root: &Path) -> Ended {
    let whole = Metadata::read_built(root, Built::Together)?;
    let crates = whole.members().count();
    let mut found = misplaced(&whole);
    for room in ROOMS.iter().filter(|room| room.kind == Kind::Pure) {
        if whole.members().any(|package| package.name == room.name) {
            // What another crate of the program switches on in one that both use does not count.
            let alone = Metadata::read_built(root, Built::Alone(room.name))?;
            found.extend(impure(&alone, room));
        }
    }
    judge(&found, format!("{crates} crates know only whom they may know"))
}

fn misplaced(metadata: &Metadata) -> Vec<String> {
    let mut found = Vec::new();
    for package in metadata.members() {
        match ROOMS.iter().find(|room| room.name == package.name) {
            None => found.push(format!(
                "`{}` is new: say in xtask/src/boundaries.rs which crates it may know",
                package.name
            )),
            Some(room) => found.extend(strangers(metadata, package, room)),
        }
    }
    found
}

fn impure(metadata: &Metadata, room: &Room) -> Vec<String> {
    let packages = metadata.members().filter(|package| package.name == room.name);
    packages.flat_map(|package| impurities(metadata, package)).collect()
}

fn strangers(metadata: &Metadata, package: &Package, room: &Room) -> Vec<String> {
    let direct = metadata.direct(package).into_iter();
    direct
        .filter(|other| metadata.is_member(other) && other.name != package.name)
        .filter(|other| !room.knows.contains(&other.name.as_str()))
        .map(|other| format!("`{}` must not know `{}`", package.name, other.name))
        .collect()
}

fn impurities(metadata: &Metadata, package: &Package) -> Vec<String> {
    let reached = metadata.reached(package).into_iter();
    reached
        .filter(|(other, _)| is_impure(metadata, other))
        .map(|(other, path)| {
            let way = path.join(" → ");
            format!("`{}` is pure, but reaches `{}`: {way}", package.name, other.name)
        })
        .collect()
}

fn is_impure(metadata: &Metadata, package: &Package) -> bool {
    let by_name = IMPURE.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(prefix) => package.name.starts_with(prefix),
        None => package.name == *pattern,
    });
    let on = metadata.features(package);
    let by_feature = IMPURE_WITH.iter().any(|(name, features)| {
        package.name == *name && on.iter().any(|feature| features.contains(&feature.as_str()))
    });
    by_name || by_feature
}

/// The table of ARCHITECTURE.md, for the crates that exist.
pub fn table(root: &Path) -> Result<String, Failure> {
    let metadata = Metadata::read(root)?;
    let exists = |name: &str| metadata.members().any(|package| package.name == name);
    let mut text = String::from("| crate | may know | pure |\n|---|---|---|\n");
    for room in ROOMS.iter().filter(|room| exists(room.name)) {
        let known: Vec<_> =
            room.knows.iter().filter(|name| exists(name)).map(|n| short(n)).collect();
        let known =
            if known.is_empty() { "none of the others".to_owned() } else { known.join(", ") };
        let pure = if room.kind == Kind::Pure { "yes" } else { "no" };
        text.push_str(&format!("| {} | {known} | {pure} |\n", short(room.name)));
    }
    Ok(text)
}

fn short(name: &str) -> String {
    // The package is named for its binary, its room for what it is.
    let room = if name == CLI { "cli" } else { name };
    format!("`{}`", room.strip_prefix("countersign-").unwrap_or(room))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::sample::{member, metadata, outside};

    fn findings(metadata: &Metadata) -> Vec<String> {
        let pure = ROOMS.iter().filter(|room| room.kind == Kind::Pure);
        misplaced(metadata)
            .into_iter()
            .chain(pure.flat_map(|room| impure(metadata, room)))
            .collect()
    }

    #[test]
    fn the_rooms_as_they_should_be_give_no_finding() {
        let whole = metadata(&[
            member(CORE, &["serde"]),
            member(GRAPH, &[CORE]),
            member(STORE, &[CORE, "sqlx"]),
            member(ENGINE, &[CORE, GRAPH, STORE]),
            outside("serde", &[]),
            outside("sqlx", &[]),
        ]);
        assert_eq!(findings(&whole), Vec::<String>::new());
    }

    #[test]
    fn a_runtime_behind_another_crate_is_found_with_the_way_to_it() {
        let whole = metadata(&[
            member(CORE, &["innocent"]),
            outside("innocent", &["tokio-util"]),
            outside("tokio-util", &[]),
        ]);
        let expected = "`countersign-core` is pure, but reaches `tokio-util`: \
                        countersign-core → innocent → tokio-util";
        assert_eq!(findings(&whole), [expected]);
    }

    #[test]
    fn a_dependency_of_tests_alone_does_not_make_a_crate_impure() {
        let core = member(CORE, &["rand"]).for_tests();
        assert_eq!(findings(&metadata(&[core, outside("rand", &[])])), Vec::<String>::new());
    }

    #[test]
    fn only_the_engine_knows_the_store() {
        let whole =
            metadata(&[member(CORE, &[]), member(STORE, &[CORE]), member(STORIES, &[CORE, STORE])]);
        assert_eq!(findings(&whole), ["`countersign-stories` must not know `countersign-store`"]);
    }

    #[test]
    fn a_crate_nobody_placed_is_an_error() {
        let whole = metadata(&[member("countersign-extras", &[])]);
        let expected =
            "`countersign-extras` is new: say in xtask/src/boundaries.rs which crates it may know";
        assert_eq!(findings(&whole), [expected]);
    }

    #[test]
    fn chrono_is_impure_only_with_its_clock() {
        let (graph, chrono) = (member(GRAPH, &["chrono"]), outside("chrono", &[]));
        let without = metadata(&[graph.clone(), chrono.clone()]);
        assert_eq!(findings(&without), Vec::<String>::new());
        assert_eq!(findings(&metadata(&[graph, chrono.with_feature("now")])).len(), 1);
    }
}
