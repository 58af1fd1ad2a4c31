//! The speed gate that needs no clock: instructions per operation, counted by callgrind.
//!
//! Counts are repeatable where times are not. They belong to the pinned toolchain and to one
//! kind of processor, so both are written beside them; with another toolchain the gate asks for
//! new counts, and on another architecture it says that it compared nothing.

mod compare;
mod count;
mod recorded;

use crate::built::read_executable;
use crate::failure::{CiResult, Done, Failure};
use crate::installed;
use crate::process::{capture, cargo, run};
use compare::CountComparison;
use recorded::RecordedCounts;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is measured: an example of `PACKAGE`, run as `<binary> <case> <iterations>`. Without
/// iterations a case only sets itself up, which is not to be counted. No case hashes with
/// SHA-256: `sha2` picks its routine by processor, and the count would follow it.
const EXAMPLE: &str = "decide-probe";
/// A package of its own: with the other examples of this crate, a database and a server would be
/// built with the profile of the benchmarks too.
const PACKAGE: &str = "countersign-probes";

/// One operation, and how often it is done: often enough that hash maps, which are seeded anew
/// in every process, cost the same on average.
struct CountedCase {
    name: &'static str,
    iterations: u32,
}

const CASES: &[CountedCase] = &[
    CountedCase { name: "autonomous", iterations: 2_048 },
    CountedCase { name: "granted-by-action", iterations: 2_048 },
    CountedCase { name: "granted-by-category", iterations: 2_048 },
    CountedCase { name: "ask", iterations: 2_048 },
    CountedCase { name: "small-graph", iterations: 2_048 },
    CountedCase { name: "large-graph", iterations: 2_048 },
    CountedCase { name: "graph-load", iterations: 10 },
    CountedCase { name: "command", iterations: 2_048 },
    CountedCase { name: "canonical", iterations: 2_048 },
];

const FILE: &str = "xtask/callgrind.json";

/// Instructions per operation, by case.
pub type Counts = BTreeMap<String, f64>;

pub fn step(root: &Path) -> CiResult {
    let recorded = RecordedCounts::read(&root.join(FILE))?;
    if recorded.architecture != std::env::consts::ARCH {
        return Ok(Done::new(format!(
            "not compared: the counts are of {}, this machine is {}",
            recorded.architecture,
            std::env::consts::ARCH
        )));
    }
    let toolchain = toolchain(root)?;
    if recorded.toolchain != toolchain {
        return Err(Failure::new(format!(
            "the counts are of {}, this is {toolchain}; run `cargo xtask callgrind --bless`",
            recorded.toolchain
        )));
    }
    let comparison = CountComparison::new(&recorded.instructions, &count_all(root)?);
    println!("{comparison}");
    comparison.judge()
}

/// Records the counts of now as those to compare with.
pub fn bless(root: &Path) -> CiResult {
    let counted = count_all(root)?;
    let before = RecordedCounts::read(&root.join(FILE)).map(|recorded| recorded.instructions);
    println!("{}", CountComparison::new(&before.unwrap_or_default(), &counted));
    let recorded = RecordedCounts {
        toolchain: toolchain(root)?,
        architecture: std::env::consts::ARCH.to_owned(),
        instructions: counted,
    };
    recorded.write(&root.join(FILE))?;
    Ok(Done::new(format!("recorded {} case(s) in {FILE}", CASES.len())))
}

fn count_all(root: &Path) -> Result<Counts, Failure> {
    installed::ensure_program("valgrind")?;
    let (binary, folder) = (build(root, EXAMPLE)?, folder(root)?);
    let mut counts = Counts::new();
    for CountedCase { name, iterations } in CASES {
        let count = |iterations| count::instructions(&binary, &folder, name, iterations);
        // In this order, so that the file that stays behind is the one worth reading.
        let baseline = count(0)?;
        let each = count::per_operation(count(*iterations)?, baseline, *iterations);
        let each = each.ok_or_else(|| Failure::new(format!("`{name}` does nothing")))?;
        counts.insert((*name).to_owned(), each);
    }
    Ok(counts)
}

fn folder(root: &Path) -> Result<PathBuf, Failure> {
    let folder = root.join("target/callgrind");
    std::fs::create_dir_all(&folder)
        .map_err(|error| Failure::new(format!("cannot make `target/callgrind`: {error}")))?;
    Ok(folder)
}

/// Instructions of each family that a probe lists, for two sizes, beyond those of no size at all.
pub fn family_counts(
    root: &Path,
    probe: &str,
    sizes: [u32; 2],
) -> Result<Vec<(String, [u64; 2])>, Failure> {
    installed::ensure_program("valgrind")?;
    let (binary, folder) = (build(root, probe)?, folder(root)?);
    let listed = capture(Command::new(&binary).arg("--list"))?;
    let mut counts = Vec::new();
    for family in listed.lines() {
        let count = |size| count::instructions(&binary, &folder, family, size);
        let baseline = count(0)?;
        let [short, long] = sizes;
        let beyond = |size| Ok::<u64, Failure>(count(size)?.saturating_sub(baseline));
        counts.push((family.to_owned(), [beyond(short)?, beyond(long)?]));
    }
    Ok(counts)
}

/// Builds a probe with the profile of the benchmarks and returns the path Cargo names.
fn build(root: &Path, example: &str) -> Result<PathBuf, Failure> {
    let words = ["build", "--profile", "bench", "--package", PACKAGE, "--example", example];
    run(&mut cargo(root, &words))?;
    let messages = capture(cargo(root, &words).args(["--quiet", "--message-format", "json"]))?;
    let path = messages.lines().filter_map(read_executable).map(|(_, path)| path).next_back();
    path.ok_or_else(|| Failure::new(format!("cargo named no binary for `{example}`")))
}

fn toolchain(root: &Path) -> Result<String, Failure> {
    let text = capture(Command::new("rustc").arg("--version").current_dir(root))?;
    let version = text.split_whitespace().take(2).collect::<Vec<_>>();
    Ok(version.join(" "))
}
