//! The layers inside each crate: no modules that use each other in a cycle, and a declared order of
//! the top modules where ARCHITECTURE.md states one.
//!
//! A cycle is one of siblings: two or more modules of one folder that use each other, directly or by
//! what lies below them, at any depth of the crate. A module may use what its parent's file defines,
//! and a parent its modules: the two are read together. A name that a parent only takes over from one
//! of its modules is a use of that module.

mod cycles;
mod modules;
mod references;

use crate::failure::Failure;
use crate::tidy::File;
use cycles::find_cycles;
use modules::CrateModules;
use std::collections::BTreeSet;

/// The order of a crate's top modules, lowest first. A module uses itself and those before it.
struct LayerOrder {
    /// The folder of the crate's sources.
    source: &'static str,
    layers: &'static [&'static str],
}

const ORDERS: &[LayerOrder] = &[
    LayerOrder {
        source: "crates/core/src/",
        layers: &["encoding", "model", "state", "decide", "steps"],
    },
    LayerOrder {
        source: "crates/gateway/src/",
        layers: &[
            "limits",
            "locks",
            "random",
            "seal",
            "carrier",
            "spec",
            "client_identity",
            "settings",
            "wire",
            "client",
            "upstream",
            "pins",
            "call",
            "own",
            "session",
            "transport",
            "gateway",
            "sweep",
        ],
    },
];

pub fn check(root: &std::path::Path) -> Result<Vec<String>, Failure> {
    Ok(find_violations(&crate::tidy::read_files(root)?))
}

fn find_violations(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for (source, files) in crate::tidy::group_by_crate(files) {
        let modules = CrateModules::read(source, &files);
        if let Some(order) = ORDERS.iter().find(|order| order.source == source) {
            found.extend(find_unknown_layers(order, &modules));
            found.extend(find_layer_violations(order, &modules));
        }
        found.extend(find_cycles(&modules));
    }
    found
}

fn find_unknown_layers(order: &LayerOrder, modules: &CrateModules) -> Vec<String> {
    let tops: BTreeSet<&String> = modules.modules.iter().filter_map(|path| path.first()).collect();
    tops.into_iter()
        .filter(|top| !order.layers.contains(&top.as_str()))
        .map(|top| {
            format!("{}{top} is new: say in xtask/src/layers.rs where it stands", order.source)
        })
        .collect()
}

/// Looks at the paths as they are written: `lib.rs` re-exports a few names, and inside of the crate
/// each is used where it is defined.
fn find_layer_violations(order: &LayerOrder, modules: &CrateModules) -> Vec<String> {
    let mut found = BTreeSet::new();
    for reference in &modules.references {
        let (Some(from), Some(to)) = (reference.from.first(), reference.to.first()) else {
            continue;
        };
        if !order.allows(from, to) {
            found.insert(format!("{}: `{from}` must not use `{to}`", reference.place));
        }
    }
    found.into_iter().collect()
}

impl LayerOrder {
    fn allows(&self, from: &str, to: &str) -> bool {
        let level = |layer: &str| self.layers.iter().position(|name| *name == layer);
        match (level(from), level(to)) {
            (Some(from_level), Some(to_level)) => to_level <= from_level,
            (Some(_), None) => false,
            (None, _) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        findings_in("core", files)
    }

    fn findings_in(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files
            .iter()
            .map(|(path, text)| File {
                path: format!("crates/{name}/src/{path}"),
                text: (*text).to_owned(),
            })
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
            ("decide/ask.rs", "use crate::{model::call, state::State};"),
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
        let expected = "crates/core/src/model: modules use each other in a cycle:\
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
    fn a_cycle_at_the_top_of_any_crate_is_found() {
        let found = findings_in(
            "graph",
            &[
                ("lib.rs", "mod lists; mod node; pub use lists::List;"),
                ("lists.rs", "use crate::node::text::Text;"),
                ("node.rs", "mod text;"),
                ("node/text.rs", "fn f(list: &crate::List) {}"),
            ],
        );
        let expected = "crates/graph/src: modules use each other in a cycle:\
            \n    `lists` uses `node` at crates/graph/src/lists.rs:1\
            \n    `node` uses `lists` at crates/graph/src/node/text.rs:1";
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_cycle_in_a_subfolder_of_core_is_found() {
        let found = findings(&[
            ("steps/settle.rs", "mod coverage; mod mint;"),
            ("steps/settle/coverage.rs", "use super::mint::new_grant;"),
            ("steps/settle/mint.rs", "use crate::steps::settle::coverage;"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/core/src/steps/settle: "), "{found:?}");
    }

    #[test]
    fn a_name_that_a_parent_imports_leads_to_the_module_that_defines_it() {
        let found = findings(&[
            ("steps/sweep.rs", "mod runs; mod grants; use crate::steps::sweep::grants::Ends as G;"),
            ("steps/sweep/grants.rs", "use super::runs;"),
            ("steps/sweep/runs.rs", "use super::G;"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_folder_without_a_place_is_found() {
        assert_eq!(
            findings(&[("extras.rs", "")]),
            ["crates/core/src/extras is new: say in xtask/src/layers.rs where it stands"]
        );
    }
}
