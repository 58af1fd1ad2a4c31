//! The variants of `cargo xtask bench store`, measured in turn: operation by operation, each
//! beside the bare write, hash or text that it cannot do without.
//!
//! With `--child` this is another process that opens a large store and says what that took.

mod store;

use std::path::Path;
use std::process::ExitCode;
use store::{Made, Said, answer, callers, decision, digest, growth, postgres, start, verify};
use xtask::bench::goals::Judgement;
use xtask::bench::rounds::{Measured, Variant, measure};
use xtask::bench::store::{Extent, Figure, Wanted, wanted};
use xtask::bench::{report, weather};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["--child", folder] => start::child(Path::new(folder)).map(|()| Vec::new()),
        words => wanted(words).and_then(|wanted| bench(&wanted)),
    };
    match ended {
        Ok(missed) if missed.is_empty() => ExitCode::SUCCESS,
        Ok(missed) => {
            eprintln!("store-bench: missed: {}", missed.join("; "));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("store-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What was missed.
fn bench(wanted: &Wanted) -> Made<Vec<String>> {
    // Beside the build, and not in a folder that may lie in memory.
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench-store");
    std::fs::create_dir_all(&target).said("a folder for the stores")?;
    let scratch = tempfile::tempdir_in(&target).said("a folder for the stores")?;
    let mut runs = Runs {
        extent: wanted.extent,
        disk: weather::Disk::under(scratch.path())?,
        lines: String::new(),
        missed: Vec::new(),
    };
    if wanted.extent == Extent::Quick {
        println!(
            "Quick: short rounds and a tenth of the large store. Not what a verdict rests on.\n"
        );
    }
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
    std::fs::write(target.join("rounds.jsonl"), &runs.lines).said("the rounds")?;
    println!("Every round: target/bench-store/rounds.jsonl");
    Ok(runs.missed)
}

pub struct Runs {
    pub extent: Extent,
    disk: weather::Disk,
    /// Every round, for programs.
    lines: String,
    missed: Vec<String>,
}

impl Runs {
    /// Measures the variants of a figure, prints them and notes what was missed.
    pub fn figure(&mut self, figure: Figure, variants: &mut [Variant<'_>]) -> Made<Measured> {
        let plan = figure.plan(self.extent);
        let measured = measure(figure.name(), variants, plan, || self.disk.probe())?;
        let goals = figure.goals();
        println!("{}", report::markdown(&measured, &goals));
        self.lines.push_str(&report::json_lines(&measured));
        for goal in goals.iter().filter(|goal| goal.judge(&measured) == Judgement::Missed) {
            self.missed.push(format!("{} / {} {}", goal.over, goal.under, goal.bound));
        }
        Ok(measured)
    }

    /// Says something that no round can change, and whether it is as it should be.
    pub fn plainly(&mut self, sentence: &str, holds: Judgement) {
        println!("{sentence}: {holds}\n");
        if holds == Judgement::Missed {
            self.missed.push(sentence.to_owned());
        }
    }
}
