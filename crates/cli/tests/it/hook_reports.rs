//! What a program reports beside its calls: plans, cleared and summarized conversations, other
//! projects, and what its user asked for.

use crate::daemon::Daemon;
use crate::hook::{ATTENDED, GRAPH, ask, desk, end, event, push, say, start};
use crate::mcp::wait_for_request;
use serde_json::{Value, json};

/// An event about a whole session.
fn report(daemon: &Daemon, session: &str, event: &str, (key, word): (&str, &str)) -> String {
    let cwd = daemon.desk.path("work");
    let event = json!({"session_id": session, "cwd": cwd, "hook_event_name": event, key: word});
    let (answer, stderr, code) = end(start(&daemon.desk, "claude", &[], &event));
    assert_eq!((stderr.as_str(), code), ("", Some(0)));
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

fn in_session(session: &str, mut event: Value) -> Value {
    event["session_id"] = json!(session);
    event
}

#[test]
fn a_cleared_conversation_offers_its_standing_commands_to_the_next() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    say(&daemon, "Grant standing consent for: git push origin main");
    assert_eq!(ask(&daemon, "claude", "Bash", push("other"), "t1").0, "ask");
    report(&daemon, "s1", "SessionEnd", ("reason", "clear"));
    let told = report(&daemon, "s2", "SessionStart", ("source", "clear"));
    assert!(told.contains("standing command of the cleared conversation"), "{told}");
    // The question of the cleared conversation is closed with its session.
    let sessions = desk.run(&["session", "ls"]);
    assert!(sessions.contains("s2") && !sessions.contains("s1"), "{sessions}");
    assert!(sessions.contains("HERE/work"), "{sessions}");
    let pushes = |id| {
        let event = in_session("s2", event(desk, "PreToolUse", "Bash", push("main"), id));
        end(start(desk, "claude", &[ATTENDED], &event)).0["hookSpecificOutput"]
            ["permissionDecision"]
            .clone()
    };
    let request = wait_for_request(desk);
    assert!(desk.run(&["show", &request]).contains("git push origin main"));
    assert!(desk.run(&["approve", &request, "--for", "session"]).contains("exit: 0"));
    assert_eq!(pushes("t2"), "allow");
    // It is handed over once.
    assert!(!report(&daemon, "s3", "SessionStart", ("source", "clear")).contains("standing"));
}

#[test]
fn a_summarized_conversation_keeps_its_consent_and_the_model_reads_it() {
    let daemon = Daemon::on(desk(), &[]);
    let continued = || report(&daemon, "s1", "SessionStart", ("source", "compact"));
    assert!(!continued().contains("consented"));
    say(&daemon, "Grant standing consent for: git push origin main");
    let told = continued();
    assert!(told.contains("consented to in this session"), "{told}");
    assert!(told.contains("git push origin main"), "{told}");
    assert!(!report(&daemon, "s1", "SessionStart", ("source", "startup")).contains("consented"));
    assert_eq!(ask(&daemon, "claude", "Bash", push("main"), "t1").0, "allow");
}

const PLAN: &str = "1. Change `src/a.rs`\n2. Run `make docs`\n3. Run the tests\n";

/// The graph with moderate commands, which a plan can carry.
fn plan_graph() -> String {
    GRAPH.replace("actions: {run: {risk: high}}", "actions: {run: {risk: moderate}}")
        + "  plan: {actions: []}\n"
}

fn accept_plan(daemon: &Daemon, id: &str) -> Value {
    let desk = &daemon.desk;
    let mut ended = event(desk, "PostToolUse", "ExitPlanMode", json!({}), id);
    ended["tool_response"] = json!({"plan": PLAN, "isAgent": false});
    end(start(desk, "claude", &[ATTENDED], &ended)).0
}

#[test]
fn a_plan_that_the_user_accepts_in_the_program_covers_its_steps_once() {
    let tools =
        "  ExitPlanMode: {actions: [files.read]}\n  Edit: {actions: [files.edit]}\nworkflows:";
    let graph = plan_graph().replace("workflows:", tools);
    let daemon = Daemon::on(desk().with("countersign.yaml", &graph), &[]);
    let desk = &daemon.desk;
    let make = |id| ask(&daemon, "claude", "Bash", json!({"command": "make docs"}), id).0;
    // No dialog was shown for this one, so nobody has accepted it.
    assert_eq!(ask(&daemon, "claude", "ExitPlanMode", json!({}), "p0").0, "allow");
    assert_eq!(accept_plan(&daemon, "p0"), Value::Null);
    assert_eq!(make("t0"), "ask");
    say(&daemon, "no");
    assert_eq!(ask(&daemon, "claude", "ExitPlanMode", json!({}), "p1").0, "allow");
    let asked =
        crate::hook::without_id(event(desk, "PermissionRequest", "ExitPlanMode", json!({}), ""));
    // The program's own dialog decides.
    assert_eq!(end(start(desk, "claude", &[ATTENDED], &asked)).0, Value::Null);
    let accepted = accept_plan(&daemon, "p1");
    assert_eq!(accepted["systemMessage"], "Plan accepted: each step counts once");
    let file = desk.path("work/src/a.rs");
    let edit =
        |id| ask(&daemon, "claude", "Write", json!({"file_path": file, "content": id}), id).0;
    assert_eq!(edit("t1"), "allow");
    assert_eq!(edit("t2"), "ask");
    let other = json!({"command": "make clean"});
    assert_eq!(ask(&daemon, "claude", "Bash", other, "t3").0, "ask");
}

#[test]
fn work_in_another_project_ends_the_consent_for_the_task() {
    let daemon = Daemon::on(desk().with("other/empty", ""), &[]);
    let desk = &daemon.desk;
    let say_in = |folder: &str, text: &str| {
        let cwd = desk.path(folder);
        let event = json!({
            "session_id": "s1", "cwd": cwd, "hook_event_name": "UserPromptSubmit", "prompt": text,
        });
        let (answer, ..) = end(start(desk, "claude", &[], &event));
        answer["systemMessage"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(say_in("work", "please fix the tests"), "");
    assert_eq!(say_in("work", "and the docs"), "");
    let moved = say_in("other", "now the other one");
    assert!(moved.contains("Context switched, clearing consent state"), "{moved}");
    assert_eq!(say_in("other", "go on there"), "");
}

#[test]
fn a_task_is_named_after_what_the_user_asked_for() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    say(&daemon, "  Fix the flaky tests of the parser, please:\n- and do it well");
    let file = desk.path("work/a");
    ask(&daemon, "claude", "Write", json!({"file_path": file, "content": "x"}), "t1");
    let title = "Fix the flaky tests of the parser, please:";
    let shown = desk.run(&["show", &wait_for_request(desk)]);
    assert!(shown.contains(title), "{shown}");
    let log = desk.run(&["log", "--verbose"]);
    assert!(log.contains(&format!("claude started a run of task: {title}")), "{log}");
    let listed = say(&daemon, "What have I consented to?");
    assert!(listed.contains(&format!("Current Workflow: \"{title}\"")), "{listed}");
}

/// A sub-agent of the program works in the session of its parent.
#[test]
fn a_stop_reaches_the_calls_and_questions_of_sub_agents() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    let call = |branch: &str| {
        let mut call = event(desk, "PreToolUse", "Bash", push(branch), branch);
        call["agent_id"] = json!("a1");
        call["agent_type"] = json!("Explore");
        let (answer, ..) = end(start(desk, "claude", &[ATTENDED], &call));
        crate::hook::verdict(&answer)
    };
    say(&daemon, "Grant standing consent for: git push origin main");
    assert_eq!(call("main").0, "allow");
    assert_eq!(call("other").0, "ask");
    say(&daemon, "stop");
    assert!(desk.run(&["ls"]).contains("no request waits"));
    for branch in ["main", "other"] {
        let (word, why) = call(branch);
        assert!(word == "deny" && why.contains("(stopped)"), "{why}");
    }
}
