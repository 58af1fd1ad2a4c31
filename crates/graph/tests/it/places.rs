//! Tests of the place patterns: what the built-in ones match, and what the language means.

use countersign_graph::places::built_in::{BUILT_IN_GROUPS, PlaceGroup};
use countersign_graph::{PlaceBases, PlaceKind, PlacePattern, PlacePatterns};
use std::collections::BTreeSet;

/// Rows of an expected kind and a path. A path without `/` in front is in the workspace.
const PATHS: &str = include_str!("places/paths.txt");
const PAGE: &str = include_str!("../../../../docs/places.md");
const BASES: PlaceBases<'static> =
    PlaceBases { home: Some("/home/u"), workspace: Some("/home/u/w") };

struct Row {
    expected: &'static str,
    path: String,
}

fn rows() -> Vec<Row> {
    let lines = PATHS.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (expected, path) = line.split_once(' ').unwrap();
            Row { expected, path: complete_path(path.trim()) }
        })
        .collect()
}

fn complete_path(path: &str) -> String {
    match (path.strip_prefix('~'), path.starts_with('/')) {
        (Some(rest), _) => format!("/home/u{rest}"),
        (None, true) => path.to_owned(),
        (None, false) => format!("/home/u/w/{path}"),
    }
}

fn built_in_patterns() -> PlacePatterns {
    PlacePatterns::new(&[], &[]).unwrap()
}

fn describe_kinds(patterns: &PlacePatterns, path: &str) -> &'static str {
    let kinds = patterns.find_kinds(path, &BASES);
    match (kinds.contains(PlaceKind::Secret), kinds.contains(PlaceKind::Guarded)) {
        (false, false) if kinds.contains(PlaceKind::Cache) => "cache",
        (false, false) if kinds.contains(PlaceKind::Plan) => "plan",
        (false, false) => "none",
        (true, false) => "secret",
        (false, true) => "guarded",
        (true, true) => "both",
    }
}

/// Every built-in pattern that no row of the table matches, as `kind pattern`.
fn find_untested_patterns(rows: &[Row]) -> Vec<String> {
    let patterns = built_in_patterns();
    let mut matched = BTreeSet::new();
    for row in rows {
        for found in patterns.find_matches(&row.path, &BASES) {
            matched.insert(format!("{} {}", found.kind.word(), found.pattern.text()));
        }
    }
    let groups = BUILT_IN_GROUPS.iter().copied().flatten();
    let all = groups.flat_map(|group| group.patterns.iter().map(|text| (group.kind, *text)));
    all.map(|(kind, text)| format!("{} {text}", kind.word()))
        .filter(|name| !matched.contains(name))
        .collect()
}

#[test]
fn every_path_of_the_table_has_its_kinds() {
    let patterns = built_in_patterns();
    let wrong: Vec<_> = rows()
        .iter()
        .map(|row| (row, describe_kinds(&patterns, &row.path)))
        .filter(|(row, found)| row.expected != *found)
        .map(|(row, found)| format!("{}: expected {}, found {found}", row.path, row.expected))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn at_least_half_of_the_table_matches_nothing() {
    let mut rows = rows();
    rows.retain(|row| row.expected != "cache");
    let plain = rows.iter().filter(|row| row.expected == "none").count();
    assert!(rows.len() >= 160 && plain * 2 >= rows.len(), "{plain} of {}", rows.len());
}

#[test]
fn every_built_in_pattern_matches_a_path_of_the_table() {
    assert_eq!(find_untested_patterns(&rows()), Vec::<String>::new());
}

#[test]
fn a_built_in_pattern_without_a_path_is_found() {
    let mut rows = rows();
    rows.retain(|row| !row.path.ends_with("/.vault-token"));
    assert_eq!(find_untested_patterns(&rows), ["secret .vault-token"]);
}

/// The kinds that one own pattern of each kind gives a path in the workspace.
fn kinds_with(secrets: &[&str], path: &str) -> &'static str {
    let secrets: Vec<_> = secrets.iter().map(|text| (*text).to_owned()).collect();
    describe_kinds(&PlacePatterns::new(&secrets, &[]).unwrap(), &complete_path(path))
}

#[test]
fn own_patterns_mean_what_the_table_of_the_language_says() {
    let rows = [
        ("private", "private", "secret"),
        ("private", "a/private/b/c", "secret"),
        ("private", "a/privates/b", "none"),
        ("a/b", "x/a/b/c", "secret"),
        ("a/b", "x/a/y/b", "none"),
        ("~/a", "~/a/b", "secret"),
        ("~/a", "a/b", "none"),
        ("./a", "a/b", "secret"),
        ("./a", "x/a", "none"),
        ("./a", "~/a", "none"),
        ("/a", "/a/b", "secret"),
        ("/a", "/b/a", "none"),
        ("/a/*/c", "/a/b/c", "secret"),
        ("/a/*/c", "/a/b/b/c", "none"),
        ("Data?.BIN", "x/data1.bin", "secret"),
        ("data?.bin", "x/data.bin", "none"),
        ("größe", "GRÖSSE", "none"),
        ("größe", "x/größe", "secret"),
    ];
    for (pattern, path, expected) in rows {
        assert_eq!(kinds_with(&[pattern], path), expected, "`{pattern}` on `{path}`");
    }
}

#[test]
fn an_exception_lifts_what_matched_at_its_name_or_above() {
    let rows: &[(&[&str], &str, &str)] = &[
        (&["private", "!private/open"], "private/open/a", "none"),
        (&["private", "!private/open"], "private/closed", "secret"),
        (&["private", "!private"], "private/a", "none"),
        (&["private", "!a"], "a/private", "secret"),
        (&["!fixtures/.env"], "fixtures/.env", "none"),
        (&["!fixtures"], "fixtures/.env", "secret"),
        (&[".env.example"], ".env.example", "secret"),
        (&["private"], "private/.env.example", "secret"),
        (&["private", "!private/*.pub"], "private/a.pub", "none"),
    ];
    for (patterns, path, expected) in rows {
        assert_eq!(kinds_with(patterns, path), *expected, "{patterns:?} on `{path}`");
    }
}

#[test]
fn a_pattern_from_an_unknown_folder_matches_nothing() {
    let patterns = PlacePatterns::new(&["~/a".to_owned(), "./b".to_owned()], &[]).unwrap();
    for bases in [PlaceBases::default(), PlaceBases { home: Some(""), workspace: Some("w") }] {
        for path in ["/a", "/b", "/home/u/a", "/home/u/w/b"] {
            assert!(patterns.find_kinds(path, &bases).is_empty(), "{path}");
        }
    }
}

#[test]
fn a_text_that_is_no_pattern_is_refused_with_its_place() {
    let long = "a".repeat(1_001);
    let rows = [
        ("", "it names no file", 0),
        ("!", "it names no file", 0),
        ("/", "it names no file", 0),
        ("~/", "it names no file", 0),
        ("*", "it matches every path", 0),
        ("!*/*", "it matches every path", 1),
        (long.as_str(), "it is longer than 1000 bytes", 0),
        (" a", "it begins or ends with a blank", 0),
        ("a\t", "it begins or ends with a blank", 1),
        ("a\u{7}b", "it contains a control or invisible character", 1),
        ("a\u{200b}b", "it contains a control or invisible character", 1),
        ("a//b", "one of its names is empty", 2),
        ("a/", "one of its names is empty", 2),
        ("a/../b", "`.` and `..` are not names", 2),
        ("../b", "`.` and `..` are not names", 0),
        ("~/./b", "`.` and `..` are not names", 2),
        ("a/**/b", "`**` has no meaning here", 2),
        ("~", "`~` stands for the home folder only in front, as `~/`", 0),
        ("~ana/b", "`~` stands for the home folder only in front, as `~/`", 0),
        ("*.{pem,key}", "`[`, `]`, `{`, `}` and `\\` have no meaning here", 2),
        ("a\\*", "`[`, `]`, `{`, `}` and `\\` have no meaning here", 1),
    ];
    for (text, message, offset) in rows {
        let error = PlacePattern::parse(text).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.offset), (message, offset), "`{text}`");
    }
}

#[test]
fn no_built_in_group_holds_a_pattern_twice() {
    for kind in PlaceKind::ALL {
        let groups = BUILT_IN_GROUPS.iter().copied().flatten().filter(|group| group.kind == *kind);
        let mut seen = BTreeSet::new();
        for text in groups.flat_map(|group| group.patterns) {
            assert!(seen.insert(text.to_ascii_lowercase()), "{kind:?} {text}");
        }
    }
}

fn build_table(kind: PlaceKind) -> String {
    let groups = BUILT_IN_GROUPS.iter().copied().flatten().filter(|group| group.kind == kind);
    let rows: String = groups.map(build_table_row).collect();
    let word = kind.word();
    format!("### Built in as {word}\n\n| group | why | patterns |\n|---|---|---|\n{rows}")
}

fn build_table_row(group: &PlaceGroup) -> String {
    let patterns: Vec<_> = group.patterns.iter().map(|text| format!("`{text}`")).collect();
    format!("| {} | {} | {} |\n", group.title, group.reason, patterns.join(", "))
}

#[test]
fn the_page_about_places_lists_exactly_the_built_in_patterns() {
    let tables: Vec<_> = PlaceKind::ALL.iter().map(|kind| build_table(*kind)).collect();
    let expected = tables.join("\n");
    let start = PAGE.find("### Built in").unwrap_or(PAGE.len());
    let listed = PAGE.get(start..).unwrap();
    assert!(listed == expected, "end docs/places.md with:\n\n{expected}");
}
