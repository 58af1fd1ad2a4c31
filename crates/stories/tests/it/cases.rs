//! Runs every case under `cases/` on every store, and the cases of each shipped graph on that graph.

use countersign_engine::{
    ChangeFeed, DatabaseClock, Memory, Postgres, PostgresSettings, Sqlite, Store,
};
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, LoadedGraph};
use countersign_stories::{CaseOutcome, CaseReport, parse_case, run_case_on};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn repository_path(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}

/// The paths of all files below a folder of the repository, relative to it and sorted.
fn list_files(folder: &str) -> Vec<String> {
    let root = repository_path(folder);
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(&root).unwrap().display().to_string());
            }
        }
    }
    files.sort();
    files
}

/// A case file with its path below the folder that was listed.
pub(crate) struct CaseFile {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The case files below a folder of the repository, sorted by name.
pub(crate) fn case_files(folder: &str) -> Vec<CaseFile> {
    let root = repository_path(folder);
    let names = list_files(folder).into_iter().filter(|name| name.ends_with(".yaml"));
    let read = |name: String| CaseFile { bytes: std::fs::read(root.join(&name)).unwrap(), name };
    names.map(read).collect()
}

/// A temporary folder in memory where the system has one: stories do not test durability.
fn make_memory_folder() -> tempfile::TempDir {
    let shared = Path::new("/dev/shm");
    tempfile::tempdir_in(shared).or_else(|_| tempfile::tempdir()).unwrap()
}

/// Opens an empty store for one story; it may use the given folder.
type OpenStore = fn(&Path) -> Box<dyn Store>;

/// Loads a graph of `graphs/` with its policies.
pub(crate) fn load_shipped_graph(name: &str) -> LoadedGraph {
    let folder = repository_path("graphs").join(name);
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

fn run_file(file: &CaseFile, graph: Option<&LoadedGraph>, open_store: OpenStore) -> CaseReport {
    let CaseFile { name, bytes } = file;
    let folder = make_memory_folder();
    let outcome = match parse_case(name, bytes) {
        Err(problems) => CaseOutcome::Unreadable(problems),
        Ok(case) => match run_case_on(&case, graph, open_store(folder.path())) {
            Ok(failures) if failures.is_empty() => CaseOutcome::Passed,
            Ok(failures) => CaseOutcome::Failed(failures),
            Err(problems) => {
                CaseOutcome::Unreadable(countersign_graph::Problems::new(name, bytes, problems))
            }
        },
    };
    CaseReport { file: name.clone(), story: String::new(), outcome }
}

/// Fails if a case below the folder fails, or if a file below it was not run.
fn assert_cases_hold(folder: &str, graph: Option<&LoadedGraph>, open_store: OpenStore) {
    let files = case_files(folder);
    let reports: Vec<CaseReport> =
        files.iter().map(|file| run_file(file, graph, open_store)).collect();
    let names: Vec<&str> = reports.iter().map(|report| report.file.as_str()).collect();
    assert!(!names.is_empty(), "no cases below `{folder}`");
    assert_eq!(names, list_files(folder), "a file below `{folder}` was not run");
    let failures: Vec<String> = reports.iter().flat_map(CaseReport::render_lines).collect();
    assert_eq!(failures.join("\n"), "", "cases below `{folder}` fail");
}

fn open_memory(_: &Path) -> Box<dyn Store> {
    Box::new(Memory::empty())
}

#[test]
fn every_case_of_the_project_holds() {
    assert_cases_hold("cases", None, open_memory);
}

#[test]
fn every_case_of_a_shipped_graph_holds_on_that_graph() {
    let folders = std::fs::read_dir(repository_path("graphs")).unwrap();
    let mut names: Vec<String> =
        folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["assistive", "coding", "personal"]);
    for name in names {
        let graph = load_shipped_graph(&name);
        assert_cases_hold(&format!("graphs/{name}/cases"), Some(&graph), open_memory);
    }
}

#[test]
fn every_case_holds_on_sqlite() {
    let open_store: OpenStore = |folder| Box::new(Sqlite::open(&folder.join("store")).unwrap());
    assert_cases_hold("cases", None, open_store);
}

/// The store keeps nothing in memory between two steps, so each step reads what it needs from rows.
#[test]
fn every_case_holds_on_sqlite_without_a_cache() {
    let open_store: OpenStore =
        |folder| Box::new(Sqlite::open(&folder.join("store")).unwrap().without_cache());
    assert_cases_hold("cases", None, open_store);
}

/// Each story uses its own schema, and the story's clock instead of the database's.
#[test]
fn every_case_holds_on_postgres() {
    static SCHEMA_COUNT: AtomicUsize = AtomicUsize::new(0);
    let open_store: OpenStore = |_| {
        let mut settings = PostgresSettings::new(&countersign_scratch::shared_server_address());
        let number = SCHEMA_COUNT.fetch_add(1, Ordering::SeqCst);
        settings.schema = format!("story_{}_{number}", std::process::id());
        (settings.change_feed, settings.clock) = (ChangeFeed::Poll, DatabaseClock::Ignored);
        Box::new(Postgres::open(settings).unwrap())
    };
    assert_cases_hold("cases", None, open_store);
}
