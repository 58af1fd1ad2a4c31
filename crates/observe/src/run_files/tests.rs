//! The files of commands, found and read in a workspace on the disk.

use super::*;
use crate::{AgentIdentity, RealFileSystem};
use countersign_commands::{CommandContext, NoDiskLookup, RuleSet};
use std::fs;

/// A workspace on the disk.
struct Workspace {
    folder: tempfile::TempDir,
    files: RealFileSystem,
}

impl Workspace {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files_system = RealFileSystem::new(AgentIdentity::current_user(), "/usr/bin");
        let workspace = Self { folder, files: files_system };
        files.iter().for_each(|(name, text)| workspace.write(name, text));
        workspace
    }

    fn root(&self) -> String {
        fs::canonicalize(self.folder.path()).unwrap().to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The files that a line reads, as paths from the workspace.
    fn read(&self, line: &str, cwd: &str) -> Vec<(String, RunFileContent)> {
        self.read_knowing(line, cwd, &BTreeMap::new())
    }

    fn read_knowing(
        &self,
        line: &str,
        cwd: &str,
        known: &BTreeMap<String, RunFileContent>,
    ) -> Vec<(String, RunFileContent)> {
        let root = self.root();
        let cwd = format!("{root}/{cwd}");
        let context = CommandContext {
            workspace: Some(&root),
            cwd: Some(cwd.trim_end_matches('/')),
            disk: &NoDiskLookup,
        };
        let runners = RuleSet::new(Vec::new()).judge(line, &context).runners;
        let read = RunFileReader::new(&self.files, Some(&root), known).read_for(&runners);
        let name = |path: &str| path.strip_prefix(&format!("{root}/")).unwrap_or(path).to_owned();
        read.into_iter().map(|one| (name(&one.file.path), one.file.content)).collect()
    }

    fn names(&self, line: &str, cwd: &str) -> Vec<String> {
        self.read(line, cwd).into_iter().map(|(name, _)| name).collect()
    }
}

#[test]
fn the_files_of_the_folder_and_of_those_above_are_read() {
    let workspace = Workspace::with(&[
        ("package.json", "{}"),
        ("web/package.json", "{}"),
        ("web/vite.config.ts", ""),
        ("web/index.ts", ""),
        ("other/package.json", "{}"),
    ]);
    let names = workspace.names("npm test", "web");
    assert_eq!(names, ["package.json", "web/package.json", "web/vite.config.ts"]);
    assert_eq!(workspace.names("npm --prefix ../other test", "web").len(), 4);
    assert_eq!(workspace.names("pnpm -r test", "web").len(), 4);
    assert_eq!(workspace.names("cat web/package.json", ""), Vec::<String>::new());
}

#[test]
fn the_build_scripts_of_every_package_are_read_for_cargo() {
    let workspace = Workspace::with(&[
        ("Cargo.toml", ""),
        ("crates/a/Cargo.toml", ""),
        ("crates/a/build.rs", "a"),
        ("crates/a/src/lib.rs", ""),
        ("target/debug/build.rs", ""),
        (".cargo/config.toml", ""),
    ]);
    let expected = [".cargo/config.toml", "Cargo.toml", "crates/a/build.rs"];
    assert_eq!(workspace.names("cargo test -p a", ""), expected);
}

#[test]
fn the_files_of_tests_below_the_named_folders_are_read() {
    let workspace = Workspace::with(&[
        ("conftest.py", ""),
        ("tests/unit/conftest.py", ""),
        ("tests/unit/test_a.py", ""),
        ("other/conftest.py", ""),
    ]);
    let below = workspace.names("pytest tests", "");
    assert_eq!(below, ["conftest.py", "tests/unit/conftest.py"]);
    let one = workspace.names("pytest tests/unit/test_a.py::test_x", "");
    assert_eq!(one, ["conftest.py", "tests/unit/conftest.py"]);
    assert_eq!(workspace.names("pytest -q", "").len(), 3);
}

#[test]
fn a_file_that_an_option_names_counts_whatever_its_name() {
    let workspace = Workspace::with(&[("rules.mk", "a:"), ("Makefile", "b:")]);
    assert_eq!(workspace.names("make -f rules.mk a", ""), ["Makefile", "rules.mk"]);
}

#[test]
fn a_known_file_that_is_gone_is_absent_and_an_unknown_one_is_not_listed() {
    let workspace = Workspace::with(&[("Makefile", "a:")]);
    let root = workspace.root();
    let known = BTreeMap::from([(format!("{root}/makefile"), RunFileContent::Unreadable)]);
    let read = workspace.read_knowing("make a", "", &known);
    assert!(read.contains(&("makefile".to_owned(), RunFileContent::Absent)), "{read:?}");
    assert_eq!(read.len(), 2);
}

#[test]
fn a_folder_with_too_many_below_says_so() {
    let workspace = Workspace::with(&[("tests/a/test_a.py", "")]);
    for number in 0..=limits::MAX_SEARCHED_FOLDERS {
        fs::create_dir_all(workspace.folder.path().join(format!("tests/{number}"))).unwrap();
    }
    let read = workspace.read("pytest tests", "");
    assert_eq!(read, [("tests".to_owned(), RunFileContent::TooMany)]);
}

#[test]
fn the_time_of_a_link_is_unknown() {
    let workspace = Workspace::with(&[("real.mk", "a:")]);
    let (root, known) = (workspace.root(), BTreeMap::new());
    std::os::unix::fs::symlink("real.mk", workspace.folder.path().join("Makefile")).unwrap();
    let reader = RunFileReader::new(&workspace.files, Some(&root), &known);
    let read = reader.read_workspace();
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].file.changed_at, None);
    assert_eq!(read[0].text.as_deref(), Some("a:"));
}
