//! Killed at any moment: nothing happens without an earlier record, and nothing that was
//! acknowledged is lost.
//!
//! A child process asks, answers, redeems and does, writing down what it was told; somebody kills
//! it, fifty times; then the record is held against what the child saw and did.

use super::{postgres_at, sqlite};
use crate::world::{agent, call, on, session, yes};
use countersign_core::change::{Attempt, Change};
use countersign_core::grant::{Confirmation, Coverage, GrantState, Scope};
use countersign_core::ids::{CallId, GrantId};
use countersign_core::ledger::{replay, verify};
use countersign_core::revoke::Revoke;
use countersign_core::words::{Choice, Effect, Outcome};
use countersign_engine::{Asks, Checked, Engine, Store};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const KILLS: usize = 50;
const STORE: &str = "COUNTERSIGN_CRASH_STORE";
const SEEN: &str = "COUNTERSIGN_CRASH_SEEN";

/// One life of the child: it goes on until it is killed.
#[test]
fn child_that_is_killed() {
    let (Ok(store), Ok(seen)) = (std::env::var(STORE), std::env::var(SEEN)) else { return };
    let mut seen = OpenOptions::new().create(true).append(true).open(seen).unwrap();
    match store.strip_prefix("sqlite:") {
        Some(folder) => live(&on(sqlite(Path::new(folder))), &mut seen),
        None => live(&on(postgres_at(&store)), &mut seen),
    }
}

fn note(seen: &mut File, line: &str) {
    seen.write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn live<S: Store>(engine: &Engine<S>, seen: &mut File) {
    engine.restart().unwrap();
    // What the last life left standing would spare this one its questions.
    engine.open(&session(), &agent(), None).unwrap();
    engine.revoke(&session(), &Revoke::All).unwrap();
    loop {
        let mut draft = call("files.write");
        draft.args = json!({"n": RandomState::new().hash_one(0) >> 12});
        let Checked::Pending { operation, .. } = engine.check(&draft).unwrap() else { panic!() };
        engine.answer(Asks::Call(operation), &yes()).unwrap();
        note(seen, &format!("answered {operation}"));
        let redeemed = engine.retry(operation, &session(), &agent()).unwrap();
        let Checked::Permit { permit, .. } = redeemed else { panic!("{redeemed:?}") };
        note(seen, &format!("done {operation}"));
        engine.finish(permit, Effect::Done).unwrap();
        let again = engine.retry(operation, &session(), &agent()).unwrap();
        assert!(matches!(again, Checked::Kept { .. }), "{again:?}");
        let terms = (Scope::Session, None, Confirmation::Plain);
        let coverage = Coverage::Everything;
        let (grant, _) = engine.grant((&session(), &agent()), &coverage, terms).unwrap();
        note(seen, &format!("granted {}", grant.id));
        engine.revoke(&session(), &Revoke::Grants(vec![grant.id])).unwrap();
        note(seen, &format!("revoked {}", grant.id));
    }
}

fn kill_again_and_again(store: &str, seen: &Path) {
    let this = std::env::current_exe().unwrap();
    for kill in 0..KILLS {
        let mut child = Command::new(&this)
            .args(["--exact", "stores::crash::child_that_is_killed", "--nocapture"])
            .env(STORE, store)
            .env(SEEN, seen)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Long enough to have begun or to have done something, then at any moment.
        let (before, begun) = (lines(seen), Instant::now());
        while lines(seen) <= before + kill % 5 {
            if let Some(status) = child.try_wait().unwrap() {
                let mut said = String::new();
                std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said)
                    .unwrap();
                panic!("kill {kill}: it ended by itself, {status}: {said}");
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "kill {kill}: it does nothing");
            std::thread::sleep(Duration::from_millis(1));
        }
        let more = RandomState::new().hash_one(kill) % 20_000;
        std::thread::sleep(Duration::from_micros(more));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

fn lines(seen: &Path) -> usize {
    std::fs::read_to_string(seen).map_or(0, |text| text.lines().count())
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

fn seen_in(folder: &Path) -> PathBuf {
    folder.join("seen")
}

#[test]
fn fifty_kills_on_sqlite_lose_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let seen = seen_in(folder.path());
    kill_again_and_again(&format!("sqlite:{}", folder.path().display()), &seen);
    compare(sqlite(folder.path()), &std::fs::read_to_string(seen).unwrap());
}

#[test]
fn fifty_kills_on_postgres_lose_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let seen = seen_in(folder.path());
    let place = format!("{}:{}", super::schema().schema, countersign_scratch::shared());
    kill_again_and_again(&place, &seen);
    compare(postgres_at(&place), &std::fs::read_to_string(seen).unwrap());
}
