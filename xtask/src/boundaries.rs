//! Which crate may depend on which, checked on the resolved dependency graph.
//!
//! The table below is the rule; the table in ARCHITECTURE.md is generated from it. A new crate of
//! the workspace is an error until it has a row here. `layers` checks the modules inside core.

use crate::failure::{Failure, StepResult, judge};
use crate::metadata::{BuildScope, Metadata, Package};
use std::path::Path;

/// One crate of the workspace and what it may depend on, in any kind of dependency.
struct CrateRule {
    name: &'static str,
    may_use: &'static [&'static str],
    purity: Purity,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purity {
    /// No runtime, database, HTTP, clock or randomness, however far away.
    Pure,
    Open,
}

const CORE: &str = "countersign-core";
const GRAPH: &str = "countersign-graph";
const COMMANDS: &str = "countersign-commands";
const HARNESS: &str = "countersign-harness";
const STORE: &str = "countersign-store";
const OBSERVE: &str = "countersign-observe";
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

const CRATE_RULES: &[CrateRule] = &[
    CrateRule { name: CORE, may_use: &[], purity: Purity::Pure },
    CrateRule { name: GRAPH, may_use: &[CORE, COMMANDS], purity: Purity::Pure },
    CrateRule { name: COMMANDS, may_use: &[CORE], purity: Purity::Pure },
    CrateRule { name: HARNESS, may_use: &[CORE], purity: Purity::Pure },
    CrateRule { name: CARD, may_use: &[CORE, GRAPH, COMMANDS], purity: Purity::Pure },
    CrateRule { name: API, may_use: &[CORE, CARD], purity: Purity::Pure },
    CrateRule { name: STORE, may_use: &[CORE, SCRATCH], purity: Purity::Open },
    CrateRule { name: OBSERVE, may_use: &[CORE, GRAPH, COMMANDS], purity: Purity::Open },
    CrateRule {
        name: ENGINE,
        may_use: &[CORE, GRAPH, COMMANDS, STORE, OBSERVE, SCRATCH],
        purity: Purity::Open,
    },
    CrateRule {
        name: SERVER,
        may_use: &[CORE, GRAPH, COMMANDS, CARD, API, ENGINE, CLIENT],
        purity: Purity::Open,
    },
    CrateRule { name: CLIENT, may_use: &[CORE, API], purity: Purity::Open },
    CrateRule { name: TERMINAL, may_use: &[CORE, CARD, API], purity: Purity::Open },
    CrateRule {
        name: STORIES,
        may_use: &[CORE, GRAPH, COMMANDS, OBSERVE, ENGINE, SCRATCH],
        purity: Purity::Open,
    },
    CrateRule { name: SCRATCH, may_use: &[], purity: Purity::Open },
    CrateRule { name: REFERENCE, may_use: &[CORE], purity: Purity::Pure },
    CrateRule { name: PROVE, may_use: &[CORE, GRAPH], purity: Purity::Open },
    CrateRule { name: IMPORT, may_use: &[CORE], purity: Purity::Open },
    CrateRule {
        name: FUZZ,
        may_use: &[CORE, GRAPH, COMMANDS, STORIES, REFERENCE, IMPORT],
        purity: Purity::Open,
    },
    CrateRule {
        name: CLI,
        may_use: &[
            CORE, GRAPH, COMMANDS, HARNESS, CARD, API, CLIENT, TERMINAL, SERVER, OBSERVE, ENGINE,
            STORIES, PROVE, IMPORT,
        ],
        purity: Purity::Open,
    },
    CrateRule {
        name: "xtask",
        may_use: &[CORE, GRAPH, COMMANDS, ENGINE, STORIES, SCRATCH],
        purity: Purity::Open,
    },
];

/// What a pure crate must not depend on. A trailing `*` matches every name with that prefix.
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

/// Impure only with one of these features. Without them these crates do arithmetic.
const IMPURE_WITH: &[(&str, &[&str])] =
    &[("chrono", &["now", "clock"]), ("uuid", &["v1", "v4", "v6", "v7"])];

pub fn step(root: &Path) -> StepResult {
    let whole = Metadata::read_built(root, BuildScope::Together)?;
    let crates = whole.members().count();
    let mut found = find_forbidden_dependencies(&whole);
    for room in CRATE_RULES.iter().filter(|room| room.purity == Purity::Pure) {
        if whole.members().any(|package| package.name == room.name) {
            // Alone, so that features which another crate enables do not count.
            let alone = Metadata::read_built(root, BuildScope::Alone(room.name))?;
            found.extend(find_impurities(&alone, room));
        }
    }
    found.extend(crate::layers::check(root)?);
    judge(&found, format!("{crates} crates and the layers of core use only what they may"))
}

fn find_forbidden_dependencies(metadata: &Metadata) -> Vec<String> {
    let mut found = Vec::new();
    for package in metadata.members() {
        match CRATE_RULES.iter().find(|room| room.name == package.name) {
            None => found.push(format!(
                "`{}` is new: say in xtask/src/boundaries.rs which crates it may know",
                package.name
            )),
            Some(room) => found.extend(forbidden_dependencies(metadata, package, room)),
        }
    }
    found
}

fn find_impurities(metadata: &Metadata, room: &CrateRule) -> Vec<String> {
    let packages = metadata.members().filter(|package| package.name == room.name);
    packages.flat_map(|package| package_impurities(metadata, package)).collect()
}

fn forbidden_dependencies(metadata: &Metadata, package: &Package, room: &CrateRule) -> Vec<String> {
    let direct = metadata.direct_dependencies(package).into_iter();
    direct
        .filter(|other| metadata.is_member(other) && other.name != package.name)
        .filter(|other| !room.may_use.contains(&other.name.as_str()))
        .map(|other| format!("`{}` must not know `{}`", package.name, other.name))
        .collect()
}

fn package_impurities(metadata: &Metadata, package: &Package) -> Vec<String> {
    let reached = metadata.reachable_packages(package).into_iter();
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
    for room in CRATE_RULES.iter().filter(|room| exists(room.name)) {
        let known: Vec<_> =
            room.may_use.iter().filter(|name| exists(name)).map(|n| short_name(n)).collect();
        let known =
            if known.is_empty() { "none of the others".to_owned() } else { known.join(", ") };
        let pure = if room.purity == Purity::Pure { "yes" } else { "no" };
        text.push_str(&format!("| {} | {known} | {pure} |\n", short_name(room.name)));
    }
    Ok(text)
}

fn short_name(name: &str) -> String {
    // The package has the name of its binary; the table shows the name of its folder.
    let room = if name == CLI { "cli" } else { name };
    format!("`{}`", room.strip_prefix("countersign-").unwrap_or(room))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::sample::{member, metadata, outside};

    fn findings(metadata: &Metadata) -> Vec<String> {
        let pure = CRATE_RULES.iter().filter(|room| room.purity == Purity::Pure);
        find_forbidden_dependencies(metadata)
            .into_iter()
            .chain(pure.flat_map(|room| find_impurities(metadata, room)))
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
