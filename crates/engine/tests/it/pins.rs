//! Programs that the agent could replace: a yes pins their content, and rules hold while it stays.

use crate::world::{bare, call, owner, session, yes};
use countersign_core::model::grant::Coverage;
use countersign_core::model::names::Project;
use countersign_core::model::words::{Outcome, Reason};
use countersign_core::steps::revoke::Revoke;
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
commands:
  classes: {files.search: [rg *]}
";

/// A program `rg` in a folder that belongs to the agent's user, and a workspace beside it.
struct Home {
    _dir: TempDir,
    root: String,
    engine: Engine<Memory>,
}

impl Home {
    fn new() -> Self {
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
        let graph = countersign_graph::load_graph("g.yaml", GRAPH.as_bytes(), Format::Yaml);
        engine.load_graph(graph.unwrap().graph).unwrap();
        let home = Self { _dir: dir, root, engine };
        home.write_program("first");
        home
    }

    /// Replaces the program by another file.
    fn write_program(&self, content: &str) {
        let (new, path) = (format!("{}/bin/new", self.root), format!("{}/bin/rg", self.root));
        fs::write(&new, format!("\u{7f}ELF{content}")).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(new, path).unwrap();
    }

    fn check(&self, line: &str) -> CheckResult {
        let mut draft = call("shell.run");
        draft.project = Some(Project::parse(&format!("{}/w", self.root)).unwrap());
        draft.command = Some(countersign_commands::analyse(line, None));
        self.engine.check(&draft).unwrap()
    }

    fn decide(&self, line: &str) -> (Outcome, Reason, String) {
        let checked = self.check(line);
        let decision = checked.decision();
        (decision.outcome, decision.reason, decision.verdicts[0].action.to_string())
    }

    fn approve_once(&self, line: &str) -> CheckResult {
        let asked = self.check(line);
        let CheckResult::Pending { call, .. } = asked else { panic!("{asked:?}") };
        self.engine.answer(AnswerTarget::Call(call), &yes()).unwrap();
        self.engine.retry(call, &owner()).unwrap()
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
