//! The agent's own tool for asking ahead, over MCP.

use crate::scenarios::TrialResult;
use crate::scenarios::mcp::{McpClient, structured};
use crate::scenarios::play::Play;
use crate::scenarios::scenario::Scenario;
use serde_json::json;

pub const SCENARIOS: &[Scenario] =
    &[Scenario::new("an agent asks with the tool `request_permission`", ask_with_the_tool)];

fn ask_with_the_tool(p: &mut Play) -> TrialResult<()> {
    let mut client = McpClient::connect(p)?;
    let question = super::asking::question("filesystem_write", "this_session");
    let yes = json!({"choice": "session", "note": "go on"});
    let asked = client.call_and_answer(p, ("request_permission", question.clone()), yes)?;
    p.expect("granted", structured(&asked, "granted"), json!(true))?;
    p.expect("the scope", structured(&asked, "scope_granted"), json!("this_session"))?;
    p.expect("the note", structured(&asked, "operator_note"), json!("go on"))?;
    let again = client.call(p, "request_permission", question)?;
    let grant = structured(&asked, "grant_id");
    p.expect("the same grant", structured(&again, "grant_id"), grant)?;
    p.expect_cards(0)
}
