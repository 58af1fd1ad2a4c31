//! The state as rows. Both databases have the same columns, so that one piece of code reads and
//! writes them.
//!
//! Queries use the columns; the content is in the body, which holds the whole object as JSON.

mod calls;
mod kinds;

pub(crate) use kinds::RowKind;

use crate::StoreError;
use crate::limits::TYPICAL_ROW_BYTES;
use crate::prepared_commit::CallTexts;
use countersign_core::model::grant::{GrantState, Owner};
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Agent, NodeName, SessionKey};
use countersign_core::model::request::{RequestState, Subject};
use countersign_core::model::run::RunState;
use countersign_core::model::time::Time;
use countersign_core::state::{State, TouchedRows};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A row as it was read.
pub(crate) struct StoredRow {
    pub key: String,
    pub body: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub kind: RowKind,
    pub key: String,
    /// None deletes the row.
    pub content: Option<RowContent>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowContent {
    pub session: Option<String>,
    pub project: Option<String>,
    pub agent: Option<String>,
    pub run: Option<String>,
    pub state: &'static str,
    /// When it expires, in microseconds; none once it has ended.
    pub due: Option<i64>,
    pub body: String,
    /// There is no row with this key yet.
    pub is_new: bool,
}

impl RowContent {
    fn new(body: &impl Serialize) -> Result<Self, StoreError> {
        let mut bytes = Vec::with_capacity(TYPICAL_ROW_BYTES);
        serde_json::to_writer(&mut bytes, body).map_err(|e| StoreError::unwritable(&e))?;
        Self::from_bytes(bytes)
    }

    fn from_bytes(bytes: Vec<u8>) -> Result<Self, StoreError> {
        let body = String::from_utf8(bytes).map_err(|e| StoreError::unwritable(&e))?;
        let (session, project, agent, run, due) = (None, None, None, None, None);
        Ok(Self { session, project, agent, run, state: "open", due, body, is_new: false })
    }

    fn with_session(mut self, session: &SessionKey, agent: Option<&Agent>) -> Self {
        self.session = Some(session.as_str().to_owned());
        self.agent = agent.map(|agent| agent.as_str().to_owned());
        self
    }

    fn with_state(mut self, state: &'static str, due: Option<Time>) -> Self {
        self.state = state;
        self.due = due.map(Time::micros);
        self
    }
}

/// The rows that a change has touched, as they must be written.
pub(crate) fn changed_rows(
    state: &State,
    touched: &TouchedRows,
    texts: &CallTexts,
) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    for name in &touched.sessions {
        rows.push(new_row(RowKind::Sessions, name.as_str(), session_content(state, name)?));
    }
    for id in &touched.grants {
        rows.push(new_row(RowKind::Grants, id.to_key(), grant_content(state, *id)?));
    }
    for id in &touched.requests {
        rows.push(new_row(RowKind::Requests, id.to_key(), request_content(state, *id)?));
    }
    for id in &touched.calls {
        rows.push(new_row(RowKind::Calls, id.to_key(), calls::call_content(state, *id, texts)?));
    }
    for id in &touched.runs {
        rows.push(new_row(RowKind::Runs, id.to_key(), run_content(state, *id)?));
    }
    for id in &touched.gestures {
        let gesture = state.gestures.get(id);
        let content = gesture.map(|gesture| {
            RowContent::new(gesture).map(|content| content.with_session(&gesture.session, None))
        });
        rows.push(new_row(RowKind::Gestures, id.to_key(), content.transpose()?));
    }
    for id in &touched.proposals {
        let proposal = state.proposals.get(id);
        let content = proposal.map(|proposal| {
            let content =
                RowContent::new(proposal)?.with_session(&proposal.session, Some(&proposal.agent));
            Ok::<_, StoreError>(content.with_state(proposal.state.word(), None))
        });
        rows.push(new_row(RowKind::Proposals, id.to_key(), content.transpose()?));
    }
    for digest in &touched.declined {
        let declined = state.declined.get(digest);
        let content = declined.map(|declined| {
            let mut content = RowContent::new(declined)?;
            content.agent = Some(declined.agent.as_str().to_owned());
            Ok::<_, StoreError>(content)
        });
        rows.push(new_row(RowKind::Declined, digest, content.transpose()?));
    }
    for agent in &touched.carried_over {
        let content = state.carried_over.get(agent).map(|carried| {
            let mut content = RowContent::new(carried)?;
            content.agent = Some(agent.as_str().to_owned());
            Ok::<_, StoreError>(content)
        });
        rows.push(new_row(RowKind::CarriedOver, agent.as_str(), content.transpose()?));
    }
    for id in &touched.notices {
        rows.push(new_row(RowKind::Notices, id.to_key(), notice_content(state, *id)?));
    }
    for name in &touched.nodes {
        let content = state.nodes.get(name).map(RowContent::new).transpose()?;
        rows.push(new_row(RowKind::Nodes, name.as_str(), content));
    }
    Ok(rows)
}

fn new_row(kind: RowKind, key: impl ToString, content: Option<RowContent>) -> Row {
    Row { kind, key: key.to_string(), content }
}

fn session_content(state: &State, name: &SessionKey) -> Result<Option<RowContent>, StoreError> {
    let Some(session) = state.sessions.get(name) else { return Ok(None) };
    let due = session.ended_at.is_none().then(|| session.idles_out_at());
    let mut content = RowContent::new(session)?.with_state("open", due);
    // The name alone, so that an operator's words find the sessions of all agents.
    content.session = Some(name.name().to_owned());
    content.agent = Some(session.agent.as_str().to_owned());
    content.project = session.project.as_ref().map(|project| project.as_str().to_owned());
    Ok(Some(content))
}

/// Stands in the column of the project for what belongs to the user: no project has this name.
pub(crate) const NO_PROJECT: &str = "";

/// The session column of a grant says where it was granted, not who owns it.
fn grant_content(
    state: &State,
    id: countersign_core::model::ids::GrantId,
) -> Result<Option<RowContent>, StoreError> {
    let Some(grant) = state.grants.get(id) else { return Ok(None) };
    let state_name = match grant.state {
        GrantState::Live => "live",
        GrantState::Reserved { .. } => "reserved",
        GrantState::Released { .. } => "released",
        GrantState::Spent => "spent",
        GrantState::Ended => "ended",
        GrantState::Revoked => "revoked",
    };
    let waits = matches!(grant.state, GrantState::Live | GrantState::Released { .. });
    let mut content = RowContent::new(grant)?
        .with_session(&grant.made_in, Some(&grant.agent))
        .with_state(state_name, grant.ends_at.filter(|_| waits));
    content.run = grant.run.map(RunId::to_key);
    match &grant.owner {
        Owner::Session(session) => content.session = Some(session.as_str().to_owned()),
        Owner::Project(project) => content.project = Some(project.as_str().to_owned()),
        Owner::User => content.project = Some(NO_PROJECT.to_owned()),
    }
    Ok(Some(content))
}

fn request_content(
    state: &State,
    id: countersign_core::model::ids::RequestId,
) -> Result<Option<RowContent>, StoreError> {
    let Some(request) = state.requests.get(&id) else { return Ok(None) };
    let (state_name, due) = match request.state {
        RequestState::Open => ("open", Some(request.ends_at)),
        RequestState::Closed(_) => ("closed", None),
    };
    // Only requests with an agent are counted as its open questions.
    let asking_agent = Some(&request.agent).filter(|_| !request.is_imported());
    let mut content = RowContent::new(request)?
        .with_session(&request.session, asking_agent)
        .with_state(state_name, due);
    if let Subject::Start(start) = &request.subject {
        content.run = Some(start.run.to_key());
    }
    Ok(Some(content))
}

fn run_content(
    state: &State,
    id: countersign_core::model::ids::RunId,
) -> Result<Option<RowContent>, StoreError> {
    let Some(run) = state.runs.get(&id) else { return Ok(None) };
    let (state_name, due) = match run.state {
        RunState::Live => ("live", Some(run.ends_at())),
        RunState::Suspended => ("suspended", Some(run.ends_at())),
        RunState::Ended(_) => ("ended", None),
    };
    Ok(Some(
        RowContent::new(run)?
            .with_session(&run.session, Some(&run.agent))
            .with_state(state_name, due),
    ))
}

/// The row has no session: a notice is found by its agent.
fn notice_content(
    state: &State,
    id: countersign_core::model::ids::NoticeId,
) -> Result<Option<RowContent>, StoreError> {
    let Some(notice) = state.notices.get(&id) else { return Ok(None) };
    // What was acknowledged and must not be raised again is loaded like an open notice.
    let state_name = if notice.is_remembered() { "open" } else { "acknowledged" };
    let mut content = RowContent::new(notice)?.with_state(state_name, None);
    content.agent = notice.agent.as_ref().map(|agent| agent.as_str().to_owned());
    Ok(Some(content))
}

/// Puts a stored row into a state. An unreadable row is an error, never skipped.
pub(crate) fn restore_row(
    state: &mut State,
    kind: RowKind,
    row: &StoredRow,
) -> Result<(), StoreError> {
    let StoredRow { key, body } = row;
    match kind {
        RowKind::Sessions => {
            let name = SessionKey::parse(key).map_err(|e| unreadable_row(kind, key, &e))?;
            state.sessions.restore(name, parse_body(kind, key, body)?);
        }
        RowKind::Grants => {
            let grant: countersign_core::model::grant::Grant = parse_body(kind, key, body)?;
            if state.grants.get(grant.id).is_none() {
                state.grants.restore(grant);
            }
        }
        RowKind::Requests => {
            let request: countersign_core::model::request::Request = parse_body(kind, key, body)?;
            state.requests.restore(request.id, request);
        }
        RowKind::Calls => {
            let record: countersign_core::state::CallRecord = parse_body(kind, key, body)?;
            state.calls.restore(record.call.id, record);
        }
        RowKind::Runs => {
            let run: countersign_core::model::run::Run = parse_body(kind, key, body)?;
            state.runs.restore(run.id, run);
        }
        RowKind::Gestures => {
            let gesture: countersign_core::model::change::Gesture = parse_body(kind, key, body)?;
            state.gestures.restore(gesture.id, gesture);
        }
        RowKind::Proposals => {
            let proposal: countersign_core::model::proposal::Proposal =
                parse_body(kind, key, body)?;
            state.proposals.restore(proposal.id, proposal);
        }
        RowKind::Declined => {
            let digest = countersign_core::encoding::digest::Digest::parse(key)
                .ok_or_else(|| unreadable_row(kind, key, &"its key is no digest"))?;
            state.declined.restore(digest, parse_body(kind, key, body)?);
        }
        RowKind::CarriedOver => {
            let agent = Agent::parse(key).map_err(|e| unreadable_row(kind, key, &e))?;
            state.carried_over.restore(agent, parse_body(kind, key, body)?);
        }
        RowKind::Notices => {
            let notice: countersign_core::model::notice::Notice = parse_body(kind, key, body)?;
            state.notices.restore(notice.id, notice);
        }
        RowKind::Nodes => {
            let name = NodeName::parse(key).map_err(|e| unreadable_row(kind, key, &e))?;
            state.nodes.restore(name, parse_body(kind, key, body)?);
        }
    }
    Ok(())
}

fn parse_body<T: DeserializeOwned>(kind: RowKind, key: &str, body: &str) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(|error| unreadable_row(kind, key, &error))
}

fn unreadable_row(kind: RowKind, key: &str, error: &impl ToString) -> StoreError {
    StoreError::damaged(&format!("the row {key} of {}", kind.table()), error)
}
