//! The variants of `cargo xtask bench store`, measured in turn: operation by operation, each
//! beside the bare write, hash or text that it cannot do without.
//!
//! With `--child` this is another process that opens a large store and says what that took.

mod store;

use std::path::Path;
use std::process::ExitCode;
use store::{Made, Runs, Said, answer, callers, decision, digest, growth, postgres, start, verify};
use xtask::bench::runs::{self, Figure as _, Wanted, target, wanted};
use xtask::bench::store::{Figure, SUITE};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["--child", folder] => start::child(Path::new(folder)),
        words => wanted(words).and_then(|wanted| bench(&wanted)),
    };
    runs::ended(SUITE, ended)
}

fn bench(wanted: &Wanted<Figure>) -> Made<()> {
    let target = target::<Figure>()?;
    let scratch = tempfile::tempdir_in(&target).said("a folder for the stores")?;
    let mut runs = Runs::begin::<Figure>(wanted.extent, scratch.path())?;
    for figure in &wanted.figures {
        let folder = scratch.path().join(figure.name());
        std::fs::create_dir_all(&folder).said("a folder for the stores")?;
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
