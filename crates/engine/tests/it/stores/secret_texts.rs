//! No way into the store lets a secret in: calls, answers, words of the operator, plans, records.

use super::sealed::is_on_disk;
use super::{in_memory, sqlite};
use crate::world::{agent, call, grant, on, owner, session, yes};
use countersign_conversation::Turn;
use countersign_core::model::call::CallDraft;
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::imported::{EarlierSystem, ImportedGrant};
use countersign_core::model::names::{Action, SessionKey, Tool};
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::recorded::{Recorded, StatedReason};
use countersign_core::model::request::{AnswerFrom, AskAhead};
use countersign_core::model::time::Time;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Outcome, Reason, Risk};
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{AnswerTarget, CheckResult, Engine, Sqlite, TurnReporter};
use serde_json::json;
use tempfile::TempDir;

const CARD: &str = "4242424242424242";
const OTHER_CARD: &str = "4111111111111111";
const IBAN: &str = "DE89370400440532013000";

fn pay(card: &str) -> CallDraft {
    let mut draft = call("files.write");
    draft.tool = Some(Tool::parse("sh").unwrap());
    draft.args = json!({"line": format!("pay --card {card} 12")});
    draft
}

fn store() -> (TempDir, Engine<Sqlite>) {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    (folder, engine)
}

fn say(engine: &Engine<Sqlite>, speaker: Speaker, text: &str) {
    let (session, from) = (session(), AnswerFrom::Conversation);
    let turn = Turn { session, speaker, text: text.to_owned(), from };
    engine.process_turn(&turn, TurnReporter::Operator).unwrap();
}

fn command(card: &str) -> Coverage {
    let argv = ["pay", "--card", card, "12"].map(str::to_owned).to_vec();
    Coverage::Command { argv, cwd: None, action: None }
}

#[test]
fn a_note_a_standing_command_and_a_plan_keep_no_card_number() {
    let (folder, engine) = store();
    let pending = engine.check(&pay(CARD)).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    let mut answer = yes();
    answer.note = format!("only {CARD}");
    engine.answer(AnswerTarget::Call(operation), &answer).unwrap();
    say(&engine, Speaker::Operator, &format!("Grant standing consent for: pay --card {CARD} 12"));
    say(&engine, Speaker::Agent, &format!("Grant standing consent for: pay --card {CARD} 13"));
    say(&engine, Speaker::Operator, &format!("no, not with {CARD}"));
    let plan = PlanDraft {
        actions: vec![Action::parse("files.write").unwrap()],
        commands: vec![vec!["pay".to_owned(), CARD.to_owned()]],
        score: 4,
        turn: 0,
        state: PlanState::Proposed,
    };
    engine.propose_plan(&owner(), &plan).unwrap().unwrap();
    grant(&engine, session(), command(CARD), (Scope::Session, None, Confirmation::Plain));
    assert!(is_on_disk(folder.path(), "REDACTED-card-4242-"), "the test does not see the marks");
    assert!(!is_on_disk(folder.path(), CARD));
}

#[test]
fn a_question_ahead_a_record_and_an_import_keep_no_iban() {
    let (folder, engine) = store();
    let text = || format!("send 12 to {IBAN}");
    let ahead = AskAhead {
        text: text(),
        category: None,
        scope: Scope::Once,
        reason: text(),
        fallback: text(),
    };
    let CallDraft { session, agent: asker, parking, .. } = call("files.write");
    let draft = AheadDraft { session, agent: asker, project: None, ahead, parking };
    engine.ask_ahead(&draft).unwrap();
    let recorded = Recorded {
        session: draft.session.clone(),
        agent: agent(),
        call: None,
        ground: StatedReason::Observed,
        text: text(),
    };
    engine.record_statement(recorded).unwrap();
    let imported = ImportedGrant {
        origin: EarlierSystem::PermissionBridge,
        key: "old".to_owned(),
        words: text(),
        coverage: Coverage::Everything,
        scope: Scope::Session,
        given_at: Time::from_micros(0),
        ends_at: None,
    };
    engine.import_grants(&owner(), None, &[(imported, Risk::Moderate)]).unwrap();
    assert!(is_on_disk(folder.path(), "send 12 to REDACTED-iban-3000-"));
    assert!(!is_on_disk(folder.path(), IBAN));
}

#[test]
fn a_standing_command_with_a_card_number_covers_that_card_only() {
    let (_folder, engine) = store();
    engine.check(&call("files.read")).unwrap();
    grant(&engine, session(), command(CARD), (Scope::Session, None, Confirmation::Plain));
    let decide = |card| engine.check(&pay(card)).unwrap().decision().outcome;
    assert_eq!((decide(CARD), decide(OTHER_CARD)), (Outcome::Allow, Outcome::Ask));
    let argv = ["pay", "--card", CARD, "12"].map(str::to_owned).to_vec();
    let revoked = engine.revoke(&session(), &Revoke::Command(argv)).unwrap();
    assert_eq!(revoked.len(), 1);
    assert_eq!(decide(CARD), Outcome::Ask);
}

/// The operator wrote the contact's IBAN into the graph, and the decision compares with it.
#[test]
fn a_contact_is_still_a_contact_if_its_id_is_an_iban() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    let graph = format!(
        "{{domains: {{bank: {{autonomous: [send], requires_approval: [], blocked: [send_unknown]}}}}, \
         vip_contacts: {{landlord: {IBAN}}}}}"
    );
    let yaml = countersign_graph::Format::Yaml;
    let loaded = countersign_graph::load_graph("graph.yaml", graph.as_bytes(), yaml).unwrap();
    engine.load_graph(loaded).unwrap();
    let send_to = |to: &str| {
        let mut draft = call("bank.send");
        draft.target = vec![to.to_owned()];
        draft.session = SessionKey::parse("agent-1 s9").unwrap();
        engine.check(&draft).unwrap().decision().reason
    };
    assert_eq!(send_to(IBAN), Reason::Autonomous);
    assert_eq!(send_to("GB29NWBK60161331926819"), Reason::Blocked);
    assert!(!is_on_disk(folder.path(), "GB29NWBK60161331926819"));
    assert!(engine.replay().unwrap().is_consistent());
}
