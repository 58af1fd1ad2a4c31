//! A benchmark of several figures, each of which can be asked for alone.

use super::goals::{Goal, Judgement, QUIET_ROUNDS};
use super::rounds::{Measured, Plan, Variant, measure};
use super::{machine_load, report};
use crate::failure::Failure;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub type BenchResult<T> = Result<T, Failure>;

/// Names what was being done when something failed.
pub trait Context<T> {
    fn context(self, what: &str) -> BenchResult<T>;
}

impl<T, E: Display> Context<T> for Result<T, E> {
    fn context(self, what: &str) -> BenchResult<T> {
        self.map_err(|error| Failure::new(format!("{what}: {error}")))
    }
}

/// One of the things that are measured.
pub trait Figure: Copy + Eq + Sized + 'static {
    /// The suite that it belongs to.
    const SUITE: &'static str;
    const ALL: &'static [Self];

    fn name(self) -> &'static str;
    fn goals(self) -> Vec<Goal>;
    /// Operations of each variant in a round, in full and for a quick look.
    fn operations(self) -> (usize, usize);
}

/// How much is measured. The quick way is for a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Full,
    Quick,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchOptions<F> {
    pub figures: Vec<F>,
    pub extent: Extent,
}

/// What the words after the name of a suite without figures ask for.
pub fn parse_extent(words: &[&str]) -> BenchResult<Extent> {
    match words {
        [] => Ok(Extent::Full),
        ["--quick"] => Ok(Extent::Quick),
        _ => Err(Failure::new(format!("`{}` is no option; `--quick` is", words.join(" ")))),
    }
}

/// What the words after the suite's name ask for.
pub fn parse_options<F: Figure>(words: &[&str]) -> BenchResult<BenchOptions<F>> {
    let help = format!("usage: cargo xtask bench {} [--quick] [--only FIGURE]...", F::SUITE);
    let mut options = BenchOptions { figures: Vec::new(), extent: Extent::Full };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--quick" => options.extent = Extent::Quick,
            "--only" => options.figures.push(figure(words.next().copied(), &help)?),
            other => return Err(Failure::new(format!("`{other}` is no option; {help}"))),
        }
    }
    if options.figures.is_empty() {
        options.figures = F::ALL.to_vec();
    }
    Ok(options)
}

fn figure<F: Figure>(name: Option<&str>, help: &str) -> BenchResult<F> {
    let found = F::ALL.iter().copied().find(|figure| Some(figure.name()) == name);
    found.ok_or_else(|| {
        let names: Vec<_> = F::ALL.iter().map(|figure| figure.name()).collect();
        Failure::new(format!("`--only` wants one of {}; {help}", names.join(", ")))
    })
}

fn plan(figure: impl Figure, extent: Extent) -> Plan {
    let (full, quick) = figure.operations();
    let quiet_rounds = QUIET_ROUNDS + 2;
    match extent {
        Extent::Full => Plan { operations: full, quiet_rounds, max_rounds: 50 },
        Extent::Quick => Plan { operations: quick, quiet_rounds, max_rounds: 14 },
    }
}

/// What has been measured so far.
pub struct Runs {
    pub extent: Extent,
    /// Beside the build, and not in a folder that may lie in memory.
    pub target: PathBuf,
    disk: machine_load::Disk,
    /// Every round, for programs.
    lines: String,
    missed: Vec<String>,
}

impl Runs {
    pub fn begin<F: Figure>(extent: Extent, scratch: &Path) -> BenchResult<Self> {
        if extent == Extent::Quick {
            println!("Quick: short rounds and less of everything. No verdict rests on it.\n");
        }
        let disk = machine_load::Disk::in_folder(scratch)?;
        let (lines, missed) = (String::new(), Vec::new());
        Ok(Self { extent, target: target::<F>()?, disk, lines, missed })
    }

    /// Measures the variants of a figure, prints them and notes what was missed.
    pub fn figure(
        &mut self,
        figure: impl Figure,
        variants: &mut [Variant<'_>],
    ) -> BenchResult<Measured> {
        let plan = plan(figure, self.extent);
        let measured = measure(figure.name(), variants, plan, || self.disk.probe())?;
        let goals = figure.goals();
        println!("{}", report::render_markdown(&measured, &goals));
        self.lines.push_str(&report::render_json_lines(&measured));
        for goal in goals.iter().filter(|goal| goal.judge(&measured) == Judgement::Missed) {
            self.missed.push(format!("{} / {} {}", goal.over, goal.under, goal.bound));
        }
        Ok(measured)
    }

    /// Says something that no round can change, and whether it is as it should be.
    pub fn report_fact(&mut self, sentence: &str, holds: Judgement) {
        println!("{sentence}: {holds}\n");
        if holds == Judgement::Missed {
            self.missed.push(sentence.to_owned());
        }
    }

    /// Says that something counted is at most so much.
    pub fn report_count(&mut self, what: &str, (found, most): (u64, u64), unit: &str) {
        let holds = if found <= most { Judgement::Met } else { Judgement::Missed };
        self.report_fact(&format!("{what}: {found} {unit} of {most} {unit}"), holds);
    }

    /// Writes down every round. What was missed makes it a failure, unless this was a quick look.
    pub fn end(self) -> BenchResult<()> {
        let path = self.target.join("rounds.jsonl");
        std::fs::write(&path, &self.lines).context("the rounds")?;
        println!("Every round: {}", path.display());
        let missed = self.missed.join("; ");
        match self.extent {
            _ if self.missed.is_empty() => Ok(()),
            Extent::Full => Err(Failure::new(format!("missed: {missed}"))),
            Extent::Quick => {
                println!("Missed in this quick look: {missed}");
                Ok(())
            }
        }
    }
}

/// The folder of a suite beside the build.
pub fn target<F: Figure>() -> BenchResult<PathBuf> {
    let within = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    let target = within.join(format!("bench-{}", F::SUITE));
    std::fs::create_dir_all(&target).context("a folder beside the build")?;
    Ok(target)
}

/// How a benchmark ends: what went wrong or was missed is said last.
pub fn exit_code(suite: &str, result: BenchResult<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{suite}-bench: {failure}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{server, store};

    #[test]
    fn no_word_means_every_figure_in_full() {
        let figures = store::Figure::ALL.to_vec();
        assert_eq!(parse_options(&[]), Ok(BenchOptions { figures, extent: Extent::Full }));
    }

    #[test]
    fn figures_are_chosen_by_name() {
        let found = parse_options(&["--quick", "--only", "verify", "--only", "digest"]);
        let figures = vec![store::Figure::Verify, store::Figure::Digest];
        assert_eq!(found, Ok(BenchOptions { figures, extent: Extent::Quick }));
        let failure = parse_options::<store::Figure>(&["--only", "speed"]).unwrap_err();
        assert!(failure.message.contains("decision, callers, postgres"), "{failure}");
        assert!(parse_options::<server::Figure>(&["--slow"]).is_err());
    }
}
