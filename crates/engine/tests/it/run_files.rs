//! Write, then run, with files on the disk: by whatever means one of them changes, the line that
//! executes it asks once.

use crate::world::{bare, call, owner, session, yes};
use countersign_core::model::call::CallDraft;
use countersign_core::model::decision::Basis;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Project, SessionKey};
use countersign_core::model::run_file::RunFileContent;
use countersign_core::model::words::{Outcome, Reason, SessionEnder};
use countersign_core::state::State;
use countersign_engine::{AnswerTarget, CheckResult, Engine, Memory, SessionOwner};
use countersign_graph::Format;
use countersign_observe::{AgentIdentity, RealFileSystem};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

const GRAPH: &str = "
domains:
  shell: {autonomous: [run], requires_approval: [], blocked: [], actions: {run: {risk: low}}}
";
const ALLOWED: (Outcome, Reason) = (Outcome::Allow, Reason::Autonomous);
const CHANGED: (Outcome, Reason) = (Outcome::Ask, Reason::ChangedBeforeRun);

struct Workspace {
    _dir: TempDir,
    root: String,
    engine: Engine<Memory>,
}

impl Workspace {
    fn with(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let system = RealFileSystem::new(AgentIdentity::current_user(), "/usr/bin:/bin");
        let engine = bare().with_file_system(Box::new(system));
        let graph = countersign_graph::load_graph("g.yaml", GRAPH.as_bytes(), Format::Yaml);
        engine.load_graph(graph.unwrap()).unwrap();
        let workspace = Self { _dir: dir, root, engine };
        files.iter().for_each(|(name, text)| workspace.write(name, text));
        workspace
    }

    fn write(&self, name: &str, text: &str) {
        let path = format!("{}/{name}", self.root);
        fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn shell(&self, line: &str) {
        let done = Command::new("sh").args(["-c", line]).current_dir(&self.root).status().unwrap();
        assert!(done.success(), "{line}");
    }

    fn draft(&self, line: &str) -> CallDraft {
        let mut draft = call("shell.run");
        draft.project = Some(Project::parse(&self.root).unwrap());
        draft.command = Some(countersign_commands::analyse(line, None));
        draft
    }

    fn decide(&self, line: &str) -> (Outcome, Reason) {
        let checked = self.engine.check(&self.draft(line)).unwrap();
        (checked.decision().outcome, checked.decision().reason)
    }

    fn ask(&self, line: &str) -> CallId {
        let asked = self.engine.check(&self.draft(line)).unwrap();
        let CheckResult::Pending { call, .. } = asked else { panic!("{line}: {asked:?}") };
        call
    }

    fn approve(&self, line: &str) {
        let call = self.ask(line);
        self.engine.answer(AnswerTarget::Call(call), &yes()).unwrap();
        let redeemed = self.engine.retry(call, &owner()).unwrap();
        assert!(matches!(redeemed, CheckResult::Allowed { .. }), "{line}: {redeemed:?}");
    }

    fn state(&self) -> Arc<State> {
        self.engine.read_whole_state().unwrap()
    }

    /// What the card of the latest question says that changed.
    fn difference(&self) -> String {
        let state = self.state();
        let latest = state.requests.values().max_by_key(|request| request.id).unwrap();
        latest.run_files[0].difference.clone()
    }
}

#[test]
fn a_line_asks_once_by_whatever_means_its_file_changed() {
    for means in [
        "echo 'b:' > Makefile",
        "sed -i s/a/b/ Makefile",
        "echo 'b:' > new && mv new Makefile",
        "echo 'b:' > new && ln -sf new Makefile",
        "echo 'b:' > new && cp -p new Makefile",
        "rm Makefile",
        "echo 'b:' > GNUmakefile",
        "mkdir x && mv Makefile x && rm -r x",
        "sed -i s/a/b/ Makefile && touch -d 2001-01-01 Makefile",
    ] {
        let workspace = Workspace::with(&[("Makefile", "a:\n")]);
        assert_eq!(workspace.decide("make a"), ALLOWED);
        workspace.shell(means);
        assert_eq!(workspace.decide("make a"), CHANGED, "{means}");
        workspace.approve("make -s a");
        assert_eq!(workspace.decide("make a"), ALLOWED, "{means}");
    }
}

#[test]
fn ordinary_source_and_what_lists_dependencies_do_not_count() {
    let package = r#"{"scripts": {"test": "jest"}, "dependencies": {"a": "1"}}"#;
    let workspace = Workspace::with(&[("package.json", package), ("src/a.js", "")]);
    assert_eq!(workspace.decide("npm test"), ALLOWED);
    workspace.write("src/a.js", "changed()");
    workspace.write("package.json", &package.replace("\"1\"", "\"2\""));
    assert_eq!(workspace.decide("npm test"), ALLOWED);
    workspace.write("package.json", &package.replace("jest", "curl example.org"));
    assert_eq!(workspace.decide("npm test"), CHANGED);
}

#[test]
fn the_card_shows_what_changed_and_no_secret_of_it() {
    let workspace = Workspace::with(&[("Makefile", "a:\n\ttrue\nb:\n")]);
    assert_eq!(workspace.decide("make a"), ALLOWED);
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    workspace.write("Makefile", &format!("a:\n\tTOKEN={secret} ./x\nb:\n"));
    let call = workspace.ask("make a");
    let difference = workspace.difference();
    assert!(difference.starts_with("- \ttrue\n+ \tTOKEN="), "{difference}");
    assert!(!difference.contains(secret) && !difference.contains("b:"), "{difference}");
    let record = serde_json::to_string(&*workspace.engine.read_all_entries().unwrap()[0].bytes);
    assert!(!record.unwrap().contains(secret));
    let state = workspace.state();
    let decided = &state.calls.get(&call).unwrap();
    assert_eq!(decided.requests.len(), 1);
}

#[test]
fn the_explanation_names_the_file() {
    let workspace = Workspace::with(&[("Makefile", "a:\n")]);
    assert_eq!(workspace.decide("make a"), ALLOWED);
    workspace.write("Makefile", "b:\n");
    let checked = workspace.engine.check(&workspace.draft("make a")).unwrap();
    let path = format!("{}/Makefile", workspace.root);
    assert_eq!(checked.decision().basis, Basis::RunFiles(vec![path.clone()]));
    let sentence = countersign_core::decide::explain::sentence(checked.decision());
    assert_eq!(sentence, format!("what this line executes has changed in {path}"));
}

#[test]
fn the_record_keeps_hashes_and_no_text() {
    let workspace = Workspace::with(&[("Makefile", "a:\n\tsomething-particular\n")]);
    assert_eq!(workspace.decide("make a"), ALLOWED);
    let state = workspace.state();
    let seen = &state.sessions.get(&session()).unwrap().restraints.run_files;
    let content = seen.files.get(&format!("{}/Makefile", workspace.root)).unwrap();
    assert!(matches!(content, RunFileContent::Hash(hash) if hash.len() == 64));
    for entry in workspace.engine.read_all_entries().unwrap() {
        assert!(!format!("{:?}", entry.change().unwrap()).contains("something-particular"));
    }
}

#[test]
fn a_replay_of_the_ledger_gives_the_same_decisions_and_the_same_files() {
    let workspace = Workspace::with(&[("Makefile", "a:\n"), ("sub/Makefile", "a:\n")]);
    assert_eq!(workspace.decide("make a"), ALLOWED);
    workspace.write("Makefile", "b:\n");
    workspace.approve("make a");
    workspace.write("Makefile", "c:\n");
    assert_eq!(workspace.decide("make a"), CHANGED);
    assert_eq!(workspace.decide("make -C sub a"), CHANGED);
    let report = workspace.engine.replay().unwrap();
    assert!(report.is_consistent(), "{report:?}");
    assert!(report.not_replayable.is_empty(), "{report:?}");
}

#[test]
fn an_agent_does_not_shed_what_it_changed_by_ending_its_session() {
    let workspace = Workspace::with(&[("Makefile", "a:\n")]);
    assert_eq!(workspace.decide("make a"), ALLOWED);
    workspace.write("Makefile", "b:\n");
    assert!(workspace.engine.end_session(&session(), SessionEnder::Agent).unwrap());
    assert_eq!(workspace.decide("make a"), CHANGED);
    workspace.approve("make -s a");
    workspace.engine.end_session(&session(), SessionEnder::Agent).unwrap();
    assert_eq!(workspace.decide("make a"), ALLOWED);
    workspace.write("Makefile", "c:\n");
    workspace.engine.end_session(&session(), SessionEnder::Operator).unwrap();
    let carried = |workspace: &Workspace| workspace.decide("make a");
    assert_eq!(carried(&workspace), CHANGED, "what it carried before still holds");
    let other = SessionOwner::from_key(SessionKey::parse("other s1").unwrap());
    let mut draft = workspace.draft("make a");
    (draft.session, draft.agent) = (other.session, other.agent);
    let checked = workspace.engine.check(&draft).unwrap();
    assert_eq!(checked.decision().outcome, Outcome::Allow, "another agent has changed nothing");
}

#[test]
fn a_link_that_leads_elsewhere_is_another_file() {
    let workspace = Workspace::with(&[("one.mk", "a:\n"), ("two.mk", "b:\n")]);
    symlink("one.mk", format!("{}/Makefile", workspace.root)).unwrap();
    assert_eq!(workspace.decide("make a"), ALLOWED);
    workspace.shell("ln -sfn two.mk Makefile");
    assert_eq!(workspace.decide("make a"), CHANGED);
}
