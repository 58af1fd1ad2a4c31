//! Narrowed calls: what runs is less than what was sent, and the record says so.

use crate::world::{bare, call, owner, yes};
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::change::Change;
use countersign_core::model::names::{Project, Tool};
use countersign_core::model::narrowed::{
    NarrowedCall, NarrowedPart, NarrowingKind, NarrowingSupport,
};
use countersign_core::model::words::Outcome;
use countersign_engine::{AnswerTarget, CheckResult, Engine, Memory};
use countersign_graph::Format;
use countersign_observe::{AgentIdentity, RealFileSystem};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

const GRAPH: &str = "
secrets: [we ird]
domains:
  shell: {autonomous: [], requires_approval: [run], blocked: []}
  git: {autonomous: [status], requires_approval: [commit], blocked: []}
  files: {autonomous: [search], requires_approval: [search_secret], blocked: []}
tools:
  Bash: {actions: [shell.run], command: /command}
  Grep: {actions: [files.search], target: /path}
commands:
  classes:
    files.search: [grep *, rg *]
    git.status: [git status *]
    git.commit: [git commit *]
";

const AGENT: AgentIdentity = AgentIdentity { uid: 65_533, groups: Some(Vec::new()) };

struct Workspace {
    dir: TempDir,
    engine: Engine<Memory>,
}

impl Workspace {
    fn new(kinds: Vec<NarrowingKind>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for file in ["config/.env", "config/a.txt", "src/a.rs"] {
            fs::create_dir_all(dir.path().join(file).parent().unwrap()).unwrap();
            fs::write(dir.path().join(file), "x\n").unwrap();
        }
        let engine = bare()
            .with_narrowing(kinds)
            .with_file_system(Box::new(RealFileSystem::new(AGENT, "/usr/bin:/bin")))
            .with_home(Some("/home/nobody".to_owned()));
        let graph = countersign_graph::load_graph("g.yaml", GRAPH.as_bytes(), Format::Yaml);
        engine.load_graph(graph.unwrap()).unwrap();
        Self { dir, engine }
    }

    fn draft(&self, tool: &str, args: Value) -> CallDraft {
        let folder = self.dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let action = if tool == "Bash" { "shell.run" } else { "files.search" };
        CallDraft {
            project: Some(Project::parse(&folder).unwrap()),
            cwd: Some(folder),
            tool: Some(Tool::parse(tool).unwrap()),
            args,
            narrowing: NarrowingSupport::Accepted,
            parking: Parking::Allowed,
            ..call(action)
        }
    }

    fn check(&self, line: &str) -> CheckResult {
        self.engine.check(&self.draft("Bash", json!({"command": line}))).unwrap()
    }
}

fn describe(checked: &CheckResult) -> (Outcome, Option<String>) {
    (checked.decision().outcome, checked.narrowed().map(NarrowedCall::describe))
}

#[test]
fn a_search_runs_without_the_secret_files_and_the_record_says_so() {
    let workspace = Workspace::new(NarrowingKind::ALL.to_vec());
    let checked = workspace.check("grep -rn x config | cat");
    // `cat` has no class, so the line asks; its card shows the narrower form.
    assert_eq!(describe(&checked), (Outcome::Ask, Some("--exclude=.env".to_owned())));
    let checked = workspace.check("grep -rn x config");
    assert_eq!(describe(&checked), (Outcome::Allow, Some("--exclude=.env".to_owned())));
    let expected = NarrowedCall {
        kind: NarrowingKind::SecretFiles,
        parts: vec![NarrowedPart::Words {
            command: 0,
            after: 1,
            words: vec!["--exclude=.env".to_owned()],
        }],
    };
    assert_eq!(checked.narrowed(), Some(&expected));
    let entries = workspace.engine.read_entries(0, 100).unwrap();
    let mut recorded = entries.iter().filter_map(|entry| match entry.change().unwrap().1 {
        Change::CallDecided { ruled, .. } => ruled.narrowed,
        _ => None,
    });
    assert_eq!(recorded.next_back(), Some(Box::new(expected)));
    // Nothing changes where there is no secret.
    assert_eq!(describe(&workspace.check("grep -rn x src")), (Outcome::Allow, None));
}

#[test]
fn the_digest_is_that_of_the_call_as_sent() {
    let workspace = Workspace::new(NarrowingKind::ALL.to_vec());
    let draft = workspace.draft("Bash", json!({"command": "grep -rn x config"}));
    let as_sent = CallDraft { narrowing: NarrowingSupport::None, ..draft.clone() };
    let digest = |draft: &CallDraft| {
        let id = workspace.engine.check(draft).unwrap().call().unwrap();
        workspace.engine.read_whole_state().unwrap().calls.get(&id).unwrap().call.digest
    };
    assert_eq!(digest(&draft), digest(&as_sent));
    let checked = workspace.engine.check(&as_sent).unwrap();
    assert_eq!(describe(&checked), (Outcome::Ask, None));
}

#[test]
fn a_kind_that_is_switched_off_is_not_used() {
    let workspace = Workspace::new(vec![NarrowingKind::GitPrograms]);
    assert_eq!(describe(&workspace.check("grep -rn x config")), (Outcome::Ask, None));
    assert!(workspace.check("git status").narrowed().is_some());
    let workspace = Workspace::new(vec![NarrowingKind::SecretFiles]);
    assert!(workspace.check("grep -rn x config").narrowed().is_some());
    assert_eq!(describe(&workspace.check("git status")), (Outcome::Allow, None));
}

#[test]
fn git_reads_without_configured_programs_and_writes_as_it_was_sent() {
    let workspace = Workspace::new(NarrowingKind::ALL.to_vec());
    let (outcome, added) = describe(&workspace.check("git status --short"));
    assert_eq!(outcome, Outcome::Allow);
    assert!(added.unwrap().starts_with("--no-pager -c core.fsmonitor=false"));
    for line in ["git commit -m x", "git status && git status", "cd src && git status", "ls"] {
        assert_eq!(workspace.check(line).narrowed(), None, "{line}");
    }
}

#[test]
fn a_search_by_a_tool_gets_globs() {
    let workspace = Workspace::new(NarrowingKind::ALL.to_vec());
    for (args, expected) in [
        (json!({"pattern": "x"}), Some("glob: !.env")),
        (json!({"pattern": "x", "path": "config", "glob": "*.txt"}), None),
        (json!({"pattern": "x", "glob": "*"}), Some("glob: * !.env")),
        (json!({"pattern": "x", "path": "src"}), None),
    ] {
        let checked = workspace.engine.check(&workspace.draft("Grep", args.clone())).unwrap();
        assert_eq!(describe(&checked), (Outcome::Allow, expected.map(str::to_owned)), "{args}");
    }
}

#[test]
fn what_can_no_longer_be_narrowed_asks_again() {
    let workspace = Workspace::new(NarrowingKind::ALL.to_vec());
    let checked = workspace.check("tar c config");
    assert_eq!(describe(&checked), (Outcome::Ask, Some("--exclude=.env".to_owned())));
    let call = checked.call().unwrap();
    workspace.engine.answer(AnswerTarget::Call(call), &yes()).unwrap();
    fs::write(workspace.dir.path().join("config/we ird"), "x\n").unwrap();
    let retried = workspace.engine.retry(call, &owner()).unwrap();
    assert_eq!(describe(&retried), (Outcome::Ask, None));
    fs::remove_file(workspace.dir.path().join("config/we ird")).unwrap();
    let retried = workspace.engine.retry(call, &owner()).unwrap();
    assert_eq!(describe(&retried), (Outcome::Allow, Some("--exclude=.env".to_owned())));
}
