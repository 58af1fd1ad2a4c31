//! Decides proposals: changes of the agent to itself.

use super::action_context::{ActionContext, DecisionInput, DecisionMode};
use super::decided_actions::list_decided_actions;
use super::{
    add_decline_note, admission, allow_without_grant, ask, check_sender, credit_layer, must_ask,
    refuse,
};
use crate::decide::facts::Facts;
use crate::model::call::Call;
use crate::model::decision::{Basis, Decision, NearestChange, Verdict};
use crate::model::words::{Outcome, Reason};

/// Decides a proposal. No grant, confidence or gesture counts. `missing` is the reason why the
/// proposal is incomplete, if it is. `new_questions` is how many questions an ask would add: none if
/// it replaces one.
pub fn decide_proposal(
    facts: &Facts,
    call: &Call,
    missing: Option<Reason>,
    new_questions: usize,
) -> Decision {
    let graph = match check_sender(facts, call, DecisionMode::Proposal) {
        Ok(graph) => graph,
        Err(decision) => return decision,
    };
    let input = DecisionInput { facts, graph, call, mode: DecisionMode::Proposal };
    let context = |decided| ActionContext::new(input, decided);
    let actions = list_decided_actions(facts, graph, call).into_iter();
    let mut verdicts: Vec<_> = actions.map(context).map(|q| judge_proposal(&q, missing)).collect();
    if let Some(layer) = &graph.layer {
        credit_layer(layer, &mut verdicts);
    }
    let decision = Decision::strictest(verdicts);
    match decision.outcome {
        Outcome::Allow | Outcome::Notify => decision,
        Outcome::Ask => {
            let decision = ask::check_answerable(facts, call, decision);
            admission::require_room(facts, &call.session, new_questions, decision)
        }
        Outcome::Deny => add_decline_note(facts, call, decision),
    }
}

fn judge_proposal(q: &ActionContext, missing: Option<Reason>) -> Verdict {
    refuse::deny_blocked(q)
        .or_else(|| refuse::deny_self_protection(q))
        .or_else(|| refuse::deny_stopped_proposal(q))
        .or_else(|| refuse::deny_wrong_channel(q))
        .or_else(|| missing.and_then(|reason| q.deny(reason, Basis::Rule, NearestChange::Proposal)))
        .or_else(|| refuse::deny_unlisted(q))
        .or_else(|| refuse::deny_declined(q))
        .or_else(|| refuse::deny_dry_run(q))
        .or_else(|| must_ask::must_ask(q))
        .or_else(|| allow_without_grant::allow_autonomous(q))
        .unwrap_or_else(|| ask::ask(q))
}
