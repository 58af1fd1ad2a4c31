//! One entry in one line, for people and for programs.

use super::Seen;
use crate::page::{BOLD, CYAN, DIM, Page};
use countersign_core::ledger::Entry;
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::decision::Decision;
use countersign_core::model::delivery::{Delivery, Shown};
use countersign_core::model::names::Action;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::words::Choice;
use serde_json::{Value, json};

/// Columns for what has a known width, so that lines stand below each other while they come in.
const SEQ: usize = 6;
const KIND: usize = 18;
const SESSION: usize = 12;

pub(super) fn line(seen: &Seen) -> Page {
    let mut page = Page::new();
    let Seen { entry, at, change, about } = seen;
    let session = about.session.as_ref().map_or("-", |session| session.as_str());
    page.styled(DIM, &format!("{:>SEQ$}", entry.seq)).text("  ").text(&at.to_string()).text("  ");
    page.styled(CYAN, &format!("{:<KIND$}", entry.kind.word())).text("  ");
    page.styled(BOLD, &format!("{session:<SESSION$}")).text("  ").text(&what(change)).end();
    page
}

pub(crate) fn json_line(seen: &Seen) -> Value {
    let Seen { entry, at, about, .. } = seen;
    let ids: Vec<String> = about.ids.iter().map(ToString::to_string).collect();
    json!({
        "seq": entry.seq,
        "at": at.to_string(),
        "kind": entry.kind,
        "session": about.session,
        "agent": about.agent,
        "ids": ids,
        "hash": entry.hash,
        "entry": form(entry),
    })
}

/// What was hashed, as JSON again.
pub(super) fn form(entry: &Entry) -> Value {
    serde_json::from_str(&entry.bytes).unwrap_or(Value::Null)
}

/// As it was hashed, byte for byte, with the hash.
pub(super) fn exact(entry: &Entry) -> Value {
    json!({"seq": entry.seq, "hash": entry.hash, "entry": entry.bytes})
}

fn what(change: &Change) -> String {
    match change {
        Change::GraphLoaded { hash, .. } | Change::GraphReviewed { hash } => hash.short(),
        Change::SessionOpened { agent, project, .. } => match project {
            Some(project) => format!("{agent} in {project}"),
            None => agent.to_string(),
        },
        Change::CallDecided { attempt, decision, .. } => decided(attempt, decision),
        Change::CallCompleted { call, effect } => format!("{effect} {call}"),
        Change::RepeatQueued { call, due_at } => format!("{call} at {due_at}"),
        Change::RepeatLeased { call, node, attempt, .. } => {
            format!("{call} for attempt {attempt} by {node}")
        }
        Change::RepeatEnded { call, why } => format!("{why} {call}"),
        Change::RequestOpened { request } => opened(request),
        Change::RequestDelivered { delivery } => delivered(delivery),
        Change::NoticeRaised { notice: n } => format!("{} {} {}", n.cause, n.text, n.id),
        Change::NoticeAcknowledged { notice, surface } => format!("{notice} on {surface}"),
        Change::RequestAnswered { answered } => {
            let ending = answered.ending.map_or("in part", |ending| ending.word());
            let chosen = answered.items.iter().map(|(_, choice)| *choice);
            let chosen = chosen.filter(|choice| *choice != Choice::Decline).map(Choice::word);
            words([ending].into_iter().chain(chosen), &answered.request)
        }
        Change::GrantMinted { grant } => {
            format!("{} for {}, by {} {}", grant.coverage, grant.scope, grant.source, grant.id)
        }
        Change::GrantUsed { grant, call, .. } => format!("{grant} by {call}"),
        Change::LegacyBlanketUsed { grant, action, call } => {
            format!("{action} {grant} by {call}")
        }
        Change::GrantRevoked { grant } | Change::GrantReviewed { grant } => grant.to_string(),
        Change::GrantEnded { grant, why } => format!("{why:?} {grant}").to_lowercase(),
        Change::RuleDecayed { action, call } => format!("{action} {call}"),
        Change::RunStarted { run } => format!("{} {}", run.workflow, run.id),
        Change::RunEnded { run, how } => format!("{how} {run}"),
        Change::RunReattached { run, .. } => run.to_string(),
        Change::WorkflowBypassed { workflow, run } => format!("{workflow} {run}"),
        Change::GestureMade { gesture } => {
            format!("{} {}", list(&gesture.declares), gesture.id)
        }
        Change::GestureCovered { gesture, action } => {
            let action = action.as_ref().map_or("-", |action| action.as_str());
            format!("{action} {gesture}")
        }
        Change::NestedCovered { call, parent, action } => format!("{action} {call} in {parent}"),
        Change::RiskReduced { call, action, caller, to } => {
            format!("{action} to {to} by {caller} {call}")
        }
        Change::AgentPaused { agent } | Change::AgentResumed { agent } => agent.to_string(),
        Change::PresenceChanged { presence } => presence.to_string(),
        Change::Restarted { node, .. } => node.to_string(),
        Change::TurnSaid { speaker, heard, .. } => {
            format!("{heard} from {speaker:?}").to_lowercase()
        }
        Change::ConsentReset { why, .. } => why.to_string(),
        Change::PlanProposed { plan, .. } => list(&plan.actions),
        Change::PlanAnswered { answer, .. } => format!("{answer:?}").to_lowercase(),
        Change::ProposalSubmitted { proposal } => proposal.id.to_string(),
        Change::ProposalEdited { proposal } => proposal.id.to_string(),
        Change::ProposalApplied { proposal }
        | Change::ProposalVetoed { proposal }
        | Change::ProposalUndone { proposal } => proposal.to_string(),
        Change::AgentRecorded { recorded } => format!("{}: {}", recorded.ground, recorded.text),
        Change::ArgumentsErased { erased } => super::count(erased.entries.len() as u64),
        Change::CredentialIssued { credential } | Change::CredentialRevoked { credential } => {
            let agent = credential.agent.as_ref().map_or("-", |agent| agent.as_str());
            format!("{} {agent} {}", credential.principal, credential.hash.short())
        }
        Change::AssuranceFound { level, node } => format!("{level} {node}"),
    }
}

fn decided(attempt: &Attempt, decision: &Decision) -> String {
    let verdict = format!("{} {}", decision.outcome, decision.reason);
    match attempt {
        Attempt::First(call) => format!("{verdict} {} {}", list(&call.actions), call.id),
        Attempt::Retry(call) => format!("{verdict} again {call}"),
        Attempt::Start { draft, run } => format!("{verdict} start of {} {run}", draft.workflow),
        Attempt::Ahead { .. } => format!("{verdict} asked ahead"),
        Attempt::Proposal { proposal, .. } | Attempt::Apply { proposal, .. } => {
            format!("{verdict} {proposal}")
        }
        Attempt::Malformed { .. } => format!("{verdict} {}", decision.note),
    }
}

fn delivered(delivery: &Delivery) -> String {
    let Delivery { shown, surface, evidence } = delivery;
    match shown {
        Shown::Request(id) => format!("{evidence} on {surface} {id}"),
        Shown::Notice(id) => format!("{evidence} on {surface} {id}"),
    }
}

fn opened(request: &Request) -> String {
    let about = match &request.subject {
        Subject::Calls(_) => {
            let actions = request.items.iter().filter_map(|item| item.action.clone());
            list(&actions.collect::<Vec<_>>())
        }
        Subject::Ahead(ahead) => ahead.category.as_ref().map_or_else(
            || "everything, ahead".to_owned(),
            |category| format!("{category}, ahead"),
        ),
        Subject::Start(start) => format!("start of {}", start.workflow),
        Subject::Standing(coverage) => format!("standing {coverage}"),
        Subject::Slash(slash) => format!("{}, /{} reported", slash.action, slash.name),
        Subject::Proposal(proposal) => proposal.to_string(),
        Subject::Imported(imported) => {
            format!("{} from {}", imported.coverage, imported.origin)
        }
    };
    format!("{about} {}", request.id)
}

fn list(actions: &[Action]) -> String {
    let names: Vec<&str> = actions.iter().map(Action::as_str).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(", ") }
}

fn words<'a>(words: impl Iterator<Item = &'a str>, id: &impl ToString) -> String {
    let mut words: Vec<&str> = words.collect();
    words.dedup();
    format!("{} {}", words.join(" "), id.to_string())
}
