//! The case files of the project, and what it takes to run one.

use countersign_engine::Store;
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, LoadedGraph, Problems};
use countersign_stories::{CaseOutcome, CaseReport, parse_case, run_case_on};
use std::path::{Path, PathBuf};

fn repository_path(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}

/// The paths of all files below a folder of the repository, relative to it and sorted.
pub(crate) fn list_files(folder: &str) -> Vec<String> {
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

pub(crate) const SHIPPED_GRAPHS: [&str; 3] = ["assistive", "coding", "personal"];

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

/// A story with its path in the repository, and the shipped graph that it is about, if any.
pub(crate) struct Story {
    pub path: String,
    pub bytes: Vec<u8>,
    pub graph: Option<&'static str>,
}

/// Every story of the project, in a fixed order.
pub(crate) fn all_stories() -> Vec<Story> {
    let in_folder = |folder: &str, graph: Option<&'static str>| {
        let files = case_files(folder).into_iter();
        let story = |file: CaseFile| Story {
            path: format!("{folder}/{}", file.name),
            bytes: file.bytes,
            graph,
        };
        files.map(story).collect::<Vec<_>>()
    };
    let shipped = SHIPPED_GRAPHS.iter().copied();
    let of_graphs = shipped.flat_map(|name| in_folder(&format!("graphs/{name}/cases"), Some(name)));
    in_folder("cases", None).into_iter().chain(of_graphs).collect()
}

/// Runs a story on an empty store.
pub(crate) fn run_story(
    story: &Story,
    graph: Option<&LoadedGraph>,
    store: Box<dyn Store>,
) -> CaseReport {
    let Story { path, bytes, .. } = story;
    let outcome = match parse_case(path, bytes) {
        Err(problems) => CaseOutcome::Unreadable(problems),
        Ok(case) => match run_case_on(&case, graph, store) {
            Ok(failures) if failures.is_empty() => CaseOutcome::Passed,
            Ok(failures) => CaseOutcome::Failed(failures),
            Err(problems) => CaseOutcome::Unreadable(Problems::new(path, bytes, problems)),
        },
    };
    CaseReport { file: path.clone(), story: String::new(), outcome }
}

#[test]
fn every_file_below_a_folder_of_cases_is_a_case_and_every_graph_is_listed() {
    assert_eq!(list_graphs(), SHIPPED_GRAPHS);
    let folders = SHIPPED_GRAPHS.map(|name| format!("graphs/{name}/cases"));
    for folder in folders.iter().map(String::as_str).chain(["cases"]) {
        let names: Vec<String> = case_files(folder).into_iter().map(|file| file.name).collect();
        assert!(!names.is_empty(), "no cases below `{folder}`");
        assert_eq!(names, list_files(folder), "a file below `{folder}` is not run");
    }
}

fn list_graphs() -> Vec<String> {
    let folders = std::fs::read_dir(repository_path("graphs")).unwrap();
    let mut names: Vec<String> =
        folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
