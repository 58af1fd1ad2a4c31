//! Lists of grants, a page at a time, and things named by a part of their id.
//!
//! What a page costs depends on the page, not on how much is stored: the next one begins where
//! this one ended.

use crate::StoreError;
use crate::load::Rows;
use crate::rows::{Kept, restore};
use countersign_core::model::grant::{Grant, GrantState, Owner};
use countersign_core::model::ids::{CallId, GrantId, RequestId};
use countersign_core::model::names::{Project, SessionName};
use countersign_core::model::request::Subject;
use countersign_core::state::State;
use std::collections::BTreeSet;

/// Which grants are listed, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub which: Which,
    pub of: Of,
    /// Those that were given before this one: where the last page ended.
    pub before: Option<GrantId>,
    /// So many at most.
    pub most: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Live, in use or given back; one whose end has come may still be among them.
    InForce,
    /// Used up.
    Used,
    /// Whatever has become of them.
    All,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    Everybody,
    /// Given in this session, for itself or for its project.
    Session(SessionName),
    Project(Project),
    /// Owned by whichever project.
    Projects,
}

/// A page of grants. It can hold fewer than were asked for, or none, and there are more as long as
/// `next` is there.
#[derive(Clone, Debug)]
pub struct Listed {
    pub grants: Vec<GrantId>,
    /// They, the requests that they answer, and the calls those are about or that used them.
    pub state: State,
    pub next: Option<GrantId>,
}

/// What has an id that can be looked for by a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    Call,
    Request,
    Run,
    Grant,
    Proposal,
    Notice,
}

impl Sought {
    pub const ALL: [Self; 6] =
        [Self::Call, Self::Request, Self::Run, Self::Grant, Self::Proposal, Self::Notice];

    pub(crate) const fn kept(self) -> Kept {
        match self {
            Self::Call => Kept::Calls,
            Self::Request => Kept::Requests,
            Self::Run => Kept::Runs,
            Self::Grant => Kept::Grants,
            Self::Proposal => Kept::Proposals,
            Self::Notice => Kept::Notices,
        }
    }

    /// What its ids begin with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Call => "op_",
            Self::Request => "req_",
            Self::Run => "run_",
            Self::Grant => "grant_",
            Self::Proposal => "prop_",
            Self::Notice => "notice_",
        }
    }

    /// Where ids of this kind begin that begin like this, with the prefix or without.
    pub(crate) fn beginning(self, part: &str) -> String {
        match part.starts_with(self.prefix()) {
            true => part.to_owned(),
            false => format!("{}{part}", self.prefix()),
        }
    }
}

/// Keys in their order, with the bodies of those that are meant.
pub(crate) type Keyed = Vec<(String, Option<String>)>;

/// A database that lists.
pub(crate) trait Lists: Rows {
    /// Keys of grants before one, newest first, with the bodies of those that are meant.
    fn keyed(&mut self, listing: &Listing, before: &str) -> Result<Keyed, StoreError>;
}

/// Rows that one page looks at where nothing leads to just those that are meant.
pub(crate) const LOOKED_AT: usize = 1_000;

/// The greatest key there is: no id is made of anything but these digits.
pub(crate) const LAST: &str = "grant_g";

pub(crate) fn list(rows: &mut impl Lists, listing: &Listing) -> Result<Listed, StoreError> {
    let before = listing.before.map_or_else(|| LAST.to_owned(), |id| id.to_string());
    let found = rows.keyed(listing, &before)?;
    let full = found.len() >= page_rows(listing);
    let mut listed = Listed { grants: Vec::new(), state: State::empty(), next: None };
    let mut last = None;
    let mut left = false;
    for (key, body) in found {
        if listed.grants.len() >= listing.most {
            left = true;
            break;
        }
        let id = GrantId::parse(&key).ok_or_else(|| damaged(&key))?;
        last = Some(id);
        if let Some(body) = body {
            restore(&mut listed.state, Kept::Grants, (&key, &body))?;
            listed.grants.push(id);
        }
    }
    listed.next = last.filter(|_| left || full);
    surroundings(rows, &mut listed.state)?;
    Ok(listed)
}

/// How many rows a page looks at.
pub(crate) fn page_rows(listing: &Listing) -> usize {
    match listing.which {
        Which::InForce => listing.most.saturating_add(1),
        Which::Used | Which::All => LOOKED_AT.max(listing.most.saturating_add(1)),
    }
}

/// Why they were given, and what used them.
fn surroundings(rows: &mut impl Rows, state: &mut State) -> Result<(), StoreError> {
    let requests: BTreeSet<RequestId> = state.grants.iter().filter_map(|g| g.request).collect();
    for id in requests {
        bring(rows, state, Kept::Requests, &id.to_string())?;
    }
    let mut calls: BTreeSet<CallId> =
        state.grants.iter().filter_map(|grant| Some(grant.used?.by)).collect();
    for request in state.requests.values() {
        if let Subject::Calls(about) = &request.subject {
            calls.extend(about.first());
        }
    }
    for id in calls {
        bring(rows, state, Kept::Calls, &id.to_string())?;
    }
    Ok(())
}

fn bring(rows: &mut impl Rows, state: &mut State, kept: Kept, key: &str) -> Result<(), StoreError> {
    for (key, body) in rows.fetch(kept, crate::load::By::Key(key))? {
        restore(state, kept, (&key, &body))?;
    }
    Ok(())
}

/// The id of a request, as it is stored.
pub(crate) fn request_id(key: &str) -> Result<RequestId, StoreError> {
    RequestId::parse(key).ok_or_else(|| damaged(key))
}

fn damaged(key: &str) -> StoreError {
    StoreError::Damaged { what: "the key of a grant".to_owned(), cause: key.to_owned() }
}

/// The same from a state that is all there.
pub(crate) fn list_in(state: &State, listing: &Listing) -> Listed {
    let is_meant = |grant: &&Grant| {
        let which = match listing.which {
            Which::InForce => grant.is_held(),
            Which::Used => grant.state == GrantState::Spent,
            Which::All => true,
        };
        let of = match &listing.of {
            Of::Everybody => true,
            Of::Session(session) => grant.made_in == *session,
            Of::Project(project) => grant.owner == Owner::Project(project.clone()),
            Of::Projects => matches!(grant.owner, Owner::Project(_)),
        };
        which && of && listing.before.is_none_or(|before| grant.id < before)
    };
    let mut grants: Vec<GrantId> =
        state.grants.iter().filter(is_meant).map(|grant| grant.id).collect();
    grants.sort_unstable_by(|one, two| two.cmp(one));
    let more = grants.len() > listing.most;
    grants.truncate(listing.most);
    let next = grants.last().copied().filter(|_| more);
    Listed { grants, state: state.clone(), next }
}
