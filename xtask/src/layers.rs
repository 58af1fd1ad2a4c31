//! The layers inside `crates/core/src`: which folder may use which, and no cycles in a folder.
//!
//! The check reads `use` declarations and inline paths that start with `crate`, `self` or `super`.
//! It follows re-exports of a folder's root file, but not globs.

use crate::failure::Failure;
use crate::rust_tokens::{ProductionCode, Token, production_code};
use crate::tidy::File;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const SOURCE: &str = "crates/core/src/";

/// The folders, lowest first. A folder uses itself and the folders before it.
const FOLDERS: [&str; 6] = ["encoding", "model", "state", "ledger", "decide", "steps"];

/// Folders that must not use the ledger, although they come after it: a decision must not depend
/// on how it is recorded.
const WITHOUT_LEDGER: [&str; 2] = ["decide", "steps"];

/// One use of another module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reference {
    /// The file and the line, for the reader of a finding.
    place: String,
    from: Vec<String>,
    to: Vec<String>,
}

pub fn check(root: &std::path::Path) -> Result<Vec<String>, Failure> {
    Ok(find_violations(&crate::tidy::read_files(root)?))
}

fn find_violations(files: &[File]) -> Vec<String> {
    let files: Vec<&File> = files
        .iter()
        .filter(|file| file.path.starts_with(SOURCE) && file.path.ends_with(".rs"))
        .collect();
    let codes: Vec<(Vec<String>, ProductionCode<'_>, &File)> = files
        .iter()
        .map(|file| (module_path(&file.path), production_code(&file.text), *file))
        .collect();
    let test_only: BTreeSet<Vec<String>> = codes
        .iter()
        .flat_map(|(module, code, _)| code.test_modules.iter().map(|name| child(module, name)))
        .collect();
    let is_production = |module: &[String]| {
        (1..=module.len()).all(|length| !test_only.contains(module.get(..length).unwrap_or(&[])))
    };
    let mut references = Vec::new();
    for (module, code, file) in codes.iter().filter(|(module, _, _)| is_production(module)) {
        references.extend(find_references(module, &code.tokens, &file.path));
    }
    let modules: BTreeSet<Vec<String>> = codes
        .iter()
        .map(|(module, _, _)| module.clone())
        .filter(|module| is_production(module))
        .collect();
    let mut found = unknown_folders(&modules);
    found.extend(find_layer_violations(&references));
    found.extend(find_cycles(&references, &modules));
    found
}

fn child(module: &[String], name: &str) -> Vec<String> {
    let mut path = module.to_vec();
    path.push(name.to_owned());
    path
}

/// `crates/core/src/model/call.rs` is the module `model::call`; `lib.rs` is the empty path.
fn module_path(path: &str) -> Vec<String> {
    let path = path.strip_prefix(SOURCE).unwrap_or(path);
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}

fn unknown_folders(modules: &BTreeSet<Vec<String>>) -> Vec<String> {
    let folders: BTreeSet<&String> = modules.iter().filter_map(|module| module.first()).collect();
    folders
        .into_iter()
        .filter(|folder| !FOLDERS.contains(&folder.as_str()))
        .map(|folder| {
            format!("{SOURCE}{folder} is new: say in xtask/src/layers.rs where it stands")
        })
        .collect()
}

fn find_layer_violations(references: &[Reference]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for reference in references {
        let (Some(from), Some(to)) = (reference.from.first(), reference.to.first()) else {
            continue;
        };
        if !may_use(from, to) {
            found.insert(format!("{}: `{from}` must not use `{to}`", reference.place));
        }
    }
    found.into_iter().collect()
}

fn may_use(from: &str, to: &str) -> bool {
    let level = |folder: &str| FOLDERS.iter().position(|name| *name == folder);
    match (level(from), level(to)) {
        (Some(from_level), Some(to_level)) => {
            let avoids_ledger = to == "ledger" && WITHOUT_LEDGER.contains(&from);
            to_level <= from_level && !avoids_ledger
        }
        // `lib.rs` re-exports a few names; inside the crate each is used where it is defined.
        (Some(_), None) => false,
        (None, _) => true,
    }
}

/// Which module imports which, inside one folder, each with one place.
type Imports<'r> = BTreeMap<&'r str, BTreeMap<&'r str, &'r str>>;

fn find_cycles(references: &[Reference], modules: &BTreeSet<Vec<String>>) -> Vec<String> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let names: BTreeSet<&str> = modules
            .iter()
            .filter(|module| module.first().is_some_and(|first| first == folder))
            .filter_map(|module| module.get(1).map(String::as_str))
            .collect();
        let imports = folder_imports(references, folder, &names);
        let mut reported = BTreeSet::new();
        for module in imports.keys() {
            let Some(cycle) = shortest_cycle(&imports, module) else { continue };
            if reported.insert(cycle.iter().copied().collect::<BTreeSet<_>>()) {
                found.push(describe_cycle(folder, &imports, &cycle));
            }
        }
    }
    found
}

fn folder_imports<'r>(
    references: &'r [Reference],
    folder: &str,
    names: &BTreeSet<&'r str>,
) -> Imports<'r> {
    let reexports = root_reexports(references, folder, names);
    let mut imports = Imports::new();
    for reference in references {
        let (Some(own), Some(other)) = (reference.from.get(1), reference.to.get(1)) else {
            continue;
        };
        let is_inside = [&reference.from, &reference.to]
            .iter()
            .all(|path| path.first().is_some_and(|first| first == folder));
        let other = reexports.get(other.as_str()).copied().unwrap_or(other.as_str());
        if is_inside && names.contains(other) && own != other {
            imports.entry(own).or_default().entry(other).or_insert(&reference.place);
        }
    }
    imports
}

/// Names that the folder's root file re-exports, and the module that defines each.
fn root_reexports<'r>(
    references: &'r [Reference],
    folder: &str,
    names: &BTreeSet<&'r str>,
) -> BTreeMap<&'r str, &'r str> {
    let in_root = references.iter().filter(|one| one.from.len() == 1);
    in_root
        .filter(|one| one.to.first().is_some_and(|first| first == folder) && one.to.len() > 2)
        .filter_map(|one| Some((one.to.last()?.as_str(), one.to.get(1)?.as_str())))
        .filter(|(name, module)| names.contains(module) && !names.contains(name))
        .collect()
}

/// The shortest way from a module back to itself.
fn shortest_cycle<'r>(imports: &Imports<'r>, start: &'r str) -> Option<Vec<&'r str>> {
    let mut waiting = VecDeque::from([vec![start]]);
    let mut visited = BTreeSet::new();
    while let Some(path) = waiting.pop_front() {
        let last = path.last()?;
        for next in imports.get(last).into_iter().flat_map(BTreeMap::keys) {
            if *next == start {
                return Some(path);
            }
            if visited.insert(*next) {
                let mut longer = path.clone();
                longer.push(next);
                waiting.push_back(longer);
            }
        }
    }
    None
}

fn describe_cycle(folder: &str, imports: &Imports<'_>, cycle: &[&str]) -> String {
    let mut text = format!("{SOURCE}{folder}: modules import each other in a cycle:");
    for (module, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        let place = imports.get(module).and_then(|others| others.get(next));
        text.push_str(&format!("\n    `{module}` uses `{next}` at {}", place.unwrap_or(&"?")));
    }
    text
}

fn find_references(module: &[String], tokens: &[Token<'_>], path: &str) -> Vec<Reference> {
    let mut reader = ReferenceReader { tokens, module: module.to_vec(), path, found: Vec::new() };
    reader.read_file();
    reader.found
}

struct ReferenceReader<'t> {
    tokens: &'t [Token<'t>],
    /// The module at the present position, inline modules included.
    module: Vec<String>,
    path: &'t str,
    found: Vec<Reference>,
}

impl<'t> ReferenceReader<'t> {
    fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn read_file(&mut self) {
        let file = self.module.clone();
        let (mut at, mut depth) = (0, 0_usize);
        let mut inline: Vec<usize> = Vec::new();
        while at < self.tokens.len() {
            match self.text(at) {
                "mod" if self.text(at + 2) == "{" => {
                    self.module.push(self.text(at + 1).to_owned());
                    inline.push(depth);
                    (at, depth) = (at + 3, depth + 1);
                }
                "{" => (at, depth) = (at + 1, depth + 1),
                "}" => {
                    (at, depth) = (at + 1, depth.saturating_sub(1));
                    if inline.last() == Some(&depth) {
                        inline.pop();
                        self.module.pop();
                    }
                }
                "use" => at = self.read_use(at + 1, &file),
                _ if self.starts_path(at) => at = self.read_tree(at, &[], &file),
                _ => at += 1,
            }
        }
    }

    fn starts_path(&self, at: usize) -> bool {
        let is_first = at == 0 || self.text(at - 1) != "::";
        let is_keyword = matches!(self.text(at), "crate" | "self" | "super");
        is_first && is_keyword && self.text(at + 1) == "::"
    }

    /// A `use` without a keyword in front names another crate or a module below this one.
    fn read_use(&mut self, at: usize, file: &[String]) -> usize {
        if self.starts_path(at) || matches!(self.text(at), "::" | "") {
            return at;
        }
        let below = self.module.clone();
        self.read_tree(at, &below, file)
    }

    /// Reads a path with all that its braces hold, and returns the position after it.
    fn read_tree(&mut self, mut at: usize, prefix: &[String], file: &[String]) -> usize {
        let line = self.tokens.get(at).map_or(0, |token| token.line);
        let mut path = prefix.to_vec();
        loop {
            match self.text(at) {
                "{" => return self.read_group(at + 1, &path, file),
                "crate" => path.clear(),
                "self" if path.is_empty() => path.clone_from(&self.module),
                "self" => {}
                "super" => {
                    if path.is_empty() {
                        path.clone_from(&self.module);
                    }
                    path.pop();
                }
                name if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                    path.push(name.to_owned());
                }
                _ => return self.push(line, path, file, at),
            }
            at += 1;
            if self.text(at) != "::" {
                return self.push(line, path, file, at);
            }
            at += 1;
        }
    }

    fn read_group(&mut self, mut at: usize, prefix: &[String], file: &[String]) -> usize {
        while at < self.tokens.len() {
            match self.text(at) {
                "}" => return at + 1,
                "," => at += 1,
                // A renamed import: the new name is no path.
                "as" => at += 2,
                "*" => {
                    let line = self.tokens.get(at).map_or(0, |token| token.line);
                    at = self.push(line, prefix.to_vec(), file, at + 1);
                }
                _ => {
                    let next = self.read_tree(at, prefix, file);
                    at = next.max(at + 1);
                }
            }
        }
        at
    }

    fn push(&mut self, line: usize, to: Vec<String>, file: &[String], at: usize) -> usize {
        let place = format!("{}:{line}", self.path);
        self.found.push(Reference { place, from: file.to_vec(), to });
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files
            .iter()
            .map(|(path, text)| File { path: format!("{SOURCE}{path}"), text: (*text).to_owned() })
            .collect();
        find_violations(&files)
    }

    const NOTHING: Vec<String> = Vec::new();

    #[test]
    fn a_folder_may_use_itself_and_the_folders_before_it() {
        let found = findings(&[
            ("lib.rs", "pub mod model; pub use steps::sweep::sweep;"),
            ("encoding/digest.rs", "use std::fmt; use sha2::Digest;"),
            ("model/call.rs", "use crate::encoding::digest::Digest; use crate::model::ids::Id;"),
            ("model/ids.rs", "use serde::Serialize;"),
            ("ledger/entry.rs", "use crate::{model::call, state::State};"),
            ("decide/ask.rs", "use crate::state::State;"),
            ("steps/sweep.rs", "use crate::decide::ask::ask;"),
        ]);
        assert_eq!(found, NOTHING);
    }

    #[test]
    fn a_use_of_a_later_folder_is_found() {
        let text = "//! Head.\n\nuse crate::{encoding::hex, state::{State, Table}};\n";
        assert_eq!(
            findings(&[("model/call.rs", text)]),
            ["crates/core/src/model/call.rs:3: `model` must not use `state`"]
        );
    }

    #[test]
    fn an_inline_path_to_a_later_folder_is_found() {
        let text = "fn a(state: &crate::state::State) {}\nfn b() { super::super::steps::c() }\n";
        assert_eq!(
            findings(&[("model/call.rs", text)]),
            [
                "crates/core/src/model/call.rs:1: `model` must not use `state`",
                "crates/core/src/model/call.rs:2: `model` must not use `steps`",
            ]
        );
    }

    #[test]
    fn a_decision_that_uses_the_ledger_is_found_and_so_is_the_reverse() {
        let found = findings(&[
            ("decide/ask.rs", "use crate::ledger::Entry;"),
            ("steps/sweep/all.rs", "use crate::ledger::Entry;"),
            ("ledger/entry.rs", "use crate::decide::Facts;"),
        ]);
        assert_eq!(
            found,
            [
                "crates/core/src/decide/ask.rs:1: `decide` must not use `ledger`",
                "crates/core/src/ledger/entry.rs:1: `ledger` must not use `decide`",
                "crates/core/src/steps/sweep/all.rs:1: `steps` must not use `ledger`",
            ]
        );
    }

    #[test]
    fn a_name_that_only_the_crate_root_exports_is_found() {
        assert_eq!(
            findings(&[("steps/sweep.rs", "use crate::settle;")]),
            ["crates/core/src/steps/sweep.rs:1: `steps` must not use `settle`"]
        );
    }

    #[test]
    fn comments_strings_and_tests_are_not_read() {
        let text = "// use crate::state::State;\nconst A: &str = \"crate::state::State\";\n\
                    #[cfg(test)]\nmod tests { use crate::steps::sweep; }\n\
                    #[cfg(test)]\nmod samples;\n";
        let found = findings(&[
            ("model/call.rs", text),
            ("model/call/samples.rs", "use crate::state::State;"),
        ]);
        assert_eq!(found, NOTHING);
    }

    #[test]
    fn two_modules_of_one_folder_that_use_each_other_are_found() {
        let found = findings(&[
            ("model/call.rs", "use super::grant::Grant;"),
            ("model/grant.rs", "mod inner;"),
            ("model/grant/inner.rs", "use crate::model::call::Call;"),
            ("model/ids.rs", ""),
        ]);
        let expected = "crates/core/src/model: modules import each other in a cycle:\
            \n    `call` uses `grant` at crates/core/src/model/call.rs:1\
            \n    `grant` uses `call` at crates/core/src/model/grant/inner.rs:1";
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_longer_cycle_is_found_once() {
        let found = findings(&[
            ("steps/a.rs", "use crate::steps::b;"),
            ("steps/b.rs", "fn f() { mod x { use super::super::c; } }"),
            ("steps/c.rs", "use super::a::A as B;"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("`c` uses `a`"), "{found:?}");
    }

    #[test]
    fn a_cycle_behind_a_reexport_is_found() {
        let found = findings(&[
            ("state.rs", "mod grants; mod table; pub use grants::{Grants, Row as Stored};"),
            ("state/grants.rs", "use super::table::Table;"),
            ("state/table.rs", "use super::Grants;"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn the_root_file_of_a_folder_and_its_modules_are_no_cycle() {
        let found = findings(&[
            ("state.rs", "mod apply; pub struct State; fn f() { apply::apply() }"),
            ("state/apply.rs", "use super::State;"),
        ]);
        assert_eq!(found, NOTHING);
    }

    #[test]
    fn a_folder_without_a_place_is_found() {
        assert_eq!(
            findings(&[("extras.rs", "")]),
            ["crates/core/src/extras is new: say in xtask/src/layers.rs where it stands"]
        );
    }
}
