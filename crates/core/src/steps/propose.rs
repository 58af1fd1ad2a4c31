//! Submits, applies, vetoes and undoes proposals.

use crate::decide::admission::{check_not_paused, is_dry_run};
use crate::decide::decide_proposal;
use crate::decide::facts::Facts;
use crate::model::call::{Call, CallDraft, Malformed};
use crate::model::change::{Attempt, Change};
use crate::model::decision::{Basis, Decision, Nearest};
use crate::model::grant::Holder;
use crate::model::graph::{ChannelRule, Graph, Rule, Unclassified};
use crate::model::ids::ProposalId;
use crate::model::limits;
use crate::model::names::{Agent, SessionKey};
use crate::model::proposal::{Proposal, ProposalDraft, ProposalState};
use crate::model::redact;
use crate::model::request::{Request, Subject};
use crate::model::time::Span;
use crate::model::words::{Channel, Choice, Ending, Outcome, Reason, Risk, Tier};
use crate::steps::notice::{Attempted, notice_for};
use crate::steps::open_request::{NewRequest, item_for_action, request_opened};
use crate::steps::record;
use crate::steps::resolve::resolve_call;
use crate::steps::settle;
use serde_json::json;

#[derive(Clone, Debug)]
pub struct Proposed {
    pub id: ProposalId,
    pub decision: Decision,
    pub changes: Vec<Change>,
}

/// Submits a new or edited proposal. An edit voids the earlier answer and restarts the cooling.
pub fn propose(facts: &Facts, draft: &ProposalDraft) -> Proposed {
    let id = draft.edits.unwrap_or_else(|| ProposalId::fresh(facts.fresh));
    let mut changes = Vec::new();
    let decided = match proposal_call(facts, draft) {
        Ok(call) => {
            changes.extend(record::opening(
                facts,
                &call.session,
                &call.agent,
                call.project.as_ref(),
            ));
            let decision = decide_draft(facts, draft, &call);
            Ok((call, decision))
        }
        Err(malformed) => Err(Decision::malformed(malformed.to_string())),
    };
    // A malformed proposal is not recorded: it may contain anything, even a secret.
    let (call, decision, attempt) = match decided {
        Ok((call, decision)) => {
            let draft = Box::new(draft.clone());
            (Some(call), decision, Attempt::Proposal { draft, proposal: id })
        }
        Err(decision) => {
            let (session, agent) = (draft.session.clone(), draft.agent.clone());
            (None, decision, Attempt::Malformed { session, agent })
        }
    };
    changes.push(record::decided(facts, attempt, &decision));
    if let Some(call) = &call {
        let (session, agent) = (&call.session, &call.agent);
        let attempted = Attempted { session, agent, digest: call.digest, call: None };
        changes.extend(notice_for(facts, attempted, &decision));
    }
    if let (Some(call), true) = (call, decision.outcome != Outcome::Deny) {
        changes.extend(submit(facts, draft, &call, id, &decision));
    }
    Proposed { id, decision, changes }
}

/// A proposal is decided like a call with the diff in its arguments.
fn proposal_call(facts: &Facts, draft: &ProposalDraft) -> Result<Call, Malformed> {
    if holds_secret(draft) {
        return Err(Malformed::Secret("the proposal"));
    }
    let mut call =
        CallDraft::plain(draft.agent.clone(), draft.session.clone(), draft.action.clone());
    call.project.clone_from(&draft.project);
    call.args = json!({"diff": draft.diff, "undo": draft.undo});
    call.observed.channel = draft.channel;
    call.parking = draft.parking;
    resolve_call(facts, call)
}

/// A proposal is applied as written, so a secret in it cannot be redacted.
fn holds_secret(draft: &ProposalDraft) -> bool {
    let texts = draft.diff.iter().flat_map(|diff| [&diff.before, &diff.after]).chain(&draft.undo);
    texts.map(String::as_str).any(redact::holds_secret)
}

fn decide_draft(facts: &Facts, draft: &ProposalDraft, call: &Call) -> Decision {
    if let Some(why) = check_editable(facts, draft) {
        return Decision::malformed(why.into());
    }
    let missing = match (&draft.diff, draft.undo.as_deref()) {
        (None, _) => Some(Reason::DiffMissing),
        (Some(_), None | Some("")) => Some(Reason::UndoMissing),
        (Some(_), Some(_)) => None,
    };
    // An edit closes the question about the earlier version.
    let earlier = draft.edits.and_then(|id| facts.state.proposals.get(&id));
    let replaces = earlier.is_some_and(|earlier| close_open_request(facts, earlier).is_some());
    decide_proposal(facts, call, missing, usize::from(!replaces))
}

/// Why the draft may not edit its earlier proposal. Only its submitter may, until it is applied.
fn check_editable(facts: &Facts, draft: &ProposalDraft) -> Option<&'static str> {
    let own = |p: &&Proposal| p.session == draft.session && p.agent == draft.agent;
    match facts.state.proposals.get(&draft.edits?).filter(own).map(|earlier| earlier.state) {
        None => Some("this session has no such proposal; submit a new one"),
        Some(ProposalState::Applied { .. } | ProposalState::Undone) => {
            Some("this proposal was applied; submit a new one")
        }
        Some(_) => None,
    }
}

fn submit(
    facts: &Facts,
    draft: &ProposalDraft,
    call: &Call,
    id: ProposalId,
    decision: &Decision,
) -> Vec<Change> {
    let (Some(diff), Some(undo)) = (draft.diff.clone(), draft.undo.clone()) else {
        return Vec::new();
    };
    let domain = facts.graph.and_then(|graph| graph.domains.get(draft.action.domain()));
    let hours = domain.and_then(|domain| domain.conditions.cooling_hours).unwrap_or(0);
    let days = domain.and_then(|domain| domain.conditions.undo_days);
    let request =
        (decision.outcome == Outcome::Ask).then(|| new_request(facts, call, id, decision));
    let proposal = Proposal {
        id,
        session: call.session.clone(),
        agent: call.agent.clone(),
        action: draft.action.clone(),
        diff,
        undo,
        digest: call.digest,
        submitted_at: facts.now,
        cools_until: facts.now + Span::hours(i64::from(hours)),
        channel: draft.channel,
        shown: decision.verdicts.iter().map(|verdict| verdict.risk).max().unwrap_or(Risk::ReadOnly),
        undo_window: days.map(|days| Span::days(i64::from(days))),
        request: request.as_ref().map(|request| request.id),
        state: match decision.outcome {
            Outcome::Ask => ProposalState::Waiting,
            Outcome::Allow | Outcome::Notify | Outcome::Deny => ProposalState::Autonomous,
        },
    };
    let mut changes = Vec::new();
    if let Some(earlier) = facts.state.proposals.get(&id) {
        changes.extend(close_open_request(facts, earlier));
        changes.push(Change::ProposalEdited { proposal: Box::new(proposal) });
    } else {
        changes.push(Change::ProposalSubmitted { proposal: Box::new(proposal) });
    }
    changes.extend(request.map(request_opened));
    changes
}

fn new_request(facts: &Facts, call: &Call, id: ProposalId, decision: &Decision) -> Request {
    let once = || vec![Choice::Once, Choice::Decline];
    let items = decision.verdicts.iter().map(|verdict| item_for_action(verdict, once()));
    NewRequest {
        holder: Holder {
            session: &call.session,
            agent: &call.agent,
            project: call.project.as_ref(),
        },
        subject: Subject::Proposal(id),
        digest: call.digest,
        lasting: call.lasting,
        items: items.collect(),
        programs: Vec::new(),
        open_for: limits::PROPOSAL_OPEN,
    }
    .open(facts)
}

fn close_open_request(facts: &Facts, proposal: &Proposal) -> Option<Change> {
    let request = proposal.request.and_then(|id| facts.state.requests.get(&id))?;
    request.is_open(facts.now).then(|| settle::request_closed(request.id, Ending::Cancelled))
}

/// The result of an operation on a proposal: done, or refused for a reason.
pub type Acted = (Result<(), Reason>, Vec<Change>);

/// Applies a proposal that is approved, has cooled, and is still permitted by the graph.
pub fn apply_proposal(facts: &Facts, id: ProposalId, session: &SessionKey, agent: &Agent) -> Acted {
    let own = |proposal: &&Proposal| proposal.session == *session && proposal.agent == *agent;
    let Some(proposal) = facts.state.proposals.get(&id).filter(own) else {
        return refuse(Reason::Malformed);
    };
    match check_approved(facts, proposal).or_else(|| check_permitted(facts, proposal)) {
        Some(reason) => (Err(reason), vec![record_refusal(facts, proposal, reason)]),
        None => (Ok(()), vec![Change::ProposalApplied { proposal: id }]),
    }
}

/// The ledger also records refused attempts.
fn record_refusal(facts: &Facts, proposal: &Proposal, reason: Reason) -> Change {
    let attempt = Attempt::Apply {
        session: proposal.session.clone(),
        agent: proposal.agent.clone(),
        proposal: proposal.id,
    };
    record::decided(facts, attempt, &refusal(reason))
}

/// Why the proposal is not approved, if it is not.
fn check_approved(facts: &Facts, proposal: &Proposal) -> Option<Reason> {
    match proposal.state {
        ProposalState::Waiting if has_expired(facts, proposal) => Some(Reason::Expired),
        ProposalState::Waiting => Some(Reason::NoGrant),
        ProposalState::Declined | ProposalState::Vetoed => Some(Reason::DeclinedBefore),
        ProposalState::Expired => Some(Reason::Expired),
        ProposalState::Applied { .. } | ProposalState::Undone => Some(Reason::AlreadyDone),
        ProposalState::Approved | ProposalState::Autonomous => None,
    }
}

/// Why the current graph does not permit the proposal.
fn check_permitted(facts: &Facts, proposal: &Proposal) -> Option<Reason> {
    let Some(graph) = facts.graph else { return Some(Reason::NoGraph) };
    if check_not_paused(facts, &proposal.agent).is_err() {
        return Some(Reason::Paused);
    }
    let rule = graph.rule(&proposal.action);
    if current_tier(facts, graph, proposal) == Some(Tier::Blocked) {
        return Some(Reason::Blocked);
    }
    if rule.is_none() && graph.unclassified == Unclassified::Deny {
        return Some(Reason::Unclassified);
    }
    let bound = rule.is_some_and(|rule| rule.channel == ChannelRule::TrustedOnly);
    if bound && proposal.channel != Channel::Trusted {
        return Some(Reason::ChannelRequired);
    }
    let hours =
        graph.domains.get(proposal.action.domain()).and_then(|d| d.conditions.cooling_hours);
    let cools_until = proposal.submitted_at + Span::hours(i64::from(hours.unwrap_or(0)));
    if facts.now < cools_until.max(proposal.cools_until) {
        return Some(Reason::Cooling);
    }
    if proposal.state == ProposalState::Autonomous
        && let Some(reason) = check_autonomous(facts, graph, proposal)
    {
        return Some(reason);
    }
    let risk = rule.map_or(Rule::UNCLASSIFIED_RISK, |rule| rule.risk);
    (risk > proposal.shown).then_some(Reason::TooRiskyToCarry)
}

/// The current tier, by list or policy.
fn current_tier(facts: &Facts, graph: &Graph, proposal: &Proposal) -> Option<Tier> {
    let listed = graph.rule(&proposal.action).map(|rule| rule.tier);
    facts.ruled.tier(&proposal.action, listed)
}

/// Why a proposal that its rule alone allowed is no longer allowed.
fn check_autonomous(facts: &Facts, graph: &Graph, proposal: &Proposal) -> Option<Reason> {
    let domain = graph.domains.get(proposal.action.domain());
    if current_tier(facts, graph, proposal) != Some(Tier::Autonomous) {
        return Some(Reason::NoGrant);
    }
    if graph.is_decayed(domain, facts.now.date()) {
        return Some(Reason::Decayed);
    }
    is_dry_run(facts, &proposal.session).then_some(Reason::DryRun)
}

fn has_expired(facts: &Facts, proposal: &Proposal) -> bool {
    let request = proposal.request.and_then(|id| facts.state.requests.get(&id));
    request.is_some_and(|request| request.ends_at <= facts.now)
}

/// Vetoes a proposal. The operator can do this until it is applied.
pub fn veto_proposal(facts: &Facts, id: ProposalId) -> Acted {
    let Some(proposal) = facts.state.proposals.get(&id) else {
        return refuse(Reason::Malformed);
    };
    match proposal.state {
        ProposalState::Waiting | ProposalState::Approved | ProposalState::Autonomous => {
            let mut changes: Vec<Change> =
                close_open_request(facts, proposal).into_iter().collect();
            changes.push(Change::ProposalVetoed { proposal: id });
            (Ok(()), changes)
        }
        ProposalState::Declined | ProposalState::Vetoed => refuse(Reason::DeclinedBefore),
        ProposalState::Expired => refuse(Reason::Expired),
        ProposalState::Applied { .. } | ProposalState::Undone => refuse(Reason::AlreadyDone),
    }
}

/// Undoes an applied proposal, once and within its undo window.
pub fn undo_proposal(facts: &Facts, id: ProposalId) -> Acted {
    let Some(proposal) = facts.state.proposals.get(&id) else {
        return refuse(Reason::Malformed);
    };
    match (proposal.state, proposal.undo_window) {
        (ProposalState::Applied { at }, Some(window)) if facts.now < at + window => {
            (Ok(()), vec![Change::ProposalUndone { proposal: id }])
        }
        (ProposalState::Applied { .. }, _) => refuse(Reason::Expired),
        (ProposalState::Undone, _) => refuse(Reason::AlreadyDone),
        (
            ProposalState::Waiting
            | ProposalState::Approved
            | ProposalState::Autonomous
            | ProposalState::Declined
            | ProposalState::Expired
            | ProposalState::Vetoed,
            _,
        ) => refuse(Reason::NoGrant),
    }
}

fn refuse(reason: Reason) -> Acted {
    (Err(reason), Vec::new())
}

/// A refusal as a decision, for explanations.
pub fn refusal(reason: Reason) -> Decision {
    let nearest = if reason == Reason::Cooling { Nearest::Later } else { Nearest::Answer };
    Decision::whole(Outcome::Deny, reason, Basis::Record, nearest)
}
