//! Direct grants like an earlier yes: what `grants suggest` applies.
//!
//! What the grant covers comes from the record, never from the caller, and the checks are those of
//! any direct grant. Only the operator may reach this.

use crate::{DirectGrantResult, Engine, EngineError, ReadScope, RowKey, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::change::Change;
use countersign_core::model::grant::{Confirmation, Holder, Scope};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SessionKey;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::words::Covers;
use countersign_core::state::{Session, State};
use countersign_core::steps::grant_directly::{DirectGrantRefusal, find_refusal};
use countersign_core::steps::lift_declines::lift_declines;
use countersign_core::steps::settle::create_direct_grant;
use countersign_core::steps::suggest::{SimilarGrant, suggest_grant};

/// A grant like the yes to an approved request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimilarGrantRequest {
    /// An open session of the request's agent: the request's own, or one of the same project.
    pub session: SessionKey,
    pub request: RequestId,
    pub covers: Option<Covers>,
    pub scope: Scope,
    pub confirmation: Confirmation,
}

impl<S: Store> Engine<S> {
    /// Grants what the yes to an approved request would have covered with a wider choice.
    pub fn grant_like(
        &self,
        wanted: &SimilarGrantRequest,
    ) -> Result<DirectGrantResult, EngineError> {
        let known = self.read_request(wanted.request)?;
        let request = known.requests.get(&wanted.request);
        let found = request.and_then(|request| Some((request, find_call(&known, request)?)));
        let Some((request, call)) = found else {
            return Ok(DirectGrantResult::Withheld(DirectGrantRefusal::NotSuggested));
        };
        let graph = self.graph()?;
        let like = suggest_grant(graph.as_deref(), (request, call), wanted.covers, wanted.scope);
        let denied = like.map(|like| self.find_denying_rule(&like.coverage)).transpose()?;
        if let Some(why) = denied.flatten() {
            return Ok(DirectGrantResult::Denied(why));
        }
        let rows = [RowKey::Request(wanted.request), RowKey::Call(call.id)];
        let scope = ReadScope::for_session(&wanted.session).with_rows(rows);
        self.run_step(&scope, |facts, _| mint_like(facts, wanted))
    }
}

fn mint_like(facts: &Facts<'_>, wanted: &SimilarGrantRequest) -> (DirectGrantResult, Vec<Change>) {
    let refuse = |why| (DirectGrantResult::Withheld(why), Vec::new());
    let Some(open) = facts.state.open_session(&wanted.session, facts.now) else {
        return (DirectGrantResult::NoSession, Vec::new());
    };
    let Some(SimilarGrant { coverage, within }) = find_like(facts, open, wanted) else {
        return refuse(DirectGrantRefusal::NotSuggested);
    };
    let terms = (wanted.scope, wanted.confirmation);
    if let Some(why) = find_refusal(facts.graph, &coverage, terms) {
        return refuse(why);
    }
    let (agent, project) = (&open.agent, open.project.as_ref());
    let holder = Holder { session: &wanted.session, agent, project };
    let lifting = lift_declines(facts, &wanted.session, &coverage, wanted.scope);
    let terms = (wanted.scope, None, wanted.confirmation);
    let (mut grant, why_scope) = create_direct_grant(facts, &holder, coverage, terms);
    grant.within = within;
    let mut changes = vec![Change::GrantMinted { grant: Box::new(grant.clone()) }];
    changes.extend(lifting.changes);
    let (grant, declines) = (Box::new(grant), lifting.line);
    (DirectGrantResult::Granted { grant, why_scope, declines }, changes)
}

fn find_like(
    facts: &Facts<'_>,
    open: &Session,
    wanted: &SimilarGrantRequest,
) -> Option<SimilarGrant> {
    let request = facts.state.requests.get(&wanted.request)?;
    let call = find_call(facts.state, request)?;
    let like = suggest_grant(facts.graph, (request, call), wanted.covers, wanted.scope)?;
    is_owner(open, request, wanted).then_some(like)
}

/// The call that a request was opened for.
fn find_call<'a>(state: &'a State, request: &Request) -> Option<&'a Call> {
    let Subject::Calls(calls) = &request.subject else { return None };
    calls.first().and_then(|id| state.calls.get(id)).map(|record| &*record.call)
}

/// Whether the session is the one that asked, or one of the same agent and project.
fn is_owner(open: &Session, request: &Request, wanted: &SimilarGrantRequest) -> bool {
    let is_same_project = request.project.is_some() && open.project == request.project;
    match wanted.scope {
        Scope::Project => open.agent == request.agent && is_same_project,
        Scope::Session => wanted.session == request.session,
        Scope::Once | Scope::Until | Scope::Run => false,
    }
}
