//! Functions that are tools behind the gateway, which carries them out itself.

use crate::scenarios::TrialResult;
use crate::scenarios::mcp::{McpClient, executions, structured};
use crate::scenarios::play::Play;
use crate::scenarios::scenario::Scenario;
use serde_json::json;

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new(
        "a tool behind the gateway is asked about, approved and executed by it",
        execute_behind_the_gateway,
    ),
    Scenario::new("the gateway's retry tool replays an operation by its id", replay_by_the_tool),
];

fn execute_behind_the_gateway(p: &mut Play) -> TrialResult<()> {
    let mut client = McpClient::connect_to_server(p)?;
    let call = ("append", json!({"text": "milk"}));
    p.expect("executions before", executions(p)?, 0)?;
    let result = client.call_and_answer(p, call.clone(), json!({"choice": "once"}))?;
    p.expect_text("the result", &result.to_string(), "appended")?;
    p.expect("executions", executions(p)?, 1)?;
    let no = json!({"choice": "decline", "note": "not twice"});
    let again = client.call_and_answer(p, call, no)?;
    p.expect_text("the result", &again.to_string(), "not twice")?;
    p.expect("executions after a no", executions(p)?, 1)
}

fn replay_by_the_tool(p: &mut Play) -> TrialResult<()> {
    let mut client = McpClient::connect_to_server(p)?;
    let call = json!({"tool": "append", "arguments": {"text": "eggs"}});
    let wanted = json!({"consentCategory": "text_entry", "prompt": "Append eggs?", "call": call});
    let asked = client.call(p, "consent_request", wanted)?;
    let operation = json!({"operation_id": structured(&asked, "operation_id")});
    let card = p.only_card()?;
    p.answer_card(&card, json!({"choice": "once"}))?;
    p.expect("executions before the retry", executions(p)?, 0)?;
    for time in ["first", "second"] {
        let replayed = client.call(p, "retry", operation.clone())?;
        p.expect_text(&format!("the {time} retry"), &replayed.to_string(), "appended")?;
        p.expect("executions", executions(p)?, 1)?;
    }
    Ok(())
}
