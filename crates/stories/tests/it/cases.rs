//! Every case under `cases/` holds.

use countersign_stories::{CaseReport, Verdict, read, run};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

/// All case files, sorted, by their path below `cases/`.
pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    let mut folders = vec![root()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "yaml") {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                files.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

fn report(file: &str, bytes: &[u8]) -> CaseReport {
    let verdict = match read(file, bytes) {
        Err(problems) => Verdict::Unreadable(problems),
        Ok(case) => match run(&case, None) {
            Ok(failures) if failures.is_empty() => Verdict::Passed,
            Ok(failures) => Verdict::Failed(failures),
            Err(problems) => {
                Verdict::Unreadable(countersign_graph::Problems::new(file, bytes, problems))
            }
        },
    };
    CaseReport { file: file.to_owned(), story: String::new(), verdict }
}

#[test]
fn every_case_of_the_project_holds() {
    let files = files();
    assert!(!files.is_empty());
    let failing: Vec<String> =
        files.iter().flat_map(|(file, bytes)| report(file, bytes).lines()).collect();
    assert!(failing.is_empty(), "{}", failing.join("\n"));
}
