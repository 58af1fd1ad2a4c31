//! Every case under `cases/` holds, and every case of a shipped graph on that graph.

use countersign_engine::{DatabaseClock, Hints, Memory, Postgres, PostgresSettings, Sqlite, Store};
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, LoadedGraph};
use countersign_stories::{CaseReport, Verdict, read, run_on};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}

/// All case files, sorted, by their path below `cases/`.
pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    files_of("cases")
}

fn files_of(root_folder: &str) -> Vec<(String, Vec<u8>)> {
    let root = root(root_folder);
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "yaml") {
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                files.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// A folder without a disk under it, where there is one: a story is not about durability.
fn in_memory() -> tempfile::TempDir {
    let shared = Path::new("/dev/shm");
    tempfile::tempdir_in(shared).or_else(|_| tempfile::tempdir()).unwrap()
}

/// Makes an empty store for one story.
type Stores = fn(&Path) -> Box<dyn Store>;

/// A shipped graph with its policies.
pub(crate) fn shipped(name: &str) -> LoadedGraph {
    let folder = root("graphs").join(name);
    let text = std::fs::read(folder.join("countersign.yaml")).unwrap();
    let policies = |rules: &str| {
        let mut files: Vec<_> = std::fs::read_dir(folder.join(rules))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        let source = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            PolicyFile { display_path: name.clone(), name, bytes: std::fs::read(path).unwrap() }
        };
        Ok(files.iter().map(source).collect())
    };
    countersign_graph::load_graph_with_policies(name, &text, Format::Yaml, &policies).unwrap()
}

fn report(file: &str, bytes: &[u8], graph: Option<&LoadedGraph>, stores: Stores) -> CaseReport {
    let folder = in_memory();
    let verdict = match read(file, bytes) {
        Err(problems) => Verdict::Unreadable(problems),
        Ok(case) => match run_on(&case, graph, stores(folder.path())) {
            Ok(failures) if failures.is_empty() => Verdict::Passed,
            Ok(failures) => Verdict::Failed(failures),
            Err(problems) => {
                Verdict::Unreadable(countersign_graph::Problems::new(file, bytes, problems))
            }
        },
    };
    CaseReport { file: file.to_owned(), story: String::new(), verdict }
}

fn failing(files: &[(String, Vec<u8>)], graph: Option<&LoadedGraph>) -> String {
    failing_on(files, graph, |_| Box::new(Memory::empty()))
}

fn failing_on(files: &[(String, Vec<u8>)], graph: Option<&LoadedGraph>, stores: Stores) -> String {
    let reports = files.iter().map(|(file, bytes)| report(file, bytes, graph, stores));
    reports.flat_map(|report| report.lines()).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_case_of_the_project_holds() {
    let files = files();
    assert!(!files.is_empty());
    assert_eq!(failing(&files, None), "");
}

#[test]
fn every_case_of_a_shipped_graph_holds_on_it() {
    for name in ["coding", "assistive", "personal"] {
        let graph = shipped(name);
        let files = files_of(&format!("graphs/{name}/cases"));
        assert!(files.len() >= 12, "{name}");
        assert_eq!(failing(&files, Some(&graph)), "", "{name}");
    }
}

#[test]
fn every_case_holds_on_sqlite() {
    let stores: Stores = |folder| Box::new(Sqlite::open(&folder.join("store")).unwrap());
    assert_eq!(failing_on(&files(), None, stores), "");
}

/// Nothing is kept in memory between two steps: whatever a step needs comes out of the rows.
#[test]
fn every_case_holds_on_sqlite_read_anew_at_each_step() {
    let stores: Stores =
        |folder| Box::new(Sqlite::open(&folder.join("store")).unwrap().forgetful());
    assert_eq!(failing_on(&files(), None, stores), "");
}

/// Each story in a schema of its own, with the story's clock in place of the database's.
#[test]
fn every_case_holds_on_postgres() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let stores: Stores = |_| {
        let mut settings = PostgresSettings::new(&countersign_scratch::shared());
        let number = MADE.fetch_add(1, Ordering::SeqCst);
        settings.schema = format!("story_{}_{number}", std::process::id());
        (settings.hints, settings.clock) = (Hints::Poll, DatabaseClock::Ignored);
        Box::new(Postgres::open(settings).unwrap())
    };
    assert_eq!(failing_on(&files(), None, stores), "");
}
