//! Answers by itself, as a person might: yes to the push, once; no to the payment.

use crate::failure::Failure;
use crate::operate::{drawn, text};
use crate::out;
use crate::page::BOLD;
use countersign_client::Client;
use serde_json::{Value, json};

/// What a person would type, and what that is as an answer.
fn answer(card: &Value) -> (&'static str, Value) {
    match text(card, "/kind") {
        "money" => (
            "n: not before we have agreed on it",
            json!({
                "choice": "decline", "note": "not before we have agreed on it",
            }),
        ),
        _ => ("once", json!({"choice": "once"})),
    }
}

/// Shows each card as it comes and answers it, until the daemon ends.
pub(super) fn answering(operator: &Client) -> Result<(), Failure> {
    for event in operator.events(Some(1))? {
        let event = event?;
        let Some(card) = event.data.get("card").filter(|card| card.is_object()) else { continue };
        let (typed, mut answer) = answer(card);
        let mut page = drawn(card);
        page.styled(BOLD, "> ").text(typed).end();
        out::show(&page)?;
        if let Value::Object(fields) = &mut answer {
            fields.insert("digest".to_owned(), json!(text(card, "/digest")));
        }
        operator.post(&format!("/v1/requests/{}/answer", text(card, "/request")), &answer)?;
    }
    Ok(())
}
