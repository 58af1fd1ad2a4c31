//! Lines on a real disk: what a rule covers, and the attacks that each restriction stops.

mod below;
mod named_folders;
mod narrowing;
mod patterns;
mod remotes;
mod tasks;
mod tools;
mod written_paths;

use super::*;
use crate::{
    AgentIdentity, FakeFileSystem, FileIdentity, FileStamp, FolderEntry, LookupError,
    ProgramIdentity, RealFileSystem,
};
use countersign_commands::{CommandVerdict, LineJudgement, RuleSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// Counts its lookups.
struct CountingFileSystem(AtomicUsize);

impl FileSystem for CountingFileSystem {
    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        FakeFileSystem::without_links().resolve_path(path, cwd)
    }

    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        FakeFileSystem::without_links().find_program(name, cwd)
    }
}

#[test]
fn beyond_the_limit_of_lookups_only_names_count() {
    let files = CountingFileSystem(AtomicUsize::new(0));
    let lookup = CommandLookup::new(&files, (Some("/w"), None), None);
    let rules = RuleSet::parse("deny path /w/x").unwrap();
    let words: Vec<String> = (0..limits::MAX_LOOKUPS * 2).map(|n| format!("a{n}")).collect();
    let many = words.join(" ");
    let judge = |line: &str| rules.judge(line, &lookup.context()).verdict;
    assert!(matches!(
        judge(&format!("ls {many}")),
        CommandVerdict::Deny { .. } | CommandVerdict::Ask { .. }
    ));
    assert!(matches!(judge("ls elsewhere/x"), CommandVerdict::Deny { .. }));
    // One lookup of them resolved the workspace.
    assert_eq!(files.0.load(Ordering::SeqCst), limits::MAX_LOOKUPS);
}

const NOBODY: AgentIdentity = AgentIdentity { uid: 65_533, groups: Some(Vec::new()) };

const RULES: &str = "allow cat *; allow ls *; allow head *; allow grep *; allow wc *; allow echo *; \
     allow git commit *; allow git status; allow git add *; allow cargo build; allow cargo test; \
     allow ln -s / x; allow touch build.rs; allow npm run test; allow cargo fmt; allow pwd; \
     allow psql; allow xargs cat; allow timeout 5 rm x; allow python3 *; allow cat notes.txt; \
     allow sort *; allow cat <path:ws>";

/// The real disk, on which every program is installed.
struct EveryProgram(RealFileSystem);

impl FileSystem for EveryProgram {
    fn list_entries(&self, folder: &RealPath) -> Result<Vec<FolderEntry>, LookupError> {
        self.0.list_entries(folder)
    }

    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        self.0.resolve_path(path, cwd)
    }

    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError> {
        match name.contains("/node_modules/") {
            true => self.0.find_program(name, cwd),
            false => FakeFileSystem::without_links().find_program(name, cwd),
        }
    }

    fn read_identity(&self, path: &str) -> Result<Option<FileIdentity>, LookupError> {
        self.0.read_identity(path)
    }

    fn list_folder(&self, folder: &RealPath) -> Result<Vec<String>, LookupError> {
        self.0.list_folder(folder)
    }

    fn read_stamp(&self, path: &str) -> Result<Option<FileStamp>, LookupError> {
        self.0.read_stamp(path)
    }

    fn read_file(&self, path: &str, max_bytes: u64) -> Result<Vec<u8>, LookupError> {
        self.0.read_file(path, max_bytes)
    }

    fn agent_user(&self) -> Option<u32> {
        self.0.agent_user()
    }
}

/// A workspace `w` with links out of it, and a file beside it.
struct Workspace {
    _dir: TempDir,
    root: String,
}

impl Workspace {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let workspace = Self { _dir: dir, root };
        for folder in ["w/src/deep", "w/links", "w/dashes", "out", "w/a/w"] {
            fs::create_dir_all(workspace.path(folder)).unwrap();
        }
        for file in
            ["w/src/a.rs", "w/src/b.rs", "w/notes.txt", "w/dashes/-rf", "w/dashes/x", "out/x"]
        {
            fs::write(workspace.path(file), "").unwrap();
        }
        for (at, to) in [
            ("w/links/out", "../../out"),
            ("w/links/file.rs", "../../out/x"),
            ("w/src/up", "../a/w"),
            ("w/outlink", "../out"),
        ] {
            symlink(to, workspace.path(at)).unwrap();
        }
        workspace
    }

    fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.root)
    }

    fn judge(&self, line: &str) -> LineJudgement {
        let line = line.replace("ROOT", &self.root);
        let files = EveryProgram(RealFileSystem::new(NOBODY, ""));
        let (workspace, cwd) = (self.path("w"), self.path("w"));
        let lookup = CommandLookup::new(&files, (Some(&workspace), Some(&cwd)), Some("/nohome"));
        let variables = ["LANG", "PATH", "CDPATH", "MODE"].map(str::to_owned);
        let rules = RuleSet::parse(RULES).unwrap().with_variables(&variables);
        rules.judge(&line, &lookup.context())
    }

    fn check_matches(&self, lines: &[&str]) {
        for line in lines {
            let judgement = self.judge(line);
            let is_match = matches!(judgement.verdict, CommandVerdict::Match { .. });
            assert!(is_match, "{line:?}: {:?}", judgement.verdict);
        }
    }

    fn check_asks(&self, lines: &[&str]) {
        for line in lines {
            let judgement = self.judge(line);
            let is_ask = matches!(judgement.verdict, CommandVerdict::Ask { .. });
            assert!(is_ask, "{line:?}: {:?}", judgement.verdict);
        }
    }
}

#[test]
fn operands_of_an_open_rule_are_inside_the_workspace() {
    let workspace = Workspace::new();
    workspace.check_matches(&[
        "cat src/a.rs",
        "cat ROOT/w/src/a.rs",
        "grep -rn ../out src",
        "grep -e /etc/passwd src",
        "echo /etc/passwd ../x",
        "head -n 5 notes.txt src/../notes.txt",
        "ls",
    ]);
    workspace.check_asks(&[
        "cat /etc/passwd",
        "cat ../out/x",
        "cat links/out/x",
        "cat links/file.rs",
        "grep x /etc/passwd",
        "grep -e x src /etc/passwd",
        "grep -R x src",
        "grep -- x /etc/passwd",
        "ls outlink",
        "cat 'src/a.rs' '~/x'",
    ]);
}

#[test]
fn a_here_document_is_data_only_for_a_command_whose_table_says_so() {
    let workspace = Workspace::new();
    workspace.check_matches(&[
        "cat <<'EOF'\n$(id) `id` it's\nEOF",
        "cat <<'EOF' | wc -l\n; id\nEOF",
        "git commit -m \"$(cat <<'EOF'\nthe engine's `fix`\nEOF\n)\"",
        "cat <<'EOF'\nEOF \nEOF",
    ]);
    workspace.check_asks(&[
        "psql <<'EOF'\n\\! id\nEOF",
        "npm run test <<'EOF'\nx\nEOF",
        "python3 <<'EOF'\nimport os\nEOF",
        "cat <<EOF\n$(id)\nEOF",
        // The delimiter with a blank behind it does not end the document in a shell.
        "cat <<'EOF'\nx\nEOF \necho y",
        "cat <<'EOF '\nx\nEOF\nid\nEOF ",
        "cat <<'EOF'\nx\nEOF\nid",
        "git commit -m \"$(cat <<'EOF'\nx\nEOF\nid)\"",
        "git commit -m \"$(cat <<'EOF'; id\nx\nEOF\n)\"",
        "cd src <<'EOF'\nx\nEOF",
    ]);
}

#[test]
fn a_folder_change_stays_inside_and_is_followed() {
    let workspace = Workspace::new();
    workspace.check_matches(&[
        "cd src && cat a.rs",
        "cd src && cat ../notes.txt",
        "cd src && cd deep && cat ../a.rs",
        "cd src && cd deep && cd .. && cat a.rs",
        "cd ROOT/w/src && cat a.rs | wc -l",
        "cd src; cat a.rs",
        "cd src\nls deep",
        "cd src && cat a.rs && git status",
        "cd src && cat up/x",
    ]);
    workspace.check_asks(&[
        "cd src",
        "cd / && ls",
        "cd .. && ls",
        "cd /tmp && ls",
        "cd missing && ls",
        "cd notes.txt && ls",
        "cd links/out && ls",
        "cd outlink && cat x",
        "cd a; cat ../../x",
        "cd a\ncat ../../x",
        "cd a || cat ../../x",
        "cd a && ls; cat ../../x",
        // From the first folder this path is outside.
        "cd src; cat ../notes.txt",
        "cd src && cat ../../out/x",
        "cd src | cat a.rs",
        "ls | cd src && cat a.rs",
        "cd src & cat a.rs",
        "cd - && ls",
        "cd && ls",
        "cd ~ && ls",
        "cd -P src && ls",
        "cd src deep && ls",
        "cd \"$X\" && ls",
        "cd s* && ls",
        "CDPATH=/ cd etc && cat passwd",
        "MODE=1 cd src && ls",
        "cd src > x && ls",
        // By the link `up` the shell and the kernel go to different folders.
        "cd src/up && cd .. && cat a.rs",
        "cd src/up/.. && ls",
        // The rule names the file in the first folder.
        "cd links && cat file.rs",
    ]);
    let judgement = workspace.judge("cd src && cat a.rs; ls");
    let folders: Vec<_> =
        judgement.segments.iter().map(|segment| segment.folders.clone()).collect();
    let (first, src) = (workspace.path("w"), workspace.path("w/src"));
    assert_eq!(folders, [vec![first.clone()], vec![src.clone()], vec![src, first]]);
}
