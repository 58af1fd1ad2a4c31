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

/// A workspace with folders that are closed, and others with a way out.
fn closed_folders() -> TempDir {
    let dir = workspace();
    let at = |path: &str| dir.path().join(path);
    for folder in ["w/lib/deep", "w/odd", "w/dashed", "w/leak", "w/loop", "w/far"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    for file in ["w/lib/a.rs", "w/lib/deep/b.rs", "w/odd/x y", "w/dashed/-l", "w/far/c"] {
        fs::write(at(file), "").unwrap();
    }
    symlink("deep/b.rs", at("w/lib/inner")).unwrap();
    symlink("../../out/.env", at("w/leak/link")).unwrap();
    symlink("../config", at("w/far/config")).unwrap();
    symlink("loop", at("w/loop/loop")).unwrap();
    dir
}

fn matches_in(dir: &TempDir, line: &str) -> bool {
    let root = dir.path().canonicalize().unwrap();
    let workspace = root.join("w").to_str().unwrap().to_owned();
    let files = EveryProgram(RealFileSystem::new(NOBODY, "/usr/bin:/bin"));
    let patterns = PlacePatterns::new(&[], &[]).unwrap();
    let lookup = CommandLookup::new(&files, (Some(&workspace), Some(&workspace)), None)
        .with_patterns(&patterns);
    let rules = "allow grep *; allow diff *; allow rg *; allow find *; allow wc *; allow cat *; \
        allow head *; allow sort *; allow uniq *; allow sed *; allow ln *; allow touch *; \
        allow rm *; allow xxd *; allow tail *; allow git ls-files *; allow awk *";
    let verdict = RuleSet::parse(rules).unwrap().judge(line, &lookup.context()).verdict;
    matches!(verdict, CommandVerdict::Match { .. })
}

#[test]
fn links_are_followed_where_none_leads_out() {
    let dir = closed_folders();
    for line in ["grep -R foo lib", "grep -RIn foo lib", "diff -r lib lib/deep", "diff -ru lib odd"]
    {
        assert!(matches_in(&dir, line), "{line}");
    }
    for line in [
        "grep -R foo src",
        "grep -R foo leak",
        "grep -R foo far",
        "grep -R foo loop",
        "grep -R foo config",
        "grep -R foo .",
        "grep -R foo",
        "grep -R foo lib src",
        "grep -R foo ../out",
        "grep -Rf lib/a.rs lib",
        "grep -R --include=x -f /etc/passwd foo lib",
        "diff -r lib src",
        "diff -r lib config",
        "ln -s / lib/x && grep -R foo lib",
        "touch lib/x; grep -R foo lib",
    ] {
        assert!(!matches_in(&dir, line), "{line}");
    }
}

#[test]
fn xargs_reads_what_a_list_of_plain_paths_names() {
    let dir = closed_folders();
    for line in [
        "find lib -name '*.rs' | xargs wc -l",
        "find lib -type f | sort | head -20 | xargs grep -n foo",
        "find lib -type f -print0 | xargs -0 cat",
        "find odd -type f -print0 | xargs -0 wc -l",
        "rg -l foo lib | xargs sed -n '1,5p'",
        "rg -li foo lib | grep -v test | xargs -n1 head -3",
        "rg --files lib | xargs -r wc -l",
        "rg -l foo lib | xargs -I{} head -5 {}",
        "find lib | xargs -I % cat % | wc -l",
    ] {
        assert!(matches_in(&dir, line), "{line}");
    }
}

#[test]
fn xargs_asks_behind_what_may_name_something_else() {
    let dir = closed_folders();
    for line in [
        "find odd -type f | xargs wc -l",
        "find dashed -type f | xargs wc -l",
        "find leak | xargs cat",
        "find config | xargs cat",
        "find . | xargs cat",
        "find | xargs cat",
        "find / | xargs cat",
        "find ../out | xargs cat",
        "find lib src | xargs cat",
        "find lib -print0 | xargs cat",
        "find lib | xargs -0 cat",
        "find lib -printf /etc/passwd | xargs cat",
        "find lib -ls | xargs cat",
        "find lib | sed s/lib/etc/ | xargs cat",
        "find lib | awk '{print $2}' | xargs cat",
        "find lib | grep -o x | xargs cat",
        "find lib | sort x | xargs cat",
        "find lib | xargs",
        "find lib | xargs rm",
        "find lib | xargs -n1 rm -f",
        "find lib | xargs sh",
        "find lib | xargs -I{} sh -c {}",
        "find lib | xargs -I{} cat /etc/{}",
        "find lib | xargs cat /etc/passwd",
        "find lib | xargs sed -i s/a/b/",
        "find lib | xargs sed",
        "find lib | xargs grep",
        "find lib | xargs awk",
        "find lib | xargs uniq",
        "find lib | xargs xxd",
        "find lib | xargs -a x cat",
        "find lib | xargs -E x cat",
        "find lib | xargs -d x cat",
        "find lib | xargs env cat",
        "find lib | xargs xargs cat",
        "find lib -delete | xargs cat",
        "cat lib/a.rs | xargs cat",
        "echo /etc/passwd | xargs cat",
        "git ls-files | xargs cat",
        "rg foo lib | xargs cat",
        "rg -l --json foo lib | xargs cat",
        "rg -l -r x foo lib | xargs cat",
        "rg -lc foo lib | xargs cat",
        "rg -l foo config | xargs cat",
        "rg -l foo | xargs cat",
        "ls lib | xargs cat",
        "xargs cat",
        "ln -s / lib/x; find lib | xargs cat",
        "touch lib/y && find lib | xargs cat",
        "(find lib; ls lib) | xargs cat",
        "{ ls lib; } | xargs cat",
    ] {
        assert!(!matches_in(&dir, line), "{line}");
    }
}

#[test]
fn find_starts_a_reading_command_where_nothing_leads_out() {
    let dir = closed_folders();
    for line in [
        "find lib -name '*.rs' -exec grep -l foo {} \\;",
        "find lib -type f -exec wc -l {} +",
        "find odd lib -exec head -n 1 {} \\; 2>/dev/null | sort",
        "find lib -exec grep -q x {} \\; -exec cat {} \\; -print",
    ] {
        assert!(matches_in(&dir, line), "{line}");
    }
}

#[test]
fn find_asks_for_everything_else_that_it_starts() {
    let dir = closed_folders();
    for line in [
        "find lib -exec sh {} + | xargs cat",
        "find config -exec cat {} \\;",
        "find leak -exec cat {} +",
        "find . -exec cat {} \\;",
        "find ../out -exec cat {} \\;",
        "find lib -exec rm {} \\;",
        "find lib -exec sh {} \\;",
        "find lib -exec sh -c 'cat {}' \\;",
        "find lib -exec {} \\;",
        "find lib -exec cat /etc/passwd \\;",
        "find lib -exec cat /etc/{} \\;",
        "find lib -exec sed -i s/a/b/ {} +",
        "find lib -exec grep {} lib/a.rs \\;",
        "find lib -exec awk {} \\;",
        "find lib -exec uniq {} +",
        "find lib -exec xxd {} lib/x \\;",
        "find lib -execdir cat {} \\;",
        "find lib -ok cat {} \\;",
        "find lib -exec cat {}",
        "find lib -exec cat {} \\; -delete",
        "find lib -exec cat {} \\; -exec rm {} \\;",
        "find lib -exec cat {} \\; -fprint x",
        "ln -s / lib/x; find lib -exec cat {} \\;",
    ] {
        assert!(!matches_in(&dir, line), "{line}");
    }
}
