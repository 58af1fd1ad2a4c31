//! The hook of Claude Code and Codex, run as these programs run it.

use crate::daemon::Daemon;
use crate::desk::Desk;
use crate::mcp::{self, Client, wait_for_request};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::process::{Child, Stdio};

pub(crate) const GRAPH: &str = "\
domains:
  files: {autonomous: [read], requires_approval: [edit], blocked: [wipe]}
  shell: {autonomous: [], requires_approval: [run], blocked: [], actions: {run: {risk: high}}}
  mail: {autonomous: [], requires_approval: [send], blocked: [], actions: {send: {risk: critical}}}
tools:
  Read: {actions: [files.read], target: /file_path}
  Write: {actions: [files.edit], target: /file_path, categories: [file-edit]}
  Wipe: {actions: [files.wipe]}
  Mail: {actions: [mail.send]}
  Bash: {actions: [shell.run], command: /command}
workflows:
  task: {actions: []}
";

/// Somebody sits in front of the program.
pub(crate) const ATTENDED: (&str, &str) = ("CLAUDE_CODE_SESSION_ATTENDED", "1");

pub(crate) fn desk() -> Desk {
    Desk::empty().with("countersign.yaml", GRAPH).with("work/empty", "")
}

pub(crate) fn start(
    desk: &Desk,
    program: &str,
    variables: &[(&str, &str)],
    event: &Value,
) -> Child {
    let data = desk.path("data");
    name_program(&data, program);
    let mut command = desk.command(&["hook", program, "--data", data.to_str().unwrap()]);
    let settings = desk.path("s.toml");
    if settings.exists() {
        command.arg("--settings").arg(settings);
    }
    command.envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    process.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    process
}

/// This test is the program, as if `init` had found it.
pub fn name_program(data: &Path, program: &str) {
    let hooks = data.join("hooks");
    DirBuilder::new().recursive(true).mode(0o700).create(&hooks).unwrap();
    let own = std::env::current_exe().unwrap();
    std::fs::write(hooks.join(format!("{program}.program")), own.to_str().unwrap()).unwrap();
}

/// The answer as JSON, stderr and the exit code.
pub(crate) fn end(process: Child) -> (Value, String, Option<i32>) {
    let output = process.wait_with_output().unwrap();
    let answer = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (answer, String::from_utf8(output.stderr).unwrap(), output.status.code())
}

pub(crate) fn event(desk: &Desk, name: &str, tool: &str, args: Value, id: &str) -> Value {
    let cwd = desk.path("work");
    json!({
        "session_id": "s1", "cwd": cwd, "hook_event_name": name, "tool_name": tool,
        "tool_input": args, "tool_use_id": id,
    })
}

pub(crate) fn without_id(mut event: Value) -> Value {
    event.as_object_mut().unwrap().remove("tool_use_id");
    event
}

pub fn prompt(desk: &Desk, text: &str) -> Value {
    let cwd = desk.path("work");
    json!({"session_id": "s1", "cwd": cwd, "hook_event_name": "UserPromptSubmit", "prompt": text})
}

/// The verdict of a hook before a tool, and its reason.
pub(crate) fn verdict(answer: &Value) -> (String, String) {
    let specific = &answer["hookSpecificOutput"];
    let text = |key: &str| specific[key].as_str().unwrap_or_default().to_owned();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

pub(crate) fn ask(
    daemon: &Daemon,
    program: &str,
    tool: &str,
    args: Value,
    id: &str,
) -> (String, String) {
    let event = event(&daemon.desk, "PreToolUse", tool, args, id);
    let (answer, stderr, code) = end(start(&daemon.desk, program, &[ATTENDED], &event));
    assert_eq!((stderr.as_str(), code), ("", Some(0)));
    verdict(&answer)
}

pub(crate) fn say(daemon: &Daemon, text: &str) -> String {
    let (answer, stderr, code) =
        end(start(&daemon.desk, "claude", &[], &prompt(&daemon.desk, text)));
    assert_eq!((stderr.as_str(), code), ("", Some(0)));
    answer["systemMessage"].as_str().unwrap_or_default().to_owned()
}

pub(crate) fn push(branch: &str) -> Value {
    json!({"command": format!("git push origin {branch}"), "description": "as asked"})
}

#[test]
fn a_rule_allows_and_a_rule_denies() {
    let daemon = Daemon::on(desk(), &[]);
    let file = daemon.desk.path("work/a");
    let read = ask(&daemon, "claude", "Read", json!({"file_path": file}), "t1");
    assert_eq!(read.0, "allow");
    let wiped = ask(&daemon, "claude", "Wipe", json!({}), "t2");
    assert_eq!(wiped.0, "deny");
    assert!(wiped.1.contains("(blocked)"), "{}", wiped.1);
    // Codex takes silence for a yes, and calls a verdict without changes an error.
    let read = ask(&daemon, "codex", "Read", json!({"file_path": file}), "t1");
    assert_eq!(read, (String::new(), String::new()));
    assert_eq!(ask(&daemon, "codex", "Wipe", json!({}), "t2").0, "deny");
}

#[test]
fn a_yes_in_the_programs_own_prompt_is_on_record_when_the_tool_has_run() {
    let daemon = Daemon::on(desk(), &[]);
    let (word, question) = ask(&daemon, "claude", "Bash", push("main"), "t1");
    assert_eq!(word, "ask");
    assert!(question.starts_with("Countersign: HIGH risk"), "{question}");
    assert!(question.contains("\nyes: once, this exact call"), "{question}");
    let wider = "`countersign watch`: s = this session, ";
    assert!(question.contains(wider) && question.lines().count() <= 6, "{question}");
    // The program shows the command itself, directly above.
    assert!(!question.lines().any(|line| line == "command: git push origin main"), "{question}");
    let desk = &daemon.desk;
    let asked = without_id(event(desk, "PermissionRequest", "Bash", push("main"), ""));
    let waiting = start(desk, "claude", &[ATTENDED], &asked);
    let ended = event(desk, "PostToolUse", "Bash", push("main"), "t1");
    assert_eq!(end(start(desk, "claude", &[], &ended)), (Value::Null, String::new(), Some(0)));
    // Its verdict comes too late and counts for nothing. It is not a no.
    let (late, _, code) = end(waiting);
    let behavior = &late["hookSpecificOutput"]["decision"]["behavior"];
    assert!(code == Some(0) && (late.is_null() || behavior == "allow"), "{late}");
    let log = desk.run(&["log", "--verbose"]);
    assert!(
        log.contains("you allowed git push origin main: once, in the program's own prompt"),
        "{log}"
    );
    assert!(log.contains("the call of claude succeeded"), "{log}");
    assert!(desk.run(&["ls"]).contains("no request waits"));
    // The yes was for one call.
    assert_eq!(ask(&daemon, "claude", "Bash", push("main"), "t2").0, "ask");
}

#[test]
fn an_answer_elsewhere_closes_the_programs_prompt() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    for (branch, word, behavior) in [("a", "approve", "allow"), ("b", "decline", "deny")] {
        assert_eq!(ask(&daemon, "claude", "Bash", push(branch), branch).0, "ask");
        let asked = without_id(event(desk, "PermissionRequest", "Bash", push(branch), ""));
        let waiting = start(desk, "claude", &[ATTENDED], &asked);
        let request = wait_for_request(desk);
        assert!(desk.run(&[word, &request]).contains("exit: 0"));
        let (answer, ..) = end(waiting);
        assert_eq!(answer["hookSpecificOutput"]["decision"]["behavior"], behavior, "{answer}");
    }
}

#[test]
fn a_no_in_the_programs_own_prompt_withdraws_the_question() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    assert_eq!(ask(&daemon, "claude", "Bash", push("main"), "t1").0, "ask");
    let asked = without_id(event(desk, "PermissionRequest", "Bash", push("main"), ""));
    let waiting = start(desk, "claude", &[ATTENDED], &asked);
    // The second question about the call is on record, so the hook listens for signals.
    while !desk.run(&["log", "--verbose"]).contains("retries the call: asked") {}
    kill_process(Pid::from_child(&waiting), Signal::TERM).unwrap();
    assert_eq!(end(waiting).0, Value::Null);
    assert!(desk.run(&["ls"]).contains("no request waits"));
}

/// What Claude Code writes into its transcript after a no; with a note it sends no signal.
#[test]
fn a_no_in_the_programs_own_prompt_is_a_decline_with_its_note() {
    let daemon = Daemon::on(desk().with("talk.jsonl", ""), &[]);
    let desk = &daemon.desk;
    for (branch, words, note) in
        [("a", "the user said:\nnot on a Friday", "not on a Friday"), ("b", "rejected", "")]
    {
        assert_eq!(ask(&daemon, "claude", "Bash", push(branch), branch).0, "ask");
        let mut asked = without_id(event(desk, "PermissionRequest", "Bash", push(branch), ""));
        asked["transcript_path"] = json!(desk.path("talk.jsonl"));
        let waiting = start(desk, "claude", &[ATTENDED], &asked);
        let retried = "retries the call: asked";
        let before = usize::from(branch == "b");
        while desk.run(&["log", "--verbose"]).matches(retried).count() <= before {}
        if note.is_empty() {
            kill_process(Pid::from_child(&waiting), Signal::TERM).unwrap();
        }
        let result = json!({"tool_use_id": branch, "content": words});
        let line = json!({"toolDenialKind": "user-rejected", "message": {"content": [result]}});
        let mut file =
            std::fs::OpenOptions::new().append(true).open(desk.path("talk.jsonl")).unwrap();
        writeln!(file, "{line}").unwrap();
        end(waiting);
        assert!(desk.run(&["ls"]).contains("no request waits"));
        let (word, reason) = ask(&daemon, "claude", "Bash", push(branch), "again");
        assert_eq!(word, "deny", "{reason}");
        assert!(reason.contains("(declined_before)") && reason.contains(note), "{reason}");
    }
    assert_eq!(
        desk.run(&["log", "--verbose"]).matches("you declined git push").count(),
        2,
        "{}",
        desk.run(&["log", "--verbose"])
    );
}

#[test]
fn a_slash_command_typed_to_the_agent_covers_its_actions() {
    let graph = format!("{GRAPH}slash:\n  save: [files.edit]\n");
    let daemon = Daemon::on(desk().with("countersign.yaml", &graph), &[]);
    let file = daemon.desk.path("work/a");
    let write = |id| ask(&daemon, "claude", "Write", json!({"file_path": file, "content": id}), id);
    assert_eq!(write("t1").0, "ask");
    let said = say(&daemon, "/save");
    assert!(said.contains("/save: covers files.edit"), "{said}");
    assert_eq!(write("t2").0, "allow");
    assert_eq!(ask(&daemon, "claude", "Bash", push("main"), "t3").0, "ask");
}

#[test]
fn a_program_that_cannot_ask_waits_for_the_answer() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    for (program, variables) in [("codex", vec![ATTENDED]), ("claude", vec![])] {
        let asked = event(desk, "PreToolUse", "Bash", push("main"), "t1");
        let waiting = start(desk, program, &variables, &asked);
        let request = wait_for_request(desk);
        assert!(desk.run(&["approve", &request]).contains("exit: 0"));
        let (answer, _, code) = end(waiting);
        assert_eq!(code, Some(0));
        let expected = if program == "codex" { "" } else { "allow" };
        assert_eq!(verdict(&answer).0, expected, "{answer}");
    }
}

#[test]
fn a_decline_reaches_the_model_with_the_operators_words() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    let waiting = start(desk, "codex", &[], &event(desk, "PreToolUse", "Bash", push("main"), "t1"));
    let request = wait_for_request(desk);
    assert!(desk.run(&["decline", &request, "--note", "not today"]).contains("exit: 0"));
    let (word, reason) = verdict(&end(waiting).0);
    assert_eq!(word, "deny");
    assert!(reason.contains("not today"), "{reason}");
}

#[test]
fn words_typed_to_the_agent_steer_consent() {
    let daemon = Daemon::on(desk(), &[]);
    assert_eq!(say(&daemon, "please fix the tests"), "");
    let said = say(&daemon, "Grant standing consent for: git push origin main");
    assert!(said.contains("git push origin main"), "{said}");
    assert_eq!(ask(&daemon, "claude", "Bash", push("main"), "t1").0, "allow");
    let ended = event(&daemon.desk, "PostToolUse", "Bash", push("main"), "t1");
    assert_eq!(end(start(&daemon.desk, "claude", &[], &ended)).2, Some(0));
    let write = json!({"file_path": daemon.desk.path("work/a"), "content": "x"});
    assert_eq!(ask(&daemon, "claude", "Write", write.clone(), "t2").0, "ask");
    let approved = say(&daemon, "yes");
    assert!(approved.contains("Approved"), "{approved}");
    assert_eq!(ask(&daemon, "claude", "Write", write, "t3").0, "allow");
    assert_eq!(ask(&daemon, "claude", "Bash", push("third"), "t4").0, "ask");
    let stopped = say(&daemon, "stop");
    assert!(stopped.contains("cleared") || stopped.contains("top"), "{stopped}");
    assert!(daemon.desk.run(&["ls"]).contains("no request waits"));
}

#[test]
fn a_task_is_a_run_so_that_an_answer_can_last_as_long() {
    let daemon = Daemon::on(desk(), &[]);
    say(&daemon, "please fix the tests");
    let file = daemon.desk.path("work/a");
    ask(&daemon, "claude", "Write", json!({"file_path": file, "content": "x"}), "t1");
    let request = wait_for_request(&daemon.desk);
    let shown = daemon.desk.run(&["show", &request]);
    assert!(shown.contains("workflow: please fix the tests"), "{shown}");
    let log = daemon.desk.run(&["log", "--verbose"]);
    assert!(log.contains("claude started a run of task"), "{log}");
}

#[test]
fn a_yes_to_moderate_risk_in_the_programs_prompt_is_for_the_task_and_says_so() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    let write = |name: &str| json!({"file_path": desk.path(name), "content": "x"});
    // Outside of a task it is for one call.
    let (word, question) = ask(&daemon, "claude", "Write", write("work/a"), "t1");
    assert_eq!(word, "ask");
    assert!(question.contains("\nyes: once, this exact call"), "{question}");
    say(&daemon, "please fix the tests");
    let (word, question) = ask(&daemon, "claude", "Write", write("work/b"), "t2");
    assert_eq!(word, "ask");
    assert!(question.contains("\nyes: this task (editing files"), "{question}");
    let ended = event(desk, "PostToolUse", "Write", write("work/b"), "t2");
    end(start(desk, "claude", &[], &ended));
    assert!(
        desk.run(&["log", "--verbose"]).contains("in the program's own prompt"),
        "{}",
        desk.run(&["log", "--verbose"])
    );
    assert_eq!(ask(&daemon, "claude", "Write", write("work/c"), "t3").0, "allow");
    // High risk stays what it was.
    assert_eq!(ask(&daemon, "claude", "Bash", push("main"), "t4").0, "ask");
}

#[test]
fn a_task_that_ended_before_the_tool_did_leaves_a_yes_for_one_call() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    let write = |name: &str| json!({"file_path": desk.path(name), "content": "x"});
    say(&daemon, "please fix the tests");
    assert!(ask(&daemon, "claude", "Write", write("work/b"), "t1").1.contains("yes: this task"));
    say(&daemon, "done");
    let ended = event(desk, "PostToolUse", "Write", write("work/b"), "t1");
    end(start(desk, "claude", &[], &ended));
    assert!(desk.run(&["ls"]).contains("no request waits"), "{}", desk.run(&["log", "--verbose"]));
    say(&daemon, "please go on with the parser");
    assert_eq!(ask(&daemon, "claude", "Write", write("work/c"), "t2").0, "ask");
}

#[test]
fn one_yes_or_no_in_the_programs_prompt_answers_all_items_of_a_line() {
    let graph = GRAPH
        .replace(
            "workflows:",
            "commands: {classes: {git.add: [git add *], git.commit: [git commit *]}}\nworkflows:",
        )
        .replace(
            "  mail:",
            "  git: {autonomous: [], requires_approval: [add, commit], blocked: []}\n  mail:",
        );
    let desk = Desk::empty().with("countersign.yaml", &graph).with("work/a.txt", "x");
    let daemon = Daemon::on(desk, &[]);
    let desk = &daemon.desk;
    say(&daemon, "please fix the tests");
    let line = json!({"command": "git add a.txt && git commit -m x"});
    let (word, question) = ask(&daemon, "claude", "Bash", line.clone(), "t1");
    assert_eq!(word, "ask", "{question}");
    assert!(question.contains("yes: this task"), "{question}");
    end(start(desk, "claude", &[], &event(desk, "PostToolUse", "Bash", line, "t1")));
    assert!(desk.run(&["ls"]).contains("no request waits"), "{}", desk.run(&["log", "--verbose"]));
    let commit = json!({"command": "git commit -m y"});
    assert_eq!(ask(&daemon, "claude", "Bash", commit, "t2").0, "allow");
}

#[test]
fn a_critical_call_is_not_answered_in_the_programs_prompt() {
    let daemon = Daemon::on(desk(), &[]);
    let asked = event(&daemon.desk, "PreToolUse", "Mail", json!({"to": "ana"}), "t1");
    let waiting = start(&daemon.desk, "claude", &[ATTENDED], &asked);
    let request = wait_for_request(&daemon.desk);
    assert!(daemon.desk.run(&["decline", &request]).contains("exit: 0"));
    assert_eq!(verdict(&end(waiting).0).0, "deny");
}

#[test]
fn without_a_daemon_the_hook_starts_one_and_without_a_graph_nothing_runs() {
    let desk = desk();
    let graph = desk.path("countersign.yaml");
    let settings = format!("graph = {:?}\n[network]\nhttp = false\n", graph.to_str().unwrap());
    let desk = desk.with("s.toml", settings);
    let read = event(&desk, "PreToolUse", "Read", json!({"file_path": desk.path("work/a")}), "t1");
    let (answer, stderr, code) = end(start(&desk, "claude", &[], &read));
    assert_eq!((verdict(&answer).0.as_str(), code), ("allow", Some(0)), "{stderr}");
    let number = stderr.split("process ").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
    let pid = Pid::from_raw(number.parse().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    while desk.path("data/agent.sock").exists() {}
    let broken = desk.with("countersign.yaml", "domains: [");
    let (answer, stderr, code) = end(start(&broken, "claude", &[], &read));
    assert_eq!((answer, code), (Value::Null, Some(2)));
    assert!(stderr.starts_with("Countersign: the daemon is not running"), "{stderr}");
}

/// A repository can set variables for the hooks of a program.
#[test]
fn the_environment_does_not_lead_a_hook_to_another_daemon() {
    let daemon =
        Daemon::on(desk().with("evil.yaml", GRAPH.replace("blocked: [wipe]", "blocked: []")), &[]);
    let desk = &daemon.desk;
    let [evil, graph, settings] =
        ["evil", "evil.yaml", "evil.toml"].map(|name| desk.path(name).to_str().unwrap().to_owned());
    let variables = [
        ("COUNTERSIGN_DATA", evil.as_str()),
        ("COUNTERSIGN_GRAPH", &graph),
        ("COUNTERSIGN_SETTINGS", &settings),
        ("COUNTERSIGN_SOCKET", &evil),
        ("XDG_CONFIG_HOME", &evil),
        ("XDG_DATA_HOME", &evil),
        ("HOME", &evil),
    ];
    let wipe = event(desk, "PreToolUse", "Wipe", json!({}), "t1");
    let (answer, stderr, code) = end(start(desk, "claude", &variables, &wipe));
    assert_eq!((stderr.as_str(), code), ("", Some(0)));
    assert!(verdict(&answer).1.contains("(blocked)"), "{answer}");
    assert!(!desk.path("evil").exists());
}

#[test]
fn a_hook_tells_of_settings_of_the_project_that_lead_it_astray() {
    let settings = "{\"env\": {\"COUNTERSIGN_GRAPH\": \"evil.yaml\", \"EDITOR\": \"vi\"}}";
    let daemon = Daemon::on(desk().with("work/.claude/settings.json", settings), &[]);
    let cwd = daemon.desk.path("work");
    let started = json!({"session_id": "s1", "cwd": cwd, "hook_event_name": "SessionStart"});
    let (answer, ..) = end(start(&daemon.desk, "claude", &[], &started));
    assert!(answer.to_string().contains("settings.json sets COUNTERSIGN_GRAPH for"), "{answer}");
}

#[test]
fn our_settings_are_out_of_reach_before_there_are_any() {
    let daemon = Daemon::on(desk(), &[]);
    let file = daemon.desk.path("home/.config/countersign/settings.toml");
    let (word, why) = ask(&daemon, "claude", "Write", json!({"file_path": file}), "t1");
    assert_eq!(word, "deny", "{why}");
    assert!(why.contains("self_protection"), "{why}");
}

#[test]
fn whatever_cannot_be_read_blocks_with_one_line() {
    let daemon = Daemon::on(desk(), &[]);
    for event in
        [json!("text"), json!({}), json!({"session_id": "s", "hook_event_name": "PreToolUse"})]
    {
        let (answer, stderr, code) = end(start(&daemon.desk, "codex", &[], &event));
        assert_eq!((answer, code), (Value::Null, Some(2)));
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
    assert_eq!(daemon.desk.code(&["hook", "nobody"]), 2);
}

#[test]
fn a_call_that_the_hook_asked_about_is_not_asked_about_again_at_the_gateway() {
    let daemon = Daemon::on(mcp::desk(), &[]);
    let desk = &daemon.desk;
    let mut client = Client::wrap(desk);
    client.initialize();
    assert!(desk.run(&["approve", &wait_for_request(desk)]).contains("exit: 0"));
    client.wait_for("notifications/tools/list_changed");
    let args = json!({"text": "milk"});
    let asked = event(desk, "PreToolUse", "mcp__notes__add", args.clone(), "t1");
    let waiting = start(desk, "claude", &[], &asked);
    assert!(desk.run(&["approve", &wait_for_request(desk)]).contains("exit: 0"));
    assert_eq!(verdict(&end(waiting).0).0, "allow");
    let params = |args: &Value| json!({"name": "add", "arguments": args, "_meta": {"claudecode/toolUseId": "t1"}});
    let done = client.request("tools/call", params(&args));
    assert_eq!(done["result"]["content"][0]["text"], "ok shared", "{done}");
    let ended = event(desk, "PostToolUse", "mcp__notes__add", args.clone(), "t1");
    end(start(desk, "claude", &[], &ended));
    let log = desk.run(&["log", "--verbose"]);
    assert_eq!(log.matches("the call of claude succeeded").count(), 1, "{log}");
    assert_eq!(log.matches("wants notes.add").count(), 1, "{log}");
    // The permission was for one call with these arguments.
    for args in [args, json!({"text": "bread"})] {
        let id = client.send("tools/call", params(&args));
        assert!(desk.run(&["decline", &wait_for_request(desk)]).contains("exit: 0"));
        assert_eq!(client.wait(id)["result"]["isError"], true);
    }
    assert_eq!(desk.text("work/executions").lines().count(), 1);
}

#[test]
fn a_question_outlives_a_program_that_works_alone() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    let end_session = json!({"session_id": "s1", "hook_event_name": "SessionEnd"});
    assert_eq!(ask(&daemon, "claude", "Bash", push("main"), "t1").0, "ask");
    end(start(desk, "claude", &[], &end_session));
    let request = wait_for_request(desk);
    assert!(desk.run(&["approve", &request]).contains("exit: 0"));
    assert_eq!(ask(&daemon, "claude", "Bash", push("main"), "t2").0, "allow");
    end(start(desk, "claude", &[], &end_session));
    assert!(desk.run(&["session", "ls"]).contains("no session is open"));
}

#[test]
fn a_program_without_a_prompt_of_its_own_approves_nothing_by_running_a_tool() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    let waiting = start(desk, "codex", &[], &event(desk, "PreToolUse", "Bash", push("main"), "t1"));
    let request = wait_for_request(desk);
    end(start(desk, "codex", &[], &event(desk, "PostToolUse", "Bash", push("main"), "t1")));
    assert!(
        !desk.run(&["log", "--verbose"]).contains("you allowed"),
        "{}",
        desk.run(&["log", "--verbose"])
    );
    assert!(desk.run(&["decline", &request]).contains("exit: 0"));
    assert_eq!(verdict(&end(waiting).0).0, "deny");
}

#[test]
fn one_yes_lets_one_of_two_equal_calls_through() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    for id in ["t1", "t2"] {
        assert_eq!(ask(&daemon, "claude", "Bash", push("main"), id).0, "ask");
    }
    let asked = without_id(event(desk, "PermissionRequest", "Bash", push("main"), ""));
    let first = start(desk, "claude", &[ATTENDED], &asked);
    assert!(desk.run(&["approve", &wait_for_request(desk)]).contains("exit: 0"));
    let behavior = |answer: &Value| answer["hookSpecificOutput"]["decision"]["behavior"].clone();
    assert_eq!(behavior(&end(first).0), "allow");
    let second = start(desk, "claude", &[ATTENDED], &asked);
    assert!(desk.run(&["decline", &wait_for_request(desk)]).contains("exit: 0"));
    assert_eq!(behavior(&end(second).0), "deny");
}

#[test]
fn in_the_root_and_in_a_home_nothing_is_inside() {
    let daemon = Daemon::on(desk(), &[]);
    let decide_in = |folder: &str, tool: &str, args: Value, id: &str| {
        let mut event = event(&daemon.desk, "PreToolUse", tool, args, id);
        event["cwd"] = json!(folder);
        event["session_id"] = json!(format!("in{}", folder.replace('/', "-")));
        verdict(&end(start(&daemon.desk, "claude", &[ATTENDED], &event)).0).0
    };
    let file = || json!({"file_path": "/etc/hostname"});
    let work = daemon.desk.path("work");
    let inside = json!({"file_path": work.join("empty")});
    assert_eq!(decide_in(work.to_str().unwrap(), "Read", inside, "t1"), "allow");
    for folder in ["/", "/home", "/root"] {
        assert_eq!(decide_in(folder, "Read", file(), "t2"), "ask", "{folder}");
    }
}

#[test]
fn folders_that_hold_our_files_are_not_taken_away() {
    let daemon = Daemon::on(desk(), &[]);
    let parent = daemon.desk.path("data").parent().unwrap().display().to_string();
    let decide = |command: String, id: &str| {
        ask(&daemon, "claude", "Bash", json!({ "command": command }), id)
    };
    for (number, line) in [
        format!("rm -rf {parent}"),
        format!("mv {parent} /elsewhere"),
        format!("cd {parent} && rm -rf ."),
        format!("find {parent} -delete"),
        format!("chmod -R 777 {parent}"),
        format!("rsync -a --delete /empty/ {parent}/"),
        format!("sh -c 'rm -r {parent}'"),
        format!("rm -rf {parent}/../{}", parent.rsplit('/').next().unwrap()),
    ]
    .into_iter()
    .enumerate()
    {
        let (word, why) = decide(line.clone(), &format!("t{number}"));
        assert!(word == "deny" && why.contains("self_protection"), "{line}: {word} {why}");
    }
    for line in [format!("rm -rf {parent}/another"), format!("mv /elsewhere {parent}"), "ls".into()]
    {
        assert_eq!(decide(line.clone(), "t90").0, "ask", "{line}");
    }
    let write = json!({"file_path": parent, "content": "x"});
    assert_eq!(ask(&daemon, "claude", "Write", write, "t91").0, "deny");
}
