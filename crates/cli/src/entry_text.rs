//! One ledger entry in words: a sentence, and the short ids it is about.
//!
//! `log` and `ledger` both print it. Words of agents and operators stand in quotes.

use crate::ids::short_id;
use crate::ledger::Seen;
use countersign_core::decide::explain;
use countersign_core::model::change::{
    Answered, Attempt, Change, Credential, GrantEnding, Reset, Timing,
};
use countersign_core::model::decision::Decision;
use countersign_core::model::grant::{Grant, Owner, Source};
use countersign_core::model::names::Action;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Choice, Effect, Ending, Outcome, Principal};
use serde_json::json;

pub(crate) struct EntryText {
    pub(crate) sentence: String,
    /// The calls, requests, grants and runs it is about, each by the end of its id.
    pub(crate) ids: Vec<String>,
}

impl EntryText {
    /// The ids in brackets, or nothing.
    pub(crate) fn id_list(&self) -> String {
        if self.ids.is_empty() { String::new() } else { format!("[{}]", self.ids.join(" ")) }
    }
}

pub(crate) fn describe_entry(seen: &Seen) -> EntryText {
    let who = seen.about.agent.as_ref().map_or("somebody", |agent| agent.as_str());
    let ids = seen.about.ids.iter().map(|id| {
        let id = id.to_string();
        let kind = id.split_once('_').map_or("", |(kind, _)| kind);
        format!("{kind} {}", short_id(&id))
    });
    EntryText { sentence: describe_change(who, &seen.change), ids: ids.take(3).collect() }
}

#[allow(clippy::too_many_lines, reason = "one arm for each kind of change")]
fn describe_change(who: &str, change: &Change) -> String {
    match change {
        Change::GraphLoaded { hash, .. } => format!("the graph {} was loaded", hash.short()),
        Change::GraphReviewed { hash } => format!("the graph {} was reviewed", hash.short()),
        Change::SessionOpened { agent, project, .. } => match project {
            Some(project) => format!("{agent} opened a session in project {project}"),
            None => format!("{agent} opened a session"),
        },
        Change::CallDecided { attempt, decision, .. } => describe_decision(who, attempt, decision),
        Change::CallCompleted { effect, .. } => format!("{who}: {}", describe_effect(*effect)),
        Change::RepeatQueued { due_at, .. } => format!("it is tried again at {due_at}"),
        Change::RepeatLeased { attempt, .. } => format!("it is tried again, attempt {attempt}"),
        Change::RepeatEnded { why, .. } => {
            format!("it is not tried again: {}", spell_out(why.word()))
        }
        Change::RequestOpened { request } => {
            format!("you are asked about {}, until {}", describe_subject(request), request.ends_at)
        }
        Change::RequestDelivered { delivery } => {
            format!("it went to {}: {}", delivery.surface, spell_out(delivery.evidence.word()))
        }
        Change::NoticeRaised { notice } => {
            format!("{}: {}", notice.cause.urgency(), notice.text)
        }
        Change::NoticeAcknowledged { surface, .. } => format!("you acknowledged it on {surface}"),
        Change::RequestAnswered { answered } => describe_answer(answered),
        Change::GrantMinted { grant } => describe_grant(grant),
        Change::GrantUsed { .. } => format!("{who} used the grant"),
        Change::LegacyBlanketUsed { action, .. } => {
            format!("{who} used a grant of an earlier system for {action} for the first time")
        }
        Change::GrantReviewed { .. } => "you reviewed the grant and kept it".to_owned(),
        Change::GrantRevoked { .. } => "you revoked the grant".to_owned(),
        Change::GrantEnded { why, .. } => {
            format!("the grant ended: {}", describe_grant_ending(*why))
        }
        Change::RuleDecayed { action, .. } => {
            format!("the permission for {action} is due for review")
        }
        Change::RunStarted { run } => format!("{who} started a run of {}", run.workflow),
        Change::RunEnded { how, .. } => format!("the run ended: {how}"),
        Change::RunReattached { .. } => format!("{who} reattached to the run"),
        Change::WorkflowBypassed { workflow, .. } => {
            format!("{workflow} started without asking: everything it declares is low risk")
        }
        Change::GestureMade { gesture } => {
            format!("you clicked for {}", join_actions(&gesture.declares))
        }
        Change::GestureCovered { action, .. } => match action {
            Some(action) => format!("your click covers {action}"),
            None => "your click covers the start".to_owned(),
        },
        Change::NestedCovered { action, .. } => format!("{action} is part of a call that runs"),
        Change::RiskReduced { action, caller, to, .. } => {
            format!("inside {caller} {action} counts as {to} risk")
        }
        Change::AgentPaused { agent } => format!("you paused {agent}"),
        Change::AgentResumed { agent } => format!("you resumed {agent}"),
        Change::PresenceChanged { presence } => format!("your presence: {presence}"),
        Change::Restarted { node, .. } => format!("the daemon started on {node}"),
        Change::TurnSaid { speaker, heard, .. } => {
            format!(
                "{} said something: {}",
                describe_speaker(*speaker),
                spell_out(&heard.to_string())
            )
        }
        Change::ConsentReset { why, .. } => format!("consent was reset: {}", describe_reset(*why)),
        Change::PlanProposed { plan, .. } => {
            format!("{who} proposed a plan: {}", join_actions(&plan.actions))
        }
        Change::PlanAnswered { answer, .. } => format!("the plan: {answer:?}").to_lowercase(),
        Change::ProposalSubmitted { .. } => format!("{who} proposed a change"),
        Change::ProposalEdited { .. } => format!("{who} changed its proposal"),
        Change::ProposalApplied { .. } => "the proposal was applied".to_owned(),
        Change::ProposalVetoed { .. } => "you vetoed the proposal".to_owned(),
        Change::ProposalUndone { .. } => "the proposal was undone".to_owned(),
        Change::ArgumentsErased { erased } => {
            format!("the words of {} entries were erased", erased.entries.len())
        }
        Change::AgentRecorded { recorded } => {
            format!("{} says: {} ({})", recorded.agent, recorded.text, recorded.ground)
        }
        Change::CredentialIssued { credential } => {
            format!("{} received a credential", describe_holder(credential))
        }
        Change::CredentialRevoked { credential } => {
            format!("the credential of {} was revoked", describe_holder(credential))
        }
        Change::AssuranceFound { level, node } => format!("assurance on {node} is {level}"),
    }
}

fn describe_holder(credential: &Credential) -> String {
    match (&credential.agent, credential.principal) {
        (None, _) => "the operator".to_owned(),
        (Some(agent), Principal::Adapter) => format!("the adapter of {agent}"),
        (Some(agent), Principal::Agent | Principal::Operator) => agent.to_string(),
    }
}

fn describe_decision(who: &str, attempt: &Attempt, decision: &Decision) -> String {
    let what = match attempt {
        Attempt::First(call) => match &call.command {
            Some(command) => {
                format!("{} ({})", join_actions(&call.actions), json!(command.to_string()))
            }
            None if call.target.is_empty() => join_actions(&call.actions),
            None => format!("{} ({})", join_actions(&call.actions), json!(call.target.join(", "))),
        },
        Attempt::Retry(_) => "a retry".to_owned(),
        Attempt::Start { draft, .. } => format!("start of {}", draft.workflow),
        Attempt::Ahead { draft, .. } => draft.ahead.category.as_ref().map_or_else(
            || "everything, ahead".to_owned(),
            |category| format!("{category}, ahead"),
        ),
        Attempt::Proposal { .. } => "a change".to_owned(),
        Attempt::Apply { .. } => "applying a change".to_owned(),
        Attempt::Malformed { .. } => "a malformed call".to_owned(),
    };
    let outcome = match decision.outcome {
        Outcome::Allow => "allowed",
        Outcome::Notify => "allowed, and you are notified",
        Outcome::Ask => "asked",
        Outcome::Deny => "denied",
    };
    format!("{who}: {what}: {outcome}, because {}", explain::sentence(decision))
}

fn describe_effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Done => "it was done",
        Effect::Failed => "it failed",
        Effect::Nothing => "nothing happened",
        Effect::Forbidden => "the upstream refused it",
        Effect::Unknown => "its effect is unknown",
    }
}

fn describe_subject(request: &Request) -> String {
    match &request.subject {
        Subject::Calls(_) => {
            let actions = request.items.iter().filter_map(|item| item.action.clone());
            join_actions(&actions.collect::<Vec<_>>())
        }
        Subject::Ahead(ahead) => ahead.category.as_ref().map_or_else(
            || "everything, ahead".to_owned(),
            |category| format!("{category}, ahead"),
        ),
        Subject::Start(start) => format!("the start of {}", start.workflow),
        Subject::Standing(coverage) => format!("{coverage}, from before"),
        Subject::Slash(slash) => {
            format!("{}, for a /{} that it reports", slash.action, slash.name)
        }
        Subject::Proposal(_) => "a change that was proposed".to_owned(),
        Subject::Imported(imported) => format!("{}, from {}", imported.coverage, imported.origin),
    }
}

fn describe_answer(answered: &Answered) -> String {
    let chosen = answered.items.iter().map(|(_, choice)| *choice);
    let mut chosen: Vec<&str> =
        chosen.filter(|choice| *choice != Choice::Decline).map(Choice::word).collect();
    chosen.dedup();
    let mut text = match answered.ending {
        Some(Ending::Approved) => format!("you said yes: {}", chosen.join(", ")),
        Some(Ending::Declined) => "you said no".to_owned(),
        Some(Ending::Cancelled) => "the question was withdrawn".to_owned(),
        Some(Ending::Expired) => "nobody answered in time".to_owned(),
        None => format!("you answered some items: {}", chosen.join(", ")),
    };
    if answered.timing == Timing::Late {
        text.push_str(", too late to count");
    }
    if !answered.note.is_empty() {
        text.push_str(&format!(", and {}", json!(answered.note)));
    }
    text
}

fn describe_grant(grant: &Grant) -> String {
    let place = match &grant.owner {
        Owner::Session(_) => String::new(),
        Owner::Project(project) => format!(" in project {project}"),
    };
    let end = grant.ends_at.map_or("until its review".to_owned(), |end| format!("until {end}"));
    let by = match grant.source {
        Source::Answer => "your answer",
        Source::Ahead => "your answer ahead",
        Source::Standing => "your own words",
        Source::Run => "a run",
        Source::Category => "a yes for this task",
        Source::Plan => "a plan",
        Source::Import => "an import",
    };
    let Grant { agent, coverage, scope, .. } = grant;
    format!("{agent} was granted {coverage}, {scope}{place}, {end}, by {by}")
}

const fn describe_grant_ending(why: GrantEnding) -> &'static str {
    match why {
        GrantEnding::Time => "its time was over",
        GrantEnding::RunOver => "its run was over",
        GrantEnding::ItemDeclined => "you declined another part of the same call",
        GrantEnding::Reset => "consent was reset",
    }
}

const fn describe_reset(why: Reset) -> &'static str {
    match why {
        Reset::Stop => "you said stop",
        Reset::Correction => "you corrected the agent",
        Reset::Clear => "you said so",
        Reset::RunEnd => "the task was over",
        Reset::ContextSwitch => "the context changed",
    }
}

const fn describe_speaker(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::Operator => "you",
        Speaker::Adapter => "the adapter",
        Speaker::Agent => "the agent",
    }
}

fn join_actions(actions: &[Action]) -> String {
    let names: Vec<&str> = actions.iter().map(Action::as_str).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

fn spell_out(word: &str) -> String {
    word.replace('_', " ")
}
