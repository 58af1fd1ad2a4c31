//! Sizes that say when a crate or a type does too much.
//!
//! The second bound has a list of what is beyond it today. Anything else beyond it is an error, and so
//! is an entry that is no longer needed.

use super::File;
use super::files::group_by_crate;
use super::sources::production_lines;
use crate::rust_tokens::{Token, production_code};
use std::collections::{BTreeMap, BTreeSet};

/// Production lines of one crate. Somebody who has to know a crate can read this much in a few days.
const LARGEST_CRATE: usize = 15_000;

/// Files with methods of one type. Methods in more files than this reach into each other's fields
/// where nobody sees it.
const MOST_FILES: usize = 5;

/// The types whose methods lie in more files: crate and type.
const SPREAD_TYPES: &[(&str, &str)] = &[
    ("crates/core/src/", "State"),
    ("crates/engine/src/", "Engine"),
    ("crates/host/src/", "Host"),
    ("crates/store/src/", "PostgresDatabase"),
    ("crates/terminal/src/", "Prompt"),
];

pub(super) fn find_large_crates(files: &[File]) -> Vec<String> {
    let sizes = group_by_crate(files).into_iter().map(|(source, files)| {
        (source, files.iter().map(|file| production_lines(&file.text)).sum::<usize>())
    });
    let large = sizes.filter(|(_, lines)| *lines > LARGEST_CRATE).map(|(source, lines)| {
        format!("{source}: {lines} lines before tests, {LARGEST_CRATE} at most; split the crate")
    });
    large.collect()
}

pub(super) fn find_spread_types(files: &[File]) -> Vec<String> {
    check_spread(files, SPREAD_TYPES)
}

fn check_spread(files: &[File], known: &[(&str, &str)]) -> Vec<String> {
    let mut places: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for (source, files) in group_by_crate(files) {
        for file in files {
            for name in list_types_with_methods(&production_code(&file.text).tokens) {
                places.entry((source, name)).or_default().insert(&file.path);
            }
        }
    }
    places.retain(|_, files| files.len() > MOST_FILES);
    let is_new = |(spread, _): &(&(&str, &str), &BTreeSet<&str>)| !known.contains(spread);
    let new = places.iter().filter(is_new).map(|((source, name), files)| {
        let count = files.len();
        format!("{source}: the methods of `{name}` lie in {count} files, {MOST_FILES} at most")
    });
    let gone = known.iter().filter(|spread| !places.contains_key(*spread));
    let gone = gone.map(|(source, name)| {
        format!("{source}: take `{name}` out of SPREAD_TYPES in tidy/crates.rs, it is in few files")
    });
    new.chain(gone).collect()
}

/// The types of inherent `impl` blocks. An implementation of a trait does not count: it is where the
/// trait needs it.
fn list_types_with_methods<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let is_item = |at: usize| at == 0 || matches!(text(at - 1), "}" | ";" | "]" | "{");
    let mut found = Vec::new();
    for start in (0..tokens.len()).filter(|at| text(*at) == "impl" && is_item(*at)) {
        let mut at = start + 1;
        if text(at) == "<" {
            at = skip_generics(tokens, at);
        }
        let mut name = text(at);
        while text(at + 1) == "::" {
            at += 2;
            name = text(at);
        }
        at += 1;
        if text(at) == "<" {
            at = skip_generics(tokens, at);
        }
        if matches!(text(at), "{" | "where") {
            found.push(name);
        }
    }
    found
}

/// The position after the `>` that closes the `<` here. The `>` of an arrow closes nothing.
fn skip_generics(tokens: &[Token<'_>], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        let is_arrow = at > 0 && tokens.get(at - 1).is_some_and(|before| before.text == "-");
        match token.text {
            "<" => depth += 1,
            ">" if !is_arrow => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Vec<String> = Vec::new();

    #[test]
    fn a_crate_that_is_too_large_is_found() {
        let half = "//! Head.\n".repeat(LARGEST_CRATE / 2);
        let mut files = vec![
            File::new("crates/a/src/lib.rs", &half),
            File::new("crates/a/src/b.rs", &format!("{half}#[cfg(test)]\nmod tests {{}}\n{half}")),
            File::new("crates/a/tests/it.rs", &half),
        ];
        assert_eq!(find_large_crates(&files), NOTHING);
        files.push(File::new("crates/a/src/c.rs", "//! Head.\n"));
        assert_eq!(
            find_large_crates(&files),
            ["crates/a/src/: 15001 lines before tests, 15000 at most; split the crate"]
        );
    }

    #[test]
    fn a_type_with_methods_in_many_files_is_found_and_so_is_one_that_no_longer_is() {
        let text = "use x;\n#[rustfmt::skip]\nimpl<S: Fn() -> u8> Engine<S> where S: Send { fn a() {} }\n\
                    impl Drop for Guard {} impl From<Engine<u8>> for Guard {}";
        let file = |at: usize| File::new(&format!("crates/a/src/f{at}.rs"), text);
        let files: Vec<File> = (0..=MOST_FILES).map(file).collect();
        assert_eq!(
            check_spread(&files, &[]),
            ["crates/a/src/: the methods of `Engine` lie in 6 files, 5 at most"]
        );
        let known = [("crates/a/src/", "Engine")];
        assert_eq!(check_spread(&files, &known), NOTHING);
        let fewer = files.get(1..).unwrap();
        assert_eq!(check_spread(fewer, &[]), NOTHING);
        assert_eq!(check_spread(fewer, &known).len(), 1);
        assert_eq!(check_spread(&[], &known).len(), 1);
    }
}
