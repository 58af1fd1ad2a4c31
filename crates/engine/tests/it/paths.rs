//! Every spelling of a path leads to the same file: our own files are out of reach by all of them.

use crate::world::{bare, call, owner};
use countersign_core::model::call::CallDraft;
use countersign_core::model::names::{Project, Tool};
use countersign_core::model::open_questions::QuestionLimits;
use countersign_core::model::words::{Outcome, Reason};
use countersign_engine::{Engine, Memory};
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, load_graph_with_policies};
use countersign_observe::{AgentIdentity, RealFileSystem};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

const GRAPH: &str = "
rules: policies
domains:
  files: {autonomous: [read, write], requires_approval: [delete], blocked: []}
  shell: {autonomous: [run], requires_approval: [], blocked: []}
tools:
  Read: {actions: [files.read], target: /file_path}
  Write: {actions: [files.write], target: /file_path}
";

const POLICIES: &str = r#"
@id("scratch") permit(principal, action == Action::"files.delete", resource)
when { context.facts.under.contains("./tmp") };
"#;

const AGENT: AgentIdentity = AgentIdentity { uid: 65_533, groups: Some(Vec::new()) };

const ALLOWED: (Outcome, Reason) = (Outcome::Allow, Reason::Autonomous);
const PROTECTED: (Outcome, Reason) = (Outcome::Deny, Reason::SelfProtection);
const UNRESOLVED: (Outcome, Reason) = (Outcome::Ask, Reason::UnresolvedPath);

/// A home folder with a workspace `w` and our own folder `share/ours`.
struct Home {
    _dir: TempDir,
    root: String,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let home = Self { _dir: dir, root };
        for folder in ["w/src", "w/tmp", "share/ours/keys", "config"] {
            fs::create_dir_all(home.path(folder)).unwrap();
        }
        for file in ["w/README", "share/ours/token", "share/ours/keys/one", "config/rules.yaml"] {
            fs::write(home.path(file), file).unwrap();
        }
        home
    }

    fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.root)
    }

    fn link(&self, at: &str, to: &str) {
        symlink(to, self.path(at)).unwrap();
    }

    fn engine(&self) -> Engine<Memory> {
        let own = vec![self.path("share/ours"), self.path("config/rules.yaml")];
        let room = QuestionLimits { per_session: 100, per_agent: 100, in_all: 100 };
        let engine = bare()
            .with_question_limits(room)
            .with_protected_paths(own)
            .with_file_system(Box::new(RealFileSystem::new(AGENT, "/usr/bin:/bin")))
            .with_home(Some(self.root.clone()));
        let files = |_: &str| {
            let (name, display_path) = ("p.cedar".into(), "p.cedar".into());
            Ok(vec![PolicyFile { name, display_path, bytes: POLICIES.into() }])
        };
        let graph = load_graph_with_policies("g.yaml", GRAPH.as_bytes(), Format::Yaml, &files);
        engine.load_graph(graph.unwrap()).unwrap();
        engine
    }

    /// A call of a tool from the workspace.
    fn draft(&self, tool: &str, target: &str) -> CallDraft {
        let action = if tool == "Read" { "files.read" } else { "files.write" };
        CallDraft {
            project: Some(Project::parse(&self.path("w")).unwrap()),
            cwd: Some(self.path("w")),
            tool: Some(Tool::parse(tool).unwrap()),
            args: json!({"file_path": target}),
            ..call(action)
        }
    }

    /// The target is decided the same way for reading and writing.
    fn check_target(&self, engine: &Engine<Memory>, target: &str, expected: (Outcome, Reason)) {
        for tool in ["Read", "Write"] {
            assert_eq!(decide(engine, &self.draft(tool, target)), expected, "{tool} {target:?}");
        }
    }

    /// Every spelling that leads to the file `share/ours/token` from the workspace.
    fn spellings(&self) -> Vec<String> {
        self.link("w/token", "../share/ours/token");
        self.link("w/folder", "../share");
        self.link("w/out", &self.path("share/ours"));
        let root = &self.root;
        let from_root = root.strip_prefix('/').unwrap();
        let up = "../".repeat(root.split('/').count());
        vec![
            format!("{root}/share/ours/token"),
            format!("{root}/share//ours///token"),
            format!("/{root}/share/ours/token"),
            format!("{root}/share/./ours/./token"),
            format!("{root}/w/../share/ours/token"),
            format!("{root}/w/missing/../../share/ours/token"),
            format!("{root}/w/out/../ours/token"),
            format!("{root}/share/ours/new"),
            format!("{root}/share/ours/keys/../token"),
            format!("{root}/share/ours"),
            format!("{root}/share/ours/"),
            "~/share/ours/token".to_owned(),
            "~/w/../share/ours/token".to_owned(),
            "../share/ours/token".to_owned(),
            "./src/../../share/ours/token".to_owned(),
            format!("{up}{from_root}/share/ours/token"),
            "token".to_owned(),
            "folder/ours/token".to_owned(),
            "out/token".to_owned(),
            "out/new/file".to_owned(),
            format!("file://{root}/share/ours/token"),
            format!("file:{root}/share/our%73/token"),
            format!("/proc/self/root{root}/share/ours/token"),
            format!("/proc/thread-self/root/{root}/share/ours/token"),
            format!("/proc/self/./root//proc/self/root{root}/share/ours/token"),
            format!("/proc/1/root{root}/share/ours/token"),
            format!("/proc/self/task/1/root{root}/share/ours/token"),
        ]
    }
}

fn decide(engine: &Engine<Memory>, draft: &CallDraft) -> (Outcome, Reason) {
    let checked = engine.check(draft).unwrap();
    (checked.decision().outcome, checked.decision().reason)
}

#[test]
fn a_target_that_leads_to_our_files_by_any_spelling_is_denied() {
    let home = Home::new();
    let spellings = home.spellings();
    let engine = home.engine();
    for target in spellings {
        home.check_target(&engine, &target, PROTECTED);
    }
}

#[test]
fn a_target_beside_our_files_is_decided_by_its_action() {
    let home = Home::new();
    home.link("w/readme", "README");
    let engine = home.engine();
    for target in [
        "README",
        "readme",
        "src/new.rs",
        "./src/../README",
        "ours/token",
        "feature/a",
        "ann@example.com",
        "a:b",
    ] {
        home.check_target(&engine, target, ALLOWED);
    }
    // Outside of the workspace every target asks, also one that is not ours.
    for target in ["~/share/ours.old", "~/share/our", "/proc/self/root/etc/hostname"] {
        home.check_target(&engine, target, (Outcome::Ask, Reason::NoGrant));
    }
    // What takes a folder away takes our files along.
    let denied = (Outcome::Deny, Reason::SelfProtection);
    assert_eq!(decide(&engine, &home.draft("Write", "~/share")), denied);
}

#[test]
fn a_command_that_leads_to_our_files_by_any_spelling_is_denied() {
    let home = Home::new();
    let spellings = home.spellings();
    let engine = home.engine();
    for target in spellings {
        for line in [format!("cat {target}"), format!("echo x > {target}")] {
            let draft = CallDraft {
                tool: None,
                args: json!({}),
                command: Some(countersign_commands::analyse(&line, Some(&home.path("w")))),
                ..home.draft("Read", "")
            };
            let draft = CallDraft { actions: call("shell.run").actions, ..draft };
            assert_eq!(decide(&engine, &draft), PROTECTED, "{line}");
        }
    }
}

#[test]
fn a_hard_link_to_one_of_our_files_is_that_file() {
    let home = Home::new();
    fs::hard_link(home.path("share/ours/keys/one"), home.path("w/innocent")).unwrap();
    fs::hard_link(home.path("config/rules.yaml"), home.path("w/rules")).unwrap();
    fs::hard_link(home.path("w/README"), home.path("w/again")).unwrap();
    let engine = home.engine();
    for (target, expected) in [("innocent", PROTECTED), ("rules", PROTECTED), ("again", ALLOWED)] {
        home.check_target(&engine, target, expected);
    }
    let line = countersign_commands::analyse("cat innocent", Some(&home.path("w")));
    let draft =
        CallDraft { tool: None, args: json!({}), command: Some(line), ..home.draft("Read", "") };
    let draft = CallDraft { actions: call("shell.run").actions, ..draft };
    assert_eq!(decide(&engine, &draft), PROTECTED);
}

#[test]
fn a_target_that_cannot_be_followed_asks_or_is_denied_if_it_names_our_folder() {
    let home = Home::new();
    home.link("share/ours/loop", "loop");
    home.link("w/loop", "loop");
    home.link("w/process", "/proc/self/cwd/README");
    let engine = home.engine();
    for target in [
        "loop".to_owned(),
        "loop/x".to_owned(),
        "README/x".to_owned(),
        "a\0b".to_owned(),
        "~somebody/x".to_owned(),
        "process".to_owned(),
        "/proc/self/cwd/README".to_owned(),
        "/proc/1/root/etc/hostname".to_owned(),
        "/proc/self/fd/3".to_owned(),
        format!("/{}", "x".repeat(300)),
        "file://host/x".to_owned(),
        format!("{}x", "a/".repeat(3000)),
    ] {
        home.check_target(&engine, &target, UNRESOLVED);
    }
    for target in ["~/share/ours/loop", "~/share/./ours/loop/x", "../share/ours/a\0b"] {
        home.check_target(&engine, target, PROTECTED);
    }
}

#[test]
fn in_an_unknown_folder_a_name_that_could_be_one_of_our_files_is_denied() {
    let home = Home::new();
    let engine = home.engine();
    let check = |target: &str, expected| {
        let draft = CallDraft { cwd: None, project: None, ..home.draft("Read", target) };
        assert_eq!(decide(&engine, &draft), expected, "{target}");
    };
    for target in ["token", "./token", "ours/token", "../ours/token", "../../share/ours/keys/one"] {
        check(target, PROTECTED);
    }
    for target in ["README", "ann@example.com", "+15550100", "main", "src/lib.rs"] {
        check(target, ALLOWED);
    }
    check(&home.path("share/./ours/token"), PROTECTED);
}

#[test]
fn a_link_of_our_own_leads_to_our_files_too() {
    let home = Home::new();
    home.link("current", "share");
    let own = vec![home.path("current/ours"), home.path("current/socket")];
    let engine = home.engine().with_protected_paths(own);
    for target in ["~/share/ours/token", "~/current/ours/token", "~/share/socket"] {
        home.check_target(&engine, target, PROTECTED);
    }
}

#[test]
fn a_policy_permits_a_folder_only_if_every_reading_of_the_path_is_in_it() {
    let home = Home::new();
    fs::create_dir_all(home.path("w/tmp/deep/er")).unwrap();
    home.link("w/in", "tmp/deep/er");
    home.link("w/tmp/out", "../src");
    let engine = home.engine();
    for (target, is_inside) in [
        ("tmp/x", true),
        ("./tmp//x", true),
        ("tmp/deep/../x", true),
        ("~/w/tmp/x", true),
        ("tmp/out/x", false),
        ("tmp/../src/x", false),
        // The kernel removes `x` below `tmp`, a program that shortens the text removes another.
        ("in/../x", false),
        ("tmp/missing/../x", false),
    ] {
        let draft = CallDraft {
            tool: None,
            args: json!({}),
            target: vec![target.to_owned()],
            ..home.draft("Read", "")
        };
        let draft = CallDraft { actions: call("files.delete").actions, ..draft };
        assert_eq!(decide(&engine, &draft) == ALLOWED, is_inside, "{target}");
    }
}

#[test]
fn a_parked_call_is_resolved_again_and_the_ledger_replays_without_the_disk() {
    let home = Home::new();
    fs::write(home.path("w/note"), "").unwrap();
    let engine = home.engine();
    let draft = CallDraft {
        tool: None,
        args: json!({}),
        target: vec!["note".to_owned()],
        ..home.draft("Read", "")
    };
    let draft = CallDraft { actions: call("files.delete").actions, ..draft };
    let checked = engine.check(&draft).unwrap();
    fs::remove_file(home.path("w/note")).unwrap();
    home.link("w/note", "../share/ours/token");
    let retried = engine.retry(checked.call().unwrap(), &owner()).unwrap();
    let decision = retried.decision();
    assert_eq!((decision.outcome, decision.reason), PROTECTED);
    fs::remove_file(home.path("w/note")).unwrap();
    let report = engine.replay().unwrap();
    assert!(report.is_consistent() && report.not_replayable.is_empty(), "{report:?}");
}
