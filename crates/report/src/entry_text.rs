//! Ledger entries in plain words, for `log`, `ledger` and `why`.
//!
//! "You" is the operator. Words of agents and operators are quoted, so that they cannot pass for ours.

mod phrases;

pub(crate) use phrases::{
    describe_ahead, describe_answer, describe_answer_briefly, describe_grant_end, describe_outcome,
};
pub use phrases::{describe_source, join_actions};

use crate::entries::{AskedQuestion, ParsedEntry};
use crate::limits;
use countersign_card::CardContext;
use countersign_console::short_id;
use countersign_core::decide::explain;
use countersign_core::model::call::Call;
use countersign_core::model::change::{Attempt, Change, LayerSighting};
use countersign_core::model::decision::Decision;
use countersign_core::model::delivery::{Extent, ShownObject};
use countersign_core::model::grant::{Coverage, Grant, Owner};
use countersign_core::model::graph::LayerStanding;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::run_file::{RunFileSighting, SightingCause};
use countersign_core::model::time::Time;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::SessionEnder;
use countersign_core::state::State;
use countersign_ledger::subject::AnyId;
use phrases::{
    describe_effect, describe_grant_ending, describe_holder, describe_plan_answer, describe_reset,
    describe_speaker, list_actions, spell_out,
};
use serde_json::json;

pub(crate) struct EntryText {
    pub(crate) sentence: String,
    /// The calls, requests, grants and runs it is about, each with its short id.
    pub(crate) ids: Vec<String>,
}

impl EntryText {
    /// The ids in brackets, or nothing.
    pub(crate) fn id_list(&self) -> String {
        if self.ids.is_empty() { String::new() } else { format!("[{}]", self.ids.join(" ")) }
    }
}

pub(crate) fn describe_entry(entry: &ParsedEntry) -> EntryText {
    let agent = entry.about.agent.as_ref().map_or("an unknown agent", |agent| agent.as_str());
    let ids = entry.about.ids.iter().map(|id| {
        let kind = match id {
            AnyId::Call(_) => "call",
            AnyId::Request(_) => "request",
            AnyId::Grant(_) => "grant",
            AnyId::Run(_) => "run",
            AnyId::Gesture(_) => "gesture",
            AnyId::Proposal(_) => "proposal",
            AnyId::Notice(_) => "notice",
        };
        format!("{kind} {}", short_id(&id.to_string()))
    });
    let sentence = match (&entry.change, &entry.asked) {
        (Change::RequestAnswered { answered }, Some(asked)) => {
            describe_answer(answered, &shorten(&describe_question(asked)))
        }
        (change, _) => describe_change(agent, change),
    };
    EntryText { sentence, ids: ids.take(3).collect() }
}

/// What the rules of a repository may do from here on.
fn describe_layer(layer: Option<&LayerSighting>) -> String {
    let Some(layer) = layer else {
        return "the repository has no rules of its own any more".to_owned();
    };
    let hash = layer.of.hash.short();
    match layer.of.standing {
        LayerStanding::Narrowing => format!("the repository's own rules hold, too ({hash})"),
        LayerStanding::Trusted => {
            format!("the repository's own rules hold, too, as you trusted them ({hash})")
        }
        LayerStanding::Ignored => format!("the repository's own rules do not hold: {}", layer.why),
        LayerStanding::Unreadable => {
            format!("the repository's own rules cannot be read, so everything asks: {}", layer.why)
        }
    }
}

fn describe_seen_files(seen: &RunFileSighting) -> String {
    let files = match seen.files.len() {
        1 => "1 file that decides what lines execute".to_owned(),
        count => format!("{count} files that decide what lines execute"),
    };
    match seen.cause {
        SightingCause::Opening | SightingCause::FirstUse => format!("Countersign noted {files}"),
        SightingCause::Answer => format!("your yes accepted the changes of {files}"),
    }
}

#[allow(clippy::too_many_lines, reason = "one arm for each kind of change")]
fn describe_change(agent: &str, change: &Change) -> String {
    match change {
        Change::GraphLoaded { hash, .. } => {
            format!("Countersign loaded your graph, version {}", hash.short())
        }
        Change::GraphReviewed { hash } => {
            format!("you reviewed your graph, version {}", hash.short())
        }
        Change::SessionOpened { agent, project, .. } => match project {
            Some(project) => format!("{agent} opened a session in project {project}"),
            None => format!("{agent} opened a session"),
        },
        Change::SessionJoined { above, .. } => {
            format!("the session is that of a sub-agent of {}", above.qualified_name())
        }
        Change::SessionEnded { by, .. } => match by {
            SessionEnder::Agent => format!("{agent} ended the session"),
            SessionEnder::Adapter => "the adapter ended the session".to_owned(),
            SessionEnder::Operator => "you ended the session".to_owned(),
            SessionEnder::Silence => "the session ended: a day without a call".to_owned(),
        },
        Change::RunFilesSeen { seen, .. } => describe_seen_files(seen),
        Change::LayerSeen { layer, .. } => describe_layer(layer.as_deref()),
        Change::CallDecided { attempt, decision, .. } => {
            describe_decision(agent, attempt, decision)
        }
        Change::CallCompleted { effect, .. } => describe_effect(agent, *effect),
        Change::CallCancelled { .. } => format!("{agent} cancelled the call"),
        Change::RepeatQueued { due_at, .. } => format!("the next attempt is due at {due_at}"),
        Change::RepeatLeased { attempt, .. } => format!("attempt {attempt} starts"),
        Change::RepeatEnded { why, .. } => {
            format!("there is no further attempt: {}", spell_out(why.word()))
        }
        Change::RequestOpened { request } => {
            let (subject, end) = (describe_subject(request), request.ends_at);
            format!("Countersign asks you about {subject}, until {end}")
        }
        Change::RequestDelivered { delivery } => {
            let what = match delivery.shown {
                ShownObject::Request(_) => "the request",
                ShownObject::Notice(_) => "the notice",
            };
            let evidence = spell_out(delivery.evidence.word());
            let extent = match delivery.extent {
                Extent::Part => "",
                Extent::Card => ", the card",
                Extent::Whole => ", the whole call",
            };
            format!("delivery of {what} on {}: {evidence}{extent}", delivery.surface)
        }
        Change::NoticeRaised { notice } => {
            format!("{}: {}", notice.cause.urgency(), notice.text)
        }
        Change::NoticeAcknowledged { surface, .. } => {
            format!("you acknowledged the notice on {surface}")
        }
        Change::NoticeEnded { .. } => "what the notice was about has ended".to_owned(),
        Change::RequestAnswered { answered } => describe_answer(answered, "it"),
        Change::DeclinesLifted { .. } => {
            "you named what you had declined, so the decline no longer counts".to_owned()
        }
        Change::GrantMinted { grant } => describe_grant(grant),
        Change::GrantUsed { .. } => format!("{agent} used the grant"),
        Change::LegacyBlanketUsed { action, .. } => {
            format!("{agent} used a grant of an earlier system for {action} for the first time")
        }
        Change::GrantReviewed { .. } => "you reviewed the grant and kept it".to_owned(),
        Change::GrantRevoked { by, .. } => match by {
            Speaker::Operator => "you revoked the grant".to_owned(),
            Speaker::Adapter => "you revoked the grant in the conversation".to_owned(),
            Speaker::Agent => format!("the grant was revoked in words that {agent} reported"),
        },
        Change::GrantEnded { why, .. } => {
            format!("the grant ended: {}", describe_grant_ending(*why))
        }
        Change::RuleDecayed { action, .. } => {
            format!("the permission for {action} is due for review")
        }
        Change::RunStarted { run } => match &run.title {
            Some(title) => format!("{agent} started a run of {}: {}", run.workflow, title.as_str()),
            None => format!("{agent} started a run of {}", run.workflow),
        },
        Change::RunEnded { how, .. } => format!("the run ended: {how}"),
        Change::RunReattached { .. } => format!("{agent} reattached to the run"),
        Change::WorkflowBypassed { workflow, .. } => {
            format!("{workflow} started without asking: everything it declares is low risk")
        }
        Change::GestureMade { gesture } => {
            format!("your click or slash command declares {}", list_actions(&gesture.declares))
        }
        Change::GestureCovered { action, .. } => match action {
            Some(action) => format!("your click or slash command covers {action}"),
            None => "your click or slash command covers the start".to_owned(),
        },
        Change::GestureClosed { .. } => "the surface closed your click".to_owned(),
        Change::NestedCovered { action, .. } => format!("{action} is part of a running call"),
        Change::RiskReduced { action, caller, to, .. } => {
            format!("inside {caller}, {action} counts as {to} risk")
        }
        Change::AgentPaused { agent } if agent.is_everyone() => "you paused all agents".to_owned(),
        Change::AgentResumed { agent } if agent.is_everyone() => {
            "you resumed all agents".to_owned()
        }
        Change::AgentPaused { agent } => format!("you paused {agent}"),
        Change::AgentResumed { agent } => format!("you resumed {agent}"),
        Change::PresenceChanged { presence } => format!("your presence is {presence}"),
        Change::Restarted { node, .. } => format!("the daemon started on {node}"),
        Change::TurnSaid { speaker, heard, .. } => {
            let meaning = spell_out(&heard.to_string());
            format!("{} sent a message that means: {meaning}", describe_speaker(*speaker))
        }
        Change::StopEnded { .. } => "you let the session go on after a stop".to_owned(),
        Change::ConsentReset { why, .. } => format!("consent was reset: {}", describe_reset(*why)),
        Change::PlanProposed { plan, .. } => {
            format!("{agent} proposed a plan: {}", list_actions(&plan.actions))
        }
        Change::PlanAnswered { answer, .. } => describe_plan_answer(*answer).to_owned(),
        Change::ProposalSubmitted { .. } => format!("{agent} proposed a change"),
        Change::ProposalEdited { .. } => format!("{agent} edited its proposal"),
        Change::ProposalApplied { .. } => "the proposal was applied".to_owned(),
        Change::ProposalVetoed { .. } => "you vetoed the proposal".to_owned(),
        Change::ProposalUndone { .. } => "the proposal was undone".to_owned(),
        Change::ArgumentsErased { erased } => {
            format!("you erased the sealed parts of {} entries", erased.entries.len())
        }
        Change::AgentRecorded { recorded } => {
            let text = json!(recorded.text);
            format!("{} recorded {text} ({})", recorded.agent, recorded.ground)
        }
        Change::CredentialIssued { credential } => {
            format!("{} received a credential", describe_holder(credential))
        }
        Change::CredentialRevoked { credential } => {
            format!("the credential of {} was revoked", describe_holder(credential))
        }
        Change::AssuranceFound { level, node } => format!("the assurance on {node} is {level}"),
    }
}

fn describe_decision(agent: &str, attempt: &Attempt, decision: &Decision) -> String {
    let attempt = match attempt {
        Attempt::First(call) => {
            let actions = list_actions(&call.actions);
            match &call.command {
                Some(command) => format!("wants {actions} ({})", json!(command.to_string())),
                None if call.target.is_empty() => format!("wants {actions}"),
                None => format!("wants {actions} ({})", json!(call.target.join(", "))),
            }
        }
        Attempt::Retry(_) => "retries the call".to_owned(),
        Attempt::Start { draft, .. } => format!("wants to start {}", draft.workflow),
        Attempt::Ahead { draft, .. } => {
            format!("wants {}", describe_ahead(draft.ahead.category.as_ref()))
        }
        Attempt::Proposal { .. } => "proposes a change".to_owned(),
        Attempt::Apply { .. } => "wants to apply a change".to_owned(),
        Attempt::Malformed { .. } => "sent a malformed call".to_owned(),
    };
    let outcome = describe_outcome(decision.outcome);
    format!("{agent} {attempt}: {outcome}, because {}", explain::operator_sentence(decision))
}

/// What a question is about.
fn describe_question(asked: &AskedQuestion) -> String {
    match &asked.call {
        Some(call) => describe_call(call),
        None => describe_subject(&asked.request),
    }
}

/// What a call does: its command line, or our headline.
pub(crate) fn describe_call(call: &Call) -> String {
    match (&call.command, call.actions.first()) {
        (Some(command), _) => command.to_string(),
        (None, Some(action)) => {
            let state = State::empty();
            let now = Time::from_micros(0);
            let context = CardContext { graph: None, state: &state, now };
            countersign_card::describe_call(context, call, action).to_string()
        }
        (None, None) => "nothing".to_owned(),
    }
}

/// One line of a text that may be long.
pub(crate) fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(limits::MAX_WHAT_CHARS) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or(&line).trim_end()),
        None => line,
    }
}

fn describe_subject(request: &Request) -> String {
    match &request.subject {
        Subject::Calls(_) => {
            let actions = request.items.iter().filter_map(|item| item.action.clone());
            list_actions(&actions.collect::<Vec<_>>())
        }
        Subject::Ahead(ahead) => describe_ahead(ahead.category.as_ref()),
        Subject::Start(start) => format!("the start of {}", start.workflow),
        Subject::Standing(coverage) => format!("{coverage}, which you allowed before"),
        Subject::Slash(slash) => {
            format!("{}, for a /{} that the agent reports", slash.action, slash.name)
        }
        Subject::Proposal(_) => "a proposed change".to_owned(),
        Subject::Imported(imported) => format!("{}, from {}", imported.coverage, imported.origin),
    }
}

/// What a grant covers, in words.
pub(crate) fn describe_grant_words(grant: &Grant) -> String {
    countersign_card::describe_grant(grant, &State::empty()).to_string()
}

fn describe_grant(grant: &Grant) -> String {
    let place = match &grant.owner {
        Owner::Session(_) => String::new(),
        Owner::Project(project) => format!(" in project {project}"),
        Owner::User => " in every project".to_owned(),
    };
    let (end, source) = (describe_grant_end(grant), describe_source(grant.source));
    let Grant { agent, scope, .. } = grant;
    let covers = describe_grant_words(grant);
    if let Coverage::Program(_) = grant.coverage {
        return format!("your yes pinned the {covers} for {agent}, {scope}{place}, {end}");
    }
    format!("{agent} received a grant for {covers}, {scope}{place}, {end}, from {source}")
}
