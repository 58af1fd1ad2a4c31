//! Killed at any moment: nothing happens without an earlier record, and nothing that was
//! acknowledged is lost.
//!
//! A child process asks, answers, redeems and does, writing down what it was told; somebody kills
//! it, fifty times; then the record is held against what the child saw and did.

use super::{postgres_at, sqlite};
use crate::world::{agent, call, on, session, yes};
use countersign_core::ledger::{replay, verify};
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::grant::{Confirmation, Coverage, GrantState, Scope};
use countersign_core::model::ids::{CallId, GrantId};
use countersign_core::model::words::{Choice, Effect, Outcome};
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{Asks, Checked, Engine, Store};
use serde_json::json;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const KILLS: usize = 50;
const STORE: &str = "COUNTERSIGN_CRASH_STORE";
const WORDS: [&str; 4] = ["answered ", "done ", "granted ", "revoked "];

/// One life of the child: it goes on until it is killed.
#[test]
fn child_that_is_killed() {
    let Ok(store) = std::env::var(STORE) else { return };
    match store.strip_prefix("sqlite:") {
        Some(folder) => live(&on(sqlite(Path::new(folder)))),
        None => live(&on(postgres_at(&store))),
    }
}

/// Says what it was told or did, at once: what is in the pipe outlives the child.
fn note(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

fn live<S: Store>(engine: &Engine<S>) {
    engine.restart().unwrap();
    // What the last life left standing would spare this one its questions.
    engine.open(&session(), &agent(), None).unwrap();
    engine.revoke(&session(), &Revoke::All).unwrap();
    loop {
        let mut draft = call("files.write");
        draft.args = json!({"n": RandomState::new().hash_one(0) >> 12});
        let Checked::Pending { operation, .. } = engine.check(&draft).unwrap() else { panic!() };
        engine.answer(Asks::Call(operation), &yes()).unwrap();
        note(&format!("answered {operation}"));
        let redeemed = engine.retry(operation, &session(), &agent()).unwrap();
        let Checked::Permit { permit, .. } = redeemed else { panic!("{redeemed:?}") };
        note(&format!("done {operation}"));
        engine.finish(permit, Effect::Done).unwrap();
        let again = engine.retry(operation, &session(), &agent()).unwrap();
        assert!(matches!(again, Checked::Kept { .. }), "{again:?}");
        let terms = (Scope::Session, None, Confirmation::Plain);
        let coverage = Coverage::Everything;
        let (grant, _) = engine.grant((&session(), &agent()), &coverage, terms).unwrap();
        note(&format!("granted {}", grant.id));
        engine.revoke(&session(), &Revoke::Grants(vec![grant.id])).unwrap();
        note(&format!("revoked {}", grant.id));
    }
}

/// Everything that the child said in its lives.
fn kill_again_and_again(store: &str) -> String {
    let this = std::env::current_exe().unwrap();
    let mut seen = String::new();
    for kill in 0..KILLS {
        let mut child = Command::new(&this)
            .args(["--exact", "stores::crash::child_that_is_killed", "--nocapture"])
            .env(STORE, store)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        // Until it has begun or has done something, then any moment.
        let (mut line, mut heard) = (String::new(), 0);
        while heard <= kill % 5 {
            line.clear();
            let more = said.read_line(&mut line).unwrap();
            assert!(more > 0, "kill {kill}: it ended by itself: {:?}", child.wait());
            heard += usize::from(WORDS.iter().any(|word| line.starts_with(word)));
            seen.push_str(&line);
        }
        let moment = RandomState::new().hash_one(kill) % 1_000_000;
        (0..moment).for_each(|_| std::hint::spin_loop());
        child.kill().unwrap();
        child.wait().unwrap();
        // A line that was cut off was not said.
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        let whole = rest.rfind('\n').map_or("", |end| &rest[..=end]);
        seen.push_str(whole);
    }
    seen
}

fn ids(seen: &str, word: &str) -> Vec<String> {
    seen.lines().filter_map(|line| line.strip_prefix(word)).map(str::to_owned).collect()
}

/// Holds the record against what the child was told and did.
fn compare(store: impl Store, seen: &str) {
    let engine = on(store);
    let entries = engine.entries().unwrap();
    verify(&entries).unwrap();
    let state = engine.state().unwrap();
    assert_eq!(replay(&entries).unwrap(), *state);
    let mut allowed: BTreeMap<CallId, usize> = BTreeMap::new();
    for entry in &entries {
        if let (_, Change::CallDecided { attempt: Attempt::Retry(id), decision, .. }) =
            entry.change().unwrap()
            && decision.outcome == Outcome::Allow
            && !decision.verdicts.is_empty()
        {
            *allowed.entry(id).or_default() += 1;
        }
    }
    let effects = ids(seen, "done ");
    assert!(!effects.is_empty());
    for effect in &effects {
        let id = CallId::parse(effect).unwrap();
        assert_eq!(allowed.get(&id), Some(&1), "{id} was done without one record before it");
    }
    let mut once = effects.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), effects.len(), "something was done twice");
    for answered in ids(seen, "answered ") {
        let record = state.calls.get(&CallId::parse(&answered).unwrap()).unwrap();
        assert!(!record.requests.is_empty(), "{answered} has lost its answer");
        assert!(record.requests.iter().all(|id| {
            let request = state.requests.get(id).unwrap();
            request.items.iter().all(|item| item.answer == Some(Choice::Once))
        }));
    }
    for granted in ids(seen, "granted ") {
        assert!(state.grants.get(GrantId::parse(&granted).unwrap()).is_some(), "{granted} is lost");
    }
    for revoked in ids(seen, "revoked ") {
        let grant = state.grants.get(GrantId::parse(&revoked).unwrap()).unwrap();
        assert_eq!(grant.state, GrantState::Revoked, "{revoked} is alive again");
    }
}

#[test]
fn fifty_kills_on_sqlite_lose_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let seen = kill_again_and_again(&format!("sqlite:{}", folder.path().display()));
    compare(sqlite(folder.path()), &seen);
}

#[test]
fn fifty_kills_on_postgres_lose_nothing_that_was_acknowledged() {
    let place =
        format!("{}:{}", super::schema().schema, countersign_scratch::shared_server_address());
    let seen = kill_again_and_again(&place);
    compare(postgres_at(&place), &seen);
}
