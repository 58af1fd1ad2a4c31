//! What is kept apart: sealed in the ledger, gone when it is erased, and never a secret.

use super::contract::Backend;
use super::{in_memory, sqlite};
use crate::world::{call, on, owner, session, yes};
use countersign_core::model::call::CallDraft;
use countersign_core::model::change::Kind;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{SessionKey, SurfaceName, Tool};
use countersign_core::model::request::{Answer, AnswerFrom, CardVersion};
use countersign_core::model::words::{Effect, Outcome, Reason};
use countersign_core::steps::may_answer::AnswerNotCounted;
use countersign_core::steps::settle::{AnswerReply, Refusal};
use countersign_engine::{AnswerTarget, CheckResult, Engine, Erasable, Memory, Store};
use countersign_ledger::{LedgerError, verify};
use serde_json::json;
use std::path::Path;

/// A word that stands nowhere but in arguments.
const PRIVATE: &str = "aunt-matilda";

fn private() -> CallDraft {
    let mut draft = call("files.write");
    draft.args = json!({"to": PRIVATE});
    draft.target = vec![format!("/home/{PRIVATE}/letter")];
    draft.claims.reason = format!("{PRIVATE} has a birthday");
    draft
}

/// Asked, approved, redeemed and done, with private words in every part.
fn over<S: Store>(engine: &Engine<S>) -> countersign_core::model::ids::CallId {
    let pending = engine.check(&private()).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    let mut answer = yes();
    answer.note = format!("greetings to {PRIVATE}");
    engine.answer(AnswerTarget::Call(operation), &answer).unwrap();
    let redeemed = engine.retry(operation, &owner()).unwrap();
    let CheckResult::Allowed { permit, .. } = redeemed else { panic!("{redeemed:?}") };
    engine.complete(&permit.complete(Effect::Done)).unwrap();
    operation
}

pub(super) fn the_arguments_of_a_finished_call_are_erased_and_the_ledger_verifies(
    backend: &impl Backend,
) {
    let engine = on(backend.open());
    let operation = over(&engine);
    let before = engine.read_all_entries().unwrap();
    for entry in &before {
        assert!(!entry.bytes.contains(PRIVATE), "{}", entry.bytes);
    }
    assert!(before.iter().any(|entry| entry.content().is_some_and(|h| h.text.contains(PRIVATE))));
    assert!(engine.replay().unwrap().is_consistent());

    let would = engine.preview_erasure(&Erasable::Call(operation)).unwrap();
    assert_eq!(engine.read_all_entries().unwrap().len(), before.len());
    let erased = engine.erase(&Erasable::Call(operation)).unwrap();
    assert_eq!(erased, would);
    assert_eq!((erased.erased.calls.as_slice(), erased.open.len()), ([operation].as_slice(), 0));

    let after = engine.read_all_entries().unwrap();
    assert_eq!(after.last().unwrap().kind, Kind::ArgumentsErased);
    verify(&after).unwrap();
    for (was, is) in before.iter().zip(&after) {
        assert_eq!((&was.bytes, was.hash), (&is.bytes, is.hash));
        assert!(!is.content().is_some_and(|content| content.text.contains(PRIVATE)));
    }
    assert!(!format!("{:?}", engine.read_whole_state().unwrap().calls).contains(PRIVATE));
    let replayed = engine.replay().unwrap();
    assert!(replayed.is_consistent(), "{replayed:?}");
    assert!(!replayed.not_replayable.is_empty(), "{replayed:?}");
    // What was erased once is not erased again, and is not redeemed.
    assert!(engine.erase(&Erasable::Call(operation)).unwrap().erased.entries.is_empty());
    let again = engine.retry(operation, &owner()).unwrap();
    assert_eq!(again.decision().reason, Reason::AlreadyDone);
}

#[test]
fn what_was_erased_is_in_no_file_of_the_store() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    let operation = over(&engine);
    assert!(is_on_disk(folder.path(), PRIVATE), "the test cannot see it while it is there");
    engine.erase(&Erasable::Call(operation)).unwrap();
    drop(engine);
    assert!(!is_on_disk(folder.path(), PRIVATE));
}

pub(super) fn is_on_disk(folder: &Path, word: &str) -> bool {
    let files = std::fs::read_dir(folder.join("store")).unwrap();
    files
        .map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .any(|bytes| bytes.windows(word.len()).any(|window| window == word.as_bytes()))
}

#[test]
fn a_call_that_somebody_may_be_looking_at_keeps_its_words() {
    let engine = on(Memory::empty());
    let pending = engine.check(&private()).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    let erasure = engine.erase(&Erasable::Session(session())).unwrap();
    assert_eq!((erasure.open, erasure.erased.calls.len()), (vec![operation], 0));
    engine.answer(AnswerTarget::Call(operation), &yes()).unwrap();
    let redeemed = engine.retry(operation, &owner()).unwrap();
    assert_eq!(redeemed.decision().outcome, Outcome::Allow);
}

#[test]
fn a_session_is_erased_without_its_neighbour() {
    let engine = on(Memory::empty());
    let mut denied = private();
    denied.actions = vec![countersign_core::model::names::Action::parse("files.wipe").unwrap()];
    engine.check(&denied).unwrap();
    denied.session = SessionKey::parse("agent-1 s2").unwrap();
    engine.check(&denied).unwrap();
    let erasure = engine.erase(&Erasable::Session(session())).unwrap();
    assert_eq!(erasure.erased.calls.len(), 1);
    let entries = engine.read_all_entries().unwrap();
    let left = entries.iter().filter(|e| e.content().is_some_and(|h| h.text.contains(PRIVATE)));
    assert_eq!(left.count(), 1);
}

#[test]
fn a_failed_call_whose_words_are_gone_is_not_redeemed() {
    let engine = on(Memory::empty());
    let mut draft = call("files.read");
    draft.target = vec!["/home/ann/letter".to_owned()];
    let CheckResult::Allowed { permit, .. } = engine.check(&draft).unwrap() else { panic!() };
    let operation = permit.call();
    engine.complete(&permit.complete(Effect::Failed)).unwrap();
    engine.erase(&Erasable::Call(operation)).unwrap();
    let again = engine.retry(operation, &owner()).unwrap();
    assert_eq!(again.decision().reason, Reason::Malformed);
    assert!(again.decision().note.contains("erased"), "{}", again.decision().note);
}

#[test]
fn what_is_stripped_or_altered_without_a_word_is_found() {
    let engine = on(Memory::empty());
    over(&engine);
    let entries = engine.read_all_entries().unwrap();
    let at = entries.iter().position(|entry| entry.sealed.is_some()).unwrap();
    let mut stripped = entries.clone();
    stripped[at].sealed.as_mut().unwrap().content = None;
    assert_eq!(verify(&stripped), Err(LedgerError::Stripped(entries[at].seq)));
    let mut altered = entries.clone();
    let content = altered[at].sealed.as_mut().unwrap().content.as_mut().unwrap();
    content.text = content.text.replace(PRIVATE, "uncle-matthew");
    assert_eq!(verify(&altered), Err(LedgerError::Unsealed(entries[at].seq)));
}

/// A secret is in no entry, sealed or not, in no row, and in no file.
#[test]
fn a_secret_never_enters_the_store() {
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    let mut draft = call("files.write");
    draft.tool = Some(Tool::parse("sh").unwrap());
    draft.args = json!({"line": format!("deploy --key {secret} --password hunter2xyz /srv")});
    draft.target = vec![format!("https://ann:{secret}@example.com/x")];
    draft.claims.reason = format!("with {secret}");
    draft.claims.fallback = format!("token={secret}");
    let pending = engine.check(&draft).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    assert!(!is_on_disk(folder.path(), secret));
    assert!(!is_on_disk(folder.path(), "hunter2xyz"));
    let state = engine.read_whole_state().unwrap();
    let kept = &state.calls.get(&operation).unwrap().call;
    assert!(kept.target[0].contains("@example.com/x"), "{:?}", kept.target);
    let line = kept.args["line"].as_str().unwrap();
    assert!(line.starts_with("deploy --key REDACTED-40-") && line.ends_with(" /srv"), "{line}");
    // The same secret is the same call, another one is not.
    engine.answer(AnswerTarget::Call(operation), &yes()).unwrap();
    let mut other = draft.clone();
    other.args = json!({"line": "deploy --key ghp_0123456789abcdefghijklmnopqrstuvwxyz --password hunter2xyz /srv"});
    assert_eq!(engine.check(&other).unwrap().decision().outcome, Outcome::Ask);
    assert_eq!(engine.check(&draft).unwrap().decision().outcome, Outcome::Allow);
}

#[test]
fn the_same_call_has_another_digest_in_another_store() {
    let folders = [in_memory(), in_memory()];
    let digests = folders.each_ref().map(|folder| {
        let engine = on(sqlite(folder.path()));
        engine.check(&private()).unwrap();
        let state = engine.read_whole_state().unwrap();
        state.calls.values().next().unwrap().call.digest
    });
    assert_ne!(digests[0], digests[1]);
}

#[test]
fn a_store_whose_key_is_gone_is_refused() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    engine.check(&private()).unwrap();
    drop(engine);
    let file = folder.path().join("store").join("countersign.db");
    let raw = rusqlite::Connection::open(file).unwrap();
    raw.execute("DELETE FROM settings WHERE key = 'key'", []).unwrap();
    drop(raw);
    let refused = countersign_engine::Sqlite::open(&folder.path().join("store"));
    assert!(refused.is_err_and(|error| error.to_string().contains("key")));
}

fn answer_from_terminal() -> Answer {
    let name = SurfaceName::parse("terminal").unwrap();
    let from = AnswerFrom::Surface { name: Some(name), card: CardVersion::Current };
    Answer { from, ..yes() }
}

fn shown_args<S: Store>(engine: &Engine<S>, operation: CallId) -> String {
    let state = engine.read_call(operation).unwrap();
    let request = state.calls.get(&operation).unwrap().requests[0];
    let state = engine.read_request(request).unwrap();
    state.calls.get(&operation).unwrap().call.args.to_string()
}

/// The record hides the value, the question does not. Without the value a yes is not taken.
#[test]
fn an_open_question_shows_what_runs_and_the_record_hides_it() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    let mut draft = call("files.write");
    draft.args = json!({"line": "API_KEY=x$(id>/tmp/p) ./run.sh", "secret": "rm -rf here"});
    let pending = engine.check(&draft).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    assert!(!is_on_disk(folder.path(), "rm -rf here"));
    let shown = shown_args(&engine, operation);
    assert!(shown.contains("x$(id>/tmp/p)") && shown.contains("rm -rf here"), "{shown}");
    drop(engine);

    let engine = on(sqlite(folder.path()));
    let shown = shown_args(&engine, operation);
    assert!(!shown.contains("rm -rf here") && shown.contains("REDACTED-shell-"), "{shown}");
    let answered = engine.answer(AnswerTarget::Call(operation), &answer_from_terminal()).unwrap();
    assert_eq!(
        answered.reply,
        AnswerReply::Refused(Refusal::NotCounted(AnswerNotCounted::NotShown))
    );
    // The agent makes the call again: the same question shows it.
    engine.check(&draft).unwrap();
    assert!(shown_args(&engine, operation).contains("rm -rf here"));
}
