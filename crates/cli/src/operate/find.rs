//! Completes an id that the user gave in part. The daemon looks it up.

use crate::failure::Failure;
use crate::ids::pick_id;
use countersign_api::{IdKind, IdPart};
use countersign_client::{ClientError, OperatorClient};
use countersign_core::model::ids::{GrantId, RequestId, RunId};

pub(crate) fn find_grant(client: &OperatorClient, given: &str) -> Result<GrantId, Failure> {
    let help = "`countersign grants --all` lists all grants with their short ids";
    find_id(client, IdKind::Grant, given, help)
}

pub(crate) fn find_request(client: &OperatorClient, given: &str) -> Result<RequestId, Failure> {
    let help = "`countersign ls` lists the open requests with their short ids";
    find_id(client, IdKind::Request, given, help)
}

pub(crate) fn find_run(client: &OperatorClient, given: &str) -> Result<RunId, Failure> {
    let help = "`countersign workflow audit` lists the runs with their short ids";
    find_id(client, IdKind::Run, given, help)
}

/// The only id of this kind that begins or ends with the given part.
fn find_id<T: TryFrom<String, Error = String>>(
    client: &OperatorClient,
    kind: IdKind,
    given: &str,
    help: &str,
) -> Result<T, Failure> {
    let found = match IdPart::try_from(given.to_owned()) {
        Ok(part) => client.find_ids(kind, part)?,
        Err(_) => Vec::new(),
    };
    let id = pick_id(&found, given, kind.word(), help)?;
    T::try_from(id).map_err(|error| ClientError::Unreadable(error).into())
}
