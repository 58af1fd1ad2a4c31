//! Lists grants page by page, and finds ids by a part of them.
//!
//! The cost of a page depends on the page, not on how much is stored: the next page continues
//! where this one ended.

use crate::StoreError;
use crate::limits::MAX_SCANNED_ROWS;
use crate::load::{RowFilter, RowSource};
use crate::rows::{RowKind, StoredRow, restore_row};
use countersign_core::model::grant::{Grant, GrantState, Owner};
use countersign_core::model::ids::{CallId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use countersign_core::model::names::{Project, SessionKey};
use countersign_core::model::request::Subject;
use countersign_core::state::State;
use std::collections::BTreeSet;

/// Which grants to list. The newest comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantQuery {
    pub status: GrantStatusFilter,
    pub owner: GrantOwnerFilter,
    /// Only grants older than this one; the end of the page before.
    pub before: Option<GrantId>,
    pub limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantStatusFilter {
    /// Live, reserved or released. A grant that has just expired may still be among them.
    InForce,
    /// Spent.
    Used,
    All,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantOwnerFilter {
    Anyone,
    /// Granted in this session, for itself or for its project.
    Session(SessionKey),
    Project(Project),
    /// A project, or the user: what outlives its session.
    AnyProject,
}

/// A page of grants. It can hold fewer than the limit, or none: there are more pages as long as
/// `next` is set.
#[derive(Clone, Debug)]
pub struct GrantPage {
    pub grants: Vec<GrantId>,
    /// The grants, the requests that led to them, and the calls that asked for or used them.
    pub state: State,
    pub next: Option<GrantId>,
}

/// A kind of object that can be found by a part of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Call,
    Request,
    Run,
    Grant,
    Proposal,
    Notice,
}

impl ObjectKind {
    pub const ALL: [Self; 6] =
        [Self::Call, Self::Request, Self::Run, Self::Grant, Self::Proposal, Self::Notice];

    pub(crate) const fn row_kind(self) -> RowKind {
        match self {
            Self::Call => RowKind::Calls,
            Self::Request => RowKind::Requests,
            Self::Run => RowKind::Runs,
            Self::Grant => RowKind::Grants,
            Self::Proposal => RowKind::Proposals,
            Self::Notice => RowKind::Notices,
        }
    }

    /// The letter with which its ids start.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Call => CallId::LETTER,
            Self::Request => RequestId::LETTER,
            Self::Run => RunId::LETTER,
            Self::Grant => GrantId::LETTER,
            Self::Proposal => ProposalId::LETTER,
            Self::Notice => NoticeId::LETTER,
        }
    }

    /// The keys of the ids that start with this text. None if no id of this kind can.
    pub(crate) fn key_range(self, beginning: &str) -> Option<KeyRange> {
        let digits = beginning.strip_prefix(self.letter())?;
        let is_hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        if !digits.bytes().all(is_hex) {
            return None;
        }
        let (first, rest) = digits.split_at(digits.len().min(LEADING_DIGITS));
        let from = format!("{}{rest}", self.letter());
        Some(KeyRange { before: format!("{from}g"), from, last_digits: first.to_owned() })
    }

    /// The printed form of an id whose key this is.
    pub(crate) fn print_key(self, key: &str) -> Option<String> {
        match self {
            Self::Call => CallId::from_key(key).map(|id| id.to_string()),
            Self::Request => RequestId::from_key(key).map(|id| id.to_string()),
            Self::Run => RunId::from_key(key).map(|id| id.to_string()),
            Self::Grant => GrantId::from_key(key).map(|id| id.to_string()),
            Self::Proposal => ProposalId::from_key(key).map(|id| id.to_string()),
            Self::Notice => NoticeId::from_key(key).map(|id| id.to_string()),
        }
    }
}

/// How many digits of the end of a key are printed first.
const LEADING_DIGITS: usize = 6;

/// Keys from one on and before another, whose last six digits start with certain ones.
pub(crate) struct KeyRange {
    pub from: String,
    pub before: String,
    pub last_digits: String,
}

/// The key of a grant, and its body if it matches the query.
pub(crate) struct GrantRow {
    pub key: String,
    pub body: Option<String>,
}

/// A database that grants can be listed from.
pub(crate) trait GrantRowSource: RowSource {
    /// Grants with keys below `before`, newest first.
    fn fetch_grant_rows(
        &mut self,
        query: &GrantQuery,
        before: &str,
    ) -> Result<Vec<GrantRow>, StoreError>;
}

/// Greater than every key of a grant: after the letter, keys consist of hexadecimal digits.
pub(crate) const AFTER_ALL_GRANTS: &str = "gg";

pub(crate) fn list_grants(
    rows: &mut impl GrantRowSource,
    query: &GrantQuery,
) -> Result<GrantPage, StoreError> {
    let before = query.before.map_or_else(|| AFTER_ALL_GRANTS.to_owned(), GrantId::to_key);
    let found = rows.fetch_grant_rows(query, &before)?;
    let full = found.len() >= max_page_rows(query);
    let mut page = GrantPage { grants: Vec::new(), state: State::empty(), next: None };
    let mut last = None;
    let mut has_more = false;
    for GrantRow { key, body } in found {
        if page.grants.len() >= query.limit {
            has_more = true;
            break;
        }
        let id = GrantId::from_key(&key).ok_or_else(|| damaged_key(&key))?;
        last = Some(id);
        if let Some(body) = body {
            restore_row(&mut page.state, RowKind::Grants, &StoredRow { key, body })?;
            page.grants.push(id);
        }
    }
    page.next = last.filter(|_| has_more || full);
    load_related_rows(rows, &mut page.state)?;
    Ok(page)
}

/// How many rows a page scans at most.
pub(crate) fn max_page_rows(query: &GrantQuery) -> usize {
    match query.status {
        GrantStatusFilter::InForce => query.limit.saturating_add(1),
        GrantStatusFilter::Used | GrantStatusFilter::All => {
            MAX_SCANNED_ROWS.max(query.limit.saturating_add(1))
        }
    }
}

/// Loads why the grants were given, and what used them.
fn load_related_rows(rows: &mut impl RowSource, state: &mut State) -> Result<(), StoreError> {
    let requests: BTreeSet<RequestId> = state.grants.iter().filter_map(|g| g.request).collect();
    for id in requests {
        load_row(rows, state, RowKind::Requests, &id.to_key())?;
    }
    let mut calls: BTreeSet<CallId> =
        state.grants.iter().filter_map(|grant| Some(grant.used?.by)).collect();
    for request in state.requests.values() {
        if let Subject::Calls(about) = &request.subject {
            calls.extend(about.first());
        }
    }
    for id in calls {
        load_row(rows, state, RowKind::Calls, &id.to_key())?;
    }
    Ok(())
}

pub(crate) fn load_row(
    rows: &mut impl RowSource,
    state: &mut State,
    kind: RowKind,
    key: &str,
) -> Result<(), StoreError> {
    for row in rows.fetch_rows(kind, RowFilter::Key(key))? {
        restore_row(state, kind, &row)?;
    }
    Ok(())
}

/// Parses the stored key of a request.
pub(crate) fn parse_request_id(key: &str) -> Result<RequestId, StoreError> {
    RequestId::from_key(key).ok_or_else(|| StoreError::damaged("the key of a request", &key))
}

fn damaged_key(key: &str) -> StoreError {
    StoreError::damaged("the key of a grant", &key)
}

/// Parses the stored key of a call.
pub(crate) fn parse_call_id(key: &str) -> Result<CallId, StoreError> {
    CallId::from_key(key).ok_or_else(|| StoreError::damaged("the key of a call", &key))
}

/// Lists grants from a complete state.
pub(crate) fn list_grants_in_state(state: &State, query: &GrantQuery) -> GrantPage {
    let matches_query = |grant: &&Grant| {
        let has_status = match query.status {
            GrantStatusFilter::InForce => grant.is_held(),
            GrantStatusFilter::Used => grant.state == GrantState::Spent,
            GrantStatusFilter::All => true,
        };
        let has_owner = match &query.owner {
            GrantOwnerFilter::Anyone => true,
            GrantOwnerFilter::Session(session) => grant.made_in == *session,
            GrantOwnerFilter::Project(project) => grant.owner == Owner::Project(project.clone()),
            GrantOwnerFilter::AnyProject => !matches!(grant.owner, Owner::Session(_)),
        };
        has_status && has_owner && query.before.is_none_or(|before| grant.id < before)
    };
    let mut grants: Vec<GrantId> =
        state.grants.iter().filter(matches_query).map(|grant| grant.id).collect();
    grants.sort_unstable_by(|one, two| two.cmp(one));
    let more = grants.len() > query.limit;
    grants.truncate(query.limit);
    let next = grants.last().copied().filter(|_| more);
    GrantPage { grants, state: state.clone(), next }
}
