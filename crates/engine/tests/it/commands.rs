//! Command rules on a real disk: links, programs that the agent could replace, our own files.

use crate::world::{bare, call};
use countersign_commands::{
    CommandContext, CommandVerdict, NoDiskLookup, RuleEffect, RuleSet, parse_rules,
};
use countersign_core::model::change::Change;
use countersign_core::model::graph::{CommandRules, Graph};
use countersign_core::model::names::Project;
use countersign_core::model::rule_results::CommandRuleResult;
use countersign_core::model::words::{Outcome, Reason};
use countersign_engine::{Engine, Memory};
use countersign_graph::Format;
use countersign_observe::{AgentIdentity, FakeFileSystem, FileSystem, RealFileSystem};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use tempfile::TempDir;

/// Nobody on this machine: what belongs to others is out of its reach.
const AGENT: AgentIdentity = AgentIdentity { uid: 65_533, groups: Some(Vec::new()) };

const GRAPH: &str = "
domains:
  shell: {autonomous: [any], requires_approval: [run], blocked: []}
commands:
  allow: [cat <path:ws>, ls]
  deny: [path ./.env]
";

/// High, so that forcing and recursing make a call no riskier than its rule.
const ROWS: &str = "
domains:
  shell: {autonomous: [], requires_approval: [run], blocked: [], actions: {run: {risk: high}}}
";

/// A workspace `w` beside a folder `out` that is none of the agent's business.
struct Room {
    _dir: TempDir,
    root: String,
}

impl Room {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let room = Self { _dir: dir, root };
        for folder in ["w/src", "w/bin", "out", "ours"] {
            fs::create_dir_all(room.path(folder)).unwrap();
        }
        for file in ["w/README", "w/.env", "out/secret", "ours/ledger"] {
            fs::write(room.path(file), "").unwrap();
        }
        room
    }

    fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.root)
    }

    fn link(&self, at: &str, to: &str) {
        symlink(to, self.path(at)).unwrap();
    }

    fn engine(&self, disk: Option<Box<dyn FileSystem>>) -> Engine<Memory> {
        let engine = bare().with_protected_paths(vec![self.path("ours")]);
        let engine = match disk {
            Some(disk) => engine.with_file_system(disk),
            None => engine,
        };
        let graph =
            countersign_graph::load_graph("g.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap();
        engine.load_graph(graph.graph).unwrap();
        engine
    }

    fn check(&self, engine: &Engine<Memory>, line: &str, expected: (Outcome, Reason)) {
        let mut draft = call("shell.run");
        draft.project = Some(Project::parse(&self.path("w")).unwrap());
        draft.command = Some(countersign_commands::analyse(line, None));
        let checked = engine.check(&draft).unwrap();
        let decision = checked.decision();
        assert_eq!((decision.outcome, decision.reason), expected, "{line}");
    }
}

const PASSES: (Outcome, Reason) = (Outcome::Allow, Reason::Autonomous);
const ASKS: (Outcome, Reason) = (Outcome::Ask, Reason::NoGrant);
const BLOCKED: (Outcome, Reason) = (Outcome::Deny, Reason::Blocked);
const PROTECTED: (Outcome, Reason) = (Outcome::Deny, Reason::SelfProtection);

fn system(search: &str) -> Option<Box<dyn FileSystem>> {
    Some(Box::new(RealFileSystem::new(AGENT, search)))
}

#[test]
fn a_link_leads_where_it_leads() {
    let room = Room::new();
    room.link("w/leak", "../out/secret");
    room.link("w/folder", "../out");
    room.link("w/again", "README");
    room.link("w/hidden", ".env");
    room.link("w/loop", "loop");
    room.link("w/ledger", "../ours/ledger");
    let engine = room.engine(system("/usr/bin:/bin"));
    for (line, expected) in [
        ("cat README", PASSES),
        ("cat new/file", PASSES),
        ("cat again", PASSES),
        ("cat leak", ASKS),
        ("cat folder/secret", ASKS),
        ("cat src/../folder/../out/secret", ASKS),
        ("cat loop", ASKS),
        ("cat /proc/self/cwd/README", ASKS),
        ("cat hidden", BLOCKED),
        ("sort -o x src/../hidden", BLOCKED),
        ("cat ledger", PROTECTED),
        ("sh -c 'cat <ledger'", PROTECTED),
    ] {
        room.check(&engine, line, expected);
    }
}

#[test]
fn a_name_that_the_agent_could_fill_is_not_covered() {
    let room = Room::new();
    let tool = room.path("w/bin/ls");
    fs::write(&tool, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    room.check(&room.engine(system("/usr/bin:/bin")), "ls", PASSES);
    let first = format!("{}:/usr/bin:/bin", room.path("w/bin"));
    room.check(&room.engine(system(&first)), "ls", ASKS);
    room.check(&room.engine(system("bin:/usr/bin:/bin")), "ls", ASKS);
    room.check(&room.engine(system("")), "ls", ASKS);
}

#[test]
fn without_a_disk_to_look_at_no_rule_allows_and_every_deny_rule_holds() {
    let room = Room::new();
    let engine = room.engine(None);
    for (line, expected) in [("ls", ASKS), ("cat README", ASKS), ("cat .env", BLOCKED)] {
        room.check(&engine, line, expected);
    }
}

#[test]
fn every_row_of_the_corpus_is_decided_as_it_is_scored() {
    let corpus = include_str!("../../../../corpus/commands.jsonl");
    let base =
        countersign_graph::load_graph("g.yaml", ROWS.as_bytes(), Format::Yaml).unwrap().graph;
    let here = CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };
    let mut seen = [0; 3];
    for line in corpus.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| row[key].as_str().unwrap();
        let rules = parse_rules(text("allowlisted_rule")).unwrap();
        let bodies = |effect: RuleEffect| {
            let of = rules.iter().filter(|rule| rule.effect == effect);
            let verb = format!("{} ", effect.word());
            of.map(|rule| rule.text.strip_prefix(&verb).unwrap().trim().to_owned()).collect()
        };
        let commands = CommandRules {
            allow: bodies(RuleEffect::Allow),
            deny: bodies(RuleEffect::Deny),
            classes: Vec::new(),
            env: Vec::new(),
        };
        let engine = bare()
            .with_file_system(Box::new(FakeFileSystem::without_links()))
            .with_home(Some("/home/me".to_owned()));
        engine.load_graph(Graph { commands, ..base.clone() }).unwrap();
        let mut draft = call("shell.run");
        draft.project = Some(Project::parse("/w").unwrap());
        draft.command = Some(countersign_commands::analyse(text("command"), None));
        let outcome = engine.check(&draft).unwrap().decision().outcome;
        let (at, expected) = match RuleSet::new(rules).judge(text("command"), &here).verdict {
            CommandVerdict::Match { .. } => (0, Outcome::Allow),
            CommandVerdict::Ask { .. } => (1, Outcome::Ask),
            CommandVerdict::Deny { .. } => (2, Outcome::Deny),
        };
        assert_eq!(outcome, expected, "{line}");
        seen[at] += 1;
    }
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
}

#[test]
fn the_record_says_which_rules_and_which_files_it_was() {
    let room = Room::new();
    let engine = room.engine(system("/usr/bin:/bin"));
    room.check(&engine, "ls && cat README", PASSES);
    let decided = |change: &Change| match change {
        Change::CallDecided { ruled, .. } => ruled.command.clone(),
        _ => None,
    };
    let entries = engine.read_all_entries().unwrap();
    let found = entries.iter().find_map(|entry| decided(&entry.change().unwrap().1)).unwrap();
    let CommandRuleResult::Allowed { rules, programs } = found else { panic!("{found:?}") };
    assert_eq!(rules, ["allow ls", "allow cat <path:ws>"]);
    let real =
        |name: &str| RealFileSystem::new(AGENT, "/usr/bin:/bin").find_program(name, "/").unwrap();
    assert_eq!(programs, ["ls", "cat"].map(|name| real(name).path.to_string()));
}
