//! Applies, vetoes and undoes proposals.

use super::close_open_request;
use countersign_core::decide::admission::{check_not_paused, is_dry_run, is_stopped};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::decision::{Basis, Decision, NearestChange};
use countersign_core::model::graph::{ChannelRule, Graph, Rule, Unclassified};
use countersign_core::model::ids::ProposalId;
use countersign_core::model::names::{Agent, SessionKey};
use countersign_core::model::proposal::{Proposal, ProposalState};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Channel, Outcome, Reason, Tier};
use countersign_core::steps::record;

/// The result of an operation on a proposal: done, or refused for a reason.
pub type ProposalActionResult = (Result<(), ProposalRefusal>, Vec<Change>);

/// Why an operation on a proposal is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProposalRefusal {
    pub reason: Reason,
    /// When its cooling ends, if that is the reason.
    pub until: Option<Time>,
}

impl From<Reason> for ProposalRefusal {
    fn from(reason: Reason) -> Self {
        Self { reason, until: None }
    }
}

/// Who applies a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applier<'a> {
    Operator,
    /// The session and agent that submitted it.
    Submitter {
        session: &'a SessionKey,
        agent: &'a Agent,
    },
}

impl Applier<'_> {
    fn may_apply(self, proposal: &Proposal) -> bool {
        match self {
            Self::Operator => true,
            Self::Submitter { session, agent } => {
                proposal.session == *session && proposal.agent == *agent
            }
        }
    }
}

/// Applies a proposal that is approved, has cooled, and is still permitted by the graph.
pub fn apply_proposal(facts: &Facts, id: ProposalId, by: Applier) -> ProposalActionResult {
    let proposal = facts.state.proposals.get(&id).filter(|proposal| by.may_apply(proposal));
    let Some(proposal) = proposal else { return refuse(Reason::Malformed) };
    let approved = check_approved(facts, proposal).map(ProposalRefusal::from);
    // What falls due while the session is stopped is applied afterwards.
    let is_held = by != Applier::Operator && is_stopped(facts, &proposal.session);
    let stopped = || is_held.then(|| ProposalRefusal::from(Reason::Stopped));
    match approved.or_else(stopped).or_else(|| check_permitted(facts, proposal)) {
        Some(refused) => (Err(refused), vec![record_refusal(facts, proposal, refused)]),
        None => (Ok(()), vec![Change::ProposalApplied { proposal: id }]),
    }
}

/// The ledger also records refused attempts.
fn record_refusal(facts: &Facts, proposal: &Proposal, refused: ProposalRefusal) -> Change {
    let attempt = Attempt::Apply {
        session: proposal.session.clone(),
        agent: proposal.agent.clone(),
        proposal: proposal.id,
    };
    record::decided(facts, attempt, &refusal(refused))
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
fn check_permitted(facts: &Facts, proposal: &Proposal) -> Option<ProposalRefusal> {
    let Some(graph) = facts.graph else { return Some(Reason::NoGraph.into()) };
    if check_not_paused(facts, &proposal.agent).is_err() {
        return Some(Reason::Paused.into());
    }
    let rule = graph.rule(&proposal.action);
    if current_tier(facts, graph, proposal) == Some(Tier::Blocked) {
        return Some(Reason::Blocked.into());
    }
    if rule.is_none() && graph.unclassified == Unclassified::Deny {
        return Some(Reason::Unclassified.into());
    }
    let bound = rule.is_some_and(|rule| rule.channel == ChannelRule::TrustedOnly);
    if bound && proposal.channel != Channel::Trusted {
        return Some(Reason::ChannelRequired.into());
    }
    let until = find_cooling_end(graph, proposal);
    if facts.now < until {
        return Some(ProposalRefusal { reason: Reason::Cooling, until: Some(until) });
    }
    if proposal.state == ProposalState::Autonomous
        && let Some(reason) = check_autonomous(facts, graph, proposal)
    {
        return Some(reason.into());
    }
    let risk = rule.map_or(Rule::UNCLASSIFIED_RISK, |rule| rule.risk);
    (risk > proposal.shown).then_some(Reason::TooRiskyToCarry.into())
}

/// When the proposal has cooled: by the graph at its submission and by the current one.
fn find_cooling_end(graph: &Graph, proposal: &Proposal) -> Time {
    let domain = graph.domains.get(proposal.action.domain());
    let hours = domain.and_then(|domain| domain.conditions.cooling_hours).unwrap_or(0);
    let cools_until = proposal.submitted_at + Span::hours(i64::from(hours));
    cools_until.max(proposal.cools_until)
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
pub fn veto_proposal(facts: &Facts, id: ProposalId) -> ProposalActionResult {
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
pub fn undo_proposal(facts: &Facts, id: ProposalId) -> ProposalActionResult {
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

fn refuse(reason: Reason) -> ProposalActionResult {
    (Err(reason.into()), Vec::new())
}

/// A refusal as a decision, for explanations.
pub fn refusal(refused: ProposalRefusal) -> Decision {
    let ProposalRefusal { reason, until } = refused;
    let nearest =
        if reason == Reason::Cooling { NearestChange::Later } else { NearestChange::Answer };
    let mut decision = Decision::for_whole_call(Outcome::Deny, reason, Basis::Record, nearest);
    if let Some(until) = until {
        decision.note = format!("it can be applied from {until} on");
    }
    decision
}
