//! `countersign log`: the ledger in plain words.

use crate::desk::Desk;
use crate::tale::{Tale, masked};
use insta::assert_snapshot;

fn told() -> Desk {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    drop(Tale::whole(&desk));
    desk
}

#[test]
fn what_happened_is_told_line_by_line() {
    assert_snapshot!(masked(&told().run(&["log"])), @r#"
    2026-01-05T09:00:00Z  -             the graph HASH…HASH came into force
    2026-01-05T09:00:00Z  s1            coder began a session in project blog
    2026-01-05T09:00:01Z  s1            coder: email.read: allowed, because email.read is autonomous [op 000003]
    2026-01-05T09:00:02Z  s1            coder: it was done [op 000003]
    2026-01-05T09:00:03Z  s1            coder: email.send: asked, because no grant covers email.send [op 000005]
    2026-01-05T09:00:03Z  s1            you are asked about email.send, until 2026-01-05T11:00:03Z [req 001005 op 000005]
    2026-01-05T09:00:04Z  s1            you said yes: once [req 001005]
    2026-01-05T09:00:04Z  s1            coder was granted email.send (HASH…HASH), once, until 2026-01-05T09:10:04Z, by your answer [grant 000006 req 001005]
    2026-01-05T09:00:05Z  s1            coder: the same again: allowed, because a grant covers email.send [op 000005 grant 000006]
    2026-01-05T09:00:05Z  s1            coder used the grant [grant 000006 op 000005]
    2026-01-05T09:00:06Z  s1            coder: it was done [op 000005]
    2026-01-05T09:00:07Z  s1            coder: filesystem_write, ahead: asked, because no grant covers this
    2026-01-05T09:00:07Z  s1            you are asked about filesystem_write, ahead, until 2026-01-05T11:00:07Z [req 000009]
    2026-01-05T09:00:08Z  s1            you said yes: session, and "only the docs" [req 000009]
    2026-01-05T09:00:08Z  s1            coder was granted category filesystem_write, session, until 2026-01-06T09:00:08Z, by your answer ahead [grant 00000a req 000009]
    2026-01-05T09:00:09Z  s1            you took the grant back [grant 00000a]
    2026-01-05T09:00:10Z  s1            coder: email.delete: asked, because no grant covers email.delete [op 00000c]
    2026-01-05T09:00:10Z  s1            you are asked about email.delete, until 2026-01-05T11:00:10Z [req 00100c op 00000c]
    2026-01-05T09:00:11Z  s1            you said no, and "not\u001b[2J today" [req 00100c]
    exit: 0
    "#);
}

#[test]
fn it_takes_the_filters_of_a_query_and_the_end_of_an_id() {
    let desk = told();
    assert_snapshot!(masked(&desk.run(&["log", "--kind", "request_answered"])), @r#"
    2026-01-05T09:00:04Z  s1            you said yes: once [req 001005]
    2026-01-05T09:00:08Z  s1            you said yes: session, and "only the docs" [req 000009]
    2026-01-05T09:00:11Z  s1            you said no, and "not\u001b[2J today" [req 00100c]
    exit: 0
    "#);
    assert_snapshot!(masked(&desk.run(&["log", "--last", "1"])), @r#"
    2026-01-05T09:00:11Z  s1            you said no, and "not\u001b[2J today" [req 00100c]
    exit: 0
    "#);
    assert_snapshot!(masked(&desk.run(&["log", "--session", "nobody"])), @"
    exit: 0
    ");
    let lines = desk.run(&["log", "--kind", "call_decided", "--last", "1"]);
    let id = lines.split("op ").nth(1).unwrap().get(..6).unwrap();
    assert_snapshot!(masked(&desk.run(&["log", "--id", id])), @"
    2026-01-05T09:00:10Z  s1            coder: email.delete: asked, because no grant covers email.delete [op 00000c]
    2026-01-05T09:00:10Z  s1            you are asked about email.delete, until 2026-01-05T11:00:10Z [req 00100c op 00000c]
    exit: 0
    ");
}

#[test]
fn as_json_it_is_what_a_query_prints() {
    let desk = told();
    let (log, query) = (["log", "--json"], ["ledger", "query", "--json"]);
    assert_eq!(desk.run(&log), desk.run(&query));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let desk = told();
    assert_eq!(desk.code(&["log", "--id", "abc"]), 2);
    assert_eq!(desk.code(&["log", "--id", "ABCDEF"]), 2);
    assert_eq!(desk.code(&["log", "--kind", "call_decide"]), 2);
    assert_eq!(desk.code(&["log", "--follow", "--until", "1h"]), 2);
    assert_eq!(Desk::empty().under("COUNTERSIGN_DATA", "data").code(&["log"]), 1);
}
