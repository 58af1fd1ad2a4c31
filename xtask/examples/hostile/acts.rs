//! What an operator does, and whether it is still in force.

use super::TrialResult;
use super::world::{WRITE, list_requests, text};
use countersign_client::{ClientError, Connection};
use serde_json::{Value, json};
use xtask::bench::runs::Context;

/// An act of the operator that the daemon has acknowledged.
#[derive(Debug, Clone)]
pub enum Act {
    Granted {
        grant: String,
    },
    Revoked {
        grant: String,
    },
    Paused {
        agent: String,
    },
    Answered {
        request: String,
    },
    /// A call of an agent that was allowed.
    Passed {
        session: String,
        operation: String,
    },
}

impl Act {
    /// Whether a daemon, perhaps another one, still knows it.
    pub fn is_in_force(&self, agent: &Connection, operator: &Connection) -> TrialResult<bool> {
        match self {
            Self::Granted { grant } => is_grant_in_force(operator, grant),
            Self::Revoked { grant } => is_grant_in_force(operator, grant).map(|is| !is),
            Self::Paused { agent } => {
                let status = operator.get("/v1/status").context("the status")?;
                let paused = status.get("paused").and_then(Value::as_array);
                Ok(paused.is_some_and(|paused| paused.iter().any(|name| name == agent.as_str())))
            }
            Self::Answered { request } => {
                let found =
                    operator.get(&format!("/v1/requests/{request}")).context("a request")?;
                Ok(found.get("state").is_some_and(|state| state != "open"))
            }
            Self::Passed { session, operation } => {
                let path = format!("/v1/operations/{operation}?session={session}");
                Ok(agent.get(&path).is_ok())
            }
        }
    }
}

fn is_grant_in_force(operator: &Connection, grant: &str) -> TrialResult<bool> {
    let found = operator.get(&format!("/v1/grants/{grant}")).context("a grant")?;
    Ok(found.get("in_force") == Some(&Value::Bool(true)))
}

/// Grants writing to a session.
pub fn grant(operator: &Connection, session: &str) -> Result<String, ClientError> {
    let body = json!({"session": session, "action": WRITE, "scope": "session", "seconds": 3600});
    let given = operator.post("/v1/grants", &body)?;
    Ok(given.get("grant").map(|grant| text(grant, "id")).unwrap_or_default())
}

pub fn revoke(operator: &Connection, grant: &str) -> Result<Value, ClientError> {
    operator.post("/v1/revoke", &json!({"grant": grant}))
}

/// Makes an agent known, because only a known one can be paused.
pub fn introduce(operator: &Connection, agent: &str) -> Result<(), ClientError> {
    operator.post("/v1/agents", &json!({"agent": agent})).map(drop)
}

pub fn pause(operator: &Connection, agent: &str) -> Result<Value, ClientError> {
    operator.post("/v1/pause", &json!({"agent": agent}))
}

pub fn resume(operator: &Connection, agent: &str) -> Result<Value, ClientError> {
    operator.post("/v1/resume", &json!({"agent": agent}))
}

/// Answers the request of a card.
pub fn answer(operator: &Connection, card: &Value, choice: &str) -> Result<Value, ClientError> {
    let digest = card.get("digest").cloned().unwrap_or_default();
    let path = format!("/v1/requests/{}/answer", text(card, "request"));
    operator.post(&path, &json!({"digest": digest, "choice": choice}))
}

/// Declines what is open, so that the next round has room for its own questions.
pub fn decline_all(operator: &Connection) -> TrialResult<()> {
    for card in list_requests(operator)? {
        answer(operator, &card, "decline").context("a decline")?;
    }
    Ok(())
}
