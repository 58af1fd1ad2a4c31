//! `countersign why`: a decision explained out of the record.

use crate::desk::Desk;
use crate::tale::{Tale, agent, masked, session};
use countersign_core::model::words::Choice;
use countersign_engine::{Asks, Checked};
use insta::assert_snapshot;
use serde_json::Value;

/// Reads, sends after a yes, and is declined something; then the folder is free.
fn told() -> Desk {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    drop(Tale::whole(&desk));
    desk
}

fn why(desk: &Desk, words: &[&str]) -> String {
    masked(&desk.run(&[&["why"], words].concat()))
}

fn json(desk: &Desk, words: &[&str]) -> Value {
    let output = desk.output(&[&["why", "--json"], words].concat());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_last_that_was_asked_tells_who_was_asked_and_what_was_said() {
    assert_snapshot!(why(&told(), &["--last-asked"]), @r#"
    asked: email.delete
      because   no grant covers email.delete (no_grant)
      nearest   an operator's yes to this request would allow it
      rule      ask no_grant: email.delete (requires_approval, risk moderate)
      who       coder in session s1
      graph     HASH was in force
      decided   2026-01-05T09:00:10Z, entry 17 of the ledger
      asked     req_019b8d62a1907001800000000000100c, at 2026-01-05T09:00:10Z, open until 2026-01-05T11:00:10Z
      answered  no, by the operator, at 2026-01-05T09:00:11Z, saying "not\u001b[2J today"
      id        op_019b8d62a1907000800000000000000c
    exit: 0
    "#);
}

#[test]
fn the_last_that_passed_without_asking_tells_which_rule_let_it() {
    assert_snapshot!(why(&told(), &["--last-skipped"]), @"
    allowed: email.read
      because   email.read is autonomous (autonomous)
      nearest   above moderate risk it would have asked
      rule      allow autonomous: email.read (autonomous, risk low)
      who       coder in session s1
      graph     HASH was in force
      decided   2026-01-05T09:00:01Z, entry 3 of the ledger
      ended     done, at 2026-01-05T09:00:02Z
      id        op_019b8d627e6870008000000000000003
    exit: 0
    ");
}

#[test]
fn a_call_is_named_by_either_end_of_its_id_and_by_its_request() {
    let desk = told();
    let whole = json(&desk, &["--last-asked"]);
    let (call, request) = (whole["call"].as_str().unwrap(), &whole["requests"][0]["id"]);
    let (end, beginning) = (call.get(call.len() - 6..).unwrap(), call.get(..33).unwrap());
    for part in [call, end, beginning, request.as_str().unwrap()] {
        assert_eq!(json(&desk, &[part])["entry"], whole["entry"], "{part}");
    }
}

#[test]
fn a_call_that_was_redeemed_names_the_grant_and_the_answer_it_came_from() {
    let desk = told();
    let sent = (1..40).map(|seq| desk.run(&["ledger", "show", &seq.to_string(), "--json"]));
    let sent = sent.filter(|entry| entry.contains("retry")).find_map(|entry| {
        let at = entry.find("op_")?;
        entry.get(at..at + 35).map(str::to_owned)
    });
    assert_snapshot!(why(&desk, &[&sent.unwrap()]), @"
    allowed: email.send
      because   a grant covers email.send (granted)
      nearest   without the grant it would have asked
      rule      allow granted: email.send (requires_approval, risk moderate, by grant_019b8d628a2070008000000000000006)
      grant     grant_019b8d628a2070008000000000000006: email.send (HASH…HASH), for once, until 2026-01-05T09:10:04Z
      given     yes, once, by the operator, at 2026-01-05T09:00:04Z
      who       coder in session s1
      graph     HASH was in force
      decided   2026-01-05T09:00:05Z, entry 9 of the ledger
      asked     req_019b8d62863870018000000000001005, at 2026-01-05T09:00:03Z, open until 2026-01-05T11:00:03Z
      answered  yes, once, by the operator, at 2026-01-05T09:00:04Z
      before    ask, because no grant covers email.send, at 2026-01-05T09:00:03Z
      ended     done, at 2026-01-05T09:00:06Z
      id        op_019b8d62863870008000000000000005
    exit: 0
    ");
}

#[test]
fn what_is_not_there_or_not_clear_is_said_with_a_remedy() {
    let desk = told();
    assert_snapshot!(why(&desk, &["abcdef"]), @"
    stderr: error: no call and no request has the id `abcdef`
    stderr:   help: `countersign log` shows what was decided, each with its id
    exit: 2
    ");
    assert_snapshot!(why(&desk, &["abc"]), @"
    stderr: error: `abc` is too short for an id
    stderr:   help: give at least 4 characters of its beginning or its end
    exit: 2
    ");
    assert_snapshot!(why(&desk, &["op_019b"]), @"
    stderr: error: `op_019b` matches several ids: op_019b8d627e6870008000000000000003, op_019b8d62863870008000000000000005, op_019b8d62a1907000800000000000000c
    stderr:   help: give more characters of it
    exit: 2
    ");
    assert_snapshot!(why(&desk, &["grant_00000000000000000000000000000000"]), @"
    stderr: error: grant_00000000000000000000000000000000 was given, not decided
    stderr:   help: name a call or a request; `countersign grants show` tells of a grant
    exit: 2
    ");
    assert_eq!(desk.code(&["why"]), 2);
    assert_eq!(desk.code(&["why", "abcdef", "--last-asked"]), 2);
}

#[test]
fn where_nothing_was_asked_or_skipped_there_is_nothing_to_explain() {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    drop(Tale::on(&desk));
    assert_snapshot!(why(&desk, &["--last-asked"]), @"
    stderr: error: nothing was asked yet
    stderr:   help: `countersign log` shows what happened so far
    exit: 1
    ");
    assert_snapshot!(why(&desk, &["--last-skipped"]), @"
    stderr: error: nothing passed without asking yet
    stderr:   help: `countersign log` shows what happened so far
    exit: 1
    ");
    assert_eq!(Desk::empty().under("COUNTERSIGN_DATA", "data").code(&["why", "--last-asked"]), 1);
}

#[test]
fn a_call_that_asks_what_is_asked_already_shares_its_question_and_its_answer() {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    let tale = Tale::on(&desk);
    let (one, two) = (tale.asks("email.send", None), tale.asks("email.send", None));
    assert_ne!(one, two);
    tale.answer(Asks::Call(one), Choice::Once, "");
    let redeemed = tale.engine.retry(two, &session(), &agent()).unwrap();
    assert!(matches!(redeemed, Checked::Permit { .. }), "{redeemed:?}");
    drop(tale);
    let (one, two) = (json(&desk, &[&one.to_string()]), json(&desk, &[&two.to_string()]));
    assert_eq!(one["requests"], two["requests"]);
    assert_eq!(one["answers"], two["answers"]);
    assert_eq!(two["answers"].as_array().unwrap().len(), 1);
}
