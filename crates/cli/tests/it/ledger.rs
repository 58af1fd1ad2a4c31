//! `ledger`: is it intact, what does it say, and does the state follow from it.

use crate::desk::Desk;
use crate::tale::{Tale, masked};
use insta::assert_snapshot;
use std::path::Path;

fn told() -> Desk {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data");
    drop(Tale::whole(&desk));
    desk
}

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
    let desk = told();
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
fn an_altered_entry_is_named_and_what_to_do() {
    let desk = told();
    by_hand(&desk, "UPDATE entries SET bytes = replace(bytes, 'coder', 'codex') WHERE seq = 3");
    assert_snapshot!(run(&desk, &["verify"]), @"
    damaged: entry 3 was altered: its bytes do not give its hash
      help: rely on nothing after entry 2; keep a copy of it as it is, and compare it with an earlier export or backup
    exit: 1
    ");
    assert_snapshot!(run(&desk, &["verify", "--json"]), @r#"
    {"v":1,"result":"damaged","entries":2,"erased":0,"head":{"seq":2,"hash":"HASH"},"from":1,"damage":{"seq":3,"problem":"entry 3 was altered: its bytes do not give its hash","help":"rely on nothing after entry 2; keep a copy of it as it is, and compare it with an earlier export or backup"},"contains":null}
    exit: 1
    "#);
}

#[test]
fn a_missing_entry_is_named() {
    let desk = told();
    by_hand(&desk, "DELETE FROM sealed WHERE seq = 4; DELETE FROM entries WHERE seq = 4");
    assert_snapshot!(run(&desk, &["verify"]), @"
    damaged: entry 5 does not follow the one before it; entry 4 is missing
      help: rely on nothing after entry 3; keep a copy of it as it is, and compare it with an earlier export or backup
    exit: 1
    ");
    assert_eq!(desk.code(&["ledger", "show", "4"]), 2);
}

#[test]
fn an_entry_of_no_kind_is_named_and_those_before_it_count() {
    let desk = told();
    by_hand(&desk, "UPDATE entries SET kind = 'nonsense' WHERE seq = 5");
    assert_snapshot!(run(&desk, &["verify"]), @"
    damaged: entry 5 is damaged: `nonsense` is no kind
      help: rely on nothing after entry 4; keep a copy of it as it is, and compare it with an earlier export or backup
    exit: 1
    ");
}

/// Cutting off the end is what a chain alone does not show.
#[test]
fn a_head_that_was_noted_down_shows_that_the_end_was_cut_off() {
    let desk = told();
    let said = desk.run(&["ledger", "verify"]);
    let head = said.split_whitespace().find(|word| word.len() == 64).unwrap().to_owned();
    assert_snapshot!(run(&desk, &["verify", "--contains", &head]), @"
    intact: 19 entries
    head 19 HASH
    contains the hash that was named, at entry 19
    exit: 0
    ");
    by_hand(&desk, "DELETE FROM sealed WHERE seq > 10; DELETE FROM entries WHERE seq > 10");
    assert_eq!(desk.code(&["ledger", "verify"]), 0);
    assert_snapshot!(run(&desk, &["verify", "--contains", &head]), @"
    intact: 10 entries
    head 10 HASH
    missing: no entry has HASH
      help: if it was noted down from this ledger, entries were taken out or changed
    exit: 1
    ");
}

#[test]
fn where_there_is_no_record_nothing_is_made() {
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
fn what_is_typed_goes_before_what_the_environment_says() {
    let desk = told().under("COUNTERSIGN_STORE", "postgres:host=/nowhere");
    assert_eq!(desk.code(&["ledger", "verify", "--data", "data"]), 0);
    assert_eq!(desk.code(&["ledger", "verify", "--store", "sqlite"]), 0);
    assert_snapshot!(run(&desk, &["verify", "--data", "data", "--store", "postgres:x"]), @"
    stderr: error: a folder and a database are named, and the record lies in one of them
    stderr:   help: leave out `--data`, or `--store`
    exit: 2
    ");
    let said = run(&desk, &["verify"]);
    assert!(said.contains("reaching the database") && said.ends_with("exit: 1"), "{said}");
    let desk = Desk::empty().under("COUNTERSIGN_STORE", "mysql://me:secret@host");
    assert_snapshot!(run(&desk, &["verify"]), @"
    stderr: error: COUNTERSIGN_STORE is neither `sqlite` nor `postgres:` and an address
    stderr:   help: set it to one of them, or remove it
    exit: 2
    ");
}

#[test]
fn the_data_folder_of_the_user_is_where_a_record_is_looked_for() {
    let desk = told();
    std::fs::create_dir_all(desk.path("home/.local/share")).unwrap();
    std::fs::rename(desk.path("data"), desk.path("home/.local/share/countersign")).unwrap();
    let desk = desk.under("COUNTERSIGN_DATA", "");
    assert_eq!(desk.code(&["ledger", "verify"]), 0);
    let elsewhere = desk.path("share");
    let desk = desk.under("XDG_DATA_HOME", elsewhere.to_str().unwrap());
    assert_eq!(desk.code(&["ledger", "verify"]), 1);
}

#[test]
fn entries_are_printed_one_per_line_with_hostile_words_escaped() {
    let desk = told();
    assert_snapshot!(run(&desk, &["query"]), @"
         1  2026-01-05T09:00:00Z  graph_loaded        -             HASH…HASH
         2  2026-01-05T09:00:00Z  session_opened      s1            coder in blog
         3  2026-01-05T09:00:01Z  call_decided        s1            allow autonomous email.read op_019b8d627e6870008000000000000003
         4  2026-01-05T09:00:02Z  call_completed      s1            done op_019b8d627e6870008000000000000003
         5  2026-01-05T09:00:03Z  call_decided        s1            ask no_grant email.send op_019b8d62863870008000000000000005
         6  2026-01-05T09:00:03Z  request_opened      s1            email.send req_019b8d62863870018000000000001005
         7  2026-01-05T09:00:04Z  request_answered    s1            approved once req_019b8d62863870018000000000001005
         8  2026-01-05T09:00:04Z  grant_minted        s1            email.send (HASH…HASH) for once, by answer grant_019b8d628a2070008000000000000006
         9  2026-01-05T09:00:05Z  call_decided        s1            allow granted again op_019b8d62863870008000000000000005
        10  2026-01-05T09:00:05Z  grant_used          s1            grant_019b8d628a2070008000000000000006 by op_019b8d62863870008000000000000005
        11  2026-01-05T09:00:06Z  call_completed      s1            done op_019b8d62863870008000000000000005
        12  2026-01-05T09:00:07Z  call_decided        s1            ask no_grant asked ahead
        13  2026-01-05T09:00:07Z  request_opened      s1            filesystem_write, ahead req_019b8d6295d870008000000000000009
        14  2026-01-05T09:00:08Z  request_answered    s1            approved session req_019b8d6295d870008000000000000009
        15  2026-01-05T09:00:08Z  grant_minted        s1            category filesystem_write for session, by ahead grant_019b8d6299c07000800000000000000a
        16  2026-01-05T09:00:09Z  grant_revoked       s1            grant_019b8d6299c07000800000000000000a
        17  2026-01-05T09:00:10Z  call_decided        s1            ask no_grant email.delete op_019b8d62a1907000800000000000000c
        18  2026-01-05T09:00:10Z  request_opened      s1            email.delete req_019b8d62a1907001800000000000100c
        19  2026-01-05T09:00:11Z  request_answered    s1            declined req_019b8d62a1907001800000000000100c
    exit: 0
    ");
}

#[test]
fn entries_are_found_by_what_they_are_about() {
    let desk = told();
    assert_snapshot!(run(&desk, &["query", "--session", "s1", "--kind", "grant_revoked"]), @"
        16  2026-01-05T09:00:09Z  grant_revoked       s1            grant_019b8d6299c07000800000000000000a
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["query", "--until", "2026-01-05", "--json"]), @"exit: 0");
    assert_snapshot!(run(&desk, &["query", "--agent", "coder", "--last", "2"]), @"
        18  2026-01-05T09:00:10Z  request_opened      s1            email.delete req_019b8d62a1907001800000000000100c
        19  2026-01-05T09:00:11Z  request_answered    s1            declined req_019b8d62a1907001800000000000100c
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["query", "--agent", "other"]), @"exit: 0");
    let minted = desk.run(&["ledger", "query", "--kind", "grant_minted"]);
    let grant = minted.split_whitespace().find(|word| word.starts_with("grant_0")).unwrap();
    assert_snapshot!(run(&desk, &["query", "--id", grant]), @"
         8  2026-01-05T09:00:04Z  grant_minted        s1            email.send (HASH…HASH) for once, by answer grant_019b8d628a2070008000000000000006
         9  2026-01-05T09:00:05Z  call_decided        s1            allow granted again op_019b8d62863870008000000000000005
        10  2026-01-05T09:00:05Z  grant_used          s1            grant_019b8d628a2070008000000000000006 by op_019b8d62863870008000000000000005
    exit: 0
    ");
}

#[test]
fn one_entry_can_be_read_and_had_as_it_was_hashed() {
    let desk = told();
    assert_snapshot!(run(&desk, &["show", "2"]), @"
    entry 2: session_opened
    at    2026-01-05T09:00:00Z
    hash  HASH
    prev  HASH
    agent coder
    project blog
    session s1
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["show", "2", "--json"]), @r#"
    {"seq":2,"hash":"HASH","entry":"{\"at\":1767603600000000,\"body\":{\"agent\":\"coder\",\"project\":\"blog\",\"session\":\"s1\"},\"kind\":\"session_opened\",\"prev\":\"HASH\",\"seq\":2}"}
    exit: 0
    "#);
    assert_snapshot!(run(&desk, &["show", "99"]), @"
    stderr: error: the ledger has no entry 99
    stderr:   help: `countersign ledger query --last 1` shows the last one
    exit: 2
    ");
    let minted = run(&desk, &["show", "8"]);
    assert!(minted.contains("granted_at 2026-01-05T09:00:04Z"), "{minted}");
    let last = run(&desk, &["show", "19"]);
    assert!(last.contains(r"not\u{1b}[2J today"), "{last}");
}

#[test]
fn bad_input_is_answered_with_what_is_expected() {
    let desk = told();
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
    stderr: error: invalid value 'g_7' for '--id <ID>': give at least 4 characters of its beginning or its end
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    assert_snapshot!(run(&desk, &["query", "--since", "yesterday"]), @"
    stderr: error: invalid value 'yesterday' for '--since <WHEN>': write a day (2026-01-05), an instant (2026-01-05T09:00:00Z), or how long ago (2h)
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    assert_snapshot!(run(&desk, &["export", "--from", "5", "--to", "4"]), @"
    stderr: error: entry 4 comes before entry 5
    stderr:   help: let `--from` be the smaller one
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
fn an_export_is_verified_where_the_record_is_not() {
    let desk = told();
    let whole = export(&desk, &[]);
    let elsewhere = Desk::empty();
    assert_snapshot!(verified(&elsewhere, &whole), @"
    intact: 19 entries
    head 19 HASH
    exit: 0
    ");
    assert_snapshot!(verified(&elsewhere, &export(&desk, &["--from", "3", "--to", "5"])), @"
    intact: 3 entries
    begins with entry 3, after one with the hash HASH
    head 5 HASH
    exit: 0
    ");
    assert_snapshot!(verified(&elsewhere, ""), @"
    stderr: error: `export.jsonl` holds no entry, so there is nothing to verify
    stderr:   help: name a file that `countersign ledger export` wrote
    exit: 1
    ");
    let altered = whole.replace("coder", "codex");
    assert_snapshot!(verified(&elsewhere, &altered), @"
    damaged: entry 2 was altered: its bytes do not give its hash
      help: rely on nothing after entry 1; keep a copy of it as it is, and compare it with an earlier export or backup
    exit: 1
    ");
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.remove(6);
    assert_snapshot!(verified(&elsewhere, &lines.join("\n")), @"
    damaged: entry 8 does not follow the one before it; entry 7 is missing
      help: rely on nothing after entry 6; keep a copy of it as it is, and compare it with an earlier export or backup
    exit: 1
    ");
    assert_snapshot!(verified(&elsewhere, &whole.replacen("{\"", "[{\"", 1)), @r#"
    stderr: error: export.jsonl:1: this is no exported entry: EOF while parsing a list at line 2 column 0
    stderr:   help: every line is `{"seq": …, "hash": …, "entry": …}`; export it again
    exit: 1
    "#);
}

/// Another language has SHA-256 and a JSON parser, and needs nothing else.
#[test]
fn an_export_is_verified_by_a_few_lines_of_python() {
    let desk = told();
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
    let said = child.output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.status.success(), "{text}{}", String::from_utf8_lossy(&said.stderr));
    assert!(text.starts_with("intact: "), "{text}");
}

#[test]
fn the_ledger_replayed_gives_the_stored_state() {
    let desk = told();
    assert_snapshot!(run(&desk, &["replay"]), @"
    the same: 19 entries give the state that is stored
    5 decided again with the same result
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["replay", "--json"]), @r#"
    {"v":1,"entries":19,"decisions":{"same":5,"different":[],"not_replayable":[]},"sessions_not_replayable":[],"differences":[]}
    exit: 0
    "#);
}

#[test]
fn a_state_that_was_changed_by_hand_is_noticed() {
    let desk = told();
    let free = "UPDATE grants SET body = json_set(body, '$.scope', 'project') WHERE place = 2;
        DELETE FROM calls WHERE place = 1; INSERT INTO paused VALUES ('coder');";
    by_hand(&desk, free);
    assert_snapshot!(run(&desk, &["replay"]), @r#"
    5 decided again with the same result
    different: 19 entries give another state than is stored, in 3 rows
      call op_019b8d627e6870008000000000000003: not stored, and the ledger has it
      grant grant_019b8d6299c07000800000000000000a: another scope: stored "project", replayed "session"
      who is paused: another value: stored ["coder"], replayed []
      help: if `countersign ledger verify` finds the ledger intact, the stored state was changed by other means: keep a copy of it, and trust the ledger
    exit: 1
    "#);
    assert_eq!(desk.code(&["ledger", "verify"]), 0);
}

#[test]
fn what_a_session_held_is_erased_after_it_was_shown_what_would_go() {
    let desk = told();
    assert_snapshot!(run(&desk, &["erase", "--session", "s1"]), @"
    this would erase what 4 entries keep apart, of 0 calls
      help: it cannot be undone; run it again with `--yes`
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["erase", "--session", "s1", "--json"]), @r#"
    {"v":1,"result":"dry_run","entries":[12,13,14,19],"calls":[],"requests":["req_019b8d6295d870008000000000000009","req_019b8d62a1907001800000000000100c"],"grants":[],"open":[]}
    exit: 0
    "#);
    assert_snapshot!(run(&desk, &["verify"]), @"
    intact: 19 entries
    head 19 HASH
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["erase", "--session", "s1", "--yes"]), @"
    erased: what 4 entries kept apart, of 0 calls
    the ledger says so itself; backups and exports keep what they have
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["erase", "--session", "s1", "--yes"]), @"
    there is nothing to erase
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["verify"]), @"
    intact: 20 entries
    4 entries without what they kept apart, which was erased
    head 20 HASH
    exit: 0
    ");
    assert_snapshot!(run(&desk, &["replay"]), @"
    the same: 20 entries give the state that is stored
    4 decided again with the same result, 1 not replayable: arguments erased, or no graph kept
    session s1 holds what was erased in the ledger, and cannot be built anew
    exit: 0
    ");
    assert!(run(&desk, &["show", "12"]).contains("what it kept apart was erased"));
}

#[test]
fn erasing_wants_to_know_whose_words() {
    let desk = told();
    assert_eq!(desk.code(&["ledger", "erase"]), 2);
    assert_eq!(desk.code(&["ledger", "erase", "--call", "op_x"]), 2);
    assert_eq!(desk.code(&["ledger", "erase", "--session", "s1", "--before", "1d"]), 2);
    assert_eq!(desk.code(&["ledger", "erase", "--call", "op_019b8d627a8070008000000000000099"]), 0);
    let nowhere = Desk::empty();
    assert_eq!(nowhere.code(&["ledger", "erase", "--session", "s1", "--yes"]), 1);
}
