//! The suite `hook`: what a coding agent waits for before each tool call, from the start of the hook's
//! process to its end, with the decision on the disk.
//!
//! It is held against what it cannot do without, a process and a write, and against the way of the
//! first of the earlier systems: a Python script that loads the graph and appends a line to a log. The
//! processes decide about the times, so this needs no example that is built as it is released.

mod python;
mod setup;
mod spawn;

use super::goals::{Bound, Goal};
use super::log::Log;
use super::rounds::Variant;
use super::runs::{self, BenchOptions, BenchResult, Context, Runs, target};
use crate::clock::Stopwatch;
use crate::failure::{CiResult, Done};
use crate::options::parse_options;
use crate::process::{cargo, run};
use clap::ValueEnum;
use python::PythonHook;
use setup::{HookSetup, build_empty_program};
use spawn::run_with_input;
use std::path::Path;
use std::process::Command;

pub const SUITE: &str = "hook";

pub const FLOOR: &str = "an empty static program, append + fdatasync";
pub const OURS: &str = "ours: start to end, allowed and recorded";
pub const PYTHON: &str = "a Python script that loads the graph and appends a line";

/// About what one decision adds to the ledger, with its hash and what is sealed.
const RECORD: usize = 1024;

/// One of the things that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Figure {
    Allowed,
}

impl runs::Figure for Figure {
    const SUITE: &'static str = SUITE;

    fn plan(&self) -> ((usize, usize), Vec<Goal>) {
        let Self::Allowed = self;
        let goals = vec![
            Goal { over: OURS, under: FLOOR, bound: Bound::AtMost(1.8) },
            Goal { over: PYTHON, under: OURS, bound: Bound::AtLeast(10.0) },
        ];
        ((30, 10), goals)
    }
}

/// Builds the program as it is released and measures it; a figure that is missed is a failure.
pub fn step(root: &Path, words: &[&str]) -> CiResult {
    let options: BenchOptions<Figure> = parse_options(words)?;
    run(&mut cargo(root, &["build", "--quiet", "--profile", "dist", "--bin", "countersign"]))?;
    measure(&root.join("target/dist/countersign"), &options)?;
    Ok(Done::new("measured, and nothing was missed; what was inconclusive says so above"))
}

pub(super) fn measure(program: &Path, options: &BenchOptions<Figure>) -> BenchResult<()> {
    let target = target::<Figure>()?.canonicalize().context("a folder beside the build")?;
    let empty = build_empty_program(&target)?;
    let setup = HookSetup::start(program, &target)?;
    let mut runs = Runs::begin::<Figure>(options.extent(), setup.folder())?;
    let mut log = Log::in_folder(setup.folder())?;
    let python = PythonHook::prepare(&setup)?;
    let (record, mut number) = (vec![b'x'; RECORD], 0_u32);
    let mut variants = [
        Variant::with_own_timer(FLOOR, 1, || {
            let event = setup.event("PreToolUse", 0);
            let watch = Stopwatch::start();
            run_with_input(&mut Command::new(&empty), event.as_bytes())?;
            log.append(&record)?;
            Ok(watch.elapsed())
        }),
        Variant::with_own_timer(OURS, 1, || {
            number += 1;
            let took = setup.time_allowed_call(number)?;
            setup.end_call(number)?;
            Ok(took)
        }),
        Variant::with_own_timer(PYTHON, 1, || {
            let event = setup.event("PreToolUse", 0);
            let watch = Stopwatch::start();
            run_with_input(&mut python.command(), event.as_bytes())?;
            Ok(watch.elapsed())
        }),
    ];
    runs.figure(Figure::Allowed, &mut variants)?;
    runs.end()
}
