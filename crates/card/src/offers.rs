//! The choices an operator has, what each one permits, and what has to be typed to confirm it.

use crate::CardContext;
use crate::headline::any_of;
use crate::kind;
use crate::text::DisplayText;
use countersign_core::model::call::{Call, Part};
use countersign_core::model::command::{Command, rendered};
use countersign_core::model::grant::Scope;
use countersign_core::model::request::{Item, Request, Subject};
use countersign_core::model::words::{Choice, Risk};
use countersign_core::steps::settle::why_only_once;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    pub choice: Choice,
    /// What this choice permits without another question.
    pub lets: DisplayText,
    /// Whether the choice has to be confirmed a second time.
    pub second: SecondConfirmation,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondConfirmation {
    NotNeeded,
    Needed,
}

/// The text that the operator types to approve a critical request.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedConfirmation {
    /// Which value it is: `amount`, `target` or `digest`.
    pub what: Cow<'static, str>,
    pub typed: String,
}

pub(crate) fn build_offers(request: &Request, call: Option<&Call>, item: &Item) -> Vec<Offer> {
    item.choices
        .iter()
        .map(|choice| Offer {
            choice: *choice,
            lets: DisplayText::from_untrusted(&describe_permission(request, call, item, *choice)),
            second: match (choice, item.risk) {
                (Choice::Project, Risk::High) | (Choice::Once, Risk::Critical) => {
                    SecondConfirmation::Needed
                }
                _ => SecondConfirmation::NotNeeded,
            },
        })
        .collect()
}

/// The item without choices that would permit no more than *once* does: what the call would run
/// cannot be named exactly.
pub(crate) fn drop_useless_choices(
    context: CardContext<'_>,
    call: Option<&Call>,
    item: &Item,
) -> Item {
    let mut item = item.clone();
    if let (Some(call), Some(action), Part::Named) = (call, &item.action, item.part)
        && why_only_once(context.graph, call, action).is_some()
    {
        item.choices.retain(|choice| matches!(choice, Choice::Once | Choice::Decline));
    }
    item
}

/// The choice that a plain yes stands for: the scope that an ask-ahead asks for, *this task* for
/// moderate risk inside a run, and *once* otherwise.
pub(crate) fn default_choice(subject: &Subject, item: &Item) -> Choice {
    let preferred = match (subject, item.risk) {
        (Subject::Ahead(ahead), _) => match ahead.scope {
            Scope::Once => Choice::Once,
            Scope::Until => Choice::Quarter,
            Scope::Run => Choice::Run,
            Scope::Session => Choice::Session,
            Scope::Project => Choice::Project,
        },
        (_, Risk::Moderate) => Choice::Run,
        (_, Risk::ReadOnly | Risk::Low | Risk::High | Risk::Critical) => Choice::Once,
    };
    let is_offered = |choice: &Choice| item.choices.contains(choice);
    let first = item.choices.first().copied().unwrap_or(Choice::Decline);
    [preferred, Choice::Once].into_iter().find(is_offered).unwrap_or(first)
}

fn describe_permission(
    request: &Request,
    call: Option<&Call>,
    item: &Item,
    choice: Choice,
) -> String {
    let action = item.action.as_ref().map_or("this", |action| action.as_str());
    let duration = match choice {
        Choice::Decline => return "nothing; the agent is told".to_owned(),
        Choice::Once => return describe_once(request),
        Choice::Run => {
            return format!("what is of the same kind as {action}, until this run ends");
        }
        Choice::Quarter => "for 15 minutes",
        Choice::Session => "for this session, a day at most",
        Choice::Project if request.project.is_none() => {
            "for this session, because it belongs to no project"
        }
        Choice::Project => "in this project, until its review",
    };
    match (&request.subject, call.and_then(|call| call.command.as_ref())) {
        (Subject::Calls(_), Some(Command::Plain { argv, .. })) if item.part == Part::Named => {
            format!("the command `{}` {duration}", rendered(argv))
        }
        (Subject::Calls(_), Some(Command::NotPlain { .. })) if item.part == Part::Named => {
            "this call, once: the command line is not one plain command".to_owned()
        }
        (Subject::Calls(_), _) => match &item.action {
            Some(action) => format!("{} {duration}", any_of(action)),
            None => format!("this {duration}"),
        },
        (Subject::Ahead(ahead), _) => match &ahead.category {
            Some(category) => format!("everything of the kind {category}, {duration}"),
            None => format!("everything up to moderate risk, {duration}"),
        },
        (Subject::Start(start), _) => {
            format!("starts of {} with the same actions, {duration}", start.workflow)
        }
        (Subject::Standing(coverage), _) => format!("{coverage} {duration}"),
        (Subject::Slash(slash), _) => {
            format!("{} {duration}", any_of(&slash.action))
        }
        (Subject::Imported(imported), _) => {
            format!("{}, up to moderate risk, {duration}", imported.coverage)
        }
        (Subject::Proposal(_), _) => "this change, once".to_owned(),
    }
}

fn describe_once(request: &Request) -> String {
    match &request.subject {
        Subject::Calls(_) => "this exact call, once".to_owned(),
        Subject::Ahead(ahead) => match &ahead.category {
            Some(category) => format!("one call of the kind {category}"),
            None => "one call up to moderate risk".to_owned(),
        },
        Subject::Start(start) => format!("this run of {}", start.workflow),
        Subject::Standing(coverage) => format!("{coverage}, once"),
        Subject::Slash(slash) => format!("{}, once", any_of(&slash.action)),
        Subject::Imported(imported) => {
            format!("{}, up to moderate risk, once", imported.coverage)
        }
        Subject::Proposal(_) => "this change, as it is shown, once".to_owned(),
    }
}

/// Asks for the amount or the target if it can be typed, else for the digest.
pub(crate) fn build_confirmation(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
) -> TypedConfirmation {
    let amount = call.and_then(|call| kind::find_amount(context.graph, call));
    let amount =
        amount.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let target = call.and_then(|call| call.target.first().cloned());
    let fields = [("amount", amount), ("target", target)];
    let found = fields.into_iter().find_map(|(what, text)| {
        let typed = text.filter(|text| is_typeable(text))?;
        Some(TypedConfirmation { what: what.into(), typed })
    });
    found.unwrap_or_else(|| {
        let typed = request.digest.to_string().chars().take(6).collect();
        TypedConfirmation { what: "digest".into(), typed }
    })
}

fn is_typeable(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 40
        && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
        && text.trim() == text
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::request::Ahead;
    use countersign_core::model::words::Reason;

    fn item(risk: Risk, choices: &[Choice]) -> Item {
        let (action, answer) = (None, None);
        Item {
            action,
            part: Part::Named,
            risk,
            reason: Reason::NoGrant,
            choices: choices.to_vec(),
            answer,
            bounds: None,
        }
    }

    #[test]
    fn the_default_choice_is_run_for_moderate_risk_inside_a_run_and_once_otherwise() {
        let calls = Subject::Calls(Vec::new());
        let inside = [Choice::Once, Choice::Run, Choice::Session, Choice::Decline];
        assert_eq!(default_choice(&calls, &item(Risk::Moderate, &inside)), Choice::Run);
        assert_eq!(default_choice(&calls, &item(Risk::Low, &inside)), Choice::Once);
        let outside = [Choice::Once, Choice::Session, Choice::Decline];
        assert_eq!(default_choice(&calls, &item(Risk::Moderate, &outside)), Choice::Once);
        assert_eq!(
            default_choice(&calls, &item(Risk::Moderate, &[Choice::Session])),
            Choice::Session
        );
        assert_eq!(default_choice(&calls, &item(Risk::Moderate, &[])), Choice::Decline);
    }

    #[test]
    fn the_default_choice_of_an_ask_ahead_is_the_scope_it_asks_for_if_offered() {
        let ahead = |scope| {
            let [text, reason, fallback] = [(); 3].map(|()| String::new());
            Subject::Ahead(Ahead { text, category: None, scope, reason, fallback })
        };
        let all =
            [Choice::Once, Choice::Quarter, Choice::Session, Choice::Project, Choice::Decline];
        for (scope, choice) in [
            (Scope::Once, Choice::Once),
            (Scope::Until, Choice::Quarter),
            (Scope::Session, Choice::Session),
            (Scope::Project, Choice::Project),
            (Scope::Run, Choice::Once),
        ] {
            assert_eq!(
                default_choice(&ahead(scope), &item(Risk::Moderate, &all)),
                choice,
                "{scope}"
            );
        }
        let critical = item(Risk::Critical, &[Choice::Once, Choice::Decline]);
        assert_eq!(default_choice(&ahead(Scope::Session), &critical), Choice::Once);
    }
}
