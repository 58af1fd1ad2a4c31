//! The variants of `cargo xtask bench store`, measured in turn: operation by operation, each
//! beside the bare write, hash or text that it cannot do without.
//!
//! With `--child` this is another process that opens a large store and says what that took.

mod store;

use std::path::Path;
use std::process::ExitCode;
use store::{
    BenchResult, Context, Runs, answer, callers, decision, digest, growth, postgres, start, verify,
};
use xtask::bench::runs::{self, BenchOptions, target};
use xtask::bench::store::{Figure, SUITE};
use xtask::options::{parse_options, value_name};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["--child", folder] => start::child(Path::new(folder)),
        words => parse_options(words).and_then(|options| bench(&options)),
    };
    runs::exit_code(SUITE, ended)
}

fn bench(options: &BenchOptions<Figure>) -> BenchResult<()> {
    let target = target::<Figure>()?;
    let scratch = tempfile::tempdir_in(&target).context("a folder for the stores")?;
    let mut runs = Runs::begin::<Figure>(options.extent(), scratch.path())?;
    for figure in options.figures() {
        let folder = scratch.path().join(value_name(figure));
        std::fs::create_dir_all(&folder).context("a folder for the stores")?;
        match figure {
            Figure::Decision => decision::run(&mut runs, &folder)?,
            Figure::Callers => callers::run(&mut runs, &folder)?,
            Figure::Postgres => postgres::run(&mut runs)?,
            Figure::Answer => answer::run(&mut runs)?,
            Figure::Growth => growth::run(&mut runs, &target, &folder)?,
            Figure::Start => start::run(&mut runs, &target)?,
            Figure::Verify => verify::run(&mut runs, &target)?,
            Figure::Digest => digest::run(&mut runs)?,
        }
    }
    runs.end()
}
