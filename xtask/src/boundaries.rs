//! Which crate may depend on which, checked on the resolved dependency graph.
//!
//! The rules are in `crate_rules`. A new crate of the workspace is an error until it has a row there,
//! and so is a row without a crate. `layers` checks the modules inside each crate.

use crate::crate_rules::{CLI, CRATE_RULES, CrateRule, Purity};
use crate::failure::{CiResult, Failure, judge};
use crate::metadata::{BuildScope, Metadata, Package};
use std::path::Path;

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

/// Features that must not be enabled in what ships, each with its reason.
const FORBIDDEN_FEATURES: &[(&str, &str, &str)] = &[(
    "serde_json",
    "arbitrary_precision",
    "a number would be the same value as an object with a private key, and have the same digest",
)];

pub fn step(root: &Path) -> CiResult {
    let whole = Metadata::read_built(root, BuildScope::Together)?;
    let crates = whole.members().count();
    let mut found = find_forbidden_dependencies(&whole);
    found.extend(find_missing_crates(&whole));
    found.extend(find_forbidden_features(&whole));
    for rule in CRATE_RULES.iter().filter(|rule| rule.purity == Purity::Pure) {
        // Alone, so that features which another crate enables do not count.
        let alone = Metadata::read_built(root, BuildScope::Alone(rule.name))?;
        found.extend(find_impurities(&alone, rule));
    }
    found.extend(crate::layers::check(root)?);
    judge(&found, format!("{crates} crates and their modules use only what they may"))
}

fn find_forbidden_dependencies(metadata: &Metadata) -> Vec<String> {
    let mut found = Vec::new();
    for package in metadata.members() {
        match CRATE_RULES.iter().find(|rule| rule.name == package.name) {
            None => found.push(format!(
                "`{}` is new: say in xtask/src/crate_rules.rs which crates it may use",
                package.name
            )),
            Some(rule) => found.extend(forbidden_dependencies(metadata, package, rule)),
        }
    }
    found
}

fn find_missing_crates(metadata: &Metadata) -> Vec<String> {
    let exists = |name: &str| metadata.members().any(|package| package.name == name);
    let missing = CRATE_RULES.iter().filter(|rule| !exists(rule.name));
    missing.map(|rule| format!("`{}` has a rule, but no such crate exists", rule.name)).collect()
}

/// Whatever crate enables a feature, cargo enables it for all crates that it builds together.
fn find_forbidden_features(metadata: &Metadata) -> Vec<String> {
    let mut found = Vec::new();
    for (name, feature, reason) in FORBIDDEN_FEATURES {
        let packages = metadata.packages.iter().filter(|package| package.name == *name);
        let is_enabled =
            packages.flat_map(|package| metadata.features(package)).any(|on| on == feature);
        if is_enabled {
            found.push(format!("`{name}` is built with `{feature}`: {reason}"));
        }
    }
    found
}

fn find_impurities(metadata: &Metadata, rule: &CrateRule) -> Vec<String> {
    let packages = metadata.members().filter(|package| package.name == rule.name);
    packages.flat_map(|package| package_impurities(metadata, package)).collect()
}

fn forbidden_dependencies(metadata: &Metadata, package: &Package, rule: &CrateRule) -> Vec<String> {
    let direct = metadata.direct_dependencies(package).into_iter();
    direct
        .filter(|other| metadata.is_member(other) && other.name != package.name)
        .filter(|other| !rule.may_use.contains(&other.name.as_str()))
        .map(|other| format!("`{}` must not use `{}`", package.name, other.name))
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

/// The table of ARCHITECTURE.md.
pub fn table(_root: &Path) -> Result<String, Failure> {
    let mut text = String::from(
        "| crate | contains | absent from it | may use | pure |\n|---|---|---|---|---|\n",
    );
    for rule in CRATE_RULES {
        let used: Vec<_> = rule.may_use.iter().map(|name| short_name(name)).collect();
        let used = if used.is_empty() { "none".to_owned() } else { used.join(", ") };
        let pure = if rule.purity == Purity::Pure { "yes" } else { "no" };
        let (name, CrateRule { contains, lacks, .. }) = (short_name(rule.name), rule);
        text.push_str(&format!("| {name} | {contains} | {lacks} | {used} | {pure} |\n"));
    }
    Ok(text)
}

fn short_name(name: &str) -> String {
    // The package has the name of its binary; the table shows the name of its folder.
    let rule = if name == CLI { "cli" } else { name };
    format!("`{}`", rule.strip_prefix("countersign-").unwrap_or(rule))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crate_rules::{CORE, ENGINE, GRAPH, STORE, STORIES};
    use crate::metadata::sample::{member, metadata, outside};

    fn findings(metadata: &Metadata) -> Vec<String> {
        let pure = CRATE_RULES.iter().filter(|rule| rule.purity == Purity::Pure);
        find_forbidden_dependencies(metadata)
            .into_iter()
            .chain(pure.flat_map(|rule| find_impurities(metadata, rule)))
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
        assert_eq!(findings(&whole), ["`countersign-stories` must not use `countersign-store`"]);
    }

    #[test]
    fn a_crate_nobody_placed_is_an_error() {
        let whole = metadata(&[member("countersign-extras", &[])]);
        let expected =
            "`countersign-extras` is new: say in xtask/src/crate_rules.rs which crates it may use";
        assert_eq!(findings(&whole), [expected]);
    }

    #[test]
    fn a_rule_without_a_crate_is_an_error() {
        let whole = metadata(&[member(CORE, &[])]);
        let found = find_missing_crates(&whole);
        assert_eq!(found.len(), CRATE_RULES.len() - 1);
        assert!(found.iter().any(|line| line.contains("countersign-graph")), "{found:?}");
    }

    #[test]
    fn a_feature_that_would_merge_digests_is_found_whoever_enables_it() {
        let json = outside("serde_json", &[]);
        let whole =
            metadata(&[member(CORE, &["serde_json"]), json.clone().with_feature("raw_value")]);
        assert_eq!(find_forbidden_features(&whole), Vec::<String>::new());
        let whole =
            metadata(&[member(CORE, &["serde_json"]), json.with_feature("arbitrary_precision")]);
        assert_eq!(find_forbidden_features(&whole).len(), 1);
    }

    #[test]
    fn chrono_is_impure_only_with_its_clock() {
        let (graph, chrono) = (member(GRAPH, &["chrono"]), outside("chrono", &[]));
        let without = metadata(&[graph.clone(), chrono.clone()]);
        assert_eq!(findings(&without), Vec::<String>::new());
        assert_eq!(findings(&metadata(&[graph, chrono.with_feature("now")])).len(), 1);
    }
}
