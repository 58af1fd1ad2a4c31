//! Searches that leave secret files out, with real files and the real programs.

use super::*;
use crate::file_system::{FolderEntry, FolderEntryKind, LookupError, ProgramIdentity};
use crate::limits;
use crate::real_path::RealPath;
use countersign_commands::{FolderWalk, NarrowedLine, SearchExtent, narrow_text};
use countersign_core::model::place::Place;
use countersign_graph::places::PlacePatterns;
use std::process::Command;

const TOKEN: &str = "token-of-nobody";

/// Files that all hold the same line.
fn workspace(files: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join("w").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{TOKEN}\n")).unwrap();
    }
    dir
}

fn with_context<T>(dir: &TempDir, check: impl FnOnce(&RuleSet, &CommandContext) -> T) -> T {
    let root = dir.path().canonicalize().unwrap();
    let workspace = root.join("w").to_str().unwrap().to_owned();
    let files = EveryProgram(RealFileSystem::new(NOBODY, "/usr/bin:/bin"));
    let patterns = PlacePatterns::new(&[], &[]).unwrap();
    let lookup = CommandLookup::new(&files, (Some(&workspace), Some(&workspace)), None)
        .with_patterns(&patterns);
    check(&RuleSet::parse("none").unwrap(), &lookup.context())
}

fn is_secret(dir: &TempDir, line: &str) -> bool {
    with_context(dir, |rules, context| {
        rules.judge(line, context).paths.places.concat().contains(&Place::Secret)
    })
}

fn narrow(dir: &TempDir, line: &str) -> Option<String> {
    with_context(dir, |rules, context| {
        let judged = rules.judge(line, context);
        let NarrowedLine { call, judged } = rules.narrow_searches(line, &judged, context)?;
        assert!(!judged.paths.places.concat().contains(&Place::Secret), "{line}");
        narrow_text(line, &call.parts)
    })
}

const FILES: &[&str] = &[
    ".git/HEAD",
    "src/a.rs",
    "a.txt",
    "config/.env",
    "config/.env.example",
    "config/deep/.env.local",
    "config/deep/server.key",
    "config/.ssh/id_rsa",
    "node_modules/x/.env",
    "public.pem",
];

#[test]
fn the_secret_files_that_a_program_opens_below_a_folder_count() {
    let dir = workspace(FILES);
    fs::write(dir.path().join("w/.gitignore"), "server.key\n").unwrap();
    for (line, expected) in [
        ("grep -r x .", true),
        ("grep -r x", true),
        ("grep -r x src", false),
        ("grep -r x config/deep", true),
        ("grep -r --include='*.rs' x .", false),
        ("grep x a.txt", false),
        ("rg x", false),
        ("rg --no-ignore x", true),
        ("rg --hidden x", true),
        ("rg --files", false),
        ("tar c .", true),
        ("tar c src", false),
        ("zip -r x.zip config", true),
        ("cp -r . /elsewhere", true),
        ("rsync -a config host:x", true),
        ("find . -exec cat {} +", true),
        ("find . -name '*.rs' -exec cat {} +", false),
        ("find . -name '*.rs'", false),
        ("ls -R .", false),
        ("sh -c 'grep -r x .'", true),
    ] {
        assert_eq!(is_secret(&dir, line), expected, "{line}");
    }
}

#[test]
fn a_card_names_the_files() {
    let dir = workspace(&["w1/.env", "w1/a/.env", "w1/b.pem", "w1/c.key", "w1/x"]);
    let dangers = with_context(&dir, |rules, context| rules.judge("tar c w1", context).dangers);
    let [danger] = dangers.as_slice() else { panic!("{dangers:?}") };
    let text = danger.to_string();
    assert!(text.starts_with("opens secret files: ") && text.ends_with(" and 1 more"), "{text}");
}

#[test]
fn the_narrower_form_is_the_same_line_with_exclusions() {
    let dir = workspace(&["config/.env", "config/a.txt", "k/server.key", "k/.ssh/x", "k/a.txt"]);
    for (line, expected) in [
        ("grep -rn x config", Some("grep -rn --exclude=.env x config")),
        ("grep -rn x k", Some("grep -rn '--exclude=*.key' --exclude-dir=.ssh x k")),
        ("cd config && grep -rn 'x y' .", Some("cd config && grep -rn --exclude=.env 'x y' .")),
        ("grep -r x config | head -3", Some("grep -r --exclude=.env x config | head -3")),
        ("grep -r x -- config", Some("grep -r --exclude=.env x -- config")),
        ("rg --hidden x config", Some("rg --hidden -g '!.env' x config")),
        ("timeout 5 rg -. x config", Some("timeout 5 rg -. -g '!.env' x config")),
        ("tar czf /dev/null config", Some("tar czf /dev/null --exclude=.env config")),
        ("diff -r config src", Some("diff -r --exclude=.env config src")),
        ("rg x config", None),
        ("grep -r x src", None),
        ("zip -r x.zip config", None),
        ("find config -exec cat {} +", None),
        ("tar c config -f x.tar", None),
        (
            "grep -r --exclude=.env --include='.env' x config",
            Some("grep -r --exclude=.env --include='.env' --exclude=.env x config"),
        ),
        ("bash -c 'grep -r x config'", None),
        (
            "grep -r x $(pwd)",
            Some("grep -r '--exclude=*.key' --exclude-dir=.ssh --exclude=.env x $(pwd)"),
        ),
        ("grep -r x $(id)", None),
    ] {
        // The order of a folder's names is that of the disk.
        let narrowed = narrow(&dir, line).map(|line| {
            let sorted = "'--exclude=*.key' --exclude-dir=.ssh";
            line.replace("--exclude-dir=.ssh '--exclude=*.key'", sorted)
        });
        assert_eq!(narrowed.as_deref(), expected, "{line}");
    }
}

#[test]
fn a_pattern_that_would_leave_out_an_example_gives_way_to_the_names() {
    let dir = workspace(&["c/.env.local", "c/.env.example", "c/a.txt"]);
    let narrowed = narrow(&dir, "grep -r x c");
    assert_eq!(narrowed.as_deref(), Some("grep -r --exclude=.env.local x c"));
}

#[test]
fn a_name_in_another_case_is_left_out_by_that_name() {
    let dir = workspace(&["c/Server.PEM", "c/a.txt"]);
    assert_eq!(narrow(&dir, "rg x c").as_deref(), Some("rg -g '!Server.PEM' x c"));
}

#[test]
fn a_link_counts_where_links_are_followed() {
    let dir = workspace(&["src/a.rs", "k/x.pem"]);
    symlink(dir.path().join("w/k"), dir.path().join("w/src/link")).unwrap();
    for (line, expected) in [
        ("grep -r x src", false),
        ("grep -R x src", true),
        ("rg x src", false),
        ("rg -L x src", true),
    ] {
        assert_eq!(is_secret(&dir, line), expected, "{line}");
    }
}

/// A folder with many names.
struct ManyNames(usize);

impl FileSystem for ManyNames {
    fn resolve_path(&self, path: &str, _: &str) -> Result<RealPath, LookupError> {
        Ok(RealPath::from_text(path))
    }

    fn find_program(&self, name: &str, _: &str) -> Result<ProgramIdentity, LookupError> {
        Err(LookupError::ProgramNotFound(name.to_owned()))
    }

    fn read_entry_kind(&self, _: &str) -> Option<FolderEntryKind> {
        Some(FolderEntryKind::Folder)
    }

    fn list_entries(&self, _: &RealPath) -> Result<Vec<FolderEntry>, LookupError> {
        let entry =
            |number: usize| FolderEntry { name: number.to_string(), kind: FolderEntryKind::File };
        Ok((0..self.0).map(entry).collect())
    }
}

#[test]
fn more_names_than_the_bound_are_not_searched() {
    let patterns = PlacePatterns::new(&[], &[]).unwrap();
    for (names, expected) in [
        (limits::MAX_READ_NAMES, SearchExtent::Complete),
        (limits::MAX_READ_NAMES + 1, SearchExtent::Partial),
    ] {
        let files = ManyNames(names);
        let lookup =
            CommandLookup::new(&files, (Some("/w"), Some("/w")), None).with_patterns(&patterns);
        let context = lookup.context();
        let found = context.disk.find_secrets_below("/w", &FolderWalk::default());
        assert_eq!((found.extent, found.count), (expected, 0), "{names}");
        let rules = RuleSet::parse("none").unwrap();
        let judged = rules.judge("grep -r x .", &context);
        let is_asked = judged.paths.places.concat().contains(&Place::Secret);
        assert_eq!(is_asked, expected == SearchExtent::Partial, "{names}");
        assert!(rules.narrow_searches("grep -r x .", &judged, &context).is_none());
    }
}

/// What a shell prints for a line in the workspace, sorted, and its exit code.
fn run(dir: &TempDir, line: &str) -> (Vec<String>, Option<i32>) {
    let output =
        Command::new("bash").args(["-c", line]).current_dir(dir.path().join("w")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    (lines, output.status.code())
}

#[test]
fn the_real_programs_leave_out_the_secret_files_and_nothing_else() {
    let dir = workspace(FILES);
    let has_ripgrep = Command::new("rg").arg("--version").output().is_ok();
    for line in [
        "grep -rl token .",
        "grep -rl token config",
        "grep -rl --exclude-dir=src token . | cat",
        "rg -l --hidden --no-ignore token .",
        "tar cf - config | tar tf -",
        "diff -rq config src",
    ] {
        if line.starts_with("rg") && !has_ripgrep {
            continue;
        }
        let narrowed = narrow(&dir, line).unwrap_or_else(|| panic!("{line} is not narrowed"));
        let ((before, code), (after, narrowed_code)) = (run(&dir, line), run(&dir, &narrowed));
        let is_left_out = |line: &&String| {
            let names = [".env:", ".env ", ".env.local", "server.key", ".ssh", "config/.env"];
            let is_example = line.contains(".env.example");
            !is_example && (names.iter().any(|name| line.contains(name)) || line.ends_with(".env"))
        };
        let expected: Vec<String> =
            before.iter().filter(|line| !is_left_out(line)).cloned().collect();
        assert_eq!(after, expected, "{narrowed}");
        assert!(after.len() < before.len(), "{line} opened no secret: {before:?}");
        assert_eq!(code, narrowed_code, "{line}");
    }
}
