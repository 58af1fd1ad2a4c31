//! The phrases of which sentences about entries consist. `why` and `grants` use some of them, too.

use countersign_card::describe_category;
use countersign_core::model::category::Category;
use countersign_core::model::change::{Answered, Credential, GrantEnding, Reset, Timing};
use countersign_core::model::grant::{Grant, Source};
use countersign_core::model::names::Action;
use countersign_core::model::plan::PlanAnswer;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Choice, Effect, Ending, Outcome, Principal};
use serde_json::json;

pub(super) fn describe_holder(credential: &Credential) -> String {
    match (&credential.agent, credential.principal) {
        (None, _) => "the operator".to_owned(),
        (Some(agent), Principal::Adapter) => format!("the adapter of {agent}"),
        (Some(agent), Principal::Application) => format!("the application {agent}"),
        (Some(agent), Principal::Agent | Principal::Operator) => agent.to_string(),
    }
}

pub(crate) const fn describe_outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allow => "allowed",
        Outcome::Notify => "allowed, and you were notified",
        Outcome::Ask => "asked",
        Outcome::Deny => "denied",
    }
}

/// A category, or anything, that an agent asks for before it calls.
pub(crate) fn describe_ahead(category: Option<&Category>) -> String {
    match category {
        Some(category) => format!("{}, in advance", describe_category(category.as_str())),
        None => "anything, in advance".to_owned(),
    }
}

pub(super) fn describe_effect(agent: &str, effect: Effect) -> String {
    match effect {
        Effect::Done => format!("the call of {agent} succeeded"),
        Effect::Failed => format!("the call of {agent} failed"),
        Effect::Nothing => format!("the call of {agent} was not executed"),
        Effect::Forbidden => format!("the upstream server refused the call of {agent}"),
        Effect::Unknown => format!("it is unknown whether the call of {agent} took effect"),
    }
}

/// An answer and what it was about.
pub(crate) fn describe_answer(answered: &Answered, what: &str) -> String {
    let chosen = list_choices(answered);
    let text = match answered.ending {
        Some(Ending::Approved) => format!("you allowed {what}: {chosen}"),
        Some(Ending::Declined) => format!("you declined {what}"),
        Some(Ending::Cancelled) => format!("the question about {what} was cancelled"),
        Some(Ending::Expired) => format!("nobody answered about {what} in time"),
        None if chosen.is_empty() => format!("you declined a part of {what}"),
        None => format!("you allowed a part of {what}: {chosen}"),
    };
    text + &describe_circumstances(answered)
}

/// An answer beside the call that it is about.
pub(crate) fn describe_answer_briefly(answered: &Answered) -> String {
    let chosen = list_choices(answered);
    let text = match answered.ending {
        Some(Ending::Approved) => format!("you said yes: {chosen}"),
        Some(Ending::Declined) => "you said no".to_owned(),
        Some(Ending::Cancelled) => "the question was withdrawn".to_owned(),
        Some(Ending::Expired) => "nobody answered in time".to_owned(),
        None => "you answered a part of it".to_owned(),
    };
    text + &describe_circumstances(answered)
}

fn list_choices(answered: &Answered) -> String {
    let chosen = answered.items.iter().map(|(_, choice)| *choice);
    let mut chosen: Vec<&str> =
        chosen.filter(|choice| *choice != Choice::Decline).map(describe_choice).collect();
    chosen.dedup();
    chosen.join(", ")
}

const fn describe_choice(choice: Choice) -> &'static str {
    match choice {
        Choice::Once => "once",
        Choice::Run => "this task",
        Choice::Quarter => "for 15 minutes",
        Choice::Session => "this session",
        Choice::Project => "this project",
        Choice::Decline => "no",
    }
}

/// Where and when it was given, and the operator's words.
fn describe_circumstances(answered: &Answered) -> String {
    let mut text = String::new();
    match answered.surface.as_ref().map(|surface| surface.as_str()) {
        Some("program") => text.push_str(", in the program's own prompt"),
        Some(surface) => text.push_str(&format!(", on {surface}")),
        None => {}
    }
    if answered.timing == Timing::Late {
        text.push_str(", too late to count");
    }
    if !answered.note.is_empty() {
        text.push_str(&format!(", with the note {}", json!(answered.note)));
    }
    text
}

pub(crate) fn describe_grant_end(grant: &Grant) -> String {
    grant.ends_at.map_or("until its review".to_owned(), |end| format!("until {end}"))
}

/// Where a grant comes from.
pub const fn describe_source(source: Source) -> &'static str {
    match source {
        Source::Answer => "your answer",
        Source::Ahead => "your answer in advance",
        Source::Standing => "your own words",
        Source::Run => "the start of a run",
        Source::Category => "your yes for this task",
        Source::Plan => "the accepted plan",
        Source::Import => "an import",
    }
}

pub(super) const fn describe_plan_answer(answer: PlanAnswer) -> &'static str {
    match answer {
        PlanAnswer::Accepted => "you accepted the plan",
        PlanAnswer::Confirm | PlanAnswer::ConfirmLast => "the plan waits for a clear yes from you",
        PlanAnswer::Amended => "you want changes to the plan",
        PlanAnswer::Ended => "you ended the plan",
        PlanAnswer::Stale => "the plan is no longer open",
    }
}

pub(super) const fn describe_grant_ending(why: GrantEnding) -> &'static str {
    match why {
        GrantEnding::Time => "its time was over",
        GrantEnding::RunOver => "its run was over",
        GrantEnding::ItemDeclined => "you declined another part of the same call",
        GrantEnding::Reset => "consent was reset",
    }
}

pub(super) const fn describe_reset(why: Reset) -> &'static str {
    match why {
        Reset::Stop => "you said stop",
        Reset::Correction => "you corrected the agent",
        Reset::Clear => "you cleared it",
        Reset::RunEnd => "the task was over",
        Reset::ContextSwitch => "the context changed",
        Reset::Revocation => "you revoked everything",
    }
}

pub(super) const fn describe_speaker(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::Operator => "you",
        Speaker::Adapter => "the adapter",
        Speaker::Agent => "the agent",
    }
}

pub fn join_actions(actions: &[Action]) -> String {
    actions.iter().map(Action::as_str).collect::<Vec<_>>().join(", ")
}

pub(super) fn list_actions(actions: &[Action]) -> String {
    if actions.is_empty() { "nothing".to_owned() } else { join_actions(actions) }
}

pub(super) fn spell_out(word: &str) -> String {
    word.replace('_', " ")
}
