//! The list of steps: `ci` runs them in this order, and each can be run alone.
//!
//! Cheap checks come first. The steps that need another tool (`test`, `hostile`,
//! `schemathesis`, `browser`, `callgrind`) come late, so that a machine without it still gets the results of the others.

use crate::failure::{CiResult, Done};
use crate::process::{capture, cargo, run};
use crate::{
    boundaries, browser, callgrind, generated, hostile, licences, scenarios, schemathesis, sdk,
    tests_step, tidy,
};
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct CiStep {
    pub name: &'static str,
    pub what: &'static str,
    pub run: fn(&Path) -> CiResult,
}

pub const STEPS: &[CiStep] = &[
    CiStep { name: "fmt", what: "rustfmt has nothing to change", run: fmt },
    CiStep { name: "tidy", what: "conventions that no compiler checks", run: tidy::step },
    CiStep {
        name: "boundaries",
        what: "which crate and which layer of core may use which",
        run: boundaries::step,
    },
    CiStep { name: "licences", what: "licences and sources of all packages", run: licences::step },
    CiStep { name: "clippy", what: "no warning in any target", run: clippy },
    CiStep { name: "test", what: "all tests", run: tests_step::step },
    CiStep {
        name: "scenarios",
        what: "the scenarios of the earlier systems, on a running daemon: [--only WORDS]",
        run: scenarios::step,
    },
    CiStep {
        name: "sdk",
        what: "the client libraries: types, tests on a daemon, packages: [--only LIBRARY]",
        run: sdk::step,
    },
    CiStep { name: "docs", what: "rustdoc without a warning", run: docs },
    CiStep { name: "generated", what: "generated files are up to date", run: generated::step },
    CiStep {
        name: "hostile --short",
        what: "races, kills, floods and broken disks, a little of each",
        run: hostile::short_step,
    },
    CiStep {
        name: "schemathesis",
        what: "the API answers as its documents say",
        run: schemathesis::step,
    },
    CiStep {
        name: "browser --short",
        what: "the dashboard in Chromium, a little of everything",
        run: browser::short_step,
    },
    CiStep { name: "callgrind", what: "instruction counts within 3 %", run: callgrind::step },
];

pub fn find(name: &str) -> Option<&'static CiStep> {
    STEPS.iter().find(|step| step.name == name)
}

/// The root of the workspace: the folder above this crate.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

fn fmt(root: &Path) -> CiResult {
    run(&mut cargo(root, &["fmt", "--all", "--check"]))?;
    Ok(Done::new("formatted"))
}

/// What clippy passes to the compiler.
const LINT_ARGUMENTS: [&str; 2] = ["-D", "warnings"];

fn clippy(root: &Path) -> CiResult {
    let words = ["clippy", "--workspace", "--all-targets", "--"];
    run(cargo(root, &words).args(LINT_ARGUMENTS))?;
    Ok(Done::new("no warnings"))
}

/// rustdoc reads what the compiler found out about each crate. With clippy's driver and arguments, and
/// an example for the same features, that is what the step before left, and nothing is checked again.
/// If clippy calls its driver differently one day, this step takes longer and finds the same.
fn docs(root: &Path) -> CiResult {
    let sysroot = capture(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root))?;
    let driver = Path::new(sysroot.trim()).join("bin/clippy-driver");
    let lint_arguments = LINT_ARGUMENTS.map(|word| format!("{word}__CLIPPY_HACKERY__")).concat();
    let mut command = cargo(root, &["doc", "--no-deps", "--workspace", "--lib"]);
    command.args(["--bin", "countersign", "--example", "tool-server"]);
    command.env("RUSTC_WORKSPACE_WRAPPER", driver).env("CLIPPY_ARGS", lint_arguments);
    run(command.env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Done::new("no warnings"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_step_has_a_name_of_its_own() {
        let names: BTreeSet<_> = STEPS.iter().map(|step| step.name).collect();
        assert_eq!(names.len(), STEPS.len());
    }

    #[test]
    fn the_root_holds_the_workspace_manifest() {
        assert!(root().join("Cargo.toml").is_file());
        assert!(root().join("xtask").is_dir());
    }
}
