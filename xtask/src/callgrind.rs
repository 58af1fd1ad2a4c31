//! The speed gate that needs no clock: instructions per operation, counted by callgrind.
//!
//! Counts are repeatable where times are not. They belong to the pinned toolchain and to one
//! kind of processor, so both are written beside them; with another toolchain the gate asks for
//! new counts, and on another architecture it says that it compared nothing.

mod compare;
mod count;
mod recorded;

use crate::failure::{Done, Ended, Failure};
use crate::process::{capture, cargo, run};
use crate::valgrind;
use compare::Comparison;
use recorded::Recorded;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is measured: an example of this crate, run as `<binary> <case> <iterations>`. No case
/// hashes with SHA-256: `sha2` picks its routine by processor, and the count would follow it.
struct Probe {
    example: &'static str,
    cases: &'static [&'static str],
    /// Does everything but the work: start-up and set-up, which are not to be counted.
    baseline: &'static str,
    iterations: u32,
}

const PROBE: Probe = Probe {
    example: "decide-probe",
    cases: &["canonical"],
    baseline: "nothing",
    iterations: 2_000,
};

const FILE: &str = "xtask/callgrind.json";

/// Instructions per operation, by case.
pub type Counts = BTreeMap<String, f64>;

pub fn step(root: &Path) -> Ended {
    let recorded = Recorded::read(&root.join(FILE))?;
    if recorded.architecture != std::env::consts::ARCH {
        return Ok(Done::saying(format!(
            "not compared: the counts are of {}, this machine is {}",
            recorded.architecture,
            std::env::consts::ARCH
        )));
    }
    let toolchain = toolchain(root)?;
    if recorded.toolchain != toolchain {
        return Err(Failure::saying(format!(
            "the counts are of {}, this is {toolchain}; run `cargo xtask callgrind --bless`",
            recorded.toolchain
        )));
    }
    let comparison = Comparison::of(&recorded.instructions, &count_all(root)?);
    println!("{comparison}");
    comparison.judge()
}

/// Records the counts of now as those to compare with.
pub fn bless(root: &Path) -> Ended {
    let counted = count_all(root)?;
    let before = Recorded::read(&root.join(FILE)).map(|recorded| recorded.instructions);
    println!("{}", Comparison::of(&before.unwrap_or_default(), &counted));
    let recorded = Recorded {
        toolchain: toolchain(root)?,
        architecture: std::env::consts::ARCH.to_owned(),
        instructions: counted,
    };
    recorded.write(&root.join(FILE))?;
    Ok(Done::saying(format!("recorded {} case(s) in {FILE}", PROBE.cases.len())))
}

fn count_all(root: &Path) -> Result<Counts, Failure> {
    valgrind::ensure()?;
    let binary = build(root)?;
    let folder = root.join("target/callgrind");
    std::fs::create_dir_all(&folder)
        .map_err(|error| Failure::saying(format!("cannot make `target/callgrind`: {error}")))?;
    let count = |case: &str| count::instructions(&binary, &folder, case, PROBE.iterations);
    let baseline = count(PROBE.baseline)?;
    let mut counts = Counts::new();
    for case in PROBE.cases {
        let each = count::per_operation(count(case)?, baseline, PROBE.iterations);
        let each = each.ok_or_else(|| {
            Failure::saying(format!("`{case}` does no more than `{}`", PROBE.baseline))
        })?;
        counts.insert((*case).to_owned(), each);
    }
    Ok(counts)
}

/// Builds the probe with the profile of the benchmarks and returns the path Cargo names.
fn build(root: &Path) -> Result<PathBuf, Failure> {
    let words = ["build", "--profile", "bench", "--package", "xtask", "--example", PROBE.example];
    run(&mut cargo(root, &words))?;
    let messages = capture(cargo(root, &words).args(["--quiet", "--message-format", "json"]))?;
    let path = messages.lines().filter_map(count::executable).next_back();
    path.ok_or_else(|| Failure::saying(format!("cargo named no binary for `{}`", PROBE.example)))
}

fn toolchain(root: &Path) -> Result<String, Failure> {
    let text = capture(Command::new("rustc").arg("--version").current_dir(root))?;
    let version = text.split_whitespace().take(2).collect::<Vec<_>>();
    Ok(version.join(" "))
}
