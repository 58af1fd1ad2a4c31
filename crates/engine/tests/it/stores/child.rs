//! The process that tests of the stores kill, or whose disk they fill.

use std::path::PathBuf;

/// The example `store-child`, which Cargo builds together with the tests.
pub(super) fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.ancestors().nth(2).unwrap().join("examples/store-child");
    let remedy = "cargo build -p countersign-engine --example store-child";
    assert!(program.is_file(), "{} is missing: {remedy}", program.display());
    program
}
