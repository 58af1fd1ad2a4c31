//! The dangers of many lines, and of as many that look alike and have none.

use super::*;
use crate::RuleSet;
use crate::context::{DiskLookup, Landmark, PathEntry, ProgramFile, ResolvedPath, normalize};

const FLOOR: &str = include_str!("tests/floor.txt");
const ORDINARY: &str = include_str!("tests/ordinary.txt");

/// A disk without links, on which every path is a folder.
pub(super) struct PlainDisk;

impl DiskLookup for PlainDisk {
    fn resolve_path(&self, path: &str, folder: Option<&str>) -> ResolvedPath {
        let path = match path.strip_prefix('~') {
            Some(rest) => format!("/home/me{rest}"),
            None => path.to_owned(),
        };
        ResolvedPath::At(vec![normalize(&path, folder)])
    }

    fn find_program(&self, _: &str, _: Option<&str>) -> ProgramFile {
        ProgramFile::Unknown
    }

    fn read_entry(&self, _: &str, _: Option<&str>) -> PathEntry {
        PathEntry::Folder
    }

    fn is_ignored(&self, path: &str) -> bool {
        path.starts_with("/home/me/src/app/build")
    }

    fn find_landmark(&self, path: &str) -> Option<Landmark> {
        match path {
            "/home/me" => Some(Landmark::Home),
            "/mnt/data" => Some(Landmark::Mount),
            _ => None,
        }
    }
}

fn find(line: &str) -> Vec<Danger> {
    let workspace = Some("/home/me/src/app");
    let context = CommandContext { workspace, cwd: workspace, disk: &PlainDisk };
    RuleSet::new(Vec::new()).judge(line, &context).dangers
}

fn rows(text: &str) -> Vec<(DangerKind, String)> {
    let mut kind = DangerKind::Noted;
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("## ") {
            Some(word) => kind = DangerKind::from_word(word).expect("a kind of danger"),
            None if line.starts_with("# Lines") || line.starts_with("# and /mnt") => {}
            None => rows.push((kind, line.replace('¶', "\n"))),
        }
    }
    rows
}

#[test]
fn each_line_has_the_danger_that_its_row_says() {
    let rows = rows(FLOOR);
    assert!(rows.len() >= 300, "{}", rows.len());
    let missed: Vec<String> = rows
        .iter()
        .filter(|(kind, line)| find(line).first().map(|danger| danger.kind) != Some(*kind))
        .map(|(kind, line)| format!("{kind}: {line:?}: {:?}", find(line)))
        .collect();
    assert!(missed.is_empty(), "{} of {}:\n{}", missed.len(), rows.len(), missed.join("\n"));
}

#[test]
fn only_a_delete_of_ignored_files_is_not_raised() {
    let workspace = Some("/home/me/src/app");
    let context = CommandContext { workspace, cwd: workspace, disk: &PlainDisk };
    let detects = |line: &str| {
        let judged = RuleSet::new(Vec::new()).judge(line, &context);
        judged.segments.iter().any(|segment| !segment.detectors.is_empty())
    };
    for line in ["rm -rf build", "rm -r ./build/x", "rm -rf build build/y", "cd build && rm -rf x"]
    {
        assert!(!detects(line), "{line}");
    }
    for line in
        ["rm -rf src", "rm -rf build src", "rm -rf /tmp/build", "chmod -R 700 build", "rm -rf"]
    {
        assert!(detects(line), "{line}");
    }
}

/// Each wrapper that the reader looks through, with the words that it needs.
const WRAPPING: &[(&str, &str)] = &[
    ("sudo ", ""),
    ("sudo -u root ", ""),
    ("env ", ""),
    ("env A=b ", ""),
    ("nice -n 5 ", ""),
    ("timeout 5 ", ""),
    ("nohup ", ""),
    ("command ", ""),
    ("exec ", ""),
    ("time ", ""),
    ("setsid ", ""),
    ("stdbuf -oL ", ""),
    ("busybox ", ""),
    ("true && ", ""),
    ("false || ", ""),
    ("ls; ", ""),
    ("( ", " )"),
    ("{ ", "; }"),
    ("if true; then ", "; fi"),
    ("echo $( ", " )"),
    ("", " 2>&1"),
    ("", " || true"),
    ("", " > /dev/null"),
    ("ls | ", ""),
];

#[test]
fn no_wrapper_that_the_reader_looks_through_lowers_the_floor() {
    let mut lowered = Vec::new();
    for (kind, line) in rows(FLOOR) {
        // A wrapper takes one simple command.
        if line.contains(['|', ';', '&', '(', '\n', '<', '>', '`', '=']) || line.starts_with("cd") {
            continue;
        }
        for (before, after) in WRAPPING {
            let wrapped = format!("{before}{line}{after}");
            let floor = find(&wrapped).iter().map(|danger| danger.kind.floor()).max();
            if floor < Some(kind.floor()) {
                lowered.push(wrapped);
            }
        }
        let quoted = line.replace('\'', "'\\''");
        let as_script = format!("sh -c '{quoted}'");
        if find(&as_script).first().map(|danger| danger.kind.floor()) < Some(kind.floor()) {
            lowered.push(as_script);
        }
    }
    assert!(lowered.is_empty(), "{}:\n{}", lowered.len(), lowered.join("\n"));
}

#[test]
fn a_line_that_only_looks_dangerous_raises_nothing() {
    let rows = rows(ORDINARY);
    assert!(rows.len() >= 100, "{}", rows.len());
    let raised: Vec<String> = rows
        .iter()
        .filter(|(_, line)| find(line).iter().any(Danger::raises))
        .map(|(_, line)| format!("{line:?}: {:?}", find(line)))
        .collect();
    assert!(raised.is_empty(), "{} of {}:\n{}", raised.len(), rows.len(), raised.join("\n"));
}
