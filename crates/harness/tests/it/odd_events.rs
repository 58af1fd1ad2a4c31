//! Events that no program should write, and replies that do not belong to an event.

use countersign_api::{PromptUse, Sighting};
use countersign_core::model::words::Risk;
use countersign_harness::{BLOCK, EventKind, HookEvent, HookOutput, Program, Reply};

fn parse(text: &str) -> Result<HookEvent, String> {
    HookEvent::parse(text.as_bytes()).map_err(|error| error.to_string())
}

fn tool_call() -> EventKind {
    let text = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash"}"#;
    parse(text).unwrap().kind
}

#[test]
fn an_event_that_cannot_be_read_is_an_error() {
    for text in [
        "",
        "{bad",
        "[]",
        r#"{"hook_event_name":"PreToolUse"}"#,
        r#"{"session_id":"s"}"#,
        r#"{"session_id":"s","hook_event_name":"PreToolUse"}"#,
        r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":""}"#,
        r#"{"session_id":"s\u0000","hook_event_name":"Stop"}"#,
        r#"{"session_id":"s","hook_event_name":"UserPromptSubmit"}"#,
        r#"{"session_id":"s","session_id":"t","hook_event_name":"Stop"}"#,
        r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","command":"rm"}}"#,
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
    let huge = format!(r#"{{"session_id":"{}"}}"#, "s".repeat(17 << 20));
    assert!(parse(&huge).is_err_and(|error| error.contains("larger than")));
}

#[test]
fn an_unknown_event_is_none_of_our_business() {
    let event = parse(r#"{"session_id":"s","hook_event_name":"Tomorrow","new":[1]}"#).unwrap();
    assert_eq!(event.kind, EventKind::Other);
}

#[test]
fn no_reply_lets_a_tool_run_unless_it_allows_it() {
    let question = || "?".to_owned();
    for reply in [
        Reply::Nothing,
        Reply::Denied { reason: question() },
        Reply::AskHere { question: question(), input: None },
        Reply::Pending { reason: question(), question: question() },
        Reply::TurnProcessed { lines: Vec::new() },
        Reply::Instructions { text: question() },
        Reply::Failed { why: question() },
    ] {
        let HookOutput { stdout, stderr, code } = Program::Codex.render(&tool_call(), &reply);
        let is_denied = stdout.contains(r#""permissionDecision":"deny""#) && code == 0;
        let is_blocked = code == BLOCK && !stderr.is_empty() && stdout.is_empty();
        assert!(is_denied || is_blocked, "{reply:?}: {stdout}");
    }
}

#[test]
fn what_the_model_says_about_a_command_is_not_part_of_the_call() {
    let text = |words: &str| {
        format!(
            r#"{{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"ls","description":"{words}"}}}}"#
        )
    };
    let args = |words: &str| match parse(&text(words)).unwrap().kind {
        EventKind::ToolCall(tool_use) => (tool_use.args, tool_use.words),
        other => panic!("{other:?}"),
    };
    assert_eq!(args("list").0, args("look around").0);
    assert_eq!(args("list").1, "list");
    let write = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Task","tool_input":{"description":"d"}}"#;
    match parse(write).unwrap().kind {
        EventKind::ToolCall(tool_use) => assert!(tool_use.args.get("description").is_some()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_inside_of_a_sub_agent_is_not_the_users() {
    let text =
        r#"{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"yes","agent_id":"a1"}"#;
    let kind = parse(text).unwrap().kind;
    assert!(format!("{kind:?}").contains("writer: Agent"), "{kind:?}");
}

#[test]
fn a_command_that_leaves_the_programs_sandbox_is_riskier() {
    let risk = |flag: &str| {
        let text = format!(
            r#"{{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"ls"{flag}}}}}"#
        );
        let event = parse(&text).unwrap();
        let EventKind::ToolCall(tool_use) = &event.kind else { panic!("{event:?}") };
        let seen = (Sighting::First, PromptUse::Absent);
        event.check_request(tool_use, seen, (None, &[])).unwrap().risk
    };
    assert_eq!(risk(""), None);
    assert_eq!(risk(r#","dangerouslyDisableSandbox":false"#), None);
    assert_eq!(risk(r#","dangerouslyDisableSandbox":true"#), Some(Risk::High));
}
