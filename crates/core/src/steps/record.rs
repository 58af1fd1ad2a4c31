//! Turns a decision into changes: the call record, the grants it uses, the requests it opens.
//!
//! They are committed together, before anything is executed.

use crate::decide::decided_actions::{
    DecidedAction, find_changed_files, has_classes, is_pinned, list_decided_actions,
};
use crate::decide::facts::Facts;
use crate::decide::{
    are_heads_grantable, find_workflow, is_fan_out, named_own_files, needs_no_grant, new_questions,
};
use crate::encoding::digest::Digest;
use crate::model::call::{Call, Part};
use crate::model::change::{Attempt, Change, GrantUseEffect, ReplayFacts};
use crate::model::danger::{Danger, DangerKind};
use crate::model::decision::{Basis, ConsentBasis, Decision, Verdict};
use crate::model::grant::{Holder, Scope};
use crate::model::graph::{AskingRule, Graph};
use crate::model::ids::{CallId, GrantId};
use crate::model::limits;
use crate::model::names::{Agent, Project, SessionKey};
use crate::model::place::{ActionOrigin, Bound, ConsentReach, Findings, PinnedProgram};
use crate::model::reason_traits::LongestApproval;
use crate::model::request::{ItemBounds, Subject};
use crate::model::run_file::{
    ChangedRunFile, RunFile, RunFileContent, RunFileSighting, SightingCause,
};
use crate::model::session_place::SessionFolders;
use crate::model::words::{Choice, Ending, Outcome, Reason, Risk};
use crate::steps::end_consent::{end_plan_steps, end_task_consent};
use crate::steps::notice::{DecidedAttempt, notice_for};
use crate::steps::open_request::{NewRequest, item_for_action, request_lifetime, request_opened};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The changes of a call that has just been decided.
///
/// An allowed call needs no answer any more, so open requests with the same digest are closed.
pub fn record(facts: &Facts, call: &Arc<Call>, decision: &Decision) -> Vec<Change> {
    let place = (call.project.as_ref(), &call.folders);
    let mut changes = opening(facts, &call.session, &call.agent, place);
    changes.push(decided(facts, Attempt::First(Arc::clone(call)), decision));
    changes.extend(follow_up_changes(facts, call, decision));
    changes.extend(close_open_requests(facts, call, decision));
    changes
}

/// The changes of a stored call that was decided again.
pub fn record_again(facts: &Facts, call: &Call, decision: &Decision) -> Vec<Change> {
    let mut changes = vec![decided(facts, Attempt::Retry(call.id), decision)];
    if decision.reason == Reason::AlreadyDone {
        return changes;
    }
    changes.extend(follow_up_changes(facts, call, decision));
    changes.extend(close_open_requests(facts, call, decision));
    changes
}

/// Opens the session if it is not open, which fixes its agent and project.
pub fn opening(
    facts: &Facts,
    session: &SessionKey,
    agent: &Agent,
    (project, folders): (Option<&Project>, &SessionFolders),
) -> Vec<Change> {
    if facts.state.open_session(session, facts.now).is_some() {
        return Vec::new();
    }
    vec![Change::SessionOpened {
        session: session.clone(),
        agent: agent.clone(),
        project: project.cloned(),
        folders: folders.clone(),
    }]
}

pub fn decided(facts: &Facts, attempt: Attempt, decision: &Decision) -> Change {
    let call = match &attempt {
        Attempt::First(call) => Some(&**call),
        Attempt::Retry(id) => facts.state.calls.get(id).map(|record| &*record.call),
        Attempt::Start { .. }
        | Attempt::Ahead { .. }
        | Attempt::Proposal { .. }
        | Attempt::Apply { .. }
        | Attempt::Malformed { .. } => None,
    };
    let given = ReplayFacts {
        graph: facts.graph.map_or(Digest::zero(), |graph| graph.hash),
        layer: facts.graph.and_then(Graph::layer_ref),
        surface: facts.surface,
        ours: call.map_or_else(Vec::new, |call| named_own_files(facts, call)),
        node: facts.node.clone(),
        questions: (decision.reason == Reason::TooManyOpen).then_some(facts.questions),
    };
    let (decision, ruled) = (decision.clone(), Box::new(facts.ruled.clone()));
    Change::CallDecided { attempt, decision, ruled, given: Box::new(given) }
}

fn follow_up_changes(facts: &Facts, call: &Call, decision: &Decision) -> Vec<Change> {
    let mut changes = Vec::new();
    for verdict in &decision.verdicts {
        changes.extend(extra_entry(call, verdict));
    }
    match decision.outcome {
        Outcome::Allow | Outcome::Notify => {
            changes.extend(use_grants(facts, call.id, decision));
            changes.extend(record_first_uses(facts, call.id, decision));
            changes.extend(see_new_files(facts, call));
        }
        Outcome::Ask => {
            changes.extend(open_requests(facts, call, decision));
            changes.extend(end_plan_on_detour(facts, call, decision));
        }
        Outcome::Deny => {}
    }
    changes.extend(notice_for(facts, describe_attempt(call), decision));
    changes
}

fn describe_attempt(call: &Call) -> DecidedAttempt<'_> {
    let (session, agent) = (&call.session, &call.agent);
    DecidedAttempt { session, agent, digest: call.digest, call: Some(call.id) }
}

/// A call outside of the accepted plan ends the plan and the consent for the task.
fn end_plan_on_detour(facts: &Facts, call: &Call, decision: &Decision) -> Vec<Change> {
    let Some(session) = facts.state.open_session(&call.session, facts.now) else {
        return Vec::new();
    };
    let mut done = decision.verdicts.iter().filter(|verdict| verdict.part == Part::Named);
    let planned = done.all(|verdict| session.accepted.contains(&verdict.action));
    if session.accepted.is_empty() || planned || call.run.is_none() {
        return Vec::new();
    }
    let mut changes = end_task_consent(facts, &call.session);
    changes.extend(end_plan_steps(facts, &call.session));
    changes
}

/// The additional ledger entry for a verdict, if it has one.
fn extra_entry(call: &Call, verdict: &Verdict) -> Option<Change> {
    let (action, call) = (verdict.action.clone(), call.id);
    match verdict.basis.consent() {
        Some(ConsentBasis::Gesture(gesture)) => {
            return Some(Change::GestureCovered { gesture, action: Some(action) });
        }
        Some(ConsentBasis::Parent(parent)) if verdict.reason == Reason::Nested => {
            return Some(Change::NestedCovered { call, parent, action });
        }
        Some(ConsentBasis::Parent(_) | ConsentBasis::Grants(_)) | None => {}
    }
    if verdict.reason == Reason::Decayed {
        return Some(Change::RuleDecayed { action, call });
    }
    let caller = verdict.reduced_by.clone()?;
    Some(Change::RiskReduced { call, action, caller, to: verdict.risk })
}

/// Counts each grant once per call, even if several actions use it.
fn use_grants(facts: &Facts, call: CallId, decision: &Decision) -> Vec<Change> {
    let mut seen: Vec<GrantId> = Vec::new();
    let mut changes = Vec::new();
    for verdict in &decision.verdicts {
        let Basis::Grants(ids) = &verdict.basis else { continue };
        for id in ids {
            if seen.contains(id) {
                continue;
            }
            seen.push(*id);
            let once = facts.state.grants.get(*id).is_some_and(|grant| grant.scope == Scope::Once);
            let hold = match (once, verdict.risk) {
                (false, _) => GrantUseEffect::Counted,
                (true, Risk::Critical) => GrantUseEffect::Spent,
                (true, Risk::ReadOnly | Risk::Low | Risk::Moderate | Risk::High) => {
                    GrantUseEffect::Reserved
                }
            };
            changes.push(Change::GrantUsed { grant: *id, call, hold });
        }
    }
    changes
}

/// Records each action's first use of an imported grant of everything.
fn record_first_uses(facts: &Facts, call: CallId, decision: &Decision) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for verdict in &decision.verdicts {
        let Basis::Grants(ids) = &verdict.basis else { continue };
        let blankets = ids.iter().filter_map(|id| facts.state.grants.get(*id));
        for grant in blankets.filter(|grant| grant.is_legacy_blanket()) {
            let (grant, known) = (grant.id, grant.first_uses.contains(&verdict.action));
            let first = Change::LegacyBlanketUsed { grant, action: verdict.action.clone(), call };
            if !known && !changes.contains(&first) {
                changes.push(first);
            }
        }
    }
    changes
}

/// Opens the requests of a call.
fn open_requests(facts: &Facts, call: &Call, decision: &Decision) -> Vec<Change> {
    let questions = new_questions(facts, call, decision);
    questions.iter().map(|verdicts| open_request(facts, call, verdicts)).collect()
}

fn open_request(facts: &Facts, call: &Call, verdicts: &[&Verdict]) -> Change {
    let highest = verdicts.iter().map(|verdict| verdict.risk).max().unwrap_or(Risk::ReadOnly);
    let items = verdicts.iter().map(|verdict| {
        let mut item = item_for_action(verdict, choices(facts, call, verdict));
        item.bounds = find_bounds(facts, call, verdict).map(Box::new);
        item
    });
    let request = NewRequest {
        holder: Holder {
            session: &call.session,
            agent: &call.agent,
            project: call.project.as_ref(),
        },
        subject: Subject::Calls(vec![call.id]),
        digest: call.digest,
        lasting: call.lasting,
        items: items.collect(),
        programs: find_new_programs(facts, call),
        open_for: request_lifetime(highest),
    };
    let mut request = request.open(facts);
    request.run_files = list_changed_files(facts, call);
    request_opened(request)
}

/// The changed files as the card shows them. Beyond the bound a yes stores nothing, and the line asks
/// again.
fn list_changed_files(facts: &Facts, call: &Call) -> Vec<ChangedRunFile> {
    let changed = find_changed_files(facts, call).into_iter().take(limits::CHANGED_RUN_FILES);
    let show = |file: &RunFile| ChangedRunFile {
        path: file.path.clone(),
        content: file.content.clone(),
        difference: file.difference.clone(),
    };
    changed.map(show).collect()
}

/// The files that an allowed line reads and that its session did not know: their removal is a change.
fn see_new_files(facts: &Facts, call: &Call) -> Option<Change> {
    if facts.ruled.run_files.is_empty() {
        return None;
    }
    let known = &facts.state.restraints(&call.session, facts.now).run_files.files;
    let is_new =
        |file: &&RunFile| file.content != RunFileContent::Absent && !known.contains_key(&file.path);
    let files = facts.ruled.run_files.iter().filter(is_new);
    let files: BTreeMap<_, _> =
        files.map(|file| (file.path.clone(), file.content.clone())).collect();
    let seen = RunFileSighting { cause: SightingCause::FirstUse, at: facts.now, files };
    (!seen.files.is_empty())
        .then(|| Change::RunFilesSeen { session: call.session.clone(), seen: Box::new(seen) })
}

/// What was found about the commands and paths of an item.
fn find_bounds(facts: &Facts, call: &Call, verdict: &Verdict) -> Option<ItemBounds> {
    let graph = facts.graph?;
    let decided = list_decided_actions(facts, graph, call);
    // What a call declares happens where the call acts.
    let is_same = |one: &DecidedAction| {
        one.part == Part::Named && (verdict.part == Part::Declared || one.action == verdict.action)
    };
    let found = *decided.into_iter().find(is_same)?.found?;
    let has_detectors = !call.detectors.is_empty() || !found.detectors.is_empty();
    // In a line of several kinds, nobody could tell which command a place belongs to.
    let is_apart = found.origin == ActionOrigin::Call && !found.places.is_empty();
    let is_dangerous = found.dangers.iter().any(Danger::raises);
    let is_grantable = !has_detectors
        && !is_dangerous
        && !is_apart
        && are_heads_grantable(facts, graph, &found.heads);
    let mut heads = if is_grantable { found.heads } else { Vec::new() };
    heads.retain(|head| !needs_no_grant(facts, graph, head));
    Some(ItemBounds {
        origin: found.origin,
        places: found.places,
        stands_for_place: found.stands_for_place,
        within: found.within,
        heads,
        dangers: found.dangers,
    })
}

/// The programs of the line that the agent could replace and that nobody has pinned yet.
fn find_new_programs(facts: &Facts, call: &Call) -> Vec<PinnedProgram> {
    let programs = facts.ruled.programs.iter();
    programs.filter(|program| !is_pinned(facts, call, program)).cloned().collect()
}

/// The choices of the operator for one action of a call.
pub fn choices(facts: &Facts, call: &Call, verdict: &Verdict) -> Vec<Choice> {
    let rule = facts.graph.and_then(|graph| graph.rule(&verdict.action));
    let run = call.run.and_then(|id| facts.state.runs.get(&id));
    let live_run = run.filter(|run| run.is_live(facts.now));
    let individual = find_workflow(facts, call)
        .is_some_and(|workflow| workflow.is_individual(&verdict.action, call.step.as_ref()));
    let unclassified = rule.is_none() && (call.command.is_none() || verdict.part == Part::Declared);
    let once_only = unclassified
        || individual
        || rule.is_some_and(|rule| rule.asking == AskingRule::Always)
        || verdict.reason.traits().longest_yes == LongestApproval::Once
        || is_second_destination(facts, call, verdict)
        || runs_unseen_code(facts, call, verdict)
        || runs_foreign_code(facts, verdict)
        || contacts_unknown_remote(facts, call, verdict)
        || verdict.risk == Risk::Critical;
    if once_only {
        return vec![Choice::Once, Choice::Decline];
    }
    let this_task = (live_run.is_some() && verdict.risk <= Risk::Moderate).then_some(Choice::Run);
    [Some(Choice::Once), this_task]
        .into_iter()
        .flatten()
        .chain([Choice::Quarter, Choice::Session, Choice::Project, Choice::Decline])
        .collect()
}

/// Whether the line runs code that its words do not show. Classes name what they cover.
fn runs_unseen_code(facts: &Facts, call: &Call, verdict: &Verdict) -> bool {
    let is_once = |finding: &Findings| finding.widest == ConsentReach::Once;
    verdict.part == Part::Named
        && call.command.is_some()
        && facts.ruled.findings.iter().any(is_once)
        && !has_classes(facts, call)
}

/// Whether the line downloads code and runs it.
fn runs_foreign_code(facts: &Facts, verdict: &Verdict) -> bool {
    let mut dangers = facts.ruled.findings.iter().flat_map(|finding| &finding.dangers);
    verdict.part == Part::Named && dangers.any(|danger| danger.kind == DangerKind::ForeignCode)
}

/// Whether nobody knows where a remote leads, and the line is no plain command that could be granted
/// by its words.
fn contacts_unknown_remote(facts: &Facts, call: &Call, verdict: &Verdict) -> bool {
    let mut bounds = facts.ruled.findings.iter().flat_map(|finding| &finding.within);
    verdict.part == Part::Named
        && call.command.as_ref().is_some_and(|command| !command.is_plain())
        && bounds.any(Bound::is_unknown)
}

/// Whether the call goes to a second destination. An earlier step may have given another reason.
fn is_second_destination(facts: &Facts, call: &Call, verdict: &Verdict) -> bool {
    verdict.destination.as_ref().is_some_and(|destination| {
        let restraints = facts.state.restraints(&call.session, facts.now);
        is_fan_out(restraints, call.target.len(), destination)
    })
}

/// Closes the open requests about a call that is allowed now.
fn close_open_requests(facts: &Facts, call: &Call, decision: &Decision) -> Vec<Change> {
    if !decision.goes_ahead() {
        return Vec::new();
    }
    facts
        .state
        .open_requests_about(&call.session, &call.digest, facts.now)
        .filter(|request| request.agent == call.agent)
        .map(|request| crate::steps::settle::request_closed(request.id, Ending::Cancelled))
        .collect()
}
