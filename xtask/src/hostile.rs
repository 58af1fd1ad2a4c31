//! `hostile`: what a hostile agent, an unlucky moment or a broken disk does to the daemon, tried on a
//! running one, on SQLite and on PostgreSQL.
//!
//! The trials are an example of this crate, because they need what the checks do not: a client of
//! the daemon. `--short` tries less of everything, with the debug build; `ci` runs that.

use crate::built::{HOSTILE, build_example};
use crate::clock::Stopwatch;
use crate::failure::{CiResult, Done, Failure};
use crate::installed;
use crate::options::{find_file, parse_options, value_name};
use crate::process::{cargo, run};
use clap::{Parser, ValueEnum};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Characters of a cell.
const MAX_CELL: usize = 140;

/// What is tried. Each is a row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Row {
    Planted,
    SingleDestination,
    OneRequest,
    TwoRevocations,
    PauseRace,
    RevokedAtOnce,
    Kills,
    Operator,
    HangingDatabase,
    ManyQuestions,
    IdleConnections,
    LargeQuestions,
    OwnFiles,
    ChangedRules,
    DeletedLog,
    ForgedMessages,
    MisledHooks,
    InitOnPipes,
    HiddenSyntax,
    HostileServers,
    RefusedBodies,
}

impl Row {
    /// The databases that it says something about.
    pub fn databases(self) -> &'static [Database] {
        match self {
            // A process on this machine cannot hang as a server does.
            Self::HangingDatabase => &[Database::Postgres],
            Self::Planted
            | Self::DeletedLog
            | Self::ForgedMessages
            | Self::MisledHooks
            | Self::InitOnPipes
            | Self::HiddenSyntax
            | Self::HostileServers
            | Self::RefusedBodies => &[Database::Sqlite],
            _ => &[Database::Sqlite, Database::Postgres],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    Sqlite,
    Postgres,
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        })
    }
}

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// At most about a minute in all.
    Short,
    /// At most 20 minutes in all.
    Full,
}

impl Extent {
    pub fn choose<T>(self, short: T, full: T) -> T {
        match self {
            Self::Short => short,
            Self::Full => full,
        }
    }

    /// Rounds of one row, and none that begins after the row's share of the time.
    pub fn rounds(self, short: usize, full: usize) -> Rounds {
        let share = Duration::from_millis(self.choose(1_500, 40_000));
        Rounds { number: 0, most: self.choose(short, full), share, watch: Stopwatch::start() }
    }
}

/// The numbers of rounds, from 1. The first round always takes place.
pub struct Rounds {
    number: usize,
    most: usize,
    share: Duration,
    watch: Stopwatch,
}

impl Iterator for Rounds {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let is_over = self.number > 0 && self.watch.elapsed() > self.share;
        if is_over || self.number >= self.most {
            return None;
        }
        self.number += 1;
        Some(self.number)
    }
}

#[derive(Debug, Parser, PartialEq, Eq)]
pub struct Options {
    #[arg(long = "short")]
    is_short: bool,
    #[arg(long = "only", value_name = "ROW")]
    rows: Vec<Row>,
    /// Instead of the one that is built.
    #[arg(long, value_parser = find_file)]
    pub program: Option<PathBuf>,
}

impl Options {
    pub fn rows(&self) -> &[Row] {
        if self.rows.is_empty() { Row::value_variants() } else { &self.rows }
    }

    pub fn extent(&self) -> Extent {
        if self.is_short { Extent::Short } else { Extent::Full }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Failed,
}

/// Whether what must hold does.
impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Failed }
    }
}

/// What a row found on one database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was tried, and how often.
    pub tried: String,
    pub found: String,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    pub row: Row,
    pub database: Database,
    pub finding: Finding,
    pub took: Duration,
}

/// One table for people, in Markdown.
pub fn render_table(rows: &[TableRow]) -> String {
    let mut lines = vec![["row", "database", "tried", "found", "s", ""].map(str::to_owned)];
    lines.extend(rows.iter().map(|line| {
        let verdict = match line.finding.verdict {
            Verdict::Holds => "ok",
            Verdict::Failed => "FAILED",
        };
        let seconds = format!("{:.1}", line.took.as_secs_f64());
        [
            value_name(&line.row),
            line.database.to_string(),
            shorten_cell(&line.finding.tried),
            shorten_cell(&line.finding.found),
            seconds,
            verdict.to_owned(),
        ]
    }));
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        for (column, cell) in line.iter().enumerate() {
            text.push_str(&format!("| {cell:<width$} ", width = width(column)));
        }
        text.push_str("|\n");
        if number == 0 {
            for column in 0..line.len() {
                text.push_str(&format!("|{}", "-".repeat(width(column) + 2)));
            }
            text.push_str("|\n");
        }
    }
    text
}

/// One line that fits into a table; the trial has printed all of it before.
fn shorten_cell(text: &str) -> String {
    let text = text.replace('\n', " ").replace('|', "/");
    match text.char_indices().nth(MAX_CELL) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// A row that failed makes the whole trial a failure.
pub fn judge_rows(rows: &[TableRow]) -> Result<(), Failure> {
    let failed: Vec<String> = rows
        .iter()
        .filter(|line| line.finding.verdict == Verdict::Failed)
        .map(|line| format!("{} on {}", value_name(&line.row), line.database))
        .collect();
    match failed.as_slice() {
        [] if rows.is_empty() => Err(Failure::new("nothing was tried")),
        [] => Ok(()),
        failed => Err(Failure::new(format!("FAILED: {}", failed.join(", ")))),
    }
}

/// The step of `ci`.
pub fn short_step(root: &Path) -> CiResult {
    run_with_options(root, &["--short"])
}

/// Builds the program and the trials, unless a program is named, and runs them.
pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    let options: Options = parse_options(words)?;
    installed::ensure_package("postgresql", countersign_scratch::is_postgres_installed)?;
    let mut trial = match (options.extent(), &options.program) {
        (Extent::Full, None) => {
            run(&mut cargo(root, &["build", "--quiet", "--release", "--bin", "countersign"]))?;
            let words = ["run", "--quiet", "--release", "--package", "xtask", "--example"];
            let mut trial = cargo(root, &words);
            trial.args([HOSTILE, "--"]);
            trial
        }
        (Extent::Full | Extent::Short, _) => {
            let mut trial = Command::new(build_example(root, HOSTILE)?);
            trial.current_dir(root);
            trial
        }
    };
    run(trial.args(words))?;
    Ok(Done::new("every row of the table holds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(verdict: Verdict) -> TableRow {
        let finding = Finding { tried: "3 rounds".into(), found: "a|b".into(), verdict };
        let took = Duration::from_millis(1_260);
        TableRow { row: Row::Kills, database: Database::Sqlite, finding, took }
    }

    #[test]
    fn a_row_is_found_by_its_name() {
        let parsed = |name| parse_options::<Options>(&["--only", name]);
        assert_eq!(parsed("hanging-database").unwrap().rows(), [Row::HangingDatabase]);
        assert!(parsed("kill").unwrap_err().message.contains("kills, operator"));
    }

    #[test]
    fn without_options_everything_is_tried_in_full() {
        let options: Options = parse_options(&[]).unwrap();
        assert_eq!((options.rows(), options.extent()), (Row::value_variants(), Extent::Full));
        let words = ["--only", "kills", "--short", "--program", "/"];
        let options: Options = parse_options(&words).unwrap();
        assert_eq!(options.rows(), [Row::Kills]);
        assert_eq!((options.extent(), options.program), (Extent::Short, Some("/".into())));
        assert!(parse_options::<Options>(&["--program"]).is_err());
        assert!(parse_options::<Options>(&["--long"]).is_err());
    }

    #[test]
    fn the_table_has_a_line_for_each_row() {
        let table = render_table(&[line(Verdict::Holds), line(Verdict::Failed)]);
        assert_eq!(
            table,
            "| row   | database | tried    | found | s   |        |\n\
             |-------|----------|----------|-------|-----|--------|\n\
             | kills | SQLite   | 3 rounds | a/b   | 1.3 | ok     |\n\
             | kills | SQLite   | 3 rounds | a/b   | 1.3 | FAILED |\n"
        );
    }

    #[test]
    fn one_row_that_failed_is_a_failure_and_so_is_no_row() {
        assert_eq!(judge_rows(&[line(Verdict::Holds)]), Ok(()));
        let failure = judge_rows(&[line(Verdict::Holds), line(Verdict::Failed)]).unwrap_err();
        assert_eq!(failure.message, "FAILED: kills on SQLite");
        assert!(judge_rows(&[]).is_err());
    }

    #[test]
    fn a_row_has_at_least_one_round_and_at_most_its_number() {
        let rounds = |share| Rounds { number: 0, most: 3, share, watch: Stopwatch::start() };
        assert_eq!(rounds(Duration::MAX).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(rounds(Duration::ZERO).next(), Some(1));
    }
}
