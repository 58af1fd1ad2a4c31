//! `countersign test`: runs case files and says what did not hold.

mod find;
mod report;
mod stores;

pub(crate) use stores::Stores;

use crate::args::TestArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::settings::Settings;
use crate::test::stores::Empty;
use crate::{files, limits, out};
use countersign_graph::{LoadedGraph, Problem, Problems, Span};
use countersign_stories::{CaseOutcome, CaseReport, parse_case, run_case_on};
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::Path;

pub(crate) fn test(args: &TestArgs, settings: &Settings) -> Result<Exit, Failure> {
    if args.schema {
        return schema();
    }
    if let Some(path) = &args.commands {
        return crate::commands::test(args, path);
    }
    let given = match &args.graph {
        Some(path) => Some(GraphFile::open(Some(path), settings)?.loaded),
        None => None,
    };
    let files = find::cases(&args.paths)?;
    let progress = Progress::over(files.len(), args);
    let (mut passed, mut failed, mut cases) = (0, 0, Vec::new());
    for (done, path) in files.iter().enumerate() {
        progress.after(done);
        let report = one(path, given.as_ref(), (&args.store, done));
        if report.has_passed() {
            passed += 1;
        } else {
            failed += 1;
        }
        if args.json {
            cases.push(report::json(&report));
        } else if !report.has_passed() {
            progress.clear();
            out::show(&report::page(&report))?;
        }
    }
    progress.clear();
    conclude(args, (passed, failed), cases)
}

fn conclude(
    args: &TestArgs,
    (passed, failed): (usize, usize),
    cases: Vec<Value>,
) -> Result<Exit, Failure> {
    if args.json {
        let counts = json!({"v": 1, "passed": passed, "failed": failed, "cases": cases});
        out::show_json(&counts)?;
    } else {
        out::show(&report::summary(passed, failed))?;
    }
    if passed + failed == 0 {
        return Err(Failure::new(
            "no case was found, so that nothing was tested",
            "name case files, or folders with files that end in `.yaml` or `.yml`",
        ));
    }
    Ok(if failed == 0 { Exit::Allowed } else { Exit::Failure })
}

fn schema() -> Result<Exit, Failure> {
    let text = serde_json::to_string_pretty(&countersign_stories::case_schema())
        .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
    out::show_bytes(format!("{text}\n").as_bytes())?;
    Ok(Exit::Allowed)
}

/// Reads and runs one case; whatever goes wrong with it is its report.
fn one(path: &Path, given: Option<&LoadedGraph>, stores: (&Stores, usize)) -> CaseReport {
    let file = path.display().to_string();
    let bytes = match files::read(path) {
        Ok(bytes) => bytes,
        Err(failure) => return not_read(file, failure),
    };
    match parse_case(&file, &bytes) {
        Err(problems) => {
            CaseReport { file, story: String::new(), outcome: CaseOutcome::Unreadable(problems) }
        }
        Ok(case) => {
            let (stores, number) = stores;
            let Empty { store, leftover } = match stores.empty(number) {
                Ok(empty) => empty,
                Err(failure) => return not_read(file, failure),
            };
            let ran = run_case_on(&case, given, store);
            if let Err(failure) = leftover.remove() {
                return not_read(file, failure);
            }
            let outcome = match ran {
                Ok(failures) if failures.is_empty() => CaseOutcome::Passed,
                Ok(failures) => CaseOutcome::Failed(failures),
                Err(problems) => CaseOutcome::Unreadable(Problems::new(&file, &bytes, problems)),
            };
            CaseReport { file, story: case.story, outcome }
        }
    }
}

fn not_read(file: String, failure: Failure) -> CaseReport {
    let problems = match failure {
        Failure::Said { message, help, .. } => {
            Problems::new(&file, b"", vec![Problem::new(Span::at(0), message, help)])
        }
        Failure::Problems(found) => first(found, &file),
        Failure::Unheard => Problems::new(&file, b"", Vec::new()),
    };
    CaseReport { file, story: String::new(), outcome: CaseOutcome::Unreadable(problems) }
}

fn first(found: Vec<Problems>, file: &str) -> Problems {
    found.into_iter().next().unwrap_or_else(|| Problems::new(file, b"", Vec::new()))
}

/// A line that counts along, on a terminal and for long runs only.
enum Progress {
    Shown(usize),
    Hidden,
}

impl Progress {
    fn over(cases: usize, args: &TestArgs) -> Self {
        let long = cases > limits::SHORT_RUN;
        let watched = std::io::stderr().is_terminal() && !args.json;
        if long && watched { Self::Shown(cases) } else { Self::Hidden }
    }

    fn after(&self, done: usize) {
        if let Self::Shown(cases) = self
            && done.is_multiple_of(limits::PROGRESS_EVERY)
        {
            out::redraw(&format!("{done} of {cases} cases"));
        }
    }

    fn clear(&self) {
        if let Self::Shown(_) = self {
            out::redraw("");
        }
    }
}
