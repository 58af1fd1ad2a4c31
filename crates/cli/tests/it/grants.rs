//! What was granted: listed, shown, given, reviewed and taken back, as one person does it.

use crate::daemon::Daemon;
use crate::desk::{Desk, first_id};
use crate::import::{at_a_terminal, below};
use crate::tale::Tale;
use countersign_client::Connection;
use countersign_core::model::grant::{Coverage, Scope};
use countersign_core::model::names::Action;
use insta::assert_snapshot;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

#[test]
fn a_used_grant_is_listed_with_its_action_reason_and_time() {
    let daemon = Daemon::open();
    let gate = |words: &[&str]| {
        let ask = ["gate", "--session", "s1", "--action", "email.delete", "--target", "letter"];
        daemon.desk.code(&[&ask, words].concat())
    };
    assert_eq!(gate(&["--reason", "it is \u{1b}[31mold"]), 8);
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting()]), 0);
    assert_eq!(gate(&["--reason", "it is \u{1b}[31mold"]), 0);
    assert_snapshot!(daemon.run(&["grants"]), @r#"
    ID  COVERS  SCOPE  AGENT  GRANTED  SOURCE  USED  STATE
    ID  this exact call: Delete mail: letter  once  AGENT  TIME  your answer to "it is \u001b[31mold"  1×, TIME by ID  in use
    exit: 0
    "#);
    assert_snapshot!(daemon.run(&["grants", "ls", "--session", "s2"]), @"
    there are no grants
    exit: 0
    ");
    let listed = daemon.desk.run(&["grants", "--json"]);
    let id = first_id(&listed, 'g').unwrap();
    assert_snapshot!(daemon.run(&["grants", "show", id.get(..7).unwrap()]), @r#"
    GRANT
      covers  this exact call: Delete mail: letter
      agent  AGENT
      valid in  session s1
      scope  once
      max risk  moderate
      granted  TIME in session s1
      source  your answer to "it is \u001b[31mold"
      request  REQUEST
      used  1×, TIME by ID
      used for  email.delete
      state  in use
    exit: 0
    "#);
    assert_eq!(daemon.desk.code(&["grants", "show", id.get(..30).unwrap()]), 0);
}

#[test]
fn an_operator_adds_grants_before_an_agent_asks() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    assert_eq!(daemon.ask("email.delete", "a"), 8);
    let add = |words: &[&str]| daemon.run(&[&["grants", "add", "--session", "s1"], words].concat());
    assert_snapshot!(add(&["--action", "email.delete", "--for", "2h"]), @r#"
    granted: everything like "Delete mail" to AGENT, until TIME [grant ID]
    exit: 0
    "#);
    assert_eq!(daemon.ask("email.delete", "b"), 0);
    assert_snapshot!(add(&["--command", "git push <remote>", "--project", "--confirm", "yes"]), @"
    granted: the command `git push <remote>` in HERE to AGENT, until TIME [grant ID]
    the session has no project, so the grant lasts for the session
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["grants"]), @r#"
    ID  COVERS  SCOPE  AGENT  GRANTED  SOURCE  USED  STATE
    ID  the command `git push <remote>` in HERE  session  AGENT  TIME  your own words  not yet  until TIME
    ID  everything like "Delete mail"  session  AGENT  TIME  your own words  1×, TIME by ID  until TIME
    exit: 0
    "#);
    assert_snapshot!(daemon.run(&["revoke", "--session", "s1"]), @r#"
    2 grants were revoked
    - everything like "Delete mail", in session s1
    - the command `git push <remote>`, in session s1
    exit: 0
    "#);
    assert_eq!(daemon.ask("email.delete", "c"), 8);
}

#[test]
fn a_command_is_granted_for_the_current_folder_unless_another_is_named() {
    let daemon = crate::run::daemon();
    let agent = Connection::new(&daemon.desk.path("data/agent.sock"), Duration::from_secs(20));
    std::fs::create_dir(daemon.desk.path("shop")).unwrap();
    let here = daemon.desk.path("").canonicalize().unwrap();
    let decided = |command: &str, folder: Option<&Path>| {
        let mut call = json!({"session": "s1", "tool": "Bash", "args": {"command": command}});
        if let Some(folder) = folder {
            call["cwd"] = json!(folder);
        }
        agent.post("/v1/check", &call).unwrap()["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(decided("ls", None), "pending");
    let add = |words: &[&str]| daemon.run(&[&["grants", "add", "--session", "s1"], words].concat());
    assert_snapshot!(add(&["--command", "npm test"]), @"
    granted: the command `npm test` in HERE to AGENT, until TIME [grant ID]
    exit: 0
    ");
    assert_snapshot!(add(&["--command", "npm run lint", "--in", "shop"]), @"
    granted: the command `npm run lint` in HERE/shop to AGENT, until TIME [grant ID]
    exit: 0
    ");
    assert_snapshot!(add(&["--command", "npm ci", "--no-folder"]), @"
    granted: the command `npm ci` (no folder named) to AGENT, until TIME [grant ID]
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["grants"]), @"
    ID  COVERS  SCOPE  AGENT  GRANTED  SOURCE  USED  STATE
    ID  the command `npm ci` (no folder named)  session  AGENT  TIME  your own words  not yet  until TIME
    ID  the command `npm run lint` in HERE/shop  session  AGENT  TIME  your own words  not yet  until TIME
    ID  the command `npm test` in HERE  session  AGENT  TIME  your own words  not yet  until TIME
    exit: 0
    ");
    let shop = here.join("shop");
    for (command, allowed) in [
        ("npm test", [true, false, false]),
        ("npm run lint", [false, true, false]),
        ("npm ci", [false, false, true]),
    ] {
        let found = [Some(&*here), Some(&*shop), None].map(|folder| decided(command, folder));
        assert_eq!(found.map(|status| status == "allowed"), allowed, "{command}");
    }
    assert_snapshot!(add(&["--command", "npm test", "--in", "nowhere"]), @"
    stderr: error: cannot open `nowhere`: no such file or directory
    stderr:  help: name a folder that exists
    exit: 1
    ");
}

#[test]
fn the_reply_to_a_grant_says_whether_it_lifts_an_earlier_decline() {
    let daemon = crate::run::daemon();
    let agent = Connection::new(&daemon.desk.path("data/agent.sock"), Duration::from_secs(20));
    let decided = |command: &str| {
        let call = json!({"session": "s1", "tool": "Bash", "args": {"command": command}});
        agent.post("/v1/check", &call).unwrap()["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(decided("npm test"), "no_grant");
    assert_eq!(daemon.desk.code(&["decline", &daemon.waiting()]), 0);
    let add = |words: &[&str]| daemon.run(&[&["grants", "add", "--session", "s1"], words].concat());
    assert_snapshot!(add(&["--action", "shell.run"]), @"
    granted: running commands to AGENT, until TIME [grant ID]
    Your earlier decline of shell.run still holds: a grant of the action lifts none; grant the command, or approve the call when it asks
    exit: 0
    ");
    assert_eq!(decided("npm test"), "declined_before");
    assert_snapshot!(add(&["--command", "npm ci", "--no-folder"]), @"
    granted: the command `npm ci` (no folder named) to AGENT, until TIME [grant ID]
    exit: 0
    ");
    assert_eq!(decided("npm test"), "declined_before");
    assert_snapshot!(add(&["--command", "npm test", "--no-folder"]), @"
    granted: the command `npm test` (no folder named) to AGENT, until TIME [grant ID]
    Your earlier decline of `npm test` is lifted
    exit: 0
    ");
    assert_eq!(decided("npm test"), "granted");
}

#[test]
fn a_grant_that_could_not_hold_is_refused_with_the_reason() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    let add = |words: &[&str]| daemon.run(&[&["grants", "add", "--session", "s1"], words].concat());
    assert_snapshot!(add(&["--action", "email.wipe"]), @"
    stderr: error: email.wipe is blocked by the graph, and no grant lifts that
    stderr:  help: change the graph to allow it
    exit: 1
    ");
    assert_snapshot!(add(&["--action", "email.pay"]), @"
    stderr: error: action email.pay is critical, and only an answer to the call itself carries that
    stderr:  help: answer the call when it asks
    exit: 1
    ");
    assert_snapshot!(add(&["--action", "email.nothing"]), @"
    stderr: error: the graph does not list email.nothing: it is asked every time
    stderr:  help: change the graph to allow it
    exit: 1
    ");
    assert_snapshot!(add(&["--category", "purchase"]), @"
    stderr: error: category purchase is critical, and only an answer to the call itself carries that
    stderr:  help: answer the call when it asks
    exit: 1
    ");
    assert_snapshot!(add(&["--command", "make && make install"]), @"
    stderr: error: this is not a single literal command
    stderr:  help: write one program and its arguments literally; a placeholder such as `<name>` is one argument
    exit: 1
    ");
    assert_snapshot!(add(&["--command", "<what> now"]), @"
    stderr: error: this is not a single literal command
    stderr:  help: write one program and its arguments literally; a placeholder such as `<name>` is one argument
    exit: 1
    ");
    assert_snapshot!(add(&["--command", "make", "--project"]), @"
    stderr: error: command `make` is high risk: for a whole project that needs a second confirmation
    stderr:  help: confirm it with `yes`, or grant it for a session
    exit: 1
    ");
    assert_snapshot!(add(&["--command", "make", "--project", "--confirm", "y"]), @"
    stderr: error: `confirm` does not match
    stderr:  help: send `yes`
    exit: 1
    ");
    let elsewhere = ["grants", "add", "--session", "s9", "--action", "email.delete"];
    assert_snapshot!(daemon.run(&elsewhere), @"
    stderr: error: there is no such session
    stderr:  help: a session starts with the agent's first call; name one that has started
    exit: 1
    ");
    for words in [
        &["--action", "email.delete", "--command", "make"][..],
        &["--action", "email"],
        &["--action", "email.delete", "--for", "soon"],
        &["--action", "email.delete", "--once", "--project"],
        &["--action", "email.delete", "--in", "."],
        &["--action", "email.delete", "--no-folder"],
        &["--command", "make", "--in", ".", "--no-folder"],
        &[],
    ] {
        let all = [&["grants", "add", "--session", "s1"], words].concat();
        assert_eq!(daemon.desk.code(&all), 2, "{words:?}");
    }
    assert_snapshot!(daemon.run(&["grants"]), @"
    there are no grants
    exit: 0
    ");
}

#[test]
fn an_id_that_names_no_grant_or_several_is_refused() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    for _ in 0..2 {
        let add = ["grants", "add", "--session", "s1", "--action", "email.delete"];
        assert_eq!(daemon.desk.code(&add), 0);
    }
    assert_snapshot!(daemon.run(&["grants", "show", "gffffff"]), @"
    stderr: error: no grant has the id `ID`
    stderr:  help: `countersign grants --all` lists all grants with their short ids
    exit: 2
    ");
    assert_snapshot!(daemon.run(&["revoke", "abc"]), @"
    stderr: error: no grant has the id `abc`
    stderr:  help: `countersign grants --all` lists all grants with their short ids
    exit: 2
    ");
    assert_snapshot!(daemon.run(&["revoke", "AB/../"]), @"
    stderr: error: no grant has the id `AB/../`
    stderr:  help: `countersign grants --all` lists all grants with their short ids
    exit: 2
    ");
    let (daemon, ids) = due();
    let several = daemon.desk.run(&["grants", "revoke", "g00"]);
    let listed = format!("`g00` can be several: {}", ids.join(", "));
    assert!(several.contains(&listed) && several.ends_with("exit: 2"), "{several}");
}

/// Two grants of a project that have not been looked at for long, and their short ids.
fn due() -> (Daemon, [String; 2]) {
    let desk = Desk::new();
    let tale = Tale::on(&desk);
    let coverage = Coverage::Action(Action::parse("email.delete").unwrap());
    let ids = [(); 2].map(|()| {
        let grant = tale.grant(coverage.clone(), Scope::Project);
        grant.id.to_string().get(..7).unwrap().to_owned()
    });
    drop(tale);
    (Daemon::on(desk, &[]), ids)
}

#[test]
fn a_review_lists_due_grants_and_keeps_or_revokes_the_named_ones() {
    let (daemon, ids) = due();
    let [one, two] = ids.each_ref().map(String::as_str);
    assert_snapshot!(daemon.run(&["grants", "review", "--list"]), @r#"
    GRANT
      covers  everything like "Delete mail"
      agent  coder
      valid in  project blog
      scope  project
      max risk  moderate
      granted  TIME in session s1
      source  your own words
      used  not yet
      state  due for review
    GRANT
      covers  everything like "Delete mail"
      agent  coder
      valid in  project blog
      scope  project
      max risk  moderate
      granted  TIME in session s1
      source  your own words
      used  not yet
      state  due for review
    exit: 0
    "#);
    assert_eq!(daemon.desk.code(&["grants", "review", "--keep", one, "--revoke", one]), 2);
    assert_snapshot!(daemon.run(&["grants", "review", "--keep", one, "--revoke", two]), @"
    revoked: GRANT
    kept: GRANT
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["grants", "review"]), @"
    no project grant is due for review
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["grants", "review", "--within", "31", "--list"]), @r#"
    GRANT
      covers  everything like "Delete mail"
      agent  coder
      valid in  project blog
      scope  project
      max risk  moderate
      granted  TIME in session s1
      source  your own words
      used  not yet
      state  until its review TIME
    exit: 0
    "#);
    assert_snapshot!(daemon.run(&["grants", "review", "--keep", two]), @"
    stderr: error: only a project's grant that is in force is reviewed
    stderr:  help: a session's grants end with the session
    exit: 1
    ");
    let log = daemon.desk.run(&["log", "--kind", "grant_reviewed"]);
    assert!(log.contains("you reviewed the grant and kept it"), "{log}");
}

#[test]
fn at_a_terminal_each_grant_is_kept_or_revoked_by_typing_its_name() {
    let (daemon, ids) = due();
    let [_, two] = ids.each_ref().map(String::as_str);
    // Without a terminal nobody is asked, and nothing is kept.
    let keep = format!("keep {two}");
    let (code, text) = below(&daemon.desk, &["setsid", "--wait"], "grants review", &keep);
    assert_eq!(code, 9, "{text}");
    // What is typed names the grant, or it is no answer.
    let typed = format!("yes\nkeep {two}");
    let (code, text) = at_a_terminal(&daemon.desk, "grants review", &typed);
    assert!(text.contains("unchanged") || text.contains("kept: g"), "{text}");
    assert_eq!(code, 6, "{text}");
}
