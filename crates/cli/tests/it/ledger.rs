//! `ledger`: is it intact, what does it say, and does the state follow from it.

use crate::desk::Desk;
use crate::tale::{Tale, masked, recorded_desk};
use countersign_core::model::words::Choice;
use countersign_engine::AnswerTarget;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::path::Path;

fn run(desk: &Desk, words: &[&str]) -> String {
    masked(&desk.run(&[&["ledger"], words].concat()))
}

/// Another program at the same file, with the guards against it taken away first.
fn by_hand(desk: &Desk, sql: &str) {
    let file = desk.path("data/countersign.db");
    let free = "DROP TRIGGER entries_stay; DROP TRIGGER entries_remain;";
    rusqlite::Connection::open(file).unwrap().execute_batch(&format!("{free} {sql}")).unwrap();
}

#[test]
fn an_intact_ledger_says_so_and_shows_its_head() {
    let desk = recorded_desk();
    assert_snapshot!(run(&desk, &["verify"]), @"
    intact: 19 entries
    head 19 HASH
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["verify", "--json"]), @r#"
    {"v":1,"result":"intact","entries":19,"erased":0,"head":{"seq":19,"hash":"HASH"},"from":1,"damage":null,"contains":null}
    exit: 0
    "#);
}

#[test]
fn a_record_is_read_while_another_process_writes_it() {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    let tale = Tale::whole(&desk);
    assert_eq!(desk.code(&["ledger", "verify"]), 0);
    tale.check("email.read", None);
    assert_eq!(desk.code(&["ledger", "replay"]), 0);
}

#[test]
fn an_altered_entry_is_named_with_a_remedy() {
    let desk = recorded_desk();
    by_hand(&desk, "UPDATE entries SET bytes = replace(bytes, 'coder', 'codex') WHERE seq = 3");
    assert_snapshot!(run(&desk, &["verify"]), @"
    damaged: entry 3 was altered: its bytes do not give its hash
      help: do not trust any entry after 2; copy the record as it is, and compare it with an earlier export or backup
    exit: 1
    ");
    assert_snapshot!(run(&desk, &["verify", "--json"]), @r#"
    {"v":1,"result":"damaged","entries":2,"erased":0,"head":{"seq":2,"hash":"HASH"},"from":1,"damage":{"seq":3,"problem":"entry 3 was altered: its bytes do not give its hash","help":"do not trust any entry after 2; copy the record as it is, and compare it with an earlier export or backup"},"contains":null}
    exit: 1
    "#);
}

#[test]
fn a_missing_entry_is_named() {
    let desk = recorded_desk();
    by_hand(&desk, "DELETE FROM sealed WHERE seq = 4; DELETE FROM entries WHERE seq = 4");
    assert_snapshot!(run(&desk, &["verify"]), @"
    damaged: entry 5 does not follow the one before it; entry 4 is missing
      help: do not trust any entry after 3; copy the record as it is, and compare it with an earlier export or backup
    exit: 1
    ");
    assert_eq!(desk.code(&["ledger", "show", "4"]), 2);
}

#[test]
fn an_entry_of_an_unknown_kind_is_named_and_those_before_it_count() {
    let desk = recorded_desk();
    by_hand(&desk, "UPDATE entries SET kind = 'nonsense' WHERE seq = 5");
    assert_snapshot!(run(&desk, &["verify"]), @"
    damaged: entry 5 is damaged: `nonsense` is no kind
      help: do not trust any entry after 4; copy the record as it is, and compare it with an earlier export or backup
    exit: 1
    ");
}

/// Cutting off the end is what a chain alone does not show.
#[test]
fn a_noted_head_shows_that_the_end_was_cut_off() {
    let desk = recorded_desk();
    let stdout = desk.run(&["ledger", "verify"]);
    let head = stdout.split_whitespace().find(|word| word.len() == 64).unwrap().to_owned();
    assert_snapshot!(run(&desk, &["verify", "--contains", &head]), @"
    intact: 19 entries
    head 19 HASH
    entry 19 has the hash that you named
    exit: 0
    ");
    by_hand(&desk, "DELETE FROM sealed WHERE seq > 10; DELETE FROM entries WHERE seq > 10");
    assert_eq!(desk.code(&["ledger", "verify"]), 0);
    assert_snapshot!(run(&desk, &["verify", "--contains", &head]), @"
    intact: 10 entries
    head 10 HASH
    missing: no entry has HASH
      help: if the hash is from this ledger, somebody removed or changed entries
    exit: 1
    ");
}

#[test]
fn reading_a_missing_record_creates_nothing() {
    let desk = Desk::empty();
    assert_snapshot!(run(&desk, &["verify"]), @"
    stderr: error: there is no record in `HERE/home/.local/share/countersign`
    stderr:   help: name the folder that holds one; it is made by the first command that writes
    exit: 1
    ");
    assert!(!desk.path("home").exists());
    assert_snapshot!(run(&desk, &["query", "--data", "nowhere"]), @"
    stderr: error: there is no record in `nowhere`
    stderr:   help: name the folder that holds one; it is made by the first command that writes
    exit: 1
    ");
    assert!(!desk.path("nowhere").exists());
}

#[test]
fn options_take_precedence_over_the_environment() {
    let desk = recorded_desk().under("COUNTERSIGN_STORE", "postgres:host=/nowhere");
    assert_eq!(desk.code(&["ledger", "verify", "--data", "data"]), 0);
    assert_eq!(desk.code(&["ledger", "verify", "--store", "sqlite"]), 0);
    assert_snapshot!(run(&desk, &["verify", "--data", "data", "--store", "postgres:x"]), @"
    stderr: error: `--data` names a folder and `--store` a database; the record is in one of them
    stderr:   help: leave out `--data` or `--store`
    exit: 2
    ");
    let stdout = run(&desk, &["verify"]);
    assert!(stdout.contains("reaching the database") && stdout.ends_with("exit: 1"), "{stdout}");
    let desk = Desk::empty().under("COUNTERSIGN_STORE", "mysql://me:secret@host");
    assert_snapshot!(run(&desk, &["verify"]), @"
    stderr: error: COUNTERSIGN_STORE is neither `sqlite` nor `postgres:` and an address
    stderr:   help: set it to one of them, or remove it
    exit: 2
    ");
}

#[test]
fn the_default_record_is_in_the_data_folder_of_the_user() {
    let desk = recorded_desk();
    std::fs::create_dir_all(desk.path("home/.local/share")).unwrap();
    std::fs::rename(desk.path("data"), desk.path("home/.local/share/countersign")).unwrap();
    let desk = desk.under("COUNTERSIGN_DATA", "");
    assert_eq!(desk.code(&["ledger", "verify"]), 0);
    let elsewhere = desk.path("share");
    let desk = desk.under("XDG_DATA_HOME", elsewhere.to_str().unwrap());
    assert_eq!(desk.code(&["ledger", "verify"]), 1);
}

#[test]
fn entries_are_printed_one_per_line_with_hostile_text_escaped() {
    let desk = recorded_desk();
    assert_snapshot!(run(&desk, &["query"]), @r#"
         1  2026-01-05T09:00:00Z  graph_loaded        -             Countersign loaded your graph, version HASH…HASH
         2  2026-01-05T09:00:00Z  session_opened      s1            coder opened a session in project blog
         3  2026-01-05T09:00:01Z  call_decided        s1            coder wants email.read: allowed, because your rules allow it [call c000003]
         4  2026-01-05T09:00:02Z  call_completed      s1            the call of coder succeeded [call c000003]
         5  2026-01-05T09:00:03Z  call_decided        s1            coder wants email.send: asked, because you haven't allowed email.send yet [call c000005]
         6  2026-01-05T09:00:03Z  request_opened      s1            Countersign asks you about email.send, until 2026-01-05T11:00:03Z [request r001005 call c000005]
         7  2026-01-05T09:00:04Z  request_answered    s1            you allowed Send mail: once [request r001005]
         8  2026-01-05T09:00:04Z  grant_minted        s1            coder received a grant for one exact call: sending mail, once, until 2026-01-05T09:10:04Z, from your answer [grant g000006 request r001005]
         9  2026-01-05T09:00:05Z  call_decided        s1            coder retries the call: allowed, because you allowed this (grant g000006) [call c000005 grant g000006]
        10  2026-01-05T09:00:05Z  grant_used          s1            coder used the grant [grant g000006 call c000005]
        11  2026-01-05T09:00:06Z  call_completed      s1            the call of coder succeeded [call c000005]
        12  2026-01-05T09:00:07Z  call_decided        s1            coder wants writing files, in advance: asked, because you haven't allowed this yet
        13  2026-01-05T09:00:07Z  request_opened      s1            Countersign asks you about writing files, in advance, until 2026-01-05T11:00:07Z [request r000009]
        14  2026-01-05T09:00:08Z  request_answered    s1            you allowed writing files, in advance: this session, with the note "only the docs" [request r000009]
        15  2026-01-05T09:00:08Z  grant_minted        s1            coder received a grant for writing files, session, until 2026-01-06T09:00:08Z, from your answer in advance [grant g00000a request r000009]
        16  2026-01-05T09:00:09Z  grant_revoked       s1            you revoked the grant [grant g00000a]
        17  2026-01-05T09:00:10Z  call_decided        s1            coder wants email.delete: asked, because you haven't allowed email.delete yet [call c00000c]
        18  2026-01-05T09:00:10Z  request_opened      s1            Countersign asks you about email.delete, until 2026-01-05T11:00:10Z [request r00100c call c00000c]
        19  2026-01-05T09:00:11Z  request_answered    s1            you declined Delete mail, with the note "not\u001b[2J today" [request r00100c]
    exit: 0
    "#);
}

#[test]
fn entries_are_found_by_what_they_are_about() {
    let desk = recorded_desk();
    assert_snapshot!(run(&desk, &["query", "--session", "s1", "--kind", "grant_revoked"]), @"
        16  2026-01-05T09:00:09Z  grant_revoked       s1            you revoked the grant [grant g00000a]
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["query", "--until", "2026-01-05", "--json"]), @"exit: 0");
    assert_snapshot!(run(&desk, &["query", "--agent", "coder", "--last", "2"]), @r#"
        18  2026-01-05T09:00:10Z  request_opened      s1            Countersign asks you about email.delete, until 2026-01-05T11:00:10Z [request r00100c call c00000c]
        19  2026-01-05T09:00:11Z  request_answered    s1            you declined Delete mail, with the note "not\u001b[2J today" [request r00100c]
    exit: 0
    "#);
    assert_snapshot!(run(&desk, &["query", "--agent", "other"]), @"
    stderr: error: the record has no agent `other`
    stderr:   help: the latest agents in it: `coder`
    exit: 2
    ");
    let minted = desk.run(&["ledger", "query", "--kind", "grant_minted"]);
    let grant = minted.split("[grant ").nth(1).unwrap().get(..7).unwrap();
    assert_snapshot!(run(&desk, &["query", "--id", grant]), @"
         8  2026-01-05T09:00:04Z  grant_minted        s1            coder received a grant for one exact call: sending mail, once, until 2026-01-05T09:10:04Z, from your answer [grant g000006 request r001005]
         9  2026-01-05T09:00:05Z  call_decided        s1            coder retries the call: allowed, because you allowed this (grant g000006) [call c000005 grant g000006]
        10  2026-01-05T09:00:05Z  grant_used          s1            coder used the grant [grant g000006 call c000005]
    exit: 0
    ");
}

#[test]
fn one_entry_is_shown_readable_or_as_it_was_hashed() {
    let desk = recorded_desk();
    assert_snapshot!(run(&desk, &["show", "2"]), @"
    entry 2: session_opened
    at    2026-01-05T09:00:00Z
    hash  HASH
    prev  HASH
    agent coder
    project blog
    session coder/s1
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["show", "2", "--json"]), @r#"
    {"seq":2,"hash":"HASH","entry":"{\"at\":1767603600000000,\"body\":{\"agent\":\"coder\",\"project\":\"blog\",\"session\":\"coder s1\"},\"kind\":\"session_opened\",\"prev\":\"HASH\",\"seq\":2}"}
    exit: 0
    "#);
    assert_snapshot!(run(&desk, &["show", "99"]), @"
    stderr: error: the ledger has no entry 99
    stderr:   help: `countersign ledger query --last 1` shows the last one
    exit: 2
    ");
    let minted = run(&desk, &["show", "8"]);
    assert!(minted.contains("granted_at 2026-01-05T09:00:04Z"), "{minted}");
    assert!(minted.contains("session coder/s1") && !minted.contains("coder s1"), "{minted}");
    let last = run(&desk, &["show", "19"]);
    assert!(last.contains(r"not\u{1b}[2J today"), "{last}");
}

/// The middle of a long argument is as much part of the call as its ends.
#[test]
fn an_entry_shows_its_arguments_in_full_unless_they_were_erased() {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    let lines: Vec<String> = (0..400).map(|n| format!("line {n}")).collect();
    let args = json!({"body": lines.join("\n"), "wide": "x".repeat(1_000), "n": 7});
    let call = {
        let tale = Tale::on(&desk);
        let call = tale.sends(args);
        tale.answer(AnswerTarget::Call(call), Choice::Decline, "");
        call
    };
    let found = run(&desk, &["query", "--kind", "call_decided", "--json"]);
    let entry: Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    let seq = entry["seq"].to_string();
    let shown = run(&desk, &["show", &seq]);
    assert!(lines.iter().all(|line| shown.contains(&format!("| {line}\n"))), "{shown}");
    assert_eq!(shown.matches('x').count() - shown.matches("exit").count(), 1_000, "{shown}");
    assert!(shown.contains("n 7"), "{shown}");
    desk.run(&["ledger", "erase", "--call", &call.to_string(), "--yes"]);
    let shown = run(&desk, &["show", &seq]);
    assert!(!shown.contains("line 200") && shown.contains("were erased"), "{shown}");
}

#[test]
fn bad_input_is_refused_with_what_is_expected() {
    let desk = recorded_desk();
    assert_snapshot!(run(&desk, &["show", "0"]), @"
    stderr: error: invalid value '0' for '<SEQ>': 0 is not in 1..18446744073709551615
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    assert_snapshot!(run(&desk, &["query", "--kind", "call_decide"]), @"
    stderr: error: invalid value 'call_decide' for '--kind <KIND>': did you mean `call_decided`?
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    let unknown = run(&desk, &["query", "--kind", "foo"]);
    assert!(unknown.contains("the kinds are graph_loaded, graph_reviewed"), "{unknown}");
    assert_snapshot!(run(&desk, &["query", "--id", "g_7"]), @"
    stderr: error: invalid value 'g_7' for '--id <ID>': give its letter and some of its digits, as lists show them
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    assert_snapshot!(run(&desk, &["query", "--since", "yesterday"]), @"exit: 0");
    assert_snapshot!(run(&desk, &["export", "--from", "5", "--to", "4"]), @"
    stderr: error: entry 4 comes before entry 5
    stderr:   help: give `--from` a number that is not greater than `--to`
    exit: 2
    ");
}

fn export(desk: &Desk, words: &[&str]) -> String {
    let output = desk.output(&[&["ledger", "export"], words].concat());
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

fn verified(desk: &Desk, text: &str) -> String {
    std::fs::write(desk.path("export.jsonl"), text).unwrap();
    run(desk, &["verify", "--file", "export.jsonl"])
}

#[test]
fn an_export_is_verified_without_the_record() {
    let desk = recorded_desk();
    let whole = export(&desk, &[]);
    let elsewhere = Desk::empty();
    assert_snapshot!(verified(&elsewhere, &whole), @"
    intact: 19 entries
    head 19 HASH
    exit: 0
    ");
    assert_snapshot!(verified(&elsewhere, &export(&desk, &["--from", "3", "--to", "5"])), @"
    intact: 3 entries
    starts at entry 3; the entry before has the hash HASH
    head 5 HASH
    exit: 0
    ");
    assert_snapshot!(verified(&elsewhere, ""), @"
    stderr: error: `export.jsonl` contains no entry, so there is nothing to verify
    stderr:   help: name a file that `countersign ledger export` wrote
    exit: 1
    ");
    let altered = whole.replace("coder", "codex");
    assert_snapshot!(verified(&elsewhere, &altered), @"
    damaged: entry 2 was altered: its bytes do not give its hash
      help: do not trust any entry after 1; copy the record as it is, and compare it with an earlier export or backup
    exit: 1
    ");
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.remove(6);
    assert_snapshot!(verified(&elsewhere, &lines.join("\n")), @"
    damaged: entry 8 does not follow the one before it; entry 7 is missing
      help: do not trust any entry after 6; copy the record as it is, and compare it with an earlier export or backup
    exit: 1
    ");
    assert_snapshot!(verified(&elsewhere, &whole.replacen("{\"", "[{\"", 1)), @r#"
    stderr: error: export.jsonl:1: this is not an exported entry: EOF while parsing a list at line 2 column 0
    stderr:   help: every line has the form `{"seq": …, "hash": …, "entry": …}`; export it again
    exit: 1
    "#);
}

/// Another language has SHA-256 and a JSON parser, and needs nothing else.
#[test]
fn an_export_is_verified_by_a_few_lines_of_python() {
    let desk = recorded_desk();
    let python = Path::new("/usr/bin/python3");
    if !python.exists() {
        return;
    }
    std::fs::write(desk.path("export.jsonl"), export(&desk, &[])).unwrap();
    let guide = include_str!("../../../../docs/guides/the-ledger.md");
    let (_, rest) = guide.split_once("```python\n").unwrap();
    let (program, _) = rest.split_once("```").unwrap();
    let mut child = std::process::Command::new(python);
    child.args(["-c", program]).arg(desk.path("export.jsonl"));
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("intact: "), "{text}");
}

#[test]
fn a_replay_of_the_ledger_gives_the_stored_state() {
    let desk = recorded_desk();
    assert_snapshot!(run(&desk, &["replay"]), @"
    the same: a replay of 19 entries gives the stored state
    decisions with the same result: 5
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["replay", "--json"]), @r#"
    {"v":1,"entries":19,"decisions":{"same":5,"different":[],"not_replayable":[]},"sessions_not_replayable":[],"differences":[]}
    exit: 0
    "#);
}

#[test]
fn a_state_that_was_changed_by_hand_is_noticed() {
    let desk = recorded_desk();
    let free = "UPDATE grants SET body = json_set(body, '$.scope', 'project') WHERE place = 2;
        DELETE FROM calls WHERE place = 1; INSERT INTO paused VALUES ('coder');";
    by_hand(&desk, free);
    assert_snapshot!(run(&desk, &["replay"]), @r#"
    decisions with the same result: 5
    different: a replay of 19 entries differs from the stored state in 3 rows
      call c000003019b8d627e6870008000000000: in the ledger, but not stored
      grant g00000a019b8d6299c070008000000000: scope: stored "project", replayed "session"
      paused agents: stored ["coder"], replayed []
      help: run `countersign ledger verify`; if the ledger is intact, another program changed the stored state: copy the record, and trust the ledger
    exit: 1
    "#);
    assert_eq!(desk.code(&["ledger", "verify"]), 0);
}

#[test]
fn erasing_a_session_first_shows_what_would_be_erased() {
    let desk = recorded_desk();
    assert_snapshot!(run(&desk, &["erase", "--session", "s1"]), @"
    this would erase the sealed parts of 4 entries, from 0 calls
      help: it cannot be undone; run it again with `--yes`
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["erase", "--session", "s1", "--json"]), @r#"
    {"v":1,"result":"dry_run","entries":[12,13,14,19],"calls":[],"requests":["r000009019b8d6295d870008000000000","r00100c019b8d62a19070018000000000"],"grants":[],"open":[]}
    exit: 0
    "#);
    assert_snapshot!(run(&desk, &["verify"]), @"
    intact: 19 entries
    head 19 HASH
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["erase", "--session", "s1", "--yes"]), @"
    erased: the sealed parts of 4 entries, from 0 calls
    the ledger records the erasure; backups and exports still contain the text
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["erase", "--session", "s1", "--yes"]), @"
    there is nothing to erase
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["verify"]), @"
    intact: 20 entries
    the sealed parts of 4 entries were erased
    head 20 HASH
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["replay"]), @"
    the same: a replay of 20 entries gives the stored state
    decisions with the same result: 4
    decisions that cannot be replayed: 1; their arguments were erased, or their graph was not recorded
    session coder/s1 contains erased text, so its state cannot be rebuilt
    exit: 0
    ");
    assert!(run(&desk, &["show", "12"]).contains("the sealed parts of this entry were erased"));
}

#[test]
fn erasing_needs_exactly_one_selection() {
    let desk = recorded_desk();
    assert_eq!(desk.code(&["ledger", "erase"]), 2);
    assert_eq!(desk.code(&["ledger", "erase", "--call", "op_x"]), 2);
    assert_eq!(desk.code(&["ledger", "erase", "--session", "s1", "--before", "1d"]), 2);
    assert_eq!(desk.code(&["ledger", "erase", "--call", "c000099019b8d627a8070008000000000"]), 0);
    let nowhere = Desk::empty();
    assert_eq!(nowhere.code(&["ledger", "erase", "--session", "s1", "--yes"]), 1);
}
