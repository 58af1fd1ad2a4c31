//! Engine values as wire types. Conversions that need only core live next to the wire types.

use countersign_api::{GrantUseView, GrantView, StartPolicy, Timestamp, WorkflowView};
use countersign_card::describe_grant;
use countersign_core::model::grant::{Grant, Owner};
use countersign_core::model::request::Subject;
use countersign_core::model::time::{Span, Time};
use countersign_core::state::State;
use countersign_engine::WorkflowAudit;

pub(crate) fn workflow_view(audited: WorkflowAudit) -> WorkflowView {
    let start =
        if audited.asks_because.is_some() { StartPolicy::Asks } else { StartPolicy::Bypasses };
    WorkflowView {
        workflow: audited.workflow,
        actions: audited.actions,
        start,
        because: audited.asks_because,
    }
}

/// What a grant is judged by at this moment.
#[derive(Clone, Copy)]
pub(crate) struct GrantTerms {
    pub now: Time,
    /// Days from one review of a project's grant to the next.
    pub review_days: i64,
}

/// A grant, with the calls and requests of `state` that it refers to.
pub(crate) fn grant_view(grant: &Grant, state: &State, terms: GrantTerms) -> GrantView {
    let of_project = matches!(grant.owner, Owner::Project(_));
    let due = grant.reviewed_at + Span::days(terms.review_days);
    let lapsed = of_project && due <= terms.now;
    let actions = |call| state.calls.get(&call).map(|record| record.decided.clone());
    GrantView {
        id: grant.id,
        agent: grant.agent.clone(),
        owner: (&grant.owner).into(),
        session: grant.made_in.to_name(),
        coverage: grant.coverage.clone(),
        covers: describe_grant(grant, state).to_string(),
        within: grant.within.clone(),
        scope: grant.scope,
        source: grant.source,
        max_risk: grant.shown,
        granted_at: Timestamp(grant.granted_at),
        ends_at: grant.ends_at.map(Timestamp),
        reviewed_at: Timestamp(grant.reviewed_at),
        review_at: of_project.then_some(Timestamp(due)),
        run: grant.run,
        request: grant.request,
        asked: asked_ahead(grant, state),
        reason: claimed_reason(grant, state),
        uses: grant.uses,
        last_use: grant.used.map(|used| GrantUseView {
            call: used.by,
            at: Timestamp(used.at),
            actions: actions(used.by).unwrap_or_default(),
        }),
        state: grant.state.clone(),
        in_force: grant.in_force(terms.now) && !lapsed,
    }
}

fn asked_ahead(grant: &Grant, state: &State) -> Option<String> {
    match &state.requests.get(&grant.request?)?.subject {
        Subject::Ahead(ahead) => Some(ahead.text.clone()),
        _ => None,
    }
}

/// The reason that the agent gave when it asked.
fn claimed_reason(grant: &Grant, state: &State) -> Option<String> {
    let reason = match &state.requests.get(&grant.request?)?.subject {
        Subject::Calls(calls) => {
            let call = calls.first().and_then(|call| state.calls.get(call))?;
            call.call.claims.reason.clone()
        }
        Subject::Ahead(ahead) => ahead.reason.clone(),
        Subject::Start(_)
        | Subject::Standing(_)
        | Subject::Slash(_)
        | Subject::Proposal(_)
        | Subject::Imported(_) => return None,
    };
    Some(reason).filter(|reason| !reason.is_empty())
}
