//! `import`: old grants become requests, which the operator answers.

use crate::daemon::Daemon;
use crate::desk::Desk;
use crate::tale::Tale;
use countersign_engine::CheckResult;
use insta::assert_snapshot;
use std::io::Write;
use std::process::{Command, Stdio};

const GRAPH: &str = "\
domains:
  notes: {autonomous: [], requires_approval: [write, move, purge, sign], blocked: [wipe],
    actions: {purge: {risk: high}, sign: {always_ask: true}}}
  email: {autonomous: [read], requires_approval: [send, delete], blocked: [wipe]}
workflows:
  tidy-up: {actions: [notes.move]}
consent_decay: {enabled: false}
";

const BRIDGE: &str = r#"{"v":1,"op":"grant","grant_id":"g-1","action":"keep the docs","category":"filesystem_write","scope":"persistent","reasoning":"they go stale","granted_at":"2026-01-01T10:00:00.123Z"}
{"v":1,"op":"grant","grant_id":"g-2","action":"run \u001b[2Jtests","category":"shell_exec","scope":"persistent","reasoning":"","granted_at":"2026-01-01T10:00:00.123Z"}
{"v":1,"op":"grant","grant_id":"g-3","action":"anything","category":null,"scope":"persistent","reasoning":"","granted_at":"2026-01-01T10:00:00.123Z"}
{"v":1,"op":"grant","grant_id":"g-4","action":"push","category":"git_write","scope":"persistent","reasoning":"","granted_at":"2026-01-01T10:00:00.123Z"}
{"v":1,"op":"revoke","grant_id":"g-4","revoked_at":"2026-01-02T10:00:00.000Z"}
"#;

fn desk() -> Desk {
    let desk = Desk::empty().under("COUNTERSIGN_DATA", "data").with("countersign.yaml", GRAPH);
    desk.with("grants.jsonl", BRIDGE)
}

/// A file as Consent System leaves it in the folder of the session `s1`.
fn with_old(desk: Desk, rows: &[&str]) -> Desk {
    let file = desk.path("agents/s1/consent.db");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let connection = rusqlite::Connection::open(file).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE grants (operation TEXT PRIMARY KEY, mode TEXT NOT NULL,
                 granted_at TEXT NOT NULL, expires_at TEXT);",
        )
        .unwrap();
    for row in rows {
        connection.execute_batch(&format!("INSERT INTO grants VALUES ({row})")).unwrap();
    }
    desk
}

const LIVE: &str = "'2026-01-01T10:00:00.5+00:00', '2200-01-01T10:00:00.5+00:00'";

fn row(key: &str) -> String {
    format!("'{key}', 'temporary', {LIVE}")
}

const OLD: [&str; 3] = ["import", "consent-system", "agents/s1/consent.db"];
const BRIDGED: [&str; 7] =
    ["import", "permission-bridge", "grants.jsonl", "--agent", "coder", "--project", "blog"];

fn blanket() -> Desk {
    with_old(desk(), &[&row("__workflow_consent__")])
}

fn run(desk: &Desk, words: &[&[&str]]) -> String {
    masked(&desk.run(&words.concat()))
}

/// Without ids and digests, which differ from run to run.
fn masked(text: &str) -> String {
    let mut masked = String::new();
    let mut run = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() || ('a'..='f').contains(&c) {
            run.push(c);
            continue;
        }
        masked.push_str(if run.len() == 32 { "ID" } else { &run });
        run.clear();
        masked.push(c);
    }
    masked.pop();
    masked
}

#[test]
fn a_dry_run_lists_what_would_be_imported_and_writes_nothing() {
    let rows = [
        row("notes.write"),
        row("notes.purge"),
        row("notes.wipe"),
        row("notes.sign"),
        row("notes.unknown"),
        row("__workflow_consent__"),
        row("workflow_class:tidy-up"),
        row("workflow_class:gone"),
        row("workflow_run:tidy-up:1"),
        row("bundle:tidy"),
        row("x\u{1b}[31my"),
        "'notes.move', 'temporary', '2026-01-01T10:00:00+00:00', '2026-01-01T10:15:00+00:00'"
            .to_owned(),
    ];
    let desk = with_old(desk(), &rows.each_ref().map(String::as_str));
    assert_snapshot!(run(&desk, &[&OLD, &["--agent", "coder"]]), @r"
    OLD GRANT               COVERS                      SCOPE    GIVEN                 ENDS                  IMPORTED
    notes.write             action notes.write          session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  yes
    notes.purge             -                           session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  no: notes.purge is high risk, and what is imported carries up to moderate; grant it anew
    notes.wipe              -                           session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  no: the graph blocks notes.wipe
    notes.sign              -                           session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  no: the graph always asks about notes.sign
    notes.unknown           -                           session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  no: the graph does not list notes.unknown
    __workflow_consent__    everything                  session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  yes
    workflow_class:tidy-up  starts of workflow tidy-up  session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  yes
    workflow_class:gone     -                           session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  no: the graph has no workflow gone
    workflow_run:tidy-up:1  -                           session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  no: its run is over; start it again
    bundle:tidy             -                           session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  no: it is a label for grants that have their own rows
    x\u{1b}[31my            -                           session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  no: its name is not an action of the form `domain.verb`
    notes.move              -                           session  2026-01-01T10:00:00Z  2026-01-01T10:15:00Z  no: it ended at 2026-01-01T10:15:00Z
    dry run: 3 of 12 would be imported for coder in the session s1; nothing was written
      help: run it again with `--apply`
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
    assert!(!desk.path("data").exists());
    assert_snapshot!(run(&desk, &[&BRIDGED]), @"
    OLD GRANT  COVERS                     SCOPE    GIVEN                 ENDS  IMPORTED
    g-1        category filesystem_write  project  2026-01-01T10:00:00Z  -     yes
    g-2        -                          project  2026-01-01T10:00:00Z  -     no: shell_exec is high risk, and what is imported carries up to moderate; grant it anew
    g-3        everything                 project  2026-01-01T10:00:00Z  -     yes
    g-4        -                          project  2026-01-01T10:00:00Z  -     no: it was revoked at 2026-01-02T10:00:00Z
    dry run: 2 of 4 would be imported for coder in the project blog; nothing was written
      help: run it again with `--apply`
    exit: 0
    ");
    assert_snapshot!(run(&desk, &[&BRIDGED, &["--json"]]), @r#"
    {"v":1,"origin":"permission-bridge","agent":"coder","session":"import-7523c2501502","project":"blog","applied":false,"grants":[{"place":"grants.jsonl:1","key":"g-1","words":"keep the docs (they go stale)","covers":"category filesystem_write","risk":"moderate","scope":"project","given_at":"2026-01-01T10:00:00Z","ends_at":null,"result":"new","request":null,"why":null},{"place":"grants.jsonl:2","key":"g-2","words":"run \u001b[2Jtests","covers":null,"risk":null,"scope":"project","given_at":"2026-01-01T10:00:00Z","ends_at":null,"result":"skipped","request":null,"why":"shell_exec is high risk, and what is imported carries up to moderate; grant it anew"},{"place":"grants.jsonl:3","key":"g-3","words":"anything","covers":"everything","risk":"moderate","scope":"project","given_at":"2026-01-01T10:00:00Z","ends_at":null,"result":"new","request":null,"why":null},{"place":"grants.jsonl:4","key":"g-4","words":"push","covers":null,"risk":null,"scope":"project","given_at":"2026-01-01T10:00:00Z","ends_at":null,"result":"skipped","request":null,"why":"it was revoked at 2026-01-02T10:00:00Z"}]}
    exit: 0
    "#);
    assert!(!desk.path("data").exists());
}

#[test]
fn an_applied_import_waits_and_is_not_imported_twice() {
    let desk = blanket();
    let old = [&OLD[..], &["--agent", "coder"]].concat();
    assert_snapshot!(run(&desk, &[&old, &["--apply"]]), @"
    OLD GRANT             COVERS      SCOPE    GIVEN                 ENDS                  IMPORTED
    __workflow_consent__  everything  session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  as rID
    imported 1 of 1 for coder in the session s1
      help: confirm them with `countersign import confirm --all`; before that they allow nothing
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
    let before = desk.run(&["ledger", "verify"]);
    assert_snapshot!(run(&desk, &[&old, &["--apply"]]), @"
    OLD GRANT             COVERS      SCOPE    GIVEN                 ENDS                  IMPORTED
    __workflow_consent__  everything  session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  already, as rID
    imported 0 of 1 for coder in the session s1
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
    assert_snapshot!(run(&desk, &[&old]), @"
    OLD GRANT             COVERS      SCOPE    GIVEN                 ENDS                  IMPORTED
    __workflow_consent__  everything  session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  already, as rID
    dry run: 0 of 1 would be imported for coder in the session s1; nothing was written
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
    assert_eq!(desk.run(&["ledger", "verify"]), before);
    assert_eq!(desk.code(&[&BRIDGED[..], &["--apply"]].concat()), 0);
    let waiting = run(&desk, &[&["import", "waiting"]]);
    let (first, _) = waiting.split_once("  20").unwrap();
    assert!(first.contains("ID   "), "{waiting}");
    assert_eq!(waiting.lines().filter(|line| line.contains("rID")).count(), 3, "{waiting}");
    assert_eq!(desk.code(&["ledger", "replay"]), 0);
}

#[test]
fn an_invalid_row_or_line_stops_the_import_and_nothing_is_written() {
    let bad = "'notes.move', 'forever', '2026-01-01T10:00:00+00:00', NULL";
    let desk = with_old(desk(), &[&row("notes.write"), bad]);
    assert_snapshot!(run(&desk, &[&OLD, &["--agent", "coder", "--apply"]]), @"
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    stderr: error: agents/s1/consent.db: grants row 2: `mode` is `forever`, which is not a valid mode
    stderr:   help: nothing was imported; fix or remove the row, then try again
    exit: 1
    ");
    let desk = desk.with("grants.jsonl", format!("{BRIDGE}{{\"v\":1,\"op\""));
    assert_snapshot!(run(&desk, &[&BRIDGED, &["--apply"]]), @"
    stderr: error: grants.jsonl:6: the line is not JSON: not acceptable as JSON: EOF while parsing an object at line 1 column 11
    stderr:   help: nothing was imported; fix or remove the line, then try again
    exit: 1
    ");
    assert!(!desk.path("data").exists());
}

#[test]
fn a_missing_argument_or_file_is_named() {
    let desk = blanket();
    assert_snapshot!(run(&desk, &[&OLD]), @"
    stderr: error: the following required arguments were not provided:
    stderr:   --agent <NAME>
    stderr: 
    stderr: Usage: countersign import consent-system --agent <NAME> <CONSENT_DB>
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    std::fs::copy(desk.path("agents/s1/consent.db"), desk.path("consent.db")).unwrap();
    let words = ["import", "consent-system", "consent.db", "--agent", "coder"];
    assert_snapshot!(run(&desk, &[&words]), @"
    stderr: error: `consent.db` is not in `agents/NAME`, which names the session
    stderr:   help: name the session with `--session NAME`
    exit: 2
    ");
    assert_snapshot!(run(&desk, &[&["import", "permission-bridge", "none", "--agent", "a", "--project", "p"]]), @"
    stderr: error: cannot read `none`: no such file or directory
    stderr:   help: check the name, or create the file
    exit: 1
    ");
    assert_snapshot!(run(&desk, &[&["import", "waiting"]]), @"
    stderr: error: there is no record in `data`
    stderr:   help: name the folder that holds one; it is made by the first command that writes
    exit: 1
    ");
    assert_snapshot!(run(&desk, &[&["import", "decline", "req_7"]]), @"
    stderr: error: invalid value 'req_7' for '<ID>': an id is `r` and 32 digits; `countersign import waiting` lists them
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    assert!(!desk.path("data").exists());
}

#[test]
fn an_import_for_another_agent_goes_into_a_session_of_its_own() {
    let desk = blanket();
    drop(Tale::on(&desk));
    for agent in ["other", "coder"] {
        assert_eq!(desk.code(&[&OLD[..], &["--agent", agent, "--apply"]].concat()), 0);
    }
}

fn applied() -> Desk {
    let desk = blanket();
    assert_eq!(desk.code(&[&OLD[..], &["--agent", "coder", "--apply"]].concat()), 0);
    desk
}

/// The id of the one that waits, and what has to be typed for it.
fn waiting(desk: &Desk) -> (String, String) {
    let said = String::from_utf8(desk.output(&["import", "waiting", "--json"]).stdout).unwrap();
    let found: serde_json::Value = serde_json::from_str(&said).unwrap();
    let one = &found["waiting"][0];
    (one["id"].as_str().unwrap().to_owned(), "confirm everything".to_owned())
}

/// Runs it with something on its standard input, below another program.
pub fn below(desk: &Desk, program: &[&str], words: &str, typed: &str) -> (i32, String) {
    let binary = env!("CARGO_BIN_EXE_countersign");
    let mut command = Command::new(program[0]);
    command.args(&program[1..]);
    match program[0] {
        "script" => command.arg(format!("{binary} {words}")).arg("/dev/null"),
        _ => command.arg(binary).args(words.split(' ')),
    };
    let own = desk.command(&[]);
    let own = own.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.env_clear().envs(own).env("PATH", "/usr/bin:/bin");
    command.current_dir(desk.path("")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // A program that does not read its input may be gone already.
    let _unread = child.stdin.take().unwrap().write_all(format!("{typed}\n").as_bytes());
    let output = child.wait_with_output().unwrap();
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap(), said)
}

/// With a terminal of its own, as a person has it.
pub fn at_a_terminal(desk: &Desk, words: &str, typed: &str) -> (i32, String) {
    below(desk, &["script", "-q", "-e", "-c"], words, typed)
}

/// Whether the old blanket lets a call through.
fn carries(desk: &Desk) -> bool {
    let tale = Tale::on(desk);
    matches!(tale.check("email.send", None), CheckResult::Allowed { .. })
}

#[test]
fn without_a_terminal_an_import_cannot_be_confirmed() {
    let desk = applied();
    let (id, word) = waiting(&desk);
    let words = format!("import confirm {id}");
    let (code, said) = below(&desk, &["setsid", "--wait"], &words, &word);
    assert_eq!(code, 9, "{said}");
    assert!(said.contains("cannot ask for confirmation: there is no terminal"), "{said}");
    assert_eq!(waiting(&desk).0, id);
    assert!(!carries(&desk));
}

#[test]
fn an_import_is_confirmed_at_a_terminal_and_its_first_uses_are_recorded() {
    let desk = applied();
    let (id, word) = waiting(&desk);
    let (code, said) = at_a_terminal(&desk, &format!("import confirm {id}"), &word);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("A grant from consent-system: everything"), "{said}");
    assert!(said.contains(&format!("{id}: confirmed, scope session")), "{said}");
    assert!(carries(&desk));
    let told = desk.run(&["ledger", "query", "--kind", "legacy_blanket_used"]);
    assert!(told.contains("email.send") && told.lines().count() == 2, "{told}");
    assert!(desk.run(&["inspect", "--permissions"]).contains("everything, imported"));
    assert_eq!(desk.code(&["ledger", "replay"]), 0);
}

#[test]
fn a_running_daemon_receives_the_answer() {
    let daemon = Daemon::on(applied(), &[]);
    let (id, word) = waiting(&daemon.desk);
    let (code, said) = at_a_terminal(&daemon.desk, &format!("import confirm {id}"), "yes");
    assert_eq!(code, 6, "{said}");
    let (code, said) = at_a_terminal(&daemon.desk, &format!("import confirm {id}"), &word);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(&format!("{id}: confirmed, scope session")), "{said}");
    let granted = daemon.desk.run(&["grants"]);
    assert!(granted.contains("everything") && granted.contains("an import"), "{granted}");
    let declined = daemon.desk.run(&["import", "decline", &id]);
    assert!(declined.contains("no imported grant waits as"), "{declined}");
    let daemon = Daemon::on(applied(), &[]);
    let (id, _) = waiting(&daemon.desk);
    let declined = daemon.desk.run(&["import", "decline", &id]);
    assert_eq!(declined, format!("{id}: declined\nexit: 0"));
    assert!(daemon.desk.run(&["grants"]).contains("there are no grants"));
}

#[test]
fn any_other_input_leaves_it_open() {
    let desk = applied();
    let (id, word) = waiting(&desk);
    for typed in ["", "y", "yes", "confirm", "confirm 000000", &word.to_uppercase()] {
        let (code, said) = at_a_terminal(&desk, "import confirm --all", typed);
        assert_eq!(code, 6, "{typed}: {said}");
        assert!(said.contains("left open"), "{said}");
    }
    assert_eq!(waiting(&desk).0, id);
    assert!(!carries(&desk));
}

#[test]
fn a_declined_import_is_not_imported_again() {
    let desk = applied();
    let (id, word) = waiting(&desk);
    assert_snapshot!(run(&desk, &[&["import", "decline", &id]]), @"
    rID: declined
    exit: 0
    ");
    assert_snapshot!(run(&desk, &[&["import", "decline", &id]]), @"
    stderr: error: no imported grant waits as `rID`
    stderr:   help: `countersign import waiting` lists those that do
    exit: 2
    ");
    assert_snapshot!(run(&desk, &[&["import", "waiting"]]), @"
    no imported grant waits for confirmation
    exit: 0
    ");
    assert_snapshot!(run(&desk, &[&OLD, &["--agent", "coder", "--apply"]]), @"
    OLD GRANT             COVERS      SCOPE    GIVEN                 ENDS                  IMPORTED
    __workflow_consent__  everything  session  2026-01-01T10:00:00Z  2200-01-01T10:00:00Z  already declined
    imported 0 of 1 for coder in the session s1
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
    let (code, _) = at_a_terminal(&desk, &format!("import confirm {id}"), &word);
    assert_eq!(code, 2);
    assert!(!carries(&desk));
}
