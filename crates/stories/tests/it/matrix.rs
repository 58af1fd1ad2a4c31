//! The decision matrix: the decision on every action of the personal graph in each situation.
//!
//! A change of policy shows up here as a readable diff. To accept one, run the test with
//! `INSTA_UPDATE=always` and read the diff.

use crate::cases::load_shipped_graph;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::CallDraft;
use countersign_core::model::category::Category;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::graph::LastReview;
use countersign_core::model::names::{Action, Agent, Project, SessionKey};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Channel, Choice, Initiator, Presence, Surface};
use countersign_engine::{
    AnswerTarget, Clock, DirectGrant, Engine, Entropy, Memory, SessionOwner, UselessGrantPolicy,
};
use countersign_graph::LoadedGraph;
use countersign_observe::FakeFileSystem;
use std::sync::atomic::{AtomicU64, Ordering};

const NOW: &str = "2026-01-05T09:00:00Z";

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Time {
        Time::parse(NOW).unwrap()
    }
}

struct CountingEntropy(AtomicU64);

impl Entropy for CountingEntropy {
    fn bits(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

#[derive(Clone, Copy)]
enum Situation {
    Plain,
    Confident,
    ToAContact,
    OutsideWorkspace,
    OnASecret,
    OperatorIdle,
    Clicked,
    ActionGranted,
    EverythingGranted,
    TrustedChannel,
    NotReviewed,
    WithMoney,
    Declined,
}

/// The session's workspace. File actions act inside it unless the situation says otherwise.
const WORKSPACE: &str = "/home/operator/desk";

const SITUATIONS: [(&str, Situation); 13] = [
    ("plain", Situation::Plain),
    ("confident", Situation::Confident),
    ("to a contact", Situation::ToAContact),
    ("outside workspace", Situation::OutsideWorkspace),
    ("on a secret", Situation::OnASecret),
    ("operator idle", Situation::OperatorIdle),
    ("clicked", Situation::Clicked),
    ("action granted", Situation::ActionGranted),
    ("everything granted", Situation::EverythingGranted),
    ("trusted channel", Situation::TrustedChannel),
    ("not reviewed", Situation::NotReviewed),
    ("with money", Situation::WithMoney),
    ("declined before", Situation::Declined),
];

fn load_personal_graph() -> LoadedGraph {
    let mut loaded = load_shipped_graph("personal");
    loaded.graph.last_reviewed = LastReview::On(Time::parse(NOW).unwrap().date());
    for domain in loaded.graph.domains.values_mut() {
        domain.last_reviewed = None;
    }
    loaded
}

fn test_session() -> SessionKey {
    SessionKey::parse("agent-1 s1").unwrap()
}

fn test_agent() -> Agent {
    Agent::parse("agent-1").unwrap()
}

fn draft_call(action: &Action) -> CallDraft {
    let mut draft = CallDraft::plain(test_agent(), test_session(), action.clone());
    if action.domain() == "files" {
        draft.target = vec!["notes.md".into()];
    }
    draft
}

fn decide_cell(personal: &LoadedGraph, action: &Action, situation: Situation) -> String {
    let mut loaded = personal.clone();
    let graph = &mut loaded.graph;
    let mut draft = draft_call(action);
    match situation {
        Situation::Confident => draft.claims.confidence = 0.95,
        Situation::ToAContact => {
            draft.target = vec![graph.contacts.values().flatten().next().unwrap().clone()];
        }
        Situation::OutsideWorkspace => draft.target = vec!["/srv/notes.md".into()],
        Situation::OnASecret => draft.target = vec![".env".into()],
        Situation::TrustedChannel => draft.observed.channel = Channel::Trusted,
        Situation::NotReviewed => graph.last_reviewed = LastReview::Never,
        Situation::WithMoney => {
            draft.observed.categories = vec![Category::parse("purchase").unwrap()];
        }
        _ => {}
    }
    let engine = Engine::new(
        Memory::empty(),
        Box::new(FixedClock),
        Box::new(CountingEntropy(AtomicU64::new(1))),
    )
    .with_file_system(Box::new(FakeFileSystem::without_links()));
    engine.set_surface(Surface::Reachable).unwrap();
    engine.load_graph(loaded).unwrap();
    engine.open(|_| Ok(())).unwrap();
    let workspace = Project::parse(WORKSPACE).unwrap();
    let owner = SessionOwner::from_key(test_session());
    engine.open_session(&owner, Some(&workspace)).unwrap();
    prepare_engine(&engine, &mut draft, action, situation);
    let checked = engine.check(&draft).unwrap();
    let decision = checked.decision();
    format!("{} {}", decision.outcome, decision.reason)
}

fn prepare_engine(
    engine: &Engine<Memory>,
    draft: &mut CallDraft,
    action: &Action,
    situation: Situation,
) {
    let session = test_session();
    let grant = |coverage| {
        let wanted = DirectGrant {
            session: test_session(),
            coverage,
            scope: Scope::Session,
            ends_at: None,
            confirmation: Confirmation::Plain,
            if_useless: UselessGrantPolicy::Mint,
        };
        engine.grant_directly(&wanted).unwrap();
    };
    match situation {
        Situation::OperatorIdle => engine.set_presence(Presence::Idle).unwrap(),
        Situation::Clicked => {
            let gesture =
                engine.record_gesture(&session, std::slice::from_ref(action), None, None).unwrap();
            draft.observed.initiator = Initiator::Operator;
            draft.observed.gesture = Some(gesture);
        }
        Situation::ActionGranted => grant(Coverage::Action(action.clone())),
        Situation::EverythingGranted | Situation::WithMoney => grant(Coverage::Everything),
        Situation::Declined => {
            if let Some(call) = engine.check(draft).unwrap().call() {
                let answer = Answer {
                    say: AnswerChoices::One(Choice::Decline),
                    note: String::new(),
                    proof: AnswerProof::KeyPress,
                    lasts: None,
                    covers: None,
                    from: AnswerFrom::Embedder,
                };
                engine.answer(AnswerTarget::Call(call), &answer).unwrap();
            }
        }
        _ => {}
    }
}

#[test]
fn every_action_of_the_personal_graph_decides_as_committed() {
    let personal = load_personal_graph();
    let mut actions: Vec<&Action> = personal.graph.rules.keys().collect();
    actions.sort();
    let unlisted = Action::parse("email.teleport").unwrap();
    actions.push(&unlisted);
    let mut table = String::new();
    for action in actions {
        table.push_str(&format!("{action}\n"));
        for (name, situation) in SITUATIONS {
            table.push_str(&format!(
                "    {name:<20}{}\n",
                decide_cell(&personal, action, situation)
            ));
        }
    }
    insta::assert_snapshot!(table);
}
