//! `mutants.toml` names functions that exist: a name that matches nothing examines nothing.
//!
//! Reads the list and the sources, without cargo-mutants, so that a renamed function is noticed in
//! the commit that renames it. It knows the two shapes of a pattern that the list uses; any other
//! is an error, so that none goes unchecked.

use super::File;
use crate::rust_tokens::{Token, production_code};
use std::collections::BTreeSet;

const LIST: &str = "mutants.toml";

pub(super) fn find_violations(files: &[File]) -> Vec<String> {
    let Some(list) = files.iter().find(|file| file.path == LIST) else { return Vec::new() };
    let globs = strings_of(&list.text, "examine_globs");
    let patterns = strings_of(&list.text, "examine_re");
    let mut found = Vec::new();
    if globs.is_empty() || patterns.is_empty() {
        found.push(format!("{LIST}: names no files or no functions"));
    }
    let mut functions = BTreeSet::new();
    for glob in globs {
        let examined: Vec<_> = files.iter().filter(|file| matches_glob(glob, &file.path)).collect();
        if examined.is_empty() {
            found.push(format!("{LIST}: no file matches `{glob}`"));
        }
        functions.extend(examined.iter().flat_map(|file| list_functions(&file.text)));
    }
    for pattern in patterns {
        let Some(names) = list_names(pattern) else {
            found.push(format!("{LIST}: write `{pattern}` as ` in (name|Type::name|Type::.*)$`"));
            continue;
        };
        let stale = names.into_iter().filter(|name| !names_function(name, &functions));
        found.extend(stale.map(|name| format!("{LIST}: no examined function is named `{name}`")));
    }
    found
}

/// The strings of a list, one on each line.
fn strings_of<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let opening = format!("{key} = [");
    let lines = text.lines().skip_while(|line| **line != opening).skip(1);
    lines.take_while(|line| *line != "]").filter_map(quoted).collect()
}

fn quoted(line: &str) -> Option<&str> {
    line.trim().strip_prefix('"')?.strip_suffix(',')?.strip_suffix('"')
}

/// `*` stands for a name, or a part of one, within one folder.
fn matches_glob(glob: &str, path: &str) -> bool {
    match glob.split_once('*') {
        None => glob == path,
        Some((before, after)) => path
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|name| !name.contains('/')),
    }
}

/// The names in ` in (a|b)$`.
fn list_names(pattern: &str) -> Option<Vec<&str>> {
    let inner = pattern.strip_prefix(" in (")?.strip_suffix(")$")?;
    // A lifetime is written as `<.*>`: it may change while the function stays what it is.
    let is_plain = !inner.contains(['(', ')', '[', ']', '\'', '\\']);
    is_plain.then(|| inner.split('|').collect())
}

fn names_function(name: &str, functions: &BTreeSet<String>) -> bool {
    let name = name.replace("<.*>", "<>");
    match name.strip_suffix(".*") {
        Some(prefix) if prefix.ends_with("::") => functions.iter().any(|f| f.starts_with(prefix)),
        _ => functions.contains(&name),
    }
}

/// The functions of production code as cargo-mutants names them: `name`, or `Type::name` in an
/// `impl`, with lifetimes left out.
fn list_functions(text: &str) -> Vec<String> {
    let tokens = production_code(text).tokens;
    let (mut names, mut depth) = (Vec::new(), 0_usize);
    // The type of the `impl` around a token, and the depth outside of it.
    let mut around: Option<(String, usize)> = None;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.text {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                around = around.filter(|(_, outside)| depth > *outside);
            }
            "impl" if begins_item(&tokens, at) => {
                let header = tokens.get(at + 1..).unwrap_or_default();
                let length = header.iter().take_while(|token| token.text != "{").count();
                around = Some((implemented_type(header.get(..length).unwrap_or_default()), depth));
                at += length;
            }
            "fn" => {
                let name = tokens.get(at + 1).map_or("", |token| token.text);
                names.push(match &around {
                    Some((owner, outside)) if depth == outside + 1 => format!("{owner}::{name}"),
                    _ => name.to_owned(),
                });
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// Whether an `impl` starts a block and is not a type such as `-> impl Iterator`.
fn begins_item(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    before.is_none_or(|token| matches!(token.text, "}" | ";" | "]" | "{"))
}

/// From the tokens between `impl` and `{`: `Type<>`, or `<impl Trait for Type>`.
fn implemented_type(header: &[Token<'_>]) -> String {
    let text = |tokens: &[Token<'_>]| tokens.iter().map(|token| token.text).collect::<String>();
    let header = header.split(|token| token.text == "where").next().unwrap_or_default();
    let after_parameters = header.get(parameters_length(header)..).unwrap_or_default();
    match after_parameters.iter().position(|token| token.text == "for") {
        None => text(after_parameters),
        Some(at) => {
            let (implemented, owner) = after_parameters.split_at(at);
            format!("<impl {} for {}>", text(implemented), text(owner.get(1..).unwrap_or_default()))
        }
    }
}

fn parameters_length(header: &[Token<'_>]) -> usize {
    if header.first().is_none_or(|token| token.text != "<") {
        return 0;
    }
    let mut depth = 0_usize;
    for (at, token) in header.iter().enumerate() {
        match token.text {
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    header.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "pub fn judge() -> impl Fn() { fn inner() {} }\n\
        impl<'a> Question<'a> { pub fn is_old(&self) -> bool { true } }\n\
        impl Grant { fn is_over(&self) {} }\n\
        impl fmt::Display for Grant { fn fmt(&self) {} }\n\
        fn last() {}\n\
        #[cfg(test)] mod tests { fn sample() {} }\n";

    fn findings(globs: &str, patterns: &str) -> Vec<String> {
        let list = format!(
            "examine_globs = [\n    {globs},\n]\n\n# why\nexamine_re = [\n    {patterns},\n]\n"
        );
        find_violations(&[
            File::new(LIST, &list),
            File::new("crates/core/src/decide/a.rs", SOURCE),
            File::new("crates/core/src/decide/deeper/b.rs", "fn elsewhere() {}"),
        ])
    }

    #[test]
    fn functions_are_listed_with_the_type_that_they_belong_to() {
        assert_eq!(
            list_functions(SOURCE),
            [
                "judge",
                "inner",
                "Question<>::is_old",
                "Grant::is_over",
                "<impl fmt::Display for Grant>::fmt",
                "last"
            ]
        );
    }

    #[test]
    fn names_of_functions_that_exist_give_no_finding() {
        let patterns = "\" in (judge|Question<.*>::is_old|Grant::.*|last)$\"";
        assert_eq!(findings("\"crates/core/src/decide/*.rs\"", patterns), Vec::<String>::new());
    }

    #[test]
    fn a_name_that_matches_nothing_is_found() {
        let patterns = "\" in (judge|is_over|Run::.*|elsewhere|sample)$\"";
        let expected = ["is_over", "Run::.*", "elsewhere", "sample"]
            .map(|name| format!("mutants.toml: no examined function is named `{name}`"));
        assert_eq!(findings("\"crates/core/src/decide/*.rs\"", patterns), expected);
    }

    #[test]
    fn a_glob_without_files_and_a_pattern_of_another_shape_are_found() {
        let found = findings("\"crates/core/src/decide/*.rs\",\n\"src/no.rs\"", "\"judge\"");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("no file matches `src/no.rs`"), "{found:?}");
        assert!(found[1].contains("write `judge` as"), "{found:?}");
    }
}
