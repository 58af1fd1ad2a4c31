//! Asking before there is a call.

use crate::call::{LONGEST_WAIT, to_millis};
use crate::{Application, Error};
use countersign_api::{AheadStatus, AskAheadRequest, AskedScope, Millis, ParkPolicy, WaitRequest};
use countersign_core::model::category::Category;
use std::time::{Duration, Instant};

/// One wait of the daemon; it accepts five minutes.
const POLL: Duration = Duration::from_secs(280);

/// What the operator said. A no is an answer, not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    pub granted: bool,
    pub scope_granted: Option<String>,
    pub operator_note: String,
    pub grant_id: String,
}

/// Asks the operator ahead: what, why, for how long, and what happens without it. Waits for the
/// answer.
#[allow(clippy::disallowed_methods, reason = "how long to wait for a person; it decides no call")]
pub fn request_permission(
    action: &str,
    reasoning: &str,
    scope: AskedScope,
    fallback: &str,
    category: Option<&str>,
) -> Result<Permission, Error> {
    let malformed = |error: &dyn std::fmt::Display| Error::denied("malformed", error.to_string());
    let application = Application::current()?;
    let category = category.map(Category::parse).transpose().map_err(|error| malformed(&error))?;
    let request = AskAheadRequest {
        session: application.session.clone(),
        project: None,
        action: action.to_owned().try_into().map_err(|error| malformed(&error))?,
        reasoning: reasoning.to_owned().try_into().map_err(|error| malformed(&error))?,
        fallback: fallback.to_owned().try_into().map_err(|error| malformed(&error))?,
        scope,
        category,
        park: ParkPolicy::Allowed,
        wait_ms: Millis::default(),
    };
    let mut response =
        application.client(Duration::ZERO).ask_ahead(&request).map_err(Error::from_client)?;
    let started = Instant::now();
    while let (AheadStatus::Pending, Some(id)) = (response.status, response.request_id) {
        if started.elapsed() >= LONGEST_WAIT {
            break;
        }
        let wait_ms = to_millis(POLL);
        let waiting = WaitRequest { session: application.session.clone(), wait_ms };
        let found = application.client(POLL).wait_for_question(id, &waiting);
        response = found.map_err(Error::from_client)?;
    }
    Ok(Permission {
        granted: response.granted,
        scope_granted: response.scope_granted.map(|scope| scope.word().to_owned()),
        operator_note: response.operator_note,
        grant_id: response.grant_id,
    })
}
