//! Programs that the agent could replace: a yes pins their content, and rules hold while it stays.

use crate::world::{bare, call, owner, session, yes};
use countersign_core::model::grant::Coverage;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::Project;
use countersign_core::model::request::{Answer, AnswerChoices};
use countersign_core::model::words::{Choice, Covers, Outcome, Reason};
use countersign_core::steps::revoke::Revoke;
use countersign_core::steps::settle::AnswerReply;
use countersign_engine::{AnswerTarget, CheckResult, Engine, Memory};
use countersign_graph::Format;
use countersign_observe::{AgentIdentity, RealFileSystem};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use tempfile::TempDir;

const GRAPH: &str = "
domains:
  shell: {autonomous: [], requires_approval: [run], blocked: [], actions: {run: {risk: high}}}
  files: {autonomous: [search], requires_approval: [], blocked: []}
  test: {autonomous: [], requires_approval: [run], blocked: []}
commands:
  classes: {files.search: [rg *], test.run: [pytest *]}
";

/// A program `rg` in a folder that belongs to the agent's user, and a workspace beside it.
pub(crate) struct Home {
    _dir: TempDir,
    pub(crate) root: String,
    pub(crate) engine: Engine<Memory>,
}

impl Home {
    fn new() -> Self {
        Self::with_graph(GRAPH)
    }

    pub(crate) fn with_graph(graph: &str) -> Self {
        // Not below `/tmp`: programs there never count.
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        for folder in ["bin", "w/src"] {
            fs::create_dir_all(format!("{root}/{folder}")).unwrap();
        }
        let uid = fs::metadata(&root).unwrap().uid();
        // For root only what others can replace counts.
        if uid == 0 {
            fs::set_permissions(format!("{root}/bin"), fs::Permissions::from_mode(0o777)).unwrap();
        }
        let agent = AgentIdentity { uid, groups: Some(Vec::new()) };
        let files = RealFileSystem::new(agent, &format!("{root}/bin"));
        let engine = bare().with_file_system(Box::new(files));
        let graph = countersign_graph::load_graph("g.yaml", graph.as_bytes(), Format::Yaml);
        engine.load_graph(graph.unwrap().graph).unwrap();
        let home = Self { _dir: dir, root, engine };
        home.write_program("first");
        home
    }

    /// Replaces the program by another file.
    fn write_program(&self, content: &str) {
        self.write_named("rg", content);
    }

    pub(crate) fn write_named(&self, name: &str, content: &str) {
        let (new, path) = (format!("{}/bin/new", self.root), format!("{}/bin/{name}", self.root));
        fs::write(&new, format!("\u{7f}ELF{content}")).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(new, path).unwrap();
    }

    pub(crate) fn check(&self, line: &str) -> CheckResult {
        let mut draft = call("shell.run");
        draft.project = Some(Project::parse(&format!("{}/w", self.root)).unwrap());
        draft.command = Some(countersign_commands::analyse(line, None));
        self.engine.check(&draft).unwrap()
    }

    pub(crate) fn decide(&self, line: &str) -> (Outcome, Reason, String) {
        let checked = self.check(line);
        let decision = checked.decision();
        (decision.outcome, decision.reason, decision.verdicts[0].action.to_string())
    }

    pub(crate) fn approve_once(&self, line: &str) -> CheckResult {
        let call = self.ask(line);
        self.engine.answer(AnswerTarget::Call(call), &yes()).unwrap();
        self.engine.retry(call, &owner()).unwrap()
    }

    pub(crate) fn ask(&self, line: &str) -> CallId {
        let asked = self.check(line);
        let CheckResult::Pending { call, .. } = asked else { panic!("{line}: {asked:?}") };
        call
    }

    /// A yes to the heads of a line, for the session.
    pub(crate) fn approve_heads(&self, line: &str) -> AnswerReply {
        let answer = Answer {
            say: AnswerChoices::One(Choice::Session),
            covers: Some(Covers::Head),
            ..yes()
        };
        self.engine.answer(AnswerTarget::Call(self.ask(line)), &answer).unwrap().reply
    }
}

const ASKS: (Outcome, Reason) = (Outcome::Ask, Reason::NoGrant);

#[test]
fn a_yes_pins_the_content_and_a_class_holds_while_it_stays() {
    let home = Home::new();
    let decided = |line: &str| {
        let (outcome, reason, action) = home.decide(line);
        ((outcome, reason), action)
    };
    assert_eq!(decided("rg a src"), (ASKS, "shell.run".to_owned()));
    let redeemed = home.approve_once("rg b src");
    assert!(matches!(redeemed, CheckResult::Allowed { .. }), "{redeemed:?}");
    let passes = ((Outcome::Allow, Reason::Autonomous), "files.search".to_owned());
    assert_eq!(decided("rg c src"), passes);
    home.write_program("second");
    assert_eq!(decided("rg d src"), (ASKS, "shell.run".to_owned()));
    home.write_program("first");
    assert_eq!(decided("rg e src"), passes);
}

#[test]
fn the_question_names_the_program_and_the_pin_can_be_revoked() {
    let home = Home::new();
    home.approve_once("rg b src");
    let state = home.engine.read_whole_state().unwrap();
    let request = state.requests.values().next().unwrap();
    assert_eq!(request.programs.len(), 1);
    assert_eq!(request.programs[0].path, format!("{}/bin/rg", home.root));
    assert_eq!(request.programs[0].hash.len(), 64);
    let pins = state.grants.iter().filter(|grant| matches!(grant.coverage, Coverage::Program(_)));
    let pin = pins.map(|grant| grant.id).next().unwrap();
    home.engine.revoke(&session(), &Revoke::Grants(vec![pin])).unwrap();
    assert_eq!(home.decide("rg c src").2, "shell.run");
}

#[test]
fn a_yes_to_one_call_does_not_cover_the_same_words_with_another_program() {
    let home = Home::new();
    let asked = home.check("rg a src");
    let CheckResult::Pending { call, .. } = asked else { panic!("{asked:?}") };
    home.engine.answer(AnswerTarget::Call(call), &yes()).unwrap();
    home.write_program("second");
    let redeemed = home.engine.retry(call, &owner()).unwrap();
    assert_eq!(redeemed.decision().outcome, Outcome::Ask, "{redeemed:?}");
}

#[test]
fn a_program_that_is_not_there_asks_once_and_again_when_it_appears() {
    let home = Home::new();
    fs::remove_file(format!("{}/bin/rg", home.root)).unwrap();
    assert_eq!(home.decide("rg a src").2, "shell.run");
    home.approve_once("rg b src");
    assert_eq!(
        home.decide("rg c src"),
        (Outcome::Allow, Reason::Autonomous, "files.search".to_owned())
    );
    home.write_program("put there later");
    let (outcome, _, action) = home.decide("rg d src");
    assert_eq!((outcome, action.as_str()), (Outcome::Ask, "shell.run"));
}

#[test]
fn a_yes_to_a_call_that_pins_its_program_is_not_asked_for_again_under_its_class() {
    let home = Home::new();
    home.write_named("pytest", "first");
    let redeemed = home.approve_once("pytest -q");
    assert!(matches!(redeemed, CheckResult::Allowed { .. }), "{redeemed:?}");
    assert_eq!(redeemed.decision().verdicts[0].action.as_str(), "test.run");
    // It was a yes to one call.
    assert_eq!(home.decide("pytest -q").1, Reason::NoGrant);
}

#[test]
fn a_program_without_a_table_has_a_head() {
    let home = home_with_head();
    for line in [
        "bd create --title 'fix: two' src/a.rs",
        "bd create",
        "cd src && bd create --label=x",
        "rg a src | rg b && bd create three",
    ] {
        // The other program of the last line has to be pinned, too.
        if line.starts_with("rg") {
            home.approve_once("rg a src");
        }
        assert_eq!(home.decide(line).1, Reason::Granted, "{line}");
    }
    home.write_named("bd", "second");
    assert_eq!(home.decide("bd create").1, Reason::NoGrant, "changed content");
}

/// A yes to `bd create` for the session.
fn home_with_head() -> Home {
    let home = Home::new();
    home.write_named("bd", "first");
    home.write_named("git", "git");
    assert!(matches!(home.approve_heads("bd create --title one"), AnswerReply::Accepted { .. }));
    home
}

#[test]
fn such_a_head_leads_nowhere_else() {
    for line in [
        "bd close 5",
        "bd --db x create",
        "bd create -- x",
        "bd create git",
        "bd create --with=git",
        "bd create https://example.org",
        "bd create me@example.org",
        "bd create example.org:x",
        "bd create /etc/passwd",
        "bd create --file=../x",
        "bd create ~/x",
        "bd create .env",
        "bd create > notes.txt",
        "bd create && bd close 5",
        "X=1 bd create",
        "sudo bd create",
    ] {
        assert_eq!(home_with_head().decide(line).0, Outcome::Ask, "{line}");
    }
}

#[test]
fn programs_that_run_others_delete_or_reach_other_machines_have_no_head() {
    let home = Home::new();
    for program in ["ssh", "psql", "docker", "python3", "sudo", "rm", "tmux", "make", "kubectl"] {
        home.write_named(program, "first");
        let line = format!("{program} frob x");
        let reply = home.approve_heads(&line);
        assert!(matches!(reply, AnswerReply::Refused(_)), "{program}: {reply:?}");
    }
}
