//! Killed at any moment: nothing happens without an earlier record, and nothing that was
//! acknowledged is lost.
//!
//! A child process asks, answers, redeems and acts, and prints what it was told. The test kills it
//! fifty times and then compares the ledger with what the child printed.

use super::{child, place};
use crate::world::on;
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::grant::GrantState;
use countersign_core::model::ids::{CallId, GrantId};
use countersign_core::model::words::{Choice, Outcome};
use countersign_engine::Store;
use countersign_ledger::{replay, verify};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

const KILLS: usize = 50;
const WORDS: [&str; 4] = ["answered ", "done ", "granted ", "revoked "];

/// Everything that the child printed before each kill.
fn kill_repeatedly(store: &str) -> String {
    let mut seen = String::new();
    for kill in 0..KILLS {
        let mut child = Command::new(child::program())
            .args(["crash", store])
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

/// Compares the ledger with what the child was told and did.
fn compare(store: impl Store, seen: &str) {
    let engine = on(store);
    let entries = engine.read_all_entries().unwrap();
    verify(&entries).unwrap();
    let state = engine.read_whole_state().unwrap();
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

fn check_fifty_kills(store: &str) {
    let seen = kill_repeatedly(store);
    compare(place::open(store), &seen);
}

#[test]
fn fifty_kills_on_sqlite_lose_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    check_fifty_kills(&format!("sqlite:{}", folder.path().display()));
}

#[test]
fn fifty_kills_on_postgres_lose_nothing_that_was_acknowledged() {
    let schema = super::schema().schema;
    check_fifty_kills(&format!("{schema}:{}", countersign_scratch::shared_server_address()));
}
