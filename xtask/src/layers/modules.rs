//! The modules of one crate, and which of them uses which.
//!
//! A path is followed through the `use` declarations of the modules on its way, so that a name which
//! a parent takes over from one of its modules counts as a use of that module. Globs are not followed.

use super::references::{ModulePath, Reference, find_references};
use crate::rust_tokens::{ProductionCode, production_code};
use crate::tidy::File;
use std::collections::{BTreeMap, BTreeSet};

/// Re-exports of re-exports: more than this would be a name that leads to itself.
const MAX_HOPS: usize = 8;

/// The production code of one crate.
pub(super) struct CrateModules {
    /// The folder of its sources, such as `crates/core/src/`.
    pub(super) source: String,
    pub(super) modules: BTreeSet<ModulePath>,
    pub(super) references: Vec<Reference>,
}

/// One module uses another one that is neither its parent nor its child.
pub(super) struct ModuleUse<'m> {
    pub(super) place: &'m str,
    pub(super) from: &'m [String],
    pub(super) to: ModulePath,
}

impl CrateModules {
    pub(super) fn read(source: &str, files: &[&File]) -> Self {
        let codes: Vec<(ModulePath, ProductionCode<'_>, &str)> = files
            .iter()
            .map(|file| (module_path(source, &file.path), production_code(&file.text), &*file.path))
            .collect();
        let test_only: BTreeSet<ModulePath> = codes
            .iter()
            .flat_map(|(module, code, _)| code.test_modules.iter().map(|name| child(module, name)))
            .collect();
        let is_production = |module: &[String]| {
            (1..=module.len())
                .all(|length| !test_only.contains(module.get(..length).unwrap_or(&[])))
        };
        let mut found = Self {
            source: source.to_owned(),
            modules: BTreeSet::from([Vec::new()]),
            references: Vec::new(),
        };
        for (module, code, path) in codes.iter().filter(|(module, _, _)| is_production(module)) {
            found.modules.insert(module.clone());
            found.references.extend(find_references(module, &code.tokens, path));
        }
        found
    }

    /// The uses between modules: of the module that a path names, and of the one that defines the
    /// item.
    pub(super) fn list_uses(&self) -> Vec<ModuleUse<'_>> {
        let names = self.used_names();
        let mut uses = Vec::new();
        for reference in &self.references {
            let mut targets = self.find_modules(&names, &reference.to);
            targets.dedup();
            uses.extend(targets.into_iter().map(|to| ModuleUse {
                place: &reference.place,
                from: &reference.from,
                to,
            }));
        }
        uses
    }

    /// What each module calls by which name.
    fn used_names(&self) -> BTreeMap<(&[String], &str), &[String]> {
        let mut names = BTreeMap::new();
        for Reference { from, to, name, .. } in &self.references {
            if let Some(name) = name {
                names.insert((from.as_slice(), name.as_str()), to.as_slice());
            }
        }
        names
    }

    /// The modules on the way to an item: the one that its path names, and those that the names in
    /// between lead to.
    fn find_modules(
        &self,
        names: &BTreeMap<(&[String], &str), &[String]>,
        path: &[String],
    ) -> Vec<ModulePath> {
        let mut path = path.to_vec();
        let mut found = Vec::new();
        for _ in 0..MAX_HOPS {
            let is_module =
                |length: &usize| path.get(..*length).is_some_and(|p| self.modules.contains(p));
            let length = (0..=path.len()).rev().find(is_module).unwrap_or(0);
            let (module, rest) = path.split_at_checked(length).unwrap_or((&path, &[]));
            found.push(module.to_vec());
            let next = rest.split_first().and_then(|(name, rest)| {
                let to = *names.get(&(module, name.as_str()))?;
                // `use serde::Serialize` reads as a path to an item of the module itself.
                (to != path).then(|| [to, rest].concat())
            });
            match next {
                Some(next) => path = next,
                None => break,
            }
        }
        found
    }
}

fn child(module: &[String], name: &str) -> ModulePath {
    let mut path = module.to_vec();
    path.push(name.to_owned());
    path
}

/// `crates/core/src/model/call.rs` is the module `model::call`; `lib.rs` and `main.rs` are the root.
fn module_path(source: &str, path: &str) -> ModulePath {
    let path = path.strip_prefix(source).unwrap_or(path);
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if matches!(path, "lib" | "main") {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}
