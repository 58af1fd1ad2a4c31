//! Which crate may depend on which, checked on the resolved dependency graph.
//!
//! The rules are the table of crates in ARCHITECTURE.md. A new crate of the workspace is an error until
//! it has a row there, and so is a row without a crate. `layers` checks the modules inside each crate.
//!
//! See docs/decisions/0006-few-dependencies-in-pure-crates.md.

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

const PAGE: &str = "ARCHITECTURE.md";
const TABLE_HEAD: &str =
    "| crate | contains | absent from it | may use | pure |\n|---|---|---|---|---|\n";

/// One crate of the workspace and what it may depend on, in any kind of dependency.
#[derive(Debug, PartialEq, Eq)]
struct CrateRule {
    name: String,
    may_use: Vec<String>,
    purity: Purity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purity {
    /// No runtime, database, HTTP, clock or randomness, however far away.
    Pure,
    Open,
}

/// The rows of the table of crates, up to the first line that is no row.
fn parse_rules(page: &str) -> Result<Vec<CrateRule>, Failure> {
    let (_, rows) =
        page.split_once(TABLE_HEAD).ok_or_else(|| Failure::new("no table of crates"))?;
    rows.lines().take_while(|line| line.starts_with('|')).map(parse_row).collect()
}

fn parse_row(line: &str) -> Result<CrateRule, Failure> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let problem = || Failure::new(format!("{PAGE}: this is no row of a crate: {line}"));
    let ["", name, _, _, may_use, pure, ""] = cells.as_slice() else { return Err(problem()) };
    let purity = match *pure {
        "yes" => Purity::Pure,
        "no" => Purity::Open,
        _ => return Err(problem()),
    };
    let name = parse_crate_name(name).ok_or_else(problem)?;
    let used = may_use.split(", ").filter(|used| *used != "none").map(parse_crate_name);
    Ok(CrateRule { name, may_use: used.collect::<Option<_>>().ok_or_else(problem)?, purity })
}

/// The package of a folder between backticks. The one of the program has the name of its binary.
fn parse_crate_name(cell: &str) -> Option<String> {
    let folder = cell.strip_prefix('`')?.strip_suffix('`')?;
    Some(match folder {
        "cli" => "countersign".to_owned(),
        "xtask" => "xtask".to_owned(),
        folder => format!("countersign-{folder}"),
    })
}

pub fn step(root: &Path) -> CiResult {
    let page = std::fs::read_to_string(root.join(PAGE))
        .map_err(|error| Failure::new(format!("cannot read {PAGE}: {error}")))?;
    let rules = parse_rules(&page)?;
    let whole = Metadata::read_built(root, BuildScope::Together)?;
    let crates = whole.members().count();
    let mut found = find_forbidden_dependencies(&whole, &rules);
    found.extend(find_missing_crates(&whole, &rules));
    found.extend(find_forbidden_features(&whole));
    for rule in rules.iter().filter(|rule| rule.purity == Purity::Pure) {
        // Alone, so that features which another crate enables do not count.
        let alone = Metadata::read_built(root, BuildScope::Alone(&rule.name))?;
        found.extend(find_impurities(&alone, rule));
    }
    found.extend(crate::layers::check(root)?);
    judge(&found, format!("{crates} crates and their modules use only what they may"))
}

fn find_forbidden_dependencies(metadata: &Metadata, rules: &[CrateRule]) -> Vec<String> {
    let mut found = Vec::new();
    for package in metadata.members() {
        match rules.iter().find(|rule| rule.name == package.name) {
            None => found.push(format!(
                "`{}` is new: say in ARCHITECTURE.md which crates it may use",
                package.name
            )),
            Some(rule) => found.extend(forbidden_dependencies(metadata, package, rule)),
        }
    }
    found
}

fn find_missing_crates(metadata: &Metadata, rules: &[CrateRule]) -> Vec<String> {
    let exists = |name: &str| metadata.members().any(|package| package.name == name);
    let missing = rules.iter().filter(|rule| !exists(&rule.name));
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
        .filter(|other| !rule.may_use.contains(&other.name))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::sample::{member, metadata, outside};

    const CORE: &str = "countersign-core";
    const ENGINE: &str = "countersign-engine";
    const GRAPH: &str = "countersign-graph";
    const STORE: &str = "countersign-store";
    const STORIES: &str = "countersign-stories";

    fn rules() -> Vec<CrateRule> {
        let page = std::fs::read_to_string(crate::steps::root().join(PAGE)).unwrap();
        parse_rules(&page).unwrap()
    }

    #[test]
    fn a_row_says_what_a_crate_may_use() {
        let page = format!("# A\n{TABLE_HEAD}| `cli` | a | b | `core`, `graph` | no |\n\nrest\n");
        let may_use = vec![CORE.to_owned(), GRAPH.to_owned()];
        let rule = CrateRule { name: "countersign".to_owned(), may_use, purity: Purity::Open };
        assert_eq!(parse_rules(&page).unwrap(), [rule]);
    }

    #[test]
    fn a_row_that_cannot_be_read_is_an_error() {
        for row in [
            "| `a` | b | none | yes |",
            "| `a` | b | c | core | no |",
            "| `a` | | | none | perhaps |",
        ] {
            assert!(parse_rules(&format!("{TABLE_HEAD}{row}\n")).is_err(), "{row}");
        }
        assert!(parse_rules("# A\n").is_err());
    }

    fn findings(metadata: &Metadata) -> Vec<String> {
        let rules = rules();
        let pure = rules.iter().filter(|rule| rule.purity == Purity::Pure);
        find_forbidden_dependencies(metadata, &rules)
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
            "`countersign-extras` is new: say in ARCHITECTURE.md which crates it may use";
        assert_eq!(findings(&whole), [expected]);
    }

    #[test]
    fn a_rule_without_a_crate_is_an_error() {
        let whole = metadata(&[member(CORE, &[])]);
        let found = find_missing_crates(&whole, &rules());
        assert_eq!(found.len(), rules().len() - 1);
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
