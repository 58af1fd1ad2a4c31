//! Submits proposals. What becomes of one that was submitted is in `act`.

mod act;

pub use act::{
    Applier, ProposalActionResult, ProposalRefusal, apply_proposal, refusal, undo_proposal,
    veto_proposal,
};

use countersign_core::decide::decide_proposal;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{Call, CallDraft, Malformed};
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::decision::Decision;
use countersign_core::model::grant::Holder;
use countersign_core::model::ids::ProposalId;
use countersign_core::model::limits;
use countersign_core::model::proposal::{Proposal, ProposalDraft, ProposalState};
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::time::Span;
use countersign_core::model::words::{Choice, Ending, Outcome, Reason, Risk};
use countersign_core::steps::notice::{DecidedAttempt, notice_for};
use countersign_core::steps::open_request::{NewRequest, item_for_action, request_opened};
use countersign_core::steps::record;
use countersign_core::steps::resolve::resolve_call;
use countersign_core::steps::settle;
use serde_json::json;

#[derive(Clone, Debug)]
pub struct ProposalDecision {
    pub id: ProposalId,
    pub decision: Decision,
    pub changes: Vec<Change>,
}

/// Submits a new or edited proposal. An edit voids the earlier answer and restarts the cooling.
pub fn propose(facts: &Facts, draft: &ProposalDraft) -> ProposalDecision {
    let id = draft.edits.unwrap_or_else(|| ProposalId::generate(facts.ids));
    let mut changes = Vec::new();
    let decided = match proposal_call(facts, draft) {
        Ok(call) => {
            changes.extend(record::opening(
                facts,
                &call.session,
                &call.agent,
                (call.project.as_ref(), &call.folders),
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
        let attempted = DecidedAttempt { session, agent, digest: call.digest, call: None };
        changes.extend(notice_for(facts, attempted, &decision));
    }
    if let (Some(call), true) = (call, decision.outcome != Outcome::Deny) {
        changes.extend(submit(facts, draft, &call, id, &decision));
    }
    ProposalDecision { id, decision, changes }
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
    texts.map(String::as_str).any(countersign_redact::holds_secret)
}

fn decide_draft(facts: &Facts, draft: &ProposalDraft, call: &Call) -> Decision {
    if let Some(why) = check_editable(facts, draft) {
        return Decision::malformed(why.into());
    }
    let missing = match (&draft.diff, draft.undo.as_deref()) {
        (None, _) => Some(Reason::DiffMissing),
        (Some(diff), _) if diff.changes_nothing() => Some(Reason::DiffMissing),
        (Some(_), None | Some("")) => Some(Reason::UndoMissing),
        (Some(_), Some(_)) => None,
    };
    // An edit closes the question about the earlier version.
    let earlier = draft.edits.and_then(|id| facts.state.proposals.get(&id));
    let replaces = earlier.is_some_and(|earlier| close_open_request(facts, earlier).is_some());
    let mut decision = decide_proposal(facts, call, missing, usize::from(!replaces));
    if decision.reason == Reason::DiffMissing && draft.diff.is_some() {
        decision.note = "its two sides are the same, so it would change nothing".to_owned();
    }
    decision
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
