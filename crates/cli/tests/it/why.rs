//! `countersign why`: a decision explained out of the record.

use crate::desk::{Desk, first_id, is_printed_id};
use crate::tale::{Tale, masked, owner, recorded_desk};
use countersign_core::model::words::Choice;
use countersign_engine::{AnswerTarget, CheckResult};
use insta::assert_snapshot;
use serde_json::Value;

fn why(desk: &Desk, words: &[&str]) -> String {
    masked(&desk.run(&[&["why"], words].concat()))
}

fn json(desk: &Desk, words: &[&str]) -> Value {
    let output = desk.output(&[&["why", "--json"], words].concat());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_last_asked_call_is_explained_with_its_request_and_answer() {
    assert_snapshot!(why(&recorded_desk(), &["--last-asked"]), @r#"
    asked: email.delete
      because    you haven't allowed email.delete yet (no_grant)
      to change  your yes to this request would allow it
      rule       ask no_grant: email.delete (requires_approval, risk moderate)
      who        coder in session s1
      graph      HASH was in force
      decided    at 2026-01-05T09:00:10Z, entry 17 of the ledger
      asked      r00100c019b8d62a19070018000000000, at 2026-01-05T09:00:10Z, open until 2026-01-05T11:00:10Z
      answered   you declined it, with the note "not\u001b[2J today", at 2026-01-05T09:00:11Z
      id         c00000c019b8d62a19070008000000000
    exit: 0
    "#);
}

#[test]
fn the_last_skipped_call_is_explained_with_the_rule_that_allowed_it() {
    assert_snapshot!(why(&recorded_desk(), &["--last-skipped"]), @"
    allowed: email.read
      because    your rules allow it (autonomous)
      to change  above moderate risk it would have asked
      rule       allow autonomous: email.read (autonomous, risk low)
      who        coder in session s1
      graph      HASH was in force
      decided    at 2026-01-05T09:00:01Z, entry 3 of the ledger
      ended      done, at 2026-01-05T09:00:02Z
      id         c000003019b8d627e6870008000000000
    exit: 0
    ");
}

#[test]
fn a_call_is_named_by_the_beginning_of_its_id_and_by_its_request() {
    let desk = recorded_desk();
    let whole = json(&desk, &["--last-asked"]);
    let (call, request) = (whole["call"].as_str().unwrap(), &whole["requests"][0]["id"]);
    let (short, longer) = (call.get(..7).unwrap(), call.get(..20).unwrap());
    for part in [call, short, longer, request.as_str().unwrap()] {
        assert_eq!(json(&desk, &[part])["entry"], whole["entry"], "{part}");
    }
}

#[test]
fn a_redeemed_call_is_explained_with_its_grant_and_answer() {
    let desk = recorded_desk();
    let sent = (1..40).map(|seq| desk.run(&["ledger", "show", &seq.to_string(), "--json"]));
    let sent = sent.filter(|entry| entry.contains("retry")).find_map(|entry| first_id(&entry, 'c'));
    assert_snapshot!(why(&desk, &[&sent.unwrap()]), @"
    allowed: email.send
      because    you allowed this (grant g000006) (granted)
      to change  without the grant it would have asked
      rule       allow granted: email.send (requires_approval, risk moderate, by g000006019b8d628a2070008000000000)
      grant      g000006019b8d628a2070008000000000: one exact call: sending mail, for once, until 2026-01-05T09:10:04Z
      granted    you allowed it: once, at 2026-01-05T09:00:04Z
      who        coder in session s1
      graph      HASH was in force
      decided    at 2026-01-05T09:00:05Z, entry 9 of the ledger
      asked      r001005019b8d62863870018000000000, at 2026-01-05T09:00:03Z, open until 2026-01-05T11:00:03Z
      answered   you allowed it: once, at 2026-01-05T09:00:04Z
      before     asked, because you haven't allowed email.send yet, at 2026-01-05T09:00:03Z
      ended      done, at 2026-01-05T09:00:06Z
      id         c000005019b8d62863870008000000000
    exit: 0
    ");
}

#[test]
fn an_unknown_or_ambiguous_id_is_refused_with_a_remedy() {
    let desk = recorded_desk();
    assert_snapshot!(why(&desk, &["abcdef"]), @"
    stderr: error: no call and no request has the id `abcdef`
    stderr:   help: `countersign log` shows the decisions with their ids
    exit: 2
    ");
    assert_snapshot!(why(&desk, &["abc"]), @"
    stderr: error: no call and no request has the id `abc`
    stderr:   help: `countersign log` shows the decisions with their ids
    exit: 2
    ");
    assert_snapshot!(why(&desk, &["c00"]), @"
    stderr: error: `c00` can be several: c000003, c000005, c00000c
    stderr:   help: give more characters of it
    exit: 2
    ");
    assert_snapshot!(why(&desk, &["g00000000000000000000000000000000"]), @"
    stderr: error: g00000000000000000000000000000000 is not a call, request, run or proposal
    stderr:   help: name one of those; `countersign grants show` shows a grant
    exit: 2
    ");
    assert_eq!(desk.code(&["why"]), 2);
    assert_eq!(desk.code(&["why", "abcdef", "--last-asked"]), 2);
}

#[test]
fn without_a_decision_there_is_nothing_to_explain() {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    drop(Tale::on(&desk));
    assert_snapshot!(why(&desk, &["--last-asked"]), @"
    stderr: error: no call has been asked about yet
    stderr:   help: `countersign log` shows what happened so far
    exit: 1
    ");
    assert_snapshot!(why(&desk, &["--last-skipped"]), @"
    stderr: error: no call has passed without asking yet
    stderr:   help: `countersign log` shows what happened so far
    exit: 1
    ");
    assert_eq!(Desk::empty().under("COUNTERSIGN_DATA", "data").code(&["why", "--last-asked"]), 1);
}

#[test]
fn two_calls_that_ask_the_same_share_one_request_and_its_answer() {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    let tale = Tale::on(&desk);
    let (one, two) = (tale.asks("email.send", None), tale.asks("email.send", None));
    assert_ne!(one, two);
    tale.answer(AnswerTarget::Call(one), Choice::Once, "");
    let redeemed = tale.engine.retry(two, &owner()).unwrap();
    assert!(matches!(redeemed, CheckResult::Allowed { .. }), "{redeemed:?}");
    drop(tale);
    let (one, two) = (json(&desk, &[&one.to_string()]), json(&desk, &[&two.to_string()]));
    assert_eq!(one["requests"], two["requests"]);
    assert_eq!(one["answers"], two["answers"]);
    assert_eq!(two["answers"].as_array().unwrap().len(), 1);
}

/// Another program altered the entry of the decision, so nobody can say that there was none.
#[test]
fn an_entry_that_cannot_be_read_is_not_an_unknown_id() {
    let desk = recorded_desk();
    let said = desk.run(&["why", "--last-asked"]);
    let id = said.split_whitespace().find(|word| is_printed_id(word, 33)).unwrap();
    let file = desk.path("data/countersign.db");
    let alter = "DROP TRIGGER entries_stay;
        UPDATE entries SET bytes = replace(bytes, '\"outcome\"', '\"nonsense\"') WHERE seq = 17";
    rusqlite::Connection::open(file).unwrap().execute_batch(alter).unwrap();
    let said = desk.run(&["why", id]);
    assert!(said.contains("entry 17") && !said.contains("no call"), "{said}");
    assert!(said.ends_with("exit: 1"), "{said}");
}
