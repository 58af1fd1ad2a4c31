//! `ledger` on a record in a database: verify, replay and export, beside a running daemon and after
//! it.

use crate::daemon::Daemon;
use crate::desk::Desk;
use crate::tale::masked;
use countersign_scratch::{Fsync, PostgresServer};
use insta::assert_snapshot;
use postgres::{Client, NoTls};

fn run(desk: &Desk, words: &[&str]) -> String {
    masked(&desk.run(&[&["ledger"], words].concat()))
}

/// The number of entries that an export holds, and what is said about it elsewhere.
fn verify_export(desk: &Desk, words: &[&str]) -> (usize, String) {
    let output = desk.output(&[&["ledger", "export"], words].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let elsewhere = Desk::empty().with("export.jsonl", &text);
    (text.lines().count(), run(&elsewhere, &["verify", "--file", "export.jsonl"]))
}

/// Another program at the same database, with the guard against it taken away first.
fn alter_entry(server: &PostgresServer, seq: u32) {
    let mut client = Client::connect(&server.address(), NoTls).unwrap();
    let alter = format!(
        "DROP TRIGGER entries_stay ON countersign.entries;
         UPDATE countersign.entries SET bytes = bytes || ' ' WHERE seq = {seq}"
    );
    client.batch_execute(&alter).unwrap();
}

#[test]
fn a_record_in_a_database_is_verified_replayed_and_exported() {
    let server = PostgresServer::start(Fsync::Off).unwrap();
    let desk = Desk::new().under("COUNTERSIGN_STORE", &format!("postgres:{}", server.address()));
    let mut daemon = Daemon::on(desk, &[]);
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting(), "--session"]), 0);
    assert_eq!(daemon.ask("email.delete", "letter"), 0);
    assert_eq!(daemon.desk.code(&["revoke", "--all"]), 0);
    assert_eq!(daemon.ask("email.delete", "letter"), 8);

    let entries = verify_export(&daemon.desk, &[]).0;
    let intact = format!("intact: {entries} entries\nhead {entries} HASH\nexit: 0");
    assert!(entries > 10, "{entries}");
    assert_eq!(run(&daemon.desk, &["verify"]), intact);
    assert_eq!(verify_export(&daemon.desk, &[]), (entries, intact.clone()));
    let (part, said) = verify_export(&daemon.desk, &["--from", "3", "--to", "5"]);
    assert!(part == 3 && said.contains("starts at entry 3"), "{said}");
    let replayed = run(&daemon.desk, &["replay"]);
    let the_same = format!("the same: a replay of {entries} entries gives the stored state\n");
    assert!(replayed.starts_with(&the_same) && replayed.ends_with("exit: 0"), "{replayed}");
    assert!(!replayed.contains("cannot be replayed"), "{replayed}");

    daemon.restart();
    let Daemon { desk, .. } = &daemon;
    for words in [&["verify"][..], &["replay"], &["export"]] {
        assert_eq!(desk.code(&[&["ledger"], words].concat()), 0, "{words:?}");
    }
    alter_entry(&server, 4);
    assert_snapshot!(run(desk, &["verify"]), @"
    damaged: entry 4 was altered: its bytes do not give its hash
      help: do not trust any entry after 3; copy the record as it is, and compare it with an earlier export or backup
    exit: 1
    ");
}
