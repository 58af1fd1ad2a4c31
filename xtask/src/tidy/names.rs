//! Function names that say nothing when they are read alone.
//!
//! A caller sees `held(x)` without the file around it. A name is a verb and its object, or a noun
//! for a plain getter; a bare participle, preposition or adverb is neither.

use super::File;
use crate::rust_tokens::production_code;
use std::collections::BTreeSet;

/// Each of these leaves open who does what to which object. Words that are nouns or verbs as well
/// (`set`, `read`, `left` as a side in a noun phrase) are refused only where they stand alone and
/// mean the participle. `now` is the usual name in a clock, and allowed.
const BARE_WORDS: &[&str] = &[
    // participles: what happened, but to what?
    "answered", "asked", "begun", "brought", "called", "changed", "chosen", "closed", "done",
    "drawn", "ended", "found", "given", "gone", "heard", "held", "kept", "known", "left", "listed",
    "made", "meant", "moved", "named", "noted", "paid", "refused", "said", "seen", "sent", "shown",
    "spelled", "spelt", "spoken", "taken", "told", "wanted", "written",
    // prepositions, pronouns and adverbs: no verb and no object
    "about", "after", "again", "alone", "anew", "at", "before", "beside", "by", "here", "in_it",
    "of", "on", "soon", "still", "there", "those", "together", "what", "whose", "with",
];

/// A function with a bare name.
#[derive(Debug, PartialEq, Eq)]
struct BareName<'f> {
    path: &'f str,
    line: usize,
    name: &'f str,
}

pub(super) fn find_violations(files: &[File]) -> Vec<String> {
    find_bare_names(files).iter().map(describe).collect()
}

fn describe(found: &BareName<'_>) -> String {
    let BareName { path, line, name } = found;
    format!("{path}:{line}: `fn {name}` says nothing alone; name what it does, and to what")
}

fn find_bare_names(files: &[File]) -> Vec<BareName<'_>> {
    let sources: Vec<&File> = files.iter().filter(|file| file.is_source()).collect();
    let tests = test_module_paths(&sources);
    let mut found = Vec::new();
    for file in sources.iter().filter(|file| !is_below(&file.path, &tests)) {
        let tokens = production_code(&file.text).tokens;
        for (keyword, name) in tokens.iter().zip(tokens.iter().skip(1)) {
            if keyword.text == "fn" && BARE_WORDS.contains(&name.text) {
                found.push(BareName { path: &file.path, line: name.line, name: name.text });
            }
        }
    }
    found
}

/// Paths, without `.rs`, of modules that exist only in tests.
pub(super) fn test_module_paths(sources: &[&File]) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for file in sources {
        let stem = file.path.strip_suffix(".rs").unwrap_or(&file.path);
        let folder = match file.name() {
            "lib.rs" | "main.rs" | "mod.rs" => stem.rsplit_once('/').map_or("", |(dir, _)| dir),
            _ => stem,
        };
        let modules = production_code(&file.text).test_modules;
        paths.extend(modules.iter().map(|name| format!("{folder}/{name}")));
    }
    paths
}

pub(super) fn is_below(path: &str, modules: &BTreeSet<String>) -> bool {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let mut ends = stem.match_indices('/').map(|(at, _)| at).chain([stem.len()]);
    ends.any(|end| stem.get(..end).is_some_and(|prefix| modules.contains(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(files: &[File]) -> Vec<String> {
        find_bare_names(files).iter().map(describe).collect()
    }

    #[test]
    fn a_bare_participle_is_found() {
        let text = "//! Head.\nimpl A {\n    pub fn held(&self) {}\n    fn held_by(&self) {}\n}\n";
        assert_eq!(
            places(&[File::new("crates/core/src/a.rs", text)]),
            ["crates/core/src/a.rs:3: `fn held` says nothing alone; \
                 name what it does, and to what"]
        );
    }

    #[test]
    fn names_in_tests_comments_and_strings_are_left_alone() {
        let files = [
            File::new("crates/core/src/a.rs", "// fn told()\nconst A: &str = \"fn told()\";\n"),
            File::new("crates/core/src/b.rs", "#[cfg(test)]\nmod tests { fn told() {} }\n"),
            File::new("crates/core/src/lib.rs", "#[cfg(test)]\nmod samples;\n"),
            File::new("crates/core/src/samples.rs", "fn told() {}\n"),
            File::new("crates/core/src/samples/more.rs", "fn told() {}\n"),
            File::new("crates/core/tests/a.rs", "fn told() {}\n"),
        ];
        assert_eq!(places(&files), Vec::<String>::new());
    }
}
