//! What counts as inside on a real disk: worktrees of one repository, caches and scratch folders; and
//! how far a yes to a read outside reaches.

use crate::world::{bare, call, counting_on, owner, session, yes};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::CallDraft;
use countersign_core::model::grant::{Coverage, Owner};
use countersign_core::model::names::{Agent, Project, SessionKey, Tool};
use countersign_core::model::request::{Answer, AnswerChoices};
use countersign_core::model::words::{Choice, Covers, Outcome, Reason, Surface};
use countersign_engine::{AnswerTarget, CheckResult, Engine, Memory, SessionOwner, Store};
use countersign_graph::{Format, load_graph};
use countersign_observe::{AgentIdentity, RealFileSystem};
use serde_json::json;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use tempfile::TempDir;

const GRAPH: &str = "
domains:
  shell: {autonomous: [], requires_approval: [run], blocked: [], actions: {run: {risk: high}}}
  files:
    autonomous: [read, edit]
    requires_approval: [read_outside_workspace, edit_outside_workspace]
    blocked: []
    actions:
      read: {risk: read_only, categories: [filesystem_read]}
      edit: {risk: low, categories: [filesystem_write]}
      read_outside_workspace: {risk: moderate, categories: [filesystem_read]}
      edit_outside_workspace: {risk: high, categories: [filesystem_write]}
  git:
    autonomous: [log]
    requires_approval: []
    blocked: []
    actions: {log: {risk: read_only}}
tools:
  Bash: {actions: [shell.run], command: /command}
  Read: {actions: [files.read], target: /file_path}
  Write: {actions: [files.edit], target: /file_path}
commands:
  classes: {files.read: [cat *], git.log: [git log *]}
";

const ASKS: (Outcome, Reason) = (Outcome::Ask, Reason::NoGrant);
const PASSES: (Outcome, Reason) = (Outcome::Allow, Reason::Autonomous);
const GRANTED: (Outcome, Reason) = (Outcome::Allow, Reason::Granted);

/// A repository `main` with a linked worktree `linked`, another repository `other`, and a home.
struct Machine {
    dir: TempDir,
    root: String,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let machine = Self { dir, root };
        for folder in ["main/src", "linked/src", "other/a/b", "home/.cargo/registry/src/x", "plain"]
        {
            fs::create_dir_all(machine.path(folder)).unwrap();
        }
        for repository in ["main", "other"] {
            for folder in ["objects", "refs"] {
                fs::create_dir_all(machine.path(&format!("{repository}/.git/{folder}"))).unwrap();
            }
            machine.write(&format!("{repository}/.git/HEAD"), "ref: refs/heads/main\n");
            machine.write(&format!("{repository}/.git/config"), "");
        }
        machine.link_worktree("linked");
        machine
    }

    fn link_worktree(&self, name: &str) {
        let data = format!("main/.git/worktrees/{name}");
        fs::create_dir_all(self.path(&data)).unwrap();
        fs::create_dir_all(self.path(&format!("{name}/src"))).unwrap();
        self.write(&format!("{name}/.git"), &format!("gitdir: {}\n", self.path(&data)));
        self.write(&format!("{data}/commondir"), "../..\n");
        self.write(&format!("{data}/HEAD"), "ref: refs/heads/linked\n");
        self.write(&format!("{data}/gitdir"), &format!("{}/.git\n", self.path(name)));
    }

    fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.root)
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    fn place<S: Store>(&self, engine: Engine<S>) -> Engine<S> {
        let uid = fs::metadata(&self.root).unwrap().uid();
        let agent = AgentIdentity { uid, groups: Some(Vec::new()) };
        let engine = engine
            .with_file_system(Box::new(RealFileSystem::new(agent, "/usr/bin:/bin")))
            .with_home(Some(self.path("home")));
        engine.set_surface(Surface::Reachable).unwrap();
        let graph = load_graph("g.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap();
        engine.load_graph(graph).unwrap();
        engine
    }

    fn engine(&self) -> Engine<Memory> {
        self.place(bare())
    }

    /// A call in a session that works in a folder.
    fn in_session(&self, name: &str, folder: &str, tool: &str, argument: &str) -> CallDraft {
        let key = match tool {
            "Bash" => "command",
            _ => "file_path",
        };
        let action = match tool {
            "Bash" => "shell.run",
            "Read" => "files.read",
            _ => "files.edit",
        };
        CallDraft {
            session: SessionKey::parse(&format!("agent-1 {name}")).unwrap(),
            project: Some(Project::parse(&self.path(folder)).unwrap()),
            cwd: Some(self.path(folder)),
            tool: Some(Tool::parse(tool).unwrap()),
            args: json!({key: argument}),
            ..call(action)
        }
    }

    fn draft(&self, tool: &str, argument: &str) -> CallDraft {
        self.in_session("s1", "main", tool, argument)
    }

    fn read(&self, target: &str) -> CallDraft {
        self.draft("Read", &self.path(target))
    }
}

fn decide<S: Store>(engine: &Engine<S>, draft: &CallDraft) -> (Outcome, Reason) {
    let checked = engine.check(draft).unwrap();
    (checked.decision().outcome, checked.decision().reason)
}

fn answer<S: Store>(engine: &Engine<S>, draft: &CallDraft, choice: Choice, covers: Option<Covers>) {
    let asked = engine.check(draft).unwrap();
    let CheckResult::Pending { call, .. } = asked else { panic!("{asked:?}") };
    let say = AnswerChoices::One(choice);
    let answer = Answer { say, covers, proof: AnswerProof::SecondYes, ..yes() };
    engine.answer(AnswerTarget::Call(call), &answer).unwrap();
    let owner = SessionOwner::from_key(draft.session.clone());
    let redeemed = engine.retry(call, &owner).unwrap();
    assert!(matches!(redeemed, CheckResult::Allowed { .. }), "{redeemed:?}");
}

#[test]
fn other_worktrees_and_caches_are_inside_for_reading_only() {
    let machine = Machine::new();
    let engine = machine.engine();
    let cached = "home/.cargo/registry/src/x/lib.rs";
    for target in ["main/a", "linked/src/a", "main/.git/HEAD", cached] {
        assert_eq!(decide(&engine, &machine.read(target)), PASSES, "{target}");
        let line = format!("cat {}", machine.path(target));
        assert_eq!(decide(&engine, &machine.draft("Bash", &line)), PASSES, "{line}");
    }
    for target in ["linked/a", cached] {
        assert_eq!(decide(&engine, &machine.draft("Write", &machine.path(target))), ASKS);
    }
    // A secret in a cache, a link out of it, a repository in a worktree, another repository.
    symlink(machine.path("other"), machine.path("home/.cargo/registry/src/out")).unwrap();
    fs::create_dir_all(machine.path("linked/nested/.git")).unwrap();
    for target in [
        "home/.cargo/registry/src/x/.env",
        "home/.cargo/registry/src/out/a/x",
        "linked/nested/a",
        "linked/.env",
        "other/a/x",
        "plain/x",
    ] {
        assert_eq!(decide(&engine, &machine.read(target)), ASKS, "{target}");
    }
}

#[test]
fn a_folder_that_only_claims_to_be_a_worktree_is_outside() {
    let machine = Machine::new();
    machine
        .write("plain/.git", &format!("gitdir: {}\n", machine.path("main/.git/worktrees/linked")));
    let engine = machine.engine();
    assert_eq!(decide(&engine, &machine.read("plain/a")), ASKS);
    // Nor does a session there share the grants of the repository.
    let edit = |session: &str, folder: &str| {
        machine.in_session(session, folder, "Write", &machine.path("other/a/x"))
    };
    answer(&engine, &edit("s2", "main"), Choice::Project, None);
    assert_eq!(decide(&engine, &edit("s3", "linked")), GRANTED);
    assert_eq!(decide(&engine, &edit("s4", "main/src")), GRANTED);
    assert_eq!(decide(&engine, &edit("s5", "plain")), ASKS);
    assert_eq!(decide(&engine, &edit("s6", "other/a")), PASSES, "it is its own folder");
}

#[test]
fn the_worktrees_of_a_repository_share_the_grants_of_its_project() {
    let machine = Machine::new();
    machine.link_worktree("third");
    let engine = machine.engine();
    let run = |session: &str, folder: &str| {
        let mut draft = machine.in_session(session, folder, "Bash", "./frob now");
        draft.cwd = Some(machine.path(&format!("{folder}/src")));
        draft
    };
    answer(&engine, &run("s1", "linked"), Choice::Project, Some(Covers::Command));
    for folder in ["linked", "third", "main"] {
        assert_eq!(decide(&engine, &run(&format!("in-{folder}"), folder)), GRANTED, "{folder}");
    }
    // The same command in another folder of the worktree.
    let mut elsewhere = run("s9", "third");
    elsewhere.cwd = Some(machine.path("third"));
    assert_eq!(decide(&engine, &elsewhere), ASKS);
    assert_eq!(decide(&engine, &run("s8", "other")), ASKS);
    let state = engine.read_whole_state().unwrap();
    let project = Project::parse(&machine.path("main")).unwrap();
    let grant = state.grants.iter().find(|grant| !grant.is_program_pin()).unwrap();
    assert_eq!(grant.owner, Owner::Project(project.clone()));
    let opened = state.sessions.get(&session()).unwrap();
    assert_eq!(opened.project, Some(project));
    assert_eq!(opened.workspace().unwrap().as_str(), machine.path("linked"));
}

#[test]
fn a_call_that_names_another_worktree_than_its_session_has_no_project() {
    let machine = Machine::new();
    let engine = machine.engine();
    assert_eq!(decide(&engine, &machine.read("main/a")), PASSES);
    let elsewhere = machine.in_session("s1", "linked", "Read", &machine.path("linked/a"));
    assert_eq!(decide(&engine, &elsewhere), ASKS);
}

#[test]
fn one_yes_to_read_in_a_repository_covers_every_read_there() {
    let machine = Machine::new();
    let engine = machine.engine();
    answer(&engine, &machine.read("other/a/b/x"), Choice::Session, None);
    let cat = format!("cat {}", machine.path("other/README"));
    let log = format!("git -C {} log", machine.path("other"));
    for draft in [machine.read("other/c"), machine.draft("Bash", &cat), machine.draft("Bash", &log)]
    {
        assert_eq!(decide(&engine, &draft), GRANTED, "{:?}", draft.args);
    }
    let write = machine.draft("Write", &machine.path("other/a/b/x"));
    for draft in [machine.read("other/.env"), machine.read("plain/x"), write] {
        assert_eq!(decide(&engine, &draft), ASKS, "{:?}", draft.args);
    }
    // A yes to a write is for its folder, and each read beside it asks.
    let machine = Machine::new();
    let engine = machine.engine();
    answer(&engine, &machine.draft("Write", &machine.path("other/a/b/x")), Choice::Session, None);
    assert_eq!(decide(&engine, &machine.draft("Write", &machine.path("other/c"))), ASKS);
    assert_eq!(decide(&engine, &machine.read("other/a/b/x")), ASKS);
}

#[test]
fn a_session_that_was_opened_in_a_home_has_no_inside_in_a_folder_below() {
    let machine = Machine::new();
    let engine = machine.engine();
    for folder in ["home", "home/code"] {
        let mut draft = machine.in_session("s1", folder, "Read", "a.txt");
        draft.project = None;
        assert_eq!(decide(&engine, &draft), ASKS, "{folder}");
        let write = CallDraft { args: json!({"file_path": "a.txt"}), ..draft.clone() };
        assert_eq!(decide(&engine, &write), ASKS, "{folder}");
    }
    let nowhere = CallDraft { project: None, cwd: None, ..machine.read("plain/a") };
    let nowhere = CallDraft { session: SessionKey::parse("agent-1 s7").unwrap(), ..nowhere };
    assert_eq!(decide(&engine, &nowhere), PASSES);
}

#[test]
fn a_reported_scratch_folder_is_inside_while_it_is_private() {
    let machine = Machine::new();
    let scratch = tempfile::Builder::new().prefix("scratch").tempdir_in("/tmp").unwrap();
    let folder = scratch.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    let set_mode = |mode| {
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(0o700);
    let engine = machine.engine();
    let target = format!("{folder}/notes.md");
    let reported = CallDraft { scratch: vec![folder.clone()], ..machine.draft("Write", &target) };
    assert_eq!(decide(&engine, &reported), PASSES);
    // It counts from when the session was opened, and for that session.
    assert_eq!(decide(&engine, &machine.draft("Write", &target)), PASSES);
    let other = machine.in_session("s2", "main", "Write", &target);
    assert_eq!(decide(&engine, &other), ASKS);
    let late = CallDraft { scratch: vec![folder.clone()], ..other };
    assert_eq!(decide(&engine, &late), ASKS);
    let secret = machine.draft("Write", &format!("{folder}/.env"));
    assert_eq!(decide(&engine, &secret), ASKS);
    set_mode(0o770);
    assert_eq!(decide(&engine, &machine.draft("Write", &target)), ASKS);
}

#[test]
fn what_reaches_our_files_by_a_pattern_or_a_folder_above_is_denied() {
    let machine = Machine::new();
    let home = machine.path("home");
    fs::create_dir_all(machine.path("home/share/ours")).unwrap();
    let engine = machine.place(bare().with_protected_paths(vec![machine.path("home/share/ours")]));
    let decide = |line: &str| decide(&engine, &machine.draft("Bash", line));
    for line in [
        format!("rm -rf {home}/sha*"),
        "rm -rf ~/share/o*".to_owned(),
        "cat ~/share/our*/token".to_owned(),
        "mv ~/sh?re /srv/x".to_owned(),
        format!("cp -r a/. {home}/share"),
        format!("cp -r src/ours {home}/share"),
        format!("cp -r share {home}"),
        format!("rsync -a src/ {home}/share/"),
        format!("tar -xf a.tar -C {home}"),
        format!("unzip a.zip -d {home}/share"),
    ] {
        assert_eq!(decide(&line), (Outcome::Deny, Reason::SelfProtection), "{line}");
    }
    for line in [
        format!("cp -r src {home}/share"),
        format!("rm -rf {home}/other*"),
        "rm -rf *".to_owned(),
        format!("tar -cf a.tar -C {home} x"),
    ] {
        assert_eq!(decide(&line).0, Outcome::Ask, "{line}");
    }
}

/// Pins a program of the user in one project, and looks for the pin in another, by another agent.
fn check_pins<S: Store>(machine: &Machine, engine: &Engine<S>) {
    let run = |session: &str, folder: &str, program: &str| {
        let mut draft = machine.in_session("s1", folder, "Bash", &format!("{program} a"));
        draft.session = SessionKey::parse(session).unwrap();
        draft.agent = Agent::parse(session.split(' ').next().unwrap()).unwrap();
        draft
    };
    let own = machine.path("home/bin/frob");
    fs::create_dir_all(machine.path("home/bin")).unwrap();
    for path in [&own, &machine.path("main/frob")] {
        fs::write(path, "\u{7f}ELF").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let program = |draft: &CallDraft| -> usize {
        let CheckResult::Pending { call, .. } = engine.check(draft).unwrap() else { panic!() };
        let state = engine.read_whole_state().unwrap();
        let requests = &state.calls.get(&call).unwrap().requests;
        requests.iter().map(|id| state.requests.get(id).unwrap().programs.len()).sum()
    };
    assert_eq!(program(&run("agent-1 s1", "main", &own)), 1);
    answer(engine, &run("agent-1 s1", "main", &format!("{own} b")), Choice::Once, None);
    // Another project and another agent: the program is known.
    assert_eq!(program(&run("agent-2 s2", "other", &own)), 0);
    fs::write(&own, "\u{7f}ELF changed").unwrap();
    assert_eq!(program(&run("agent-2 s2", "other", &format!("{own} c"))), 1);
    // A program of the workspace is pinned for its project.
    answer(engine, &run("agent-1 s1", "main", "./frob b"), Choice::Once, None);
    let path = machine.path("main/frob");
    assert_eq!(program(&run("agent-1 s3", "main", &path)), 0);
    assert_eq!(program(&run("agent-1 s4", "other", &path)), 1);
    let state = engine.read_whole_state().unwrap();
    let owners = state.grants.iter().filter(|grant| matches!(grant.coverage, Coverage::Program(_)));
    let owners: Vec<&Owner> = owners.map(|grant| &grant.owner).collect();
    let project = Project::parse(&machine.path("main")).unwrap();
    assert_eq!(owners, [&Owner::User, &Owner::Project(project)]);
}

#[test]
fn a_pin_holds_for_the_user_on_every_store() {
    let machine = Machine::new();
    check_pins(&machine, &machine.engine());
    let folder = crate::stores::in_memory();
    let clock = || Box::new(crate::world::Fixed);
    let machine = Machine::new();
    let sqlite = counting_on(crate::stores::sqlite(folder.path()), clock(), 1);
    check_pins(&machine, &machine.place(sqlite));
    let machine = Machine::new();
    let postgres = counting_on(crate::stores::postgres(), clock(), 1);
    check_pins(&machine, &machine.place(postgres));
    drop(machine.dir);
    assert_eq!(owner().session, session());
}
