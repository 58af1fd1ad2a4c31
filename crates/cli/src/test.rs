//! `countersign test`: runs case files and reports what did not hold.

use countersign_graph::{Format, Problems};
use countersign_stories::{CaseReport, Verdict, read, run};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn test(paths: &[PathBuf], graph: Option<&Path>) -> ExitCode {
    let given = graph.map(|path| {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).unwrap_or_default();
        let format = Format::from_path(&name).unwrap_or(Format::Json);
        countersign_graph::read(&name, &bytes, format)
    });
    let given = match given.transpose() {
        Ok(given) => given.map(|loaded| loaded.graph),
        Err(problems) => {
            eprintln!("{problems}");
            return ExitCode::from(1);
        }
    };
    let mut files = Vec::new();
    let mut waiting: Vec<PathBuf> = paths.to_vec();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            waiting.extend(entries.map(|entry| entry.path()));
        } else if path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
            files.push(path);
        }
    }
    files.sort();
    let mut failed = 0;
    for path in &files {
        let file = path.display().to_string();
        let bytes = std::fs::read(path).unwrap_or_default();
        let verdict = match read(&file, &bytes) {
            Err(problems) => Verdict::Unreadable(problems),
            Ok(case) => match run(&case, given.as_ref()) {
                Ok(failures) if failures.is_empty() => Verdict::Passed,
                Ok(failures) => Verdict::Failed(failures),
                Err(problems) => Verdict::Unreadable(Problems::new(&file, &bytes, problems)),
            },
        };
        let report = CaseReport { file, story: String::new(), verdict };
        report.lines().iter().for_each(|line| println!("{line}"));
        failed += usize::from(!report.passed());
    }
    println!("{} passed, {failed} failed", files.len() - failed);
    ExitCode::from(u8::from(failed > 0 || files.is_empty()))
}
