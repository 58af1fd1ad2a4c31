//! Completes an id of which the user gave the beginning. The daemon looks it up.

use countersign_api::{IdBeginning, IdKind};
use countersign_client::{ClientError, OperatorClient};
use countersign_console::{Failure, pick_id};
use countersign_core::model::ids::{CallId, GrantId, ProposalId, RequestId, RunId};

pub(crate) fn find_grant(client: &OperatorClient, given: &str) -> Result<GrantId, Failure> {
    let help = "`countersign grants --all` lists all grants with their short ids";
    find_id(client, IdKind::Grant, given, help)
}

/// An open request, or if none starts so, any.
pub(crate) fn find_request(client: &OperatorClient, given: &str) -> Result<RequestId, Failure> {
    let help = "`countersign ls` lists the open requests with their short ids";
    if let Some(id) = RequestId::parse(given) {
        return Ok(id);
    }
    let mut open = Vec::new();
    client.visit_requests(|view| {
        let id = view.card.request.to_string();
        // A script that waits may know only the id of its call.
        let names_call = |call: &CallId| call.to_string().starts_with(given);
        if id.starts_with(given) || view.card.calls.iter().any(names_call) {
            open.push(id);
        }
    })?;
    match open.is_empty() {
        true => find_id(client, IdKind::Request, given, help),
        false => parse_id(pick_id(&open, given, IdKind::Request.word(), help)?),
    }
}

pub(crate) fn find_proposal(client: &OperatorClient, given: &str) -> Result<ProposalId, Failure> {
    let help = "`countersign proposals --all` lists all proposals with their short ids";
    find_id(client, IdKind::Proposal, given, help)
}

pub(crate) fn find_run(client: &OperatorClient, given: &str) -> Result<RunId, Failure> {
    let help = "`countersign workflow audit` lists the runs with their short ids";
    find_id(client, IdKind::Run, given, help)
}

/// The only id of this kind that starts with the given text.
fn find_id<T: TryFrom<String, Error = String>>(
    client: &OperatorClient,
    kind: IdKind,
    given: &str,
    help: &str,
) -> Result<T, Failure> {
    let found = match IdBeginning::try_from(given.to_owned()) {
        Ok(beginning) => client.find_ids(kind, beginning)?,
        Err(_) => Vec::new(),
    };
    parse_id(pick_id(&found, given, kind.word(), help)?)
}

fn parse_id<T: TryFrom<String, Error = String>>(id: String) -> Result<T, Failure> {
    T::try_from(id).map_err(|error| ClientError::Unreadable(error).into())
}
