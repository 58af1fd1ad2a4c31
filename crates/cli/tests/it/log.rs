//! `countersign log`: the ledger in plain words.

use crate::desk::Desk;
use crate::tale::{masked, recorded_desk};
use insta::assert_snapshot;

#[test]
fn the_log_is_a_diary_of_calls() {
    assert_snapshot!(masked(&recorded_desk().run(&["log"])), @r#"
    Countersign · Mon 5 Jan 2026
      09:00:00  -         Countersign loaded your graph, version HASH…HASH

    coder · blog · session s1 · Mon 5 Jan 2026
      09:00:01  coder     allowed    Read mail  your rules allow it (email.read)  c000003
      09:00:03  coder     allowed    Send mail  you said yes: once  c000005
      09:00:07  coder     allowed    writing files, in advance  you said yes: this session, with the note "only the docs"
      09:00:09  coder     you revoked the grant
      09:00:10  coder     declined   Delete mail  you said no, with the note "not\u001b[2J today"  c00000c
    exit: 0
    "#);
}

#[test]
fn times_are_written_as_people_write_them_and_unknown_names_are_errors() {
    let desk = recorded_desk();
    let since = |when: &str| desk.run(&["log", "--since", when]);
    assert!(since("5 jan 2026").contains("coder"), "{}", since("5 jan 2026"));
    assert!(since("2026-01-05 09:00").contains("declined"), "{}", since("2026-01-05 09:00"));
    assert!(!since("6 jan 2026").contains("coder"), "{}", since("6 jan 2026"));
    assert!(!desk.run(&["log", "--today"]).contains("coder"));
    assert_eq!(desk.code(&["log", "--since", "01/05/2026"]), 2);
    for words in [["--session", "nobody"], ["--agent", "nobody"]] {
        let said = desk.run(&[&["log"], &words[..]].concat());
        assert!(said.contains("the record has no") && said.contains("exit: 2"), "{said}");
    }
    assert_eq!(desk.code(&["ledger", "query", "--session", "nobody"]), 2);
}

#[test]
fn with_verbose_every_entry_is_printed_as_one_sentence() {
    assert_snapshot!(masked(&recorded_desk().run(&["log", "--verbose"])), @r#"
    2026-01-05T09:00:00Z  -             Countersign loaded your graph, version HASH…HASH
    2026-01-05T09:00:00Z  s1            coder opened a session in project blog
    2026-01-05T09:00:01Z  s1            coder wants email.read: allowed, because your rules allow it [call c000003]
    2026-01-05T09:00:02Z  s1            the call of coder succeeded [call c000003]
    2026-01-05T09:00:03Z  s1            coder wants email.send: asked, because you haven't allowed email.send yet [call c000005]
    2026-01-05T09:00:03Z  s1            Countersign asks you about email.send, until 2026-01-05T11:00:03Z [request r001005 call c000005]
    2026-01-05T09:00:04Z  s1            you allowed Send mail: once [request r001005]
    2026-01-05T09:00:04Z  s1            coder received a grant for one exact call: sending mail, once, until 2026-01-05T09:10:04Z, from your answer [grant g000006 request r001005]
    2026-01-05T09:00:05Z  s1            coder retries the call: allowed, because you allowed this (grant g000006) [call c000005 grant g000006]
    2026-01-05T09:00:05Z  s1            coder used the grant [grant g000006 call c000005]
    2026-01-05T09:00:06Z  s1            the call of coder succeeded [call c000005]
    2026-01-05T09:00:07Z  s1            coder wants writing files, in advance: asked, because you haven't allowed this yet
    2026-01-05T09:00:07Z  s1            Countersign asks you about writing files, in advance, until 2026-01-05T11:00:07Z [request r000009]
    2026-01-05T09:00:08Z  s1            you allowed writing files, in advance: this session, with the note "only the docs" [request r000009]
    2026-01-05T09:00:08Z  s1            coder received a grant for writing files, session, until 2026-01-06T09:00:08Z, from your answer in advance [grant g00000a request r000009]
    2026-01-05T09:00:09Z  s1            you revoked the grant [grant g00000a]
    2026-01-05T09:00:10Z  s1            coder wants email.delete: asked, because you haven't allowed email.delete yet [call c00000c]
    2026-01-05T09:00:10Z  s1            Countersign asks you about email.delete, until 2026-01-05T11:00:10Z [request r00100c call c00000c]
    2026-01-05T09:00:11Z  s1            you declined Delete mail, with the note "not\u001b[2J today" [request r00100c]
    exit: 0
    "#);
}

#[test]
fn it_takes_the_filters_of_a_query_and_a_short_id() {
    let desk = recorded_desk();
    assert_snapshot!(masked(&desk.run(&["log", "--kind", "request_answered"])), @r#"
    2026-01-05T09:00:04Z  s1            you allowed Send mail: once [request r001005]
    2026-01-05T09:00:08Z  s1            you allowed writing files, in advance: this session, with the note "only the docs" [request r000009]
    2026-01-05T09:00:11Z  s1            you declined Delete mail, with the note "not\u001b[2J today" [request r00100c]
    exit: 0
    "#);
    assert_snapshot!(masked(&desk.run(&["log", "--verbose", "--last", "1"])), @r#"
    2026-01-05T09:00:11Z  s1            you declined Delete mail, with the note "not\u001b[2J today" [request r00100c]
    exit: 0
    "#);
    let lines = desk.run(&["log", "--kind", "call_decided", "--last", "1"]);
    let id = lines.split("[call ").nth(1).unwrap().get(..7).unwrap();
    assert_snapshot!(masked(&desk.run(&["log", "--id", id])), @"
    2026-01-05T09:00:10Z  s1            coder wants email.delete: asked, because you haven't allowed email.delete yet [call c00000c]
    2026-01-05T09:00:10Z  s1            Countersign asks you about email.delete, until 2026-01-05T11:00:10Z [request r00100c call c00000c]
    exit: 0
    ");
}

#[test]
fn its_json_is_that_of_a_query() {
    let desk = recorded_desk();
    let (log, query) = (["log", "--json"], ["ledger", "query", "--json"]);
    assert_eq!(desk.run(&log), desk.run(&query));
}

#[test]
fn wrong_filters_are_refused() {
    let desk = recorded_desk();
    assert_eq!(desk.code(&["log", "--id", "c"]), 2);
    assert_eq!(desk.code(&["log", "--id", "ABCDEF"]), 2);
    assert_eq!(desk.code(&["log", "--kind", "call_decide"]), 2);
    assert_eq!(desk.code(&["log", "--follow", "--until", "1h"]), 2);
    assert_eq!(Desk::empty().under("COUNTERSIGN_DATA", "data").code(&["log"]), 1);
}
