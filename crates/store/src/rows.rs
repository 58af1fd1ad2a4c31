//! The state as rows: the same columns in every database, so that one piece of code reads and
//! writes them.
//!
//! A row is found by its columns and believed by its body, which is the whole thing as JSON.

mod calls;

use crate::StoreError;
use crate::beforehand::Texts;
use countersign_core::model::grant::{GrantState, Owner};
use countersign_core::model::names::{Agent, NodeName, SessionName};
use countersign_core::model::notice::NoticeState;
use countersign_core::model::request::{RequestState, Subject};
use countersign_core::model::run::RunState;
use countersign_core::model::time::Time;
use countersign_core::state::{State, Touched};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What most rows take, in bytes: made room for at once.
const USUAL: usize = 1024;

/// What is kept, each in a table of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kept {
    Sessions,
    Grants,
    Requests,
    Calls,
    Runs,
    Gestures,
    Proposals,
    Declined,
    Notices,
    Nodes,
}

impl Kept {
    pub(crate) const ALL: [Self; 10] = [
        Self::Sessions,
        Self::Grants,
        Self::Requests,
        Self::Calls,
        Self::Runs,
        Self::Gestures,
        Self::Proposals,
        Self::Declined,
        Self::Notices,
        Self::Nodes,
    ];

    pub(crate) const fn table(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Grants => "grants",
            Self::Requests => "requests",
            Self::Calls => "calls",
            Self::Runs => "runs",
            Self::Gestures => "gestures",
            Self::Proposals => "proposals",
            Self::Declined => "declined",
            Self::Notices => "notices",
            Self::Nodes => "nodes",
        }
    }

    /// All states that a row can be in.
    pub(crate) const fn states(self) -> &'static str {
        match self {
            Self::Sessions | Self::Gestures | Self::Declined | Self::Nodes => "'open'",
            Self::Grants => "'live', 'reserved', 'released', 'spent', 'ended', 'revoked'",
            Self::Notices => "'open', 'acknowledged'",
            Self::Requests => "'open', 'closed'",
            Self::Calls => {
                "'denied', 'parked', 'approved', 'executing', 'declined', 'expired', 'stopped', \
             'done', 'failed', 'none', 'forbidden', 'unknown'"
            }
            Self::Runs => "'live', 'suspended', 'ended'",
            Self::Proposals => {
                "'waiting', 'approved', 'autonomous', 'declined', 'expired', 'vetoed', 'applied', \
             'undone'"
            }
        }
    }

    /// States that nothing leads out of.
    pub(crate) const fn final_states(self) -> Option<&'static str> {
        match self {
            Self::Sessions | Self::Gestures | Self::Declined | Self::Nodes => None,
            Self::Grants => Some("'spent', 'revoked'"),
            Self::Notices => Some("'acknowledged'"),
            Self::Requests => Some("'closed'"),
            Self::Calls => Some("'done', 'declined', 'expired', 'stopped'"),
            Self::Runs => Some("'ended'"),
            Self::Proposals => Some("'undone'"),
        }
    }

    /// The states in which a row still bears on what is decided in its session. Spelt out, because
    /// SQLite builds a table of its own for every list that a row is held against.
    pub(crate) const fn active(self) -> &'static str {
        match self {
            Self::Sessions | Self::Gestures | Self::Declined | Self::Nodes => "state = 'open'",
            Self::Grants => "state <> 'spent' AND state <> 'revoked'",
            Self::Requests | Self::Notices => "state = 'open'",
            Self::Calls => "(state = 'parked' OR state = 'approved' OR state = 'executing')",
            Self::Runs => "state <> 'ended'",
            Self::Proposals => "(state = 'waiting' OR state = 'approved' OR state = 'autonomous')",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub kept: Kept,
    pub key: String,
    /// None: what was kept under this key is gone.
    pub held: Option<Held>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    pub session: Option<String>,
    pub project: Option<String>,
    pub agent: Option<String>,
    pub run: Option<String>,
    pub state: &'static str,
    /// When time ends it, in microseconds; none once it has ended.
    pub due: Option<i64>,
    pub body: String,
    /// Nothing was kept under this key before.
    pub is_first: bool,
}

impl Held {
    fn new(body: &impl Serialize) -> Result<Self, StoreError> {
        let mut bytes = Vec::with_capacity(USUAL);
        serde_json::to_writer(&mut bytes, body).map_err(|e| StoreError::unwritable(&e))?;
        Self::written(bytes)
    }

    fn written(bytes: Vec<u8>) -> Result<Self, StoreError> {
        let body = String::from_utf8(bytes).map_err(|e| StoreError::unwritable(&e))?;
        let (session, project, agent, run, due) = (None, None, None, None, None);
        Ok(Self { session, project, agent, run, state: "open", due, body, is_first: false })
    }

    fn of(mut self, session: &SessionName, agent: Option<&Agent>) -> Self {
        self.session = Some(session.as_str().to_owned());
        self.agent = agent.map(|agent| agent.as_str().to_owned());
        self
    }

    fn state(mut self, state: &'static str, due: Option<Time>) -> Self {
        self.state = state;
        self.due = due.map(Time::micros);
        self
    }
}

/// The rows that have to be written after a change.
pub(crate) fn changed(
    state: &State,
    touched: &Touched,
    texts: &Texts,
) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    for name in &touched.sessions {
        rows.push(row(Kept::Sessions, name.as_str(), session(state, name)?));
    }
    for id in &touched.grants {
        rows.push(row(Kept::Grants, id, grant(state, *id)?));
    }
    for id in &touched.requests {
        rows.push(row(Kept::Requests, id, request(state, *id)?));
    }
    for id in &touched.calls {
        rows.push(row(Kept::Calls, id, calls::call(state, *id, texts)?));
    }
    for id in &touched.runs {
        rows.push(row(Kept::Runs, id, run(state, *id)?));
    }
    for id in &touched.gestures {
        let gesture = state.gestures.get(id);
        let held =
            gesture.map(|gesture| Held::new(gesture).map(|held| held.of(&gesture.session, None)));
        rows.push(row(Kept::Gestures, id, held.transpose()?));
    }
    for id in &touched.proposals {
        let proposal = state.proposals.get(id);
        let held = proposal.map(|proposal| {
            let held = Held::new(proposal)?.of(&proposal.session, Some(&proposal.agent));
            Ok::<_, StoreError>(held.state(proposal.state.word(), None))
        });
        rows.push(row(Kept::Proposals, id, held.transpose()?));
    }
    for digest in &touched.declined {
        let declined = state.declined.get(digest);
        let held = declined.map(|declined| {
            let mut held = Held::new(declined)?;
            held.agent = Some(declined.agent.as_str().to_owned());
            Ok::<_, StoreError>(held)
        });
        rows.push(row(Kept::Declined, digest, held.transpose()?));
    }
    for id in &touched.notices {
        rows.push(row(Kept::Notices, id, notice(state, *id)?));
    }
    for name in &touched.nodes {
        let held = state.nodes.get(name).map(Held::new).transpose()?;
        rows.push(row(Kept::Nodes, name.as_str(), held));
    }
    Ok(rows)
}

fn row(kept: Kept, key: impl ToString, held: Option<Held>) -> Row {
    Row { kept, key: key.to_string(), held }
}

fn session(state: &State, name: &SessionName) -> Result<Option<Held>, StoreError> {
    let Some(session) = state.sessions.get(name) else { return Ok(None) };
    let mut held = Held::new(session)?;
    held.agent = Some(session.agent.as_str().to_owned());
    held.project = session.project.as_ref().map(|project| project.as_str().to_owned());
    Ok(Some(held))
}

/// The session column of a grant says where it was given, whoever owns it.
fn grant(
    state: &State,
    id: countersign_core::model::ids::GrantId,
) -> Result<Option<Held>, StoreError> {
    let Some(grant) = state.grants.get(id) else { return Ok(None) };
    let word = match grant.state {
        GrantState::Live => "live",
        GrantState::Reserved { .. } => "reserved",
        GrantState::Released { .. } => "released",
        GrantState::Spent => "spent",
        GrantState::Ended => "ended",
        GrantState::Revoked => "revoked",
    };
    let waits = matches!(grant.state, GrantState::Live | GrantState::Released { .. });
    let mut held = Held::new(grant)?
        .of(&grant.made_in, Some(&grant.agent))
        .state(word, grant.ends_at.filter(|_| waits));
    held.run = grant.run.map(|run| run.to_string());
    match &grant.owner {
        Owner::Session(session) => held.session = Some(session.as_str().to_owned()),
        Owner::Project(project) => held.project = Some(project.as_str().to_owned()),
    }
    Ok(Some(held))
}

fn request(
    state: &State,
    id: countersign_core::model::ids::RequestId,
) -> Result<Option<Held>, StoreError> {
    let Some(request) = state.requests.get(&id) else { return Ok(None) };
    let (word, due) = match request.state {
        RequestState::Open => ("open", Some(request.ends_at)),
        RequestState::Closed(_) => ("closed", None),
    };
    let mut held = Held::new(request)?.of(&request.session, Some(&request.agent)).state(word, due);
    if let Subject::Start(start) = &request.subject {
        held.run = Some(start.run.to_string());
    }
    Ok(Some(held))
}

fn run(state: &State, id: countersign_core::model::ids::RunId) -> Result<Option<Held>, StoreError> {
    let Some(run) = state.runs.get(&id) else { return Ok(None) };
    let (word, due) = match run.state {
        RunState::Live => ("live", Some(run.idles_out_at())),
        RunState::Suspended => ("suspended", Some(run.idles_out_at())),
        RunState::Ended(_) => ("ended", None),
    };
    Ok(Some(Held::new(run)?.of(&run.session, Some(&run.agent)).state(word, due)))
}

/// Found by its agent, whichever session it was in.
fn notice(
    state: &State,
    id: countersign_core::model::ids::NoticeId,
) -> Result<Option<Held>, StoreError> {
    let Some(notice) = state.notices.get(&id) else { return Ok(None) };
    let word = match notice.state {
        NoticeState::Open => "open",
        NoticeState::Acknowledged { .. } => "acknowledged",
    };
    let mut held = Held::new(notice)?.state(word, None);
    held.agent = notice.agent.as_ref().map(|agent| agent.as_str().to_owned());
    Ok(Some(held))
}

/// Puts a row back into a state. What cannot be read is never skipped.
pub(crate) fn restore(
    state: &mut State,
    kept: Kept,
    (key, body): (&str, &str),
) -> Result<(), StoreError> {
    match kept {
        Kept::Sessions => {
            let name = SessionName::parse(key).map_err(|e| unreadable(kept, key, &e))?;
            state.sessions.restore(name, read(kept, key, body)?);
        }
        Kept::Grants => {
            let grant: countersign_core::model::grant::Grant = read(kept, key, body)?;
            if state.grants.get(grant.id).is_none() {
                state.grants.restore(grant);
            }
        }
        Kept::Requests => {
            let request: countersign_core::model::request::Request = read(kept, key, body)?;
            state.requests.restore(request.id, request);
        }
        Kept::Calls => {
            let record: countersign_core::state::CallRecord = read(kept, key, body)?;
            state.calls.restore(record.call.id, record);
        }
        Kept::Runs => {
            let run: countersign_core::model::run::Run = read(kept, key, body)?;
            state.runs.restore(run.id, run);
        }
        Kept::Gestures => {
            let gesture: countersign_core::model::change::Gesture = read(kept, key, body)?;
            state.gestures.restore(gesture.id, gesture);
        }
        Kept::Proposals => {
            let proposal: countersign_core::model::proposal::Proposal = read(kept, key, body)?;
            state.proposals.restore(proposal.id, proposal);
        }
        Kept::Declined => {
            let digest = countersign_core::encoding::digest::Digest::parse(key)
                .ok_or_else(|| unreadable(kept, key, &"its key is no digest"))?;
            state.declined.restore(digest, read(kept, key, body)?);
        }
        Kept::Notices => {
            let notice: countersign_core::model::notice::Notice = read(kept, key, body)?;
            state.notices.restore(notice.id, notice);
        }
        Kept::Nodes => {
            let name = NodeName::parse(key).map_err(|e| unreadable(kept, key, &e))?;
            state.nodes.restore(name, read(kept, key, body)?);
        }
    }
    Ok(())
}

fn read<T: DeserializeOwned>(kept: Kept, key: &str, body: &str) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(|error| unreadable(kept, key, &error))
}

fn unreadable(kept: Kept, key: &str, error: &impl ToString) -> StoreError {
    let what = format!("the row {key} of {}", kept.table());
    StoreError::Damaged { what, cause: error.to_string() }
}
