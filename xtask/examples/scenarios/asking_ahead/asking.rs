//! Asking ahead: the question, the answer, and the reply to the agent.

use crate::scenarios::TrialResult;
use crate::scenarios::play::{Play, text};
use crate::scenarios::scenario::Scenario;
use serde_json::{Value, json};

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new(
        "an agent asks for one write, gets it, and the next write asks again",
        ask_for_one_call,
    ),
    Scenario::new(
        "a yes for the project holds in its later sessions until it is revoked",
        ask_for_the_project,
    ),
    Scenario::new(
        "a yes for the project without a project becomes one for the session",
        ask_without_a_project,
    ),
    Scenario::new("a no brings the operator's words and no grant", hear_a_no),
    Scenario::new("the operator may give more than was asked for", widen),
    Scenario::new("a yes that the operator narrowed brings no second card", narrow),
    Scenario::new("asking again for what is granted returns that grant", ask_again),
    Scenario::new("an answer can be read again later, by its request", read_again),
    Scenario::new(
        "the operator sees action, reason, fallback and category before the choices",
        read_the_card,
    ),
    Scenario::new(
        "a critical category is told before the answer that a yes mints nothing",
        ask_for_critical,
    ),
    Scenario::new("a card number in a question is shown by its last four digits", keep_secrets),
    Scenario::new("with nobody there, an agent that will not wait is denied", ask_nobody),
    Scenario::new("an agent names the project that it runs in, and no other", name_the_project),
    Scenario::new(
        "a script asks with `countersign ask` and reads the exit code",
        ask_from_a_script,
    ),
];

/// A question with the names of the earlier system.
pub(super) fn question(category: &str, scope: &str) -> Value {
    json!({
        "action": "Overwrite docs/api.md with what the schema says now",
        "reasoning": "the schema changed and the page is stale",
        "fallback": "leave the page and say that it is stale",
        "category": category,
        "scope": scope,
    })
}

/// Asks, answers with a choice, and returns the reply that the agent gets.
pub(super) fn ask(p: &mut Play, body: Value, answer: Value) -> TrialResult<Value> {
    let asked = p.agent_sends("/v1/ask-ahead", body)?;
    let card = p.only_card()?;
    p.answer_card(&card, answer)?;
    read_reply(p, &text(&asked, "request_id"))
}

fn read_reply(p: &mut Play, request: &str) -> TrialResult<Value> {
    let path = format!("/v1/ask-ahead/{request}/wait");
    p.agent_sends(&path, json!({"wait_ms": 20_000}))
}

/// The reply to a yes, with how long the grant lasts.
fn expect_granted(p: &Play, reply: &Value, scope: &str) -> TrialResult<()> {
    p.expect("granted", reply.get("granted").cloned(), Some(json!(true)))?;
    p.expect("scope_granted", text(reply, "scope_granted"), scope.to_owned())
}

fn ask_for_one_call(p: &mut Play) -> TrialResult<()> {
    let reply = ask(p, question("filesystem_write", "this_call"), json!({"choice": "once"}))?;
    expect_granted(p, &reply, "this_call")?;
    p.expect("there is a grant id", text(&reply, "grant_id").is_empty(), false)?;
    let write = json!({"path": "docs/api.md", "text": "new"});
    p.tool("write_file", write.clone()).gets(p, "allowed", "granted")?.ends(p, "done")?;
    p.tool("write_file", json!({"path": "docs/more.md"})).gets(p, "pending", "no_grant").map(drop)
}

fn ask_for_the_project(p: &mut Play) -> TrialResult<()> {
    let folder = p.workspace()?.display().to_string();
    p.call("code.read").in_project(&folder).gets(p, "allowed", "autonomous")?;
    let body = question("filesystem_write", "persistent");
    let reply = ask(p, body, json!({"choice": "project"}))?;
    expect_granted(p, &reply, "persistent")?;
    p.open_other_session();
    let write = json!({"path": format!("{folder}/RELEASES.md")});
    p.tool("write_file", write.clone()).in_project(&folder).gets(p, "allowed", "granted")?;
    p.operator_sends("/v1/revoke", &json!({"grant": text(&reply, "grant_id")}))?;
    let again = p.tool("write_file", json!({"path": format!("{folder}/NEWS.md")}));
    again.gets(p, "pending", "no_grant").map(drop)
}

fn ask_without_a_project(p: &mut Play) -> TrialResult<()> {
    let body = question("filesystem_write", "persistent");
    let reply = ask(p, body, json!({"choice": "project"}))?;
    expect_granted(p, &reply, "this_session")?;
    p.expect_text("the reply", &reply.to_string(), "project")
}

fn hear_a_no(p: &mut Play) -> TrialResult<()> {
    let no = json!({"choice": "decline", "note": "write it by hand"});
    let reply = ask(p, question("filesystem_write", "this_call"), no)?;
    p.expect("granted", reply.get("granted").cloned(), Some(json!(false)))?;
    p.expect("scope_granted", reply.get("scope_granted").cloned(), None)?;
    let note = text(&reply, "operator_note");
    p.expect("operator_note", note, "write it by hand".to_owned())?;
    p.expect("grant_id", text(&reply, "grant_id"), text(&reply, "request_id"))?;
    p.expect_grants(0)
}

fn widen(p: &mut Play) -> TrialResult<()> {
    let reply = ask(p, question("filesystem_write", "this_call"), json!({"choice": "session"}))?;
    expect_granted(p, &reply, "this_session")?;
    for path in ["a.md", "b.md"] {
        p.tool("write_file", json!({"path": path})).gets(p, "allowed", "granted")?;
    }
    Ok(())
}

fn narrow(p: &mut Play) -> TrialResult<()> {
    let body = question("filesystem_write", "this_session");
    let reply = ask(p, body.clone(), json!({"choice": "once"}))?;
    expect_granted(p, &reply, "this_call")?;
    let again = p.agent_sends("/v1/ask-ahead", body)?;
    p.expect("the same grant", text(&again, "grant_id"), text(&reply, "grant_id"))?;
    p.expect_cards(0)
}

fn ask_again(p: &mut Play) -> TrialResult<()> {
    let body = question("filesystem_write", "this_session");
    let reply = ask(p, body, json!({"choice": "session"}))?;
    let again = p.agent_sends("/v1/ask-ahead", question("filesystem_write", "this_call"))?;
    expect_granted(p, &again, "this_session")?;
    p.expect("the same grant", text(&again, "grant_id"), text(&reply, "grant_id"))?;
    p.expect_cards(0)
}

fn read_again(p: &mut Play) -> TrialResult<()> {
    let asked = p.agent_sends("/v1/ask-ahead", question("filesystem_write", "this_call"))?;
    let request = text(&asked, "request_id");
    let early = p.agent_reads(&format!("/v1/ask-ahead/{request}"))?;
    p.expect("status", text(&early, "status"), "pending".to_owned())?;
    let card = p.only_card()?;
    p.answer_card(&card, json!({"choice": "once"}))?;
    let first = p.agent_reads(&format!("/v1/ask-ahead/{request}"))?;
    let second = p.agent_reads(&format!("/v1/ask-ahead/{request}"))?;
    expect_granted(p, &first, "this_call")?;
    p.expect("the second reading", second, first)
}

fn read_the_card(p: &mut Play) -> TrialResult<()> {
    p.agent_sends("/v1/ask-ahead", question("filesystem_write", "this_call"))?;
    let card = p.only_card()?;
    for words in ["Overwrite docs/api.md", "page is stale", "leave the page", "writing files"] {
        p.expect_on_card(&card, words)?;
    }
    Ok(())
}

fn ask_for_critical(p: &mut Play) -> TrialResult<()> {
    let body = question("purchase", "this_call");
    let asked = p.agent_sends("/v1/ask-ahead", body)?;
    let card = p.only_card()?;
    p.expect_on_card(&card, "it gives no permission")?;
    p.answer_card(&card, json!({"choice": "once"}))?;
    let reply = read_reply(p, &text(&asked, "request_id"))?;
    p.tell(format!("the agent gets {reply}"));
    p.expect_grants(0)?;
    p.call("screen.checkout").to("shop").gets(p, "pending", "no_grant").map(drop)
}

fn keep_secrets(p: &mut Play) -> TrialResult<()> {
    let mut body = question("filesystem_write", "this_call");
    if let Some(fields) = body.as_object_mut() {
        fields.insert("reasoning".to_owned(), json!("to pay with 4242 4242 4242 4242"));
    }
    p.agent_sends("/v1/ask-ahead", body)?;
    let card = p.only_card()?;
    p.expect_on_card(&card, "to pay with REDACTED-card-4242-")?;
    p.expect("the number", card.to_string().contains("4242 4242"), false)
}

fn ask_nobody(p: &mut Play) -> TrialResult<()> {
    let write = p.tool("write_file", json!({"path": "a.md"})).without_parking();
    write.gets(p, "denied", "no_operator").map(drop)
}

fn ask_from_a_script(p: &mut Play) -> TrialResult<()> {
    let words = [
        "ask",
        "--session",
        "script",
        "--category",
        "filesystem_write",
        "--reasoning",
        "the page is stale",
        "Overwrite docs/api.md",
    ];
    let printed = p.cli(&words, 8, "")?;
    let request = printed.split_whitespace().find(|word| is_request(word)).unwrap_or_default();
    let request = request.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned();
    p.cli(&["approve", &request], 0, "")?;
    p.cli(&["ask", "--session", "script", "--id", &request], 0, "").map(drop)
}

/// `r` and 32 hexadecimal digits.
fn is_request(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    word.len() == 33 && word.starts_with('r')
}

/// The program that plays the agent runs in a folder below the one that it names.
fn name_the_project(p: &mut Play) -> TrialResult<()> {
    let here = xtask::bench::runs::Context::context(std::env::current_dir(), "this folder")?;
    let folder = here.parent().unwrap_or(&here).display().to_string();
    let body = json!({"actions": ["code.read"], "project": "/"});
    p.agent_is_refused("/v1/check", body, (403, "root of the file system"))?;
    let body = json!({"actions": ["code.read"], "project": folder});
    let read = p.agent_sends("/v1/check", body)?;
    p.expect("the call", text(&read, "status"), "allowed".to_owned())?;
    let body = question("filesystem_write", "persistent");
    let reply = ask(p, body, json!({"choice": "project"}))?;
    expect_granted(p, &reply, "persistent")
}
