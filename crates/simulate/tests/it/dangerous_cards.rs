//! The cards of dangerous lines, as a table for people to read line by line.

use countersign_card::{Card, CardContext, EffectWeight, build_card};
use countersign_core::decide::explain;
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Action, Agent, Project, SessionKey, SessionName, Tool};
use countersign_core::model::time::Time;
use countersign_core::model::words::Surface;
use countersign_engine::{CheckResult, Clock, Engine, Entropy, Memory};
use countersign_graph::{Format, load_graph};
use countersign_observe::FakeFileSystem;
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};

const CODING: &str = include_str!("../../../../graphs/coding/countersign.yaml");
const LINES: &str = include_str!("dangerous_lines.txt");

struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> Time {
        Time::parse("2026-01-05T09:00:00Z").unwrap()
    }
}

struct Counter(AtomicU64);

impl Entropy for Counter {
    fn bits(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

fn engine() -> Engine<Memory> {
    let entropy = Counter(AtomicU64::new(1));
    let engine = Engine::new(Memory::empty(), Box::new(StillClock), Box::new(entropy))
        .with_file_system(Box::new(FakeFileSystem::without_links()))
        .with_home(Some("/home/ana".to_owned()));
    engine
        .load_graph(load_graph("countersign.yaml", CODING.as_bytes(), Format::Yaml).unwrap())
        .unwrap();
    engine.open(|_| Ok(())).unwrap();
    engine.set_surface(Surface::Reachable).unwrap();
    engine
}

fn draft(line: &str) -> CallDraft {
    let (agent, name) = (Agent::parse("claude").unwrap(), SessionName::parse("s1").unwrap());
    let session = SessionKey::new(&agent, &name);
    let mut draft = CallDraft::plain(agent, session, Action::parse("shell.run").unwrap());
    draft.tool = Some(Tool::parse("Bash").unwrap());
    draft.args = json!({"command": line});
    draft.cwd = Some("/home/ana/site".to_owned());
    draft.project = Some(Project::parse("/home/ana/site").unwrap());
    draft.parking = Parking::Allowed;
    draft
}

fn read_cards(engine: &Engine<Memory>, call: CallId) -> Vec<Card> {
    let state = engine.read_call(call).unwrap();
    let requests = state.calls.get(&call).unwrap().requests.to_vec();
    let state = engine.read_cards(&requests).unwrap();
    let graph = load_graph("countersign.yaml", CODING.as_bytes(), Format::Yaml).unwrap().graph;
    let context = CardContext { graph: Some(&graph), state: &state, now: StillClock.now() };
    requests
        .iter()
        .filter_map(|id| state.requests.get(id))
        .map(|one| build_card(context, one))
        .collect()
}

fn describe_card(card: &Card) -> String {
    let undo = card.describe_undo().map_or_else(String::new, |undo| format!(", {undo}"));
    let mut text = format!("  {}{undo} | {}\n", card.risk, card.headline);
    for effect in &card.effects {
        let mark = if effect.weight == EffectWeight::Danger { "danger" } else { "effect" };
        text.push_str(&format!("    {mark}: {} {}\n", effect.does, effect.what));
    }
    if let Some(confirm) = &card.confirm {
        assert!(!card.digest.starts_with(&confirm.typed), "{confirm:?}");
        text.push_str(&format!("    to allow, type the {}: {}\n", confirm.what, confirm.typed));
    }
    let mut offers: Vec<&str> = Vec::new();
    for offer in card.items.iter().flat_map(|item| &item.offers) {
        if !offers.contains(&offer.choice.word()) {
            offers.push(offer.choice.word());
        }
    }
    text.push_str(&format!("    choices: {}\n", offers.join(" ")));
    text
}

#[test]
fn the_cards_of_dangerous_lines_are_the_committed_table() {
    let lines: Vec<&str> =
        LINES.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).collect();
    assert!(lines.len() >= 120, "{}", lines.len());
    let mut table = String::new();
    for line in lines {
        table.push_str(&format!("{line}\n"));
        // Each in a record of its own: an open question changes the next decision.
        let engine = engine();
        match engine.check(&draft(&line.replace('¶', "\n"))).unwrap() {
            CheckResult::Denied { decision, .. } => {
                table.push_str(&format!("  denied: {}\n", explain::sentence(&decision)));
            }
            CheckResult::Pending { call, .. } => {
                let cards = read_cards(&engine, call);
                cards.iter().for_each(|card| table.push_str(&describe_card(card)));
            }
            CheckResult::Allowed { .. } | CheckResult::AlreadyDone { .. } => {
                table.push_str("  allowed\n");
            }
        }
    }
    for said in ["effect: runs gh\n", "unknown", "cannot be read in full"] {
        assert!(!table.contains(said), "{said}:\n{table}");
    }
    insta::assert_snapshot!(table);
}
