//! Lists the closed requests of an agent, newest first, with the calls that they were about.
//!
//! A page is read from an index: its cost depends on the page, not on how much is stored.

use crate::StoreError;
use crate::listing::{load_row, parse_request_id};
use crate::load::RowSource;
use crate::rows::{RowKind, StoredRow, restore_row};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::Agent;
use countersign_core::model::request::{Request, RequestState, Subject};
use countersign_core::state::State;
use std::collections::BTreeSet;

/// Which closed requests to list. The one that was opened last comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedRequestQuery {
    pub agent: Agent,
    /// Only requests older than this one; the end of the page before.
    pub before: Option<RequestId>,
    pub limit: usize,
}

/// A page of closed requests. There are more pages as long as `next` is set.
#[derive(Clone, Debug)]
pub struct ClosedRequestPage {
    pub requests: Vec<RequestId>,
    /// The requests, and the first call that each was about.
    pub state: State,
    pub next: Option<RequestId>,
}

/// A database that closed requests can be listed from.
pub(crate) trait ClosedRequestSource: RowSource {
    /// Closed requests with keys below `before`, newest first.
    fn fetch_closed_requests(
        &mut self,
        query: &ClosedRequestQuery,
        before: &str,
    ) -> Result<Vec<StoredRow>, StoreError>;
}

/// Greater than every key of a request: after the letter, keys consist of hexadecimal digits.
const AFTER_ALL_REQUESTS: &str = "rg";

pub(crate) fn list_closed_requests(
    rows: &mut impl ClosedRequestSource,
    query: &ClosedRequestQuery,
) -> Result<ClosedRequestPage, StoreError> {
    let before = query.before.map_or_else(|| AFTER_ALL_REQUESTS.to_owned(), RequestId::to_key);
    let found = rows.fetch_closed_requests(query, &before)?;
    let mut page = ClosedRequestPage { requests: Vec::new(), state: State::empty(), next: None };
    for row in &found {
        page.requests.push(parse_request_id(&row.key)?);
        restore_row(&mut page.state, RowKind::Requests, row)?;
    }
    let calls: BTreeSet<CallId> = page.state.requests.values().filter_map(first_call).collect();
    for id in calls {
        load_row(rows, &mut page.state, RowKind::Calls, &id.to_key())?;
    }
    page.next = page.requests.last().copied().filter(|_| found.len() >= query.limit);
    Ok(page)
}

fn first_call(request: &Request) -> Option<CallId> {
    match &request.subject {
        Subject::Calls(calls) => calls.first().copied(),
        Subject::Ahead(_)
        | Subject::Start(_)
        | Subject::Standing(_)
        | Subject::Slash(_)
        | Subject::Proposal(_)
        | Subject::Imported(_) => None,
    }
}

/// Lists closed requests from a complete state.
pub(crate) fn list_closed_requests_in_state(
    state: &State,
    query: &ClosedRequestQuery,
) -> ClosedRequestPage {
    let matches_query = |request: &&Request| {
        matches!(request.state, RequestState::Closed(_))
            && !request.is_imported()
            && request.agent == query.agent
            && query.before.is_none_or(|before| request.id < before)
    };
    let closed = state.requests.values().filter(matches_query);
    let mut requests: Vec<RequestId> = closed.map(|request| request.id).collect();
    requests.sort_unstable_by(|one, two| two.cmp(one));
    requests.truncate(query.limit);
    let next = requests.last().copied().filter(|_| requests.len() >= query.limit);
    ClosedRequestPage { requests, state: state.clone(), next }
}
