//! `bench all --quick`: every benchmark once, with the programs as the tests build them.
//!
//! It shows that each benchmark still comes to its end; its figures say nothing, and a figure that is
//! missed is no failure. No step of `ci`, because it takes some minutes.

use super::hook;
use crate::built::{self, Executables};
use crate::failure::{CiResult, Failure, judge};
use crate::installed;
use crate::options::parse_options;
use crate::process::{capture, run};
use std::path::Path;
use std::process::Command;

const HELP: &str =
    "usage: cargo xtask bench all --quick; without `--quick`, run one suite at a time";

/// The examples that measure, one for each suite but `hook`.
const MEASURING: [&str; 5] =
    ["decide-bench", "rules-bench", "store-bench", "server-bench", "gateway-bench"];
/// What `gateway-bench` starts.
const TOOL_SERVER: &str = "tool-server";
/// What the suite `rules` counts the instructions of.
const PROBE: &str = "rules-probe";

pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    if words != ["--quick"] {
        return Err(Failure::new(HELP));
    }
    installed::ensure_package("postgresql", countersign_scratch::is_postgres_installed)?;
    let built = built::build(root, &[&MEASURING[..], &[TOOL_SERVER, PROBE]].concat())?;
    let mut failed = Vec::new();
    for name in MEASURING {
        println!("\n== {name} --quick");
        if let Err(failure) = run(Command::new(built.find(name)?).arg("--quick").current_dir(root))
        {
            failed.push(failure.message);
        }
    }
    failed.extend(probe_families(&built).err().map(|failure| failure.message));
    println!("\n== hook --quick");
    let measured =
        parse_options(words).and_then(|options| hook::measure(built.program()?, &options));
    failed.extend(measured.err().map(|failure| format!("hook: {failure}")));
    judge(&failed, "every benchmark came to its end")
}

/// Runs each family of texts that the suite `rules` counts, without counting.
fn probe_families(built: &Executables) -> Result<(), Failure> {
    let probe = built.find(PROBE)?;
    let listed = capture(Command::new(probe).arg("--list"))?;
    listed.lines().try_for_each(|family| run(Command::new(probe).args([family, "400"])))
}
