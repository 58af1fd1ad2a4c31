//! `countersign test`: runs case files and shows which expectations failed.

mod args;
mod case_files;
mod case_store;
mod corpus;
mod report;

pub(crate) use args::TestArgs;
pub(crate) use case_store::CaseStore;

use crate::limits;
use crate::settings::Settings;
use case_store::EmptyStore;
use countersign_console::{Exit, Failure, out};
use countersign_graph::{LoadedGraph, Problem, Problems, TextSpan};
use countersign_setup::{GraphFile, GraphSearch, files};
use countersign_stories::{CaseOutcome, CaseReport, parse_case, run_case_on};
use serde_json::json;
use std::cell::OnceCell;
use std::io::IsTerminal;
use std::path::Path;

pub(crate) fn test(args: &TestArgs, settings: &Settings) -> Result<Exit, Failure> {
    if args.schema {
        return print_schema();
    }
    if let Some(path) = &args.commands {
        return corpus::test_commands(args, path);
    }
    let graph = DefaultGraph::new(args, settings)?;
    let files = case_files::find_case_files(&args.paths)?;
    let progress = Progress::new(files.len(), args);
    let (mut passed, mut cases) = (0, Vec::new());
    for (done, path) in files.iter().enumerate() {
        progress.update(done);
        let report = run_case_file(path, &graph, &args.store, done);
        if report.has_passed() {
            passed += 1;
        }
        if args.json {
            cases.push(report::to_json(&report));
        } else if !report.has_passed() {
            progress.clear();
            out::show(&report::draw(&report))?;
        }
    }
    progress.clear();
    let failed = files.len() - passed;
    if args.json {
        let counts = json!({"v": 1, "passed": passed, "failed": failed, "cases": cases});
        out::show_json(&counts)?;
    } else {
        out::show(&report::draw_summary(passed, failed))?;
    }
    if files.is_empty() {
        return Err(Failure::new(
            "no case was found; nothing was tested",
            "name case files, or folders with files that end in `.yaml` or `.yml`",
        ));
    }
    Ok(if failed == 0 { Exit::Allowed } else { Exit::Failure })
}

/// The graph for cases without one: the named one, else the one that the daemon uses. It is looked
/// for when the first case needs it.
struct DefaultGraph<'a> {
    settings: &'a Settings,
    loaded: OnceCell<Option<LoadedGraph>>,
}

impl<'a> DefaultGraph<'a> {
    fn new(args: &TestArgs, settings: &'a Settings) -> Result<Self, Failure> {
        let loaded = OnceCell::new();
        if let Some(path) = &args.graph {
            let file = GraphFile::open(path)?;
            file.announce();
            let _first = loaded.set(Some(file.loaded));
        }
        Ok(Self { settings, loaded })
    }

    /// None if there is no graph, or if it cannot be loaded, which is said.
    fn load(&self) -> Option<&LoadedGraph> {
        let search = GraphSearch { named: None, data: None, places: self.settings.graph_places() };
        let find = || match search.open_if_any() {
            Ok(file) => file.map(|file| {
                file.announce();
                file.loaded
            }),
            Err(failure) => {
                out::eprint(&failure.page());
                None
            }
        };
        self.loaded.get_or_init(find).as_ref()
    }
}

fn print_schema() -> Result<Exit, Failure> {
    let text = serde_json::to_string_pretty(&countersign_stories::case_schema())
        .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
    out::show_bytes(format!("{text}\n").as_bytes())?;
    Ok(Exit::Allowed)
}

/// Reads and runs one case. Every error becomes its report.
fn run_case_file(
    path: &Path,
    graph: &DefaultGraph<'_>,
    store: &CaseStore,
    number: usize,
) -> CaseReport {
    let file = path.display().to_string();
    let bytes = match files::read(path) {
        Ok(bytes) => bytes,
        Err(failure) => return unreadable(file, failure),
    };
    match parse_case(&file, &bytes) {
        Err(problems) => {
            CaseReport { file, story: String::new(), outcome: CaseOutcome::Unreadable(problems) }
        }
        Ok(case) => {
            let EmptyStore { store, cleanup } = match store.open_empty(number) {
                Ok(empty) => empty,
                Err(failure) => return unreadable(file, failure),
            };
            let graph = match &case.graph {
                Some(_) => None,
                None => graph.load(),
            };
            let result = run_case_on(&case, graph, store);
            if let Err(failure) = cleanup.run() {
                return unreadable(file, failure);
            }
            let outcome = match result {
                Ok(failures) if failures.is_empty() => CaseOutcome::Passed,
                Ok(failures) => CaseOutcome::Failed(failures),
                Err(problems) => CaseOutcome::Unreadable(Problems::new(&file, &bytes, problems)),
            };
            CaseReport { file, story: case.story, outcome }
        }
    }
}

fn unreadable(file: String, failure: Failure) -> CaseReport {
    let problems = match failure {
        Failure::Message { message, help, .. } => {
            Problems::new(&file, b"", vec![Problem::new(TextSpan::at_offset(0), message, help)])
        }
        Failure::Problems(files) => {
            files.into_iter().next().unwrap_or_else(|| Problems::new(&file, b"", Vec::new()))
        }
        Failure::OutputClosed => Problems::new(&file, b"", Vec::new()),
    };
    CaseReport { file, story: String::new(), outcome: CaseOutcome::Unreadable(problems) }
}

/// A progress line, on a terminal and for long runs only.
enum Progress {
    Shown(usize),
    Hidden,
}

impl Progress {
    fn new(cases: usize, args: &TestArgs) -> Self {
        let is_long = cases > limits::SHORT_TEST_RUN;
        let is_watched = std::io::stderr().is_terminal() && !args.json;
        if is_long && is_watched { Self::Shown(cases) } else { Self::Hidden }
    }

    fn update(&self, done: usize) {
        if let Self::Shown(cases) = self
            && done.is_multiple_of(limits::PROGRESS_INTERVAL)
        {
            out::redraw_line(&format!("{done} of {cases} cases"));
        }
    }

    fn clear(&self) {
        if let Self::Shown(_) = self {
            out::redraw_line("");
        }
    }
}
