//! The tools of the earlier system, over MCP.

use crate::scenarios::TrialResult;
use crate::scenarios::mcp::{McpClient, structured};
use crate::scenarios::play::Play;
use crate::scenarios::scenario::Scenario;
use serde_json::json;

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new(
        "an agent opens a request with `consent_request` and waits with `consent_resolve`",
        request_and_resolve,
    ),
    Scenario::new(
        "an agent records and lists with the tools of the action ledger",
        record_with_the_tools,
    ),
];

fn request_and_resolve(p: &mut Play) -> TrialResult<()> {
    let mut client = McpClient::connect(p)?;
    let wanted = json!({"consentCategory": "send_email", "prompt": "Send the letter to Ann?",
        "defaultIfDeclined": "Keep the draft.", "surfacesUsed": ["browser_dom"]});
    let asked = client.call(p, "consent_request", wanted)?;
    let id = structured(&asked, "approvalId");
    let own_yes = json!({"approvalId": id, "status": "granted"});
    let refused = client.call(p, "consent_resolve", own_yes)?;
    p.expect("an agent's own yes", refused.get("isError"), Some(&json!(true)))?;
    p.expect_cards(1)?;
    let wait = ("consent_resolve", json!({"approvalId": id}));
    let resolved = client.call_and_answer(p, wait, json!({"choice": "once"}))?;
    p.expect("the answer", structured(&resolved, "status"), json!("granted"))
}

fn record_with_the_tools(p: &mut Play) -> TrialResult<()> {
    let mut client = McpClient::connect(p)?;
    let record = json!({"text": "the page was read", "evidence": "observed"});
    let recorded = client.call(p, "action_ledger_record", record)?;
    p.expect("recorded", structured(&recorded, "recorded"), json!(true))?;
    let listed = client.call(p, "action_ledger_list", json!({}))?;
    p.expect_text("the list", &listed.to_string(), "the page was read")
}
