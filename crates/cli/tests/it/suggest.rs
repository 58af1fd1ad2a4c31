//! `grants suggest`: what was always approved, and what would end the question.

use crate::daemon::Daemon;
use crate::desk::{Desk, first_id};
use crate::import::{at_a_terminal, below};
use countersign_client::Connection;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

const GRAPH: &str = "\
domains:
  shell:
    autonomous: []
    requires_approval: [run, script]
    blocked: []
    actions:
      run: {categories: [shell_exec]}
      script: {always_ask: true}
  git: {autonomous: [], requires_approval: [log, clean], blocked: [], actions: {log: {risk: moderate}, clean: {risk: moderate}}}
  notes: {autonomous: [], requires_approval: [add, burn, pay], blocked: [],
    actions: {add: {risk: low}, burn: {always_ask: true}, pay: {categories: [purchase]}}}
  files: {autonomous: [read], requires_approval: [read_secret, delete, delete_outside_workspace], blocked: [],
    actions: {read: {risk: read_only}, read_secret: {risk: moderate}, delete: {risk: moderate}, delete_outside_workspace: {risk: moderate}}}
  mcp: {autonomous: [], requires_approval: [call], blocked: [], actions: {call: {risk: moderate}}}
commands: {classes: {git.log: [git log *], git.clean: [git clean *]}}
tools:
  Bash: {actions: [shell.run], command: /command}
  Note: {actions: [notes.add]}
  Burn: {actions: [notes.burn]}
  Read: {actions: [files.read], target: /file_path}
  Delete: {actions: [files.delete], target: /file_path}
  mcp__tracker__*: {actions: [mcp.call]}
consent_decay: {enabled: false}
";

/// A daemon, and an adapter of the agent `claude`, which names the project of its sessions.
struct Scene {
    daemon: Daemon,
    adapter: Connection,
    shop: String,
}

impl Scene {
    fn open() -> Self {
        let daemon = Daemon::on(Desk::new().with("countersign.yaml", GRAPH), &[]);
        std::fs::create_dir(daemon.desk.path("shop")).unwrap();
        let shop = std::fs::canonicalize(daemon.desk.path("shop")).unwrap();
        let shop = shop.to_str().unwrap().to_owned();
        let printed = daemon.desk.run(&["agent", "add", "claude", "--adapter"]);
        let token = printed.split_whitespace().find(|word| word.starts_with("cs_adapter_"));
        let adapter =
            Connection::new(&daemon.desk.path("data/agent.sock"), Duration::from_secs(20))
                .with_token(token.map(str::to_owned));
        Self { daemon, adapter, shop }
    }

    /// The status of a call in the project `shop`.
    fn call(&self, session: &str, tool: &str, args: &Value) -> String {
        let call = json!({
            "session": session, "project": self.shop, "tool": tool, "args": args, "cwd": self.shop,
        });
        let response = self.adapter.post("/v1/check", &call).unwrap();
        response["status"].as_str().unwrap().to_owned()
    }

    fn bash(&self, session: &str, line: &str) -> String {
        self.call(session, "Bash", &json!({"command": line}))
    }

    fn answer(&self, words: &[&str]) {
        let id = self.daemon.waiting();
        assert_eq!(self.daemon.desk.code(&["show", &id]), 0);
        let said = self.daemon.desk.run(&[words, &[&id]].concat());
        assert!(said.ends_with("exit: 0"), "{said}");
    }

    /// Asks, is approved once, and does it.
    fn approve(&self, session: &str, tool: &str, args: &Value) {
        assert_eq!(self.call(session, tool, args), "pending", "{tool} {args}");
        self.answer(&["approve"]);
        assert_eq!(self.call(session, tool, args), "allowed", "{tool} {args}");
    }

    fn approve_line(&self, session: &str, line: &str) {
        self.approve(session, "Bash", &json!({"command": line}));
    }

    fn suggested(&self, words: &[&str]) -> Vec<Value> {
        let printed = self.daemon.desk.run(&[&["grants", "suggest", "--json"], words].concat());
        let text = printed.split("exit:").next().unwrap();
        let list: Value = serde_json::from_str(text).unwrap_or_else(|_| panic!("{printed}"));
        list["suggestions"].as_array().unwrap().clone()
    }

    /// What is suggested, with how often it was asked and what it would have spared.
    fn summary(&self, words: &[&str]) -> Vec<String> {
        let line = |one: &Value| {
            let covers = one["covers"].as_str().unwrap();
            format!("{covers}: {} asked, {} spared", one["asked"], one["spared"])
        };
        self.suggested(words).iter().map(line).collect()
    }

    fn apply(&self, number: usize, more: &str) -> (i32, String) {
        let suggestion = &self.suggested(&[])[number - 1];
        let request = suggestion["grant"]["request"].as_str().unwrap().get(..7).unwrap();
        let words = format!("grants suggest --apply {number}");
        at_a_terminal(&self.daemon.desk, &words, &format!("grant {request}\n{more}"))
    }
}

#[test]
fn a_command_that_is_always_approved_is_suggested_and_given_at_a_terminal() {
    let scene = Scene::open();
    assert_snapshot!(scene.daemon.run(&["grants", "suggest"]), @"
    nothing to suggest: no question was answered yet
    looked at the newest 0 closed requests
    exit: 0
    ");
    for session in ["s1", "s2"] {
        scene.approve_line(session, "ls src");
    }
    assert_snapshot!(scene.daemon.run(&["grants", "suggest"]), @"
    nothing to suggest: nothing that may be granted was asked three times and approved each time
    looked at the newest 2 closed requests
    exit: 0
    ");
    scene.approve_line("s3", "ls src");
    assert_snapshot!(scene.daemon.run(&["grants", "suggest"]), @"
    1. the command `ls src`, in the project HERE/shop
      asked  3 times, and approved each time; would have spared 3 of these questions
      also  nothing else: exactly these words in HERE/shop
      agent  claude, up to high risk
      grant  for the project, until its review: `countersign grants suggest --apply 1`, undone by `grants revoke`
      or graph  this exact command of every agent, in every folder; under `classes` it would be decided as an action of yours
      commands:
      allow:
      - 'ls src'
    looked at the newest 3 closed requests
    exit: 0
    ");
    // Without a terminal nobody confirms, and another word confirms nothing.
    let (code, said) =
        below(&scene.daemon.desk, &["setsid", "--wait"], "grants suggest --apply 1", "yes");
    assert_eq!(code, 9, "{said}");
    let (code, said) = at_a_terminal(&scene.daemon.desk, "grants suggest --apply 1", "yes");
    assert!(code == 6 && said.contains("nothing was granted"), "{said}");
    let (code, said) = scene.apply(1, "no");
    assert!(code == 6 && said.contains("high risk in the whole project"), "{said}");
    assert_eq!(scene.bash("s4", "ls src"), "pending");
    let (code, said) = scene.apply(1, "yes");
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("granted: the command `ls src` in ") && said.contains("undo: "),
        "{said}"
    );
    assert_eq!(scene.bash("s4", "ls src"), "allowed");
    assert_eq!(scene.bash("s4", "ls"), "pending");
    assert!(scene.suggested(&[]).is_empty(), "what is granted is not suggested again");
    let revoke = said.split("countersign grants revoke ").nth(1).unwrap();
    assert_eq!(scene.daemon.desk.code(&["grants", "revoke", revoke.get(..7).unwrap()]), 0);
    assert_eq!(scene.bash("s5", "ls src"), "pending");
    assert_eq!(scene.daemon.desk.code(&["ledger", "replay"]), 0);
}

#[test]
fn the_narrowest_grant_that_spares_the_same_is_suggested() {
    let scene = Scene::open();
    for line in ["git log -1", "git log -2", "git log -3"] {
        scene.approve_line("s1", line);
    }
    // The head covers what the action covers, within the session.
    assert_eq!(
        scene.summary(&[]),
        ["any `git log …` in this workspace, in the session s1: 3 asked, 3 spared"]
    );
    scene.approve_line("s2", "git log -4");
    let expected = [
        "showing the git log in this workspace, in the project HERE/shop: 4 asked, 4 spared",
        "any `git log …` in this workspace, in the session s1: 3 asked, 3 spared",
    ];
    assert_eq!(scene.summary(&[]), expected);
    assert_eq!(scene.summary(&["--session", "s1"]), expected[1..]);
    assert_eq!(scene.summary(&["--project", "/elsewhere"]), Vec::<String>::new());
    assert_eq!(scene.summary(&["--since", "2100-01-01"]), Vec::<String>::new());
    let rule = &scene.suggested(&[])[0]["rule"]["lines"];
    assert_eq!(
        *rule,
        json!(["move `log` of `domains.git` from `requires_approval` to `autonomous`"])
    );
    let (code, said) = scene.apply(2, "");
    assert!(code == 0 && said.contains("any `git log …`"), "{said}");
    assert_eq!(scene.bash("s1", "git log -9"), "allowed");
    assert_eq!(scene.bash("s2", "git log -9"), "pending", "a head holds in its session");
    assert_eq!(scene.bash("s1", "git log -9 ../other"), "pending", "and in the workspace");
}

#[test]
fn one_decline_ends_a_suggestion() {
    let scene = Scene::open();
    for number in 1..=3 {
        scene.approve("s1", "Note", &json!({"text": number}));
    }
    let expected = ["everything like \"Add (notes)\", in the project HERE/shop: 3 asked, 3 spared"];
    assert_eq!(scene.summary(&[]), expected);
    let (code, said) = scene.apply(1, "");
    assert_eq!(code, 0, "low risk needs no second confirmation: {said}");
    assert_eq!(scene.call("s9", "Note", &json!({"text": "new"})), "allowed");
    let grants = scene.daemon.desk.run(&["grants", "--json"]);
    assert_eq!(scene.daemon.desk.code(&["revoke", &first_id(&grants, 'g').unwrap()]), 0);
    assert_eq!(scene.summary(&[]), expected);
    assert_eq!(scene.call("s2", "Note", &json!({"text": "no"})), "pending");
    scene.answer(&["decline"]);
    assert!(scene.suggested(&[]).is_empty());
}

#[test]
fn one_tool_of_a_server_is_suggested_and_no_other() {
    let scene = Scene::open();
    for number in 1..=3 {
        scene.approve("s1", "mcp__tracker__read_issue", &json!({"id": number}));
    }
    scene.approve("s1", "mcp__tracker__close_issue", &json!({"id": 1}));
    let suggested = scene.suggested(&[]);
    assert_eq!(suggested.len(), 1);
    let lines = [
        "tools:",
        "  'mcp__tracker__read_issue': {actions: [tracker.read_issue]}",
        "domains:",
        "  tracker: {autonomous: [read_issue], requires_approval: [], blocked: []}",
    ];
    assert_eq!(suggested[0]["rule"]["lines"], json!(lines));
    assert_eq!(suggested[0]["beyond"], "every call of this tool, whatever its arguments");
    let (code, said) = scene.apply(1, "");
    assert_eq!(code, 0, "{said}");
    assert_eq!(scene.call("s2", "mcp__tracker__read_issue", &json!({"id": 7})), "allowed");
    assert_eq!(scene.call("s2", "mcp__tracker__close_issue", &json!({"id": 7})), "pending");
}

#[test]
fn what_a_person_should_look_at_each_time_is_never_suggested() {
    let scene = Scene::open();
    std::fs::write(format!("{}/.env", scene.shop), "KEY=1").unwrap();
    let outside = scene.daemon.desk.path("other");
    std::fs::create_dir(&outside).unwrap();
    let outside = std::fs::canonicalize(outside).unwrap().join("x");
    for _ in 0..3 {
        // Shells, interpreters, inline code, and lines that are more than one command.
        scene.approve_line("s1", "sh -c 'ls'");
        scene.approve_line("s1", "python3 -c 'print(1)'");
        scene.approve_line("s1", "ls $HOME");
        // Force and recursion.
        scene.approve_line("s1", "git clean -f");
        scene.approve_line("s1", "rm -rf build");
        // Always asked, secret, and deleted outside of the workspace.
        scene.approve("s1", "Burn", &json!({"text": "all"}));
        scene.approve("s1", "Read", &json!({"file_path": format!("{}/.env", scene.shop)}));
        scene.approve("s1", "Delete", &json!({"file_path": outside}));
        // Not classified, and without a command line.
        scene.approve("s1", "mcp__other__do", &json!({"id": 1}));
    }
    assert_eq!(scene.summary(&[]), Vec::<String>::new());
    // What is ordinary beside them is suggested.
    for _ in 0..3 {
        scene.approve("s1", "Delete", &json!({"file_path": format!("{}/x", scene.shop)}));
    }
    assert_eq!(
        scene.summary(&[]),
        ["deleting files in this workspace, in the project HERE/shop: 3 asked, 3 spared"]
    );
}

#[test]
fn without_an_open_session_only_lines_for_the_graph_are_printed() {
    let scene = Scene::open();
    for _ in 0..3 {
        scene.approve("s1", "Note", &json!({"text": "one"}));
    }
    assert_eq!(scene.daemon.desk.code(&["session", "end", "s1"]), 0);
    let printed = scene.daemon.run(&["grants", "suggest", "--apply", "1"]);
    assert!(printed.contains("move `add` of `domains.notes`"), "{printed}");
    assert!(printed.contains("no session is open that the grant could be given to"), "{printed}");
    assert!(printed.ends_with("exit: 1"), "{printed}");
    assert_eq!(scene.daemon.desk.code(&["grants", "suggest", "--apply", "2"]), 2);
    assert_eq!(scene.daemon.desk.code(&["grants", "suggest", "--apply", "0"]), 2);
    assert_eq!(scene.daemon.desk.code(&["grants", "suggest", "--session", "nobody"]), 1);
}

#[test]
fn a_grant_that_is_not_suggested_is_not_given() {
    let scene = Scene::open();
    scene.approve_line("s1", "sh -c 'ls'");
    let operator =
        Connection::new(&scene.daemon.desk.path("data/operator.sock"), Duration::from_secs(20));
    let closed = scene.daemon.desk.run(&["log", "--json"]);
    let request = first_id(&closed, 'r').unwrap();
    for (scope, covers) in
        [("session", json!("command")), ("project", json!("actions")), ("session", Value::Null)]
    {
        let body = json!({"session": "claude/s1", "request": request, "covers": covers, "scope": scope, "confirm": "yes"});
        let refused = operator.post("/v1/suggestions/apply", &body).unwrap_err().to_string();
        assert!(refused.contains("no grant is suggested for this request"), "{refused}");
    }
    let agents = scene.adapter.post("/v1/suggestions/apply", &json!({})).unwrap_err().to_string();
    assert!(!agents.contains("suggested"), "{agents}");
}
