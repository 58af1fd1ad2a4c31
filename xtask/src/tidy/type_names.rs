//! One meaning per type name: what one crate defines for others, no other crate defines again.
//!
//! A reader who meets `Coverage` in two crates has to find out which one is meant. Tests are not
//! counted, and neither is a name that is private in every crate.

use super::File;
use super::names::{is_below, test_module_paths};
use crate::rust_tokens::production_code;
use std::collections::{BTreeMap, BTreeSet};

/// Macros of `core` that define the type they name first.
const DEFINING_MACROS: [&str; 3] = ["words", "name", "id"];

/// The places of a name, by crate.
type Places = BTreeMap<String, BTreeSet<String>>;

pub(super) fn find_violations(files: &[File]) -> Vec<String> {
    let describe = |(name, places): (&String, &Places)| {
        let places: Vec<_> = places.values().flatten().map(String::as_str).collect();
        format!("`{name}` is defined in {}; give one of them another name", places.join(", "))
    };
    find_shared_names(files).iter().map(describe).collect()
}

fn find_shared_names(files: &[File]) -> BTreeMap<String, Places> {
    let sources: Vec<&File> =
        files.iter().filter(|file| file.path.starts_with("crates/") && file.is_source()).collect();
    let tests = test_module_paths(&sources);
    let (mut names, mut visible) = (BTreeMap::<String, Places>::new(), BTreeSet::new());
    for file in sources.iter().filter(|file| !is_below(&file.path, &tests)) {
        let package = file.path.split('/').nth(1).unwrap_or_default();
        for found in list_types(&file.text) {
            if found.visibility == Visibility::Visible {
                visible.insert(found.name.to_owned());
            }
            let places = names.entry(found.name.to_owned()).or_default();
            let place = format!("{}:{}", file.path, found.line);
            places.entry(package.to_owned()).or_default().insert(place);
        }
    }
    names.retain(|name, places| places.len() > 1 && visible.contains(name));
    names
}

struct DefinedType<'t> {
    name: &'t str,
    line: usize,
    visibility: Visibility,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visibility {
    /// `pub`, or `pub(…)`.
    Visible,
    Private,
}

fn list_types(text: &str) -> Vec<DefinedType<'_>> {
    let tokens = production_code(text).tokens;
    let text_at = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let (name, visibility) = match token.text {
            "struct" | "enum" | "trait" => (text_at(at + 1), visibility(at, &text_at)),
            // One without `pub` may be the type of a trait, which every implementation names.
            "type" if visibility(at, &text_at) == Visibility::Visible => {
                (text_at(at + 1), Visibility::Visible)
            }
            name if DEFINING_MACROS.contains(&name) && text_at(at + 1) == "!" => {
                (text_at(at + 3), Visibility::Visible)
            }
            _ => continue,
        };
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            found.push(DefinedType { name, line: token.line, visibility });
        }
    }
    found
}

/// By what stands before this token.
fn visibility<'t>(at: usize, text_at: &impl Fn(usize) -> &'t str) -> Visibility {
    let Some(mut before) = at.checked_sub(1) else { return Visibility::Private };
    if text_at(before) == ")" {
        while before > 0 && text_at(before) != "(" {
            before -= 1;
        }
        before = before.saturating_sub(1);
    }
    if text_at(before) == "pub" { Visibility::Visible } else { Visibility::Private }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(files: &[File]) -> Vec<String> {
        find_shared_names(files).into_keys().collect()
    }

    #[test]
    fn a_name_that_two_crates_define_is_found_with_its_places() {
        let files = [
            File::new("crates/core/src/a.rs", "pub struct Head;\npub enum Tail {}\n"),
            File::new("crates/api/src/b.rs", "\npub(crate) type Head = u8;\n"),
        ];
        assert_eq!(
            find_violations(&files),
            ["`Head` is defined in crates/api/src/b.rs:2, crates/core/src/a.rs:1; \
              give one of them another name"]
        );
    }

    #[test]
    fn a_type_that_a_macro_defines_counts() {
        let files = [
            File::new(
                "crates/core/src/a.rs",
                "words! {\n    /// Doc.\n    Health { A = \"a\" }\n}\n",
            ),
            File::new("crates/api/src/b.rs", "pub trait Health {}\n"),
        ];
        assert_eq!(shared(&files), ["Health"]);
    }

    #[test]
    fn a_private_type_of_another_crate_counts() {
        let files = [
            File::new("crates/core/src/a.rs", "pub struct Turn;\n"),
            File::new("crates/api/src/a.rs", "struct Turn;\n"),
        ];
        assert_eq!(shared(&files), ["Turn"]);
    }

    #[test]
    fn names_private_everywhere_tests_and_one_crate_do_not_count() {
        let files = [
            File::new("crates/core/src/a.rs", "pub struct Head;\nstruct Case;\n"),
            File::new("crates/core/src/b.rs", "pub struct Head;\n"),
            File::new("crates/api/src/a.rs", "#[cfg(test)]\nmod tests { pub struct Head; }\n"),
            File::new("crates/api/src/b.rs", "struct Case;\nimpl A for B { type Head = u8; }\n"),
            File::new("crates/api/src/lib.rs", "#[cfg(test)]\nmod samples;\n"),
            File::new("crates/api/src/samples.rs", "pub struct Head;\n"),
            File::new("crates/api/tests/it/main.rs", "pub struct Case;\n"),
        ];
        assert_eq!(shared(&files), Vec::<String>::new());
    }
}
