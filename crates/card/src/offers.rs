//! What an operator can choose, what each choice would let pass, and what has to be typed for it.

use crate::View;
use crate::kind;
use crate::text::Shown;
use countersign_core::model::call::{Call, Part};
use countersign_core::model::command::{Command, rendered};
use countersign_core::model::grant::Scope;
use countersign_core::model::request::{Item, Request, Subject};
use countersign_core::model::words::{Choice, Risk};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    pub choice: Choice,
    /// What would pass without a question afterwards.
    pub lets: Shown,
    /// Whether it counts only when it is confirmed a second time.
    pub second: SecondConfirmation,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondConfirmation {
    NotNeeded,
    Needed,
}

/// What is typed to say yes to something critical.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirm {
    /// `amount`, `target` or `digest`.
    pub what: Cow<'static, str>,
    pub typed: String,
}

pub(crate) fn of(request: &Request, call: Option<&Call>, item: &Item) -> Vec<Offer> {
    item.choices
        .iter()
        .map(|choice| Offer {
            choice: *choice,
            lets: Shown::line(&lets(request, call, item, *choice)),
            second: match (choice, item.risk) {
                (Choice::Project, Risk::High) | (Choice::Once, Risk::Critical) => {
                    SecondConfirmation::Needed
                }
                _ => SecondConfirmation::NotNeeded,
            },
        })
        .collect()
}

/// A plain yes is what an ask-ahead asks for, *this task* for moderate risk inside a run, and
/// *once* otherwise.
pub(crate) fn yes(subject: &Subject, item: &Item) -> Choice {
    let meant = match (subject, item.risk) {
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
    let offered = |choice: &Choice| item.choices.contains(choice);
    let first = item.choices.first().copied().unwrap_or(Choice::Decline);
    [meant, Choice::Once].into_iter().find(offered).unwrap_or(first)
}

fn lets(request: &Request, call: Option<&Call>, item: &Item, choice: Choice) -> String {
    let action = item.action.as_ref().map_or("this", |action| action.as_str());
    let lasting = match choice {
        Choice::Decline => return "nothing; the agent is told".to_owned(),
        Choice::Once => return once(request),
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
            format!("the command `{}` {lasting}", rendered(argv))
        }
        (Subject::Calls(_), Some(Command::NotPlain { .. })) if item.part == Part::Named => {
            "this call, once: the command line is not one plain command".to_owned()
        }
        (Subject::Calls(_), _) => format!("{action}, whatever it is done to, {lasting}"),
        (Subject::Ahead(ahead), _) => match &ahead.category {
            Some(category) => format!("everything of the kind {category}, {lasting}"),
            None => format!("everything up to moderate risk, {lasting}"),
        },
        (Subject::Start(start), _) => {
            format!("starts of {} with the same actions, {lasting}", start.workflow)
        }
        (Subject::Standing(coverage), _) => format!("{coverage} {lasting}"),
        (Subject::Slash(slash), _) => {
            format!("{}, whatever it is done to, {lasting}", slash.action)
        }
        (Subject::Imported(imported), _) => {
            format!("{}, up to moderate risk, {lasting}", imported.coverage)
        }
        (Subject::Proposal(_), _) => "this change, once".to_owned(),
    }
}

fn once(request: &Request) -> String {
    match &request.subject {
        Subject::Calls(_) => "this exact call, once".to_owned(),
        Subject::Ahead(ahead) => match &ahead.category {
            Some(category) => format!("one call of the kind {category}"),
            None => "one call up to moderate risk".to_owned(),
        },
        Subject::Start(start) => format!("this run of {}", start.workflow),
        Subject::Standing(coverage) => format!("{coverage}, once"),
        Subject::Slash(slash) => format!("one call of {}, whatever it is done to", slash.action),
        Subject::Imported(imported) => {
            format!("{}, up to moderate risk, once", imported.coverage)
        }
        Subject::Proposal(_) => "this change, as it is shown, once".to_owned(),
    }
}

/// The field that matters most, if it can be typed; else the digest.
pub(crate) fn confirm(view: View<'_>, request: &Request, call: Option<&Call>) -> Confirm {
    let amount = call.and_then(|call| kind::amount(view.graph, call));
    let amount =
        amount.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let target = call.and_then(|call| call.target.first().cloned());
    let fields = [("amount", amount), ("target", target)];
    let found = fields.into_iter().find_map(|(what, text)| {
        let typed = text.filter(|text| can_be_typed(text))?;
        Some(Confirm { what: what.into(), typed })
    });
    found.unwrap_or_else(|| {
        let typed = request.digest.to_string().chars().take(6).collect();
        Confirm { what: "digest".into(), typed }
    })
}

fn can_be_typed(text: &str) -> bool {
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
        }
    }

    #[test]
    fn a_plain_yes_is_this_task_for_moderate_risk_inside_a_run_and_once_otherwise() {
        let calls = Subject::Calls(Vec::new());
        let inside = [Choice::Once, Choice::Run, Choice::Session, Choice::Decline];
        assert_eq!(yes(&calls, &item(Risk::Moderate, &inside)), Choice::Run);
        assert_eq!(yes(&calls, &item(Risk::Low, &inside)), Choice::Once);
        let outside = [Choice::Once, Choice::Session, Choice::Decline];
        assert_eq!(yes(&calls, &item(Risk::Moderate, &outside)), Choice::Once);
        assert_eq!(yes(&calls, &item(Risk::Moderate, &[Choice::Session])), Choice::Session);
        assert_eq!(yes(&calls, &item(Risk::Moderate, &[])), Choice::Decline);
    }

    #[test]
    fn of_an_ask_ahead_it_is_what_was_asked_for_if_that_is_offered() {
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
            assert_eq!(yes(&ahead(scope), &item(Risk::Moderate, &all)), choice, "{scope}");
        }
        let critical = item(Risk::Critical, &[Choice::Once, Choice::Decline]);
        assert_eq!(yes(&ahead(Scope::Session), &critical), Choice::Once);
    }
}
