//! Habits of Markdown pages: links that lead somewhere, front pages that are short, no claims.
//!
//! A link is checked down to its file; the heading behind a `#` is not checked.

use super::File;
use std::collections::BTreeSet;

/// Words that promise more than a check can show. In code marks they may be spoken about.
const CLAIMS: &[&str] = &[
    "secure",
    "tamper-proof",
    "tamperproof",
    "guaranteed",
    "guarantees",
    "unbreakable",
    "bulletproof",
];

/// What a newcomer reads first, besides one case: together below 600 lines.
const FRONT_PAGES: &[(&str, usize)] = &[
    ("README.md", 95),
    ("ARCHITECTURE.md", 199),
    ("crates/core/src/decide.rs", 150),
    ("crates/engine/src/check.rs", 140),
];

pub(super) fn links(files: &[File]) -> Vec<String> {
    let places = places(files);
    let mut found = Vec::new();
    for page in files.iter().filter(|file| file.is_page()) {
        for (number, line) in prose(page) {
            let broken = targets(&line).into_iter().filter(|target| {
                resolve_link(&page.path, target).is_some_and(|path| !places.contains(path.as_str()))
            });
            found.extend(
                broken.map(|target| format!("{}:{number}: no such file: `{target}`", page.path)),
            );
        }
    }
    found
}

/// Every file and every folder that holds one.
fn places(files: &[File]) -> BTreeSet<&str> {
    let mut places = BTreeSet::from([""]);
    for file in files {
        let mut path = file.path.as_str();
        places.insert(path);
        while let Some((folder, _)) = path.rsplit_once('/') {
            places.insert(folder);
            path = folder;
        }
    }
    places
}

/// The lines of a page outside fenced code, with code marks emptied.
fn prose(page: &File) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (number, line) in page.numbered() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((number, without_code(line)));
        }
    }
    lines
}

fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

/// What stands between `](` and `)`.
fn targets(line: &str) -> Vec<&str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(to, _)| to)).collect()
}

/// The file a link means, or none if it leads out of the repository or within its own page.
fn resolve_link(page: &str, target: &str) -> Option<String> {
    let file = target.split('#').next()?;
    if file.is_empty() || file.contains("://") || file.starts_with("mailto:") {
        return None;
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            // Beyond the root there is nothing of ours: an impossible name, so it is reported.
            ".." => match parts.pop() {
                Some(_) => {}
                None => parts.push(".."),
            },
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

pub(super) fn claims(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for page in files.iter().filter(|file| file.is_page()) {
        for (number, line) in prose(page) {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '-');
            let claims = words.filter(|word| CLAIMS.contains(&word.to_lowercase().as_str()));
            found.extend(claims.map(|word| {
                format!("{}:{number}: `{word}` promises; say what is checked", page.path)
            }));
        }
    }
    found
}

pub(super) fn front_pages(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, bound) in FRONT_PAGES {
        let pages = files.iter().filter(|file| file.path == *path);
        let long = pages.map(|file| file.text.lines().count()).filter(|lines| lines > bound);
        found.extend(long.map(|lines| format!("{path}: {lines} lines, {bound} at most")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Vec<String> = Vec::new();

    #[test]
    fn a_link_to_nothing_is_found_with_its_line() {
        let files = [
            File::new("docs/a.md", "[b](b.md) [up](../README.md#top) [x](missing.md)\n"),
            File::new("docs/b.md", "[folder](../docs/) [out](https://example.org) [here](#b)\n"),
            File::new("README.md", "[a](docs/a.md)\n"),
        ];
        assert_eq!(links(&files), ["docs/a.md:1: no such file: `missing.md`"]);
    }

    #[test]
    fn a_link_out_of_the_repository_is_found() {
        assert_eq!(links(&[File::new("a.md", "[x](../b.md)\n")]).len(), 1);
    }

    #[test]
    fn links_in_code_are_not_links() {
        let text = "`[x](missing.md)`\n```\n[x](missing.md)\n```\n";
        assert_eq!(links(&[File::new("a.md", text)]), NOTHING);
    }

    #[test]
    fn a_promise_is_found_unless_it_is_only_spoken_about() {
        let found = claims(&[File::new("a.md", "It is Secure.\nNever say `secure`.\n")]);
        assert_eq!(found, ["a.md:1: `Secure` promises; say what is checked"]);
        assert_eq!(claims(&[File::new("a.md", "insecure, a security note\n")]), NOTHING);
    }

    #[test]
    fn an_architecture_page_that_nobody_reads_to_its_end_is_found() {
        let found = front_pages(&[File::new("ARCHITECTURE.md", &"a\n".repeat(200))]);
        assert_eq!(found, ["ARCHITECTURE.md: 200 lines, 199 at most"]);
    }
}
