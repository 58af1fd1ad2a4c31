//! What a command reaches that its words do not name: files below a folder, and our own process.

use super::*;
use countersign_core::model::place::Place;
use countersign_graph::places::PlacePatterns;

/// A workspace with a repository, a secret below `config`, and folders without either.
fn workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in ["w/.git/HEAD", "w/config/deep/.env", "w/src/a.rs", "w/target/.env", "out/.env"] {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    symlink(dir.path().join("out"), dir.path().join("w/src/link")).unwrap();
    dir
}

fn judge(dir: &TempDir, line: &str) -> LineJudgement {
    let root = dir.path().canonicalize().unwrap();
    let workspace = root.join("w").to_str().unwrap().to_owned();
    let files = EveryProgram(RealFileSystem::new(NOBODY, "/usr/bin:/bin"));
    let patterns = PlacePatterns::new(&[], &[]).unwrap();
    let lookup = CommandLookup::new(&files, (Some(&workspace), Some(&workspace)), None)
        .with_patterns(&patterns);
    RuleSet::parse("none").unwrap().judge(line, &lookup.context())
}

#[test]
fn a_folder_that_is_deleted_as_a_whole_counts_with_what_it_holds() {
    use Place::{Secret, WriteGuarded};
    let dir = workspace();
    for (line, expected) in [
        ("rm -rf src", vec![]),
        ("rm -rf target", vec![]),
        ("rm -rf config", vec![Secret]),
        ("rm -rf .", vec![Secret, WriteGuarded]),
        ("rm -rf ../w", vec![Secret, WriteGuarded]),
        ("rm -rf src config/", vec![Secret]),
        ("mv config elsewhere", vec![Secret]),
        ("mv src .", vec![]),
        ("cp -r config copy", vec![Secret]),
        ("chmod -R 700 .", vec![Secret, WriteGuarded]),
        ("git clean -fdx", vec![Secret]),
        ("rm config/deep/x", vec![]),
    ] {
        let judged = judge(&dir, line);
        let mut places: Vec<Place> = judged.segments[0].paths.places.concat();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places, expected, "{line}");
    }
}

#[test]
fn our_own_process_is_not_stopped_by_its_number() {
    let dir = workspace();
    let own = std::process::id();
    let is_denied = |line: &str| matches!(judge(&dir, line).verdict, CommandVerdict::Deny { .. });
    assert!(is_denied(&format!("kill {own}")) && is_denied(&format!("kill -9 {own}")));
    assert!(
        is_denied("pkill sign") && is_denied("cat a | xargs kill $(pgrep x); pkill -f countersign")
    );
    assert!(!is_denied("kill 1") && !is_denied("pkill node"));
}
