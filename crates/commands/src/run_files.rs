//! The commands that execute what files of the project say, and which files: a closed list.
//!
//! A person who lets `npm test` pass has allowed the scripts of `package.json` as they were. The table
//! names the files for each program. What they contain is read elsewhere: nothing here looks at the
//! disk.
//!
//! See docs/decisions/0119-write-then-run.md.

use crate::loose::Word;
use crate::working_folders::FolderSet;
use crate::wrappers::base_name;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The files of one group of programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFileGroup {
    programs: Vec<Vec<&'static str>>,
    only: Vec<&'static str>,
    except: Vec<&'static str>,
    members: Vec<&'static str>,
    /// Names from the folder of the command upwards.
    pub files: Vec<&'static str>,
    /// `NAME.config.EXTENSION` for each of these names.
    pub configured: Vec<&'static str>,
    /// Names in the folders below.
    pub below: Vec<&'static str>,
    pub below_from: SearchStart,
}

/// Where the search below starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchStart {
    #[default]
    Workspace,
    /// In the folder of the command, or in those that its words name.
    Command,
}

/// A command of a line that executes what such files say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachedRunner {
    pub group: &'static RunFileGroup,
    /// Whether it reaches the packages of the workspace besides its own.
    pub reaches_below: bool,
    /// Its words behind the program.
    pub words: Vec<String>,
    /// Where it may run. Empty if nobody knows.
    pub folders: Vec<String>,
}

/// What stands behind `NAME.config.`.
pub const CONFIG_EXTENSIONS: &[&str] = &["js", "cjs", "mjs", "ts", "cts", "mts", "json"];

/// Options whose value is such a file, whatever its name.
const FILE_OPTIONS: &[&str] = &[
    "-f",
    "-c",
    "--file",
    "--makefile",
    "--justfile",
    "--taskfile",
    "--config",
    "--config-file",
    "--rcfile",
    "--build-file",
    "--settings-file",
    "--noxfile",
    "--conf",
];

static GROUPS: LazyLock<Vec<RunFileGroup>> =
    LazyLock::new(|| read_groups(include_str!("run_files/table.txt")));

/// The groups by the first word of their programs.
static BY_PROGRAM: LazyLock<HashMap<&'static str, Vec<&'static RunFileGroup>>> =
    LazyLock::new(|| {
        let mut index: HashMap<&'static str, Vec<&'static RunFileGroup>> = HashMap::new();
        for group in GROUPS.iter() {
            for first in group.programs.iter().filter_map(|words| words.first()) {
                let known = index.entry(first).or_default();
                if !known.iter().any(|one| std::ptr::eq(*one, group)) {
                    known.push(group);
                }
            }
        }
        index
    });

/// Every group, so that a session can look at all files when it is opened.
pub fn list_run_file_groups() -> &'static [RunFileGroup] {
    &GROUPS
}

/// What cannot be read is left out; a test counts the lines.
fn read_groups(text: &'static str) -> Vec<RunFileGroup> {
    let mut groups: Vec<RunFileGroup> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            groups.push(RunFileGroup::default());
            continue;
        }
        let (Some(group), Some((key, values))) = (groups.last_mut(), line.split_once(' ')) else {
            continue;
        };
        let phrases = || values.split(", ");
        match key {
            "programs" => {
                group.programs = phrases().map(|name| name.split(' ').collect()).collect();
            }
            "only" => group.only = phrases().collect(),
            "except" => group.except = phrases().collect(),
            "members" => group.members = phrases().collect(),
            "files" => group.files = values.split(' ').collect(),
            "config" => group.configured = values.split(' ').collect(),
            "below" => {
                let here = values.strip_prefix("here ");
                group.below_from = match here {
                    Some(_) => SearchStart::Command,
                    None => SearchStart::Workspace,
                };
                group.below = here.unwrap_or(values).split(' ').collect();
            }
            _ => {}
        }
    }
    groups
}

impl RunFileGroup {
    fn takes(&self, words: &[&str]) -> bool {
        let is_program = |program: &Vec<&'static str>| {
            words.len() >= program.len() && words.iter().zip(program).all(|(word, own)| word == own)
        };
        let second = words.get(1).copied().unwrap_or_default();
        let is_listed = self.only.is_empty() || words.iter().any(|word| self.only.contains(word));
        self.programs.iter().any(is_program) && is_listed && !self.except.contains(&second)
    }

    /// Whether a command reaches what lies below.
    fn reaches_below(&self, words: &[&str]) -> bool {
        let asks = |word: &&str| {
            let name = word.split('=').next().unwrap_or(word);
            self.members.contains(&name)
        };
        !self.below.is_empty() && (self.members.is_empty() || words.iter().any(asks))
    }
}

/// The groups of files that a command reads, which any reading of a line could reach.
pub(crate) fn find_runners(words: &[Word], folders: &FolderSet) -> Vec<ReachedRunner> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = base_name(&program.text);
    let Some(groups) = BY_PROGRAM.get(name) else { return Vec::new() };
    let toolchain = |word: &&Word| !(word.text.starts_with('+') && name == "cargo");
    let rest: Vec<&str> = rest.iter().filter(toolchain).map(|word| word.text.as_str()).collect();
    let all: Vec<&str> = std::iter::once(name).chain(rest.iter().copied()).collect();
    let taken = groups.iter().filter(|group| group.takes(&all));
    let reached = taken.map(|group| ReachedRunner {
        group,
        reaches_below: group.reaches_below(&all),
        words: rest.iter().map(|&word| word.to_owned()).collect(),
        folders: folders.known.clone(),
    });
    reached.collect()
}

/// The words that may name a folder or a file, and those that name a file of the table by themselves.
pub struct RunnerPaths<'a> {
    pub named: Vec<&'a str>,
    pub files: Vec<&'a str>,
}

impl ReachedRunner {
    pub fn list_paths(&self) -> RunnerPaths<'_> {
        let (mut named, mut files) = (Vec::new(), Vec::new());
        let mut before = "";
        for word in &self.words {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) if option.starts_with('-') => (option, value),
                _ => (before, word.as_str()),
            };
            if FILE_OPTIONS.contains(&option) {
                files.push(value);
            } else if !value.starts_with('-') && !value.is_empty() {
                named.push(value);
            }
            before = word;
        }
        RunnerPaths { named, files }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CommandContext, NoDiskLookup, RuleSet};

    fn list_files(line: &str) -> Vec<Vec<&'static str>> {
        let context =
            CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };
        let judged = RuleSet::new(Vec::new()).judge(line, &context);
        judged.runners.iter().map(|runner| runner.group.files.clone()).collect()
    }

    fn reads(line: &str, file: &str) -> bool {
        list_files(line).iter().any(|files| files.contains(&file))
    }

    #[test]
    fn every_group_has_programs_and_files_and_no_line_of_the_table_is_left_out() {
        let keys = ["programs", "only", "except", "members", "files", "config", "below"];
        let text = include_str!("run_files/table.txt");
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '['])) {
            let key = line.split(' ').next().unwrap_or_default();
            assert!(keys.contains(&key), "{line}");
        }
        assert_eq!(GROUPS.len(), text.lines().filter(|line| line.starts_with('[')).count());
        assert!(GROUPS.iter().all(|group| !group.programs.is_empty() && !group.files.is_empty()));
        let mut programs = GROUPS.iter().flat_map(|group| &group.programs).flatten();
        assert!(programs.all(|word| !word.contains('/')));
    }

    #[test]
    fn a_command_is_found_behind_wrappers_shells_and_runners() {
        for line in [
            "npm test",
            "timeout 60 npm test",
            "cd web && npm run build 2>&1 | tail -5",
            "bash -c 'npm test'",
            "CI=1 npm test",
            "npx eslint .",
            "if true; then pnpm -r test; fi",
            "echo $(npm test)",
        ] {
            assert!(reads(line, "package.json"), "{line}");
        }
        assert!(reads("uv run pytest -q", "conftest.py"));
        assert!(reads("python3 -m pytest tests", "conftest.py"));
        assert!(reads("cargo +nightly test", "build.rs"));
        assert!(reads("make -C sub all", "Makefile"));
        assert!(reads("just ci", "justfile"));
        assert!(reads("/usr/bin/make", "Makefile"));
        assert!(reads("./gradlew test", "build.gradle"));
        assert!(reads("./configure --prefix=/x", "configure.ac"));
        assert!(reads("go generate ./...", "go.mod"));
    }

    #[test]
    fn what_only_looks_reads_no_such_file() {
        for line in
            ["npm ls", "npm view left-pad", "cargo tree", "cargo fmt", "ls", "git status", "cat x"]
        {
            assert_eq!(list_files(line), Vec::<Vec<&str>>::new(), "{line}");
        }
    }

    #[test]
    fn words_that_name_a_file_of_the_table_are_told_apart() {
        let words = ["-f", "build.mk", "--config=x.js", "tests/a.py", "-q", "--root=sub"];
        let runner = ReachedRunner {
            group: &GROUPS[0],
            reaches_below: false,
            words: words.map(str::to_owned).to_vec(),
            folders: Vec::new(),
        };
        let RunnerPaths { named, files } = runner.list_paths();
        assert_eq!(files, ["build.mk", "x.js"]);
        assert_eq!(named, ["tests/a.py", "sub"]);
    }
}
