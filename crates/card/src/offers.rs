//! The choices an operator has, what each one permits, and what has to be typed to confirm it.
//!
//! See docs/decisions/0055-a-coverage-after-a-choice.md.
//! See docs/decisions/0114-looking-at-services-is-one-kind-of-work.md.

use crate::CardContext;
use crate::categories::describe_category;
use crate::coverage::{any_of, describe_coverage};
use crate::decided::is_classed;
use crate::required_text::RequiredText;
use crate::spared::count_spared;
use crate::text::DisplayText;
use countersign_core::decide::outside_reads::asks_for_outside_read;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::{Call, Part};
use countersign_core::model::danger::DangerKind;
use countersign_core::model::grant::{Coverage, Scope};
use countersign_core::model::graph::AskingRule;
use countersign_core::model::reason_traits::LongestApproval;
use countersign_core::model::request::{Request, RequestItem, Subject};
use countersign_core::model::words::{Choice, Covers, Risk};
use countersign_core::steps::may_answer::needed_proof;
use countersign_core::steps::settle::{offered_coverage, task_coverage, why_only_once};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    pub choice: Choice,
    /// How far it goes, for a command line: several offers of one choice differ in this. The first is
    /// what the choice alone stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    /// What this choice permits without another question.
    pub lets: DisplayText,
    /// How long; empty for one call.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub lasts: Cow<'static, str>,
    /// How many approvals of the operator it would have made unnecessary, as far as that is known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spared: usize,
    /// Whether the choice has to be confirmed a second time.
    pub second: SecondConfirmation,
}

impl Offer {
    /// What it permits, and how long.
    pub fn describe(&self) -> String {
        match self.lasts.as_ref() {
            "" => self.lets.to_string(),
            lasts => format!("{}, {lasts}", self.lets),
        }
    }

    /// What the operator would have been spared, if that is known.
    pub fn describe_spared(&self) -> Option<String> {
        match self.spared {
            0 => None,
            1 => Some("would have spared 1 of your approvals".to_owned()),
            count => Some(format!("would have spared {count} of your approvals")),
        }
    }
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
    /// Which value it is: `amount`, `name`, `host`.
    pub what: Cow<'static, str>,
    pub typed: String,
}

impl From<RequiredText> for TypedConfirmation {
    fn from(required: RequiredText) -> Self {
        Self { what: required.what.into(), typed: required.text }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub(crate) fn build_offers(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
    item: &RequestItem,
) -> Vec<Offer> {
    let offered = |choice: &Choice| {
        let covers = call
            .map_or_else(Vec::new, |call| list_coverage(context, request, (call, item), *choice));
        let covers = if covers.is_empty() { vec![None] } else { covers };
        covers.into_iter().map(|covers| (*choice, covers)).collect::<Vec<_>>()
    };
    item.choices
        .iter()
        .flat_map(offered)
        .map(|(choice, covers)| Offer {
            choice,
            covers,
            lets: DisplayText::from_untrusted(&match call {
                Some(call) if is_any_read(context, (call, item), (choice, covers)) => {
                    describe_any_read(item)
                }
                _ => describe_permission((context, request), call, item, choice, covers),
            }),
            lasts: describe_duration(request, choice).into(),
            spared: call
                .map_or(0, |call| count_spared(context, request, (call, item), (choice, covers))),
            second: match needed_proof(choice, covers, item.risk) {
                AnswerProof::KeyPress => SecondConfirmation::NotNeeded,
                AnswerProof::SecondYes | AnswerProof::TypedText => SecondConfirmation::Needed,
            },
        })
        .collect()
}

/// Whether a choice covers every read in the place that the item reads outside of the workspace.
fn is_any_read(
    context: CardContext<'_>,
    (call, item): (&Call, &RequestItem),
    (choice, covers): (Choice, Option<Covers>),
) -> bool {
    matches!(choice, Choice::Quarter | Choice::Session)
        && matches!(covers, None | Some(Covers::Actions))
        && context.graph.is_some_and(|graph| asks_for_outside_read(graph, call, item))
}

fn describe_any_read(item: &RequestItem) -> String {
    let within = item.bounds.as_deref().map_or(&[][..], |bounds| &bounds.within);
    let outside: Vec<String> =
        within.iter().filter(|bound| bound.is_outside()).map(ToString::to_string).collect();
    format!("any read {}", outside.join(" and "))
}

pub(crate) fn list_coverage(
    context: CardContext<'_>,
    request: &Request,
    (call, item): (&Call, &RequestItem),
    choice: Choice,
) -> Vec<Option<Covers>> {
    match choice {
        Choice::Quarter | Choice::Session | Choice::Project => {
            let mut offered = offered_coverage(call, item, choice);
            let plain = find_plain_coverage(context, request, call, choice);
            offered.sort_by_key(|covers| Some(*covers) != plain);
            offered.into_iter().map(Some).collect()
        }
        Choice::Once | Choice::Run | Choice::Decline => Vec::new(),
    }
}

/// What a choice alone stands for: every read in that place outside; or the head, which still says what
/// it covers; or else the exact command. An answer has one coverage, so all items of the card offer it.
///
/// Up to moderate risk, where heads and actions are offered, it is the actions: looking at a pull
/// request and at a list of them is one kind of work, and nothing that this card did not show the risk
/// of is among it. For a project the actions are a choice of their own.
fn find_plain_coverage(
    context: CardContext<'_>,
    request: &Request,
    call: &Call,
    choice: Choice,
) -> Option<Covers> {
    let items = || request.items.iter().filter(|item| item.choices.contains(&choice));
    let offered: Vec<Vec<Covers>> = items()
        .map(|item| offered_coverage(call, item, choice))
        .filter(|covers| !covers.is_empty())
        .collect();
    let is_shared = |covers: &Covers| offered.iter().all(|item| item.contains(covers));
    let covers = Some(Covers::Actions);
    let reads = |item: &RequestItem| is_any_read(context, (call, item), (choice, covers));
    let only_reads = items().all(reads);
    let is_kind_of_work = choice != Choice::Project
        && items().all(|item| item.risk <= Risk::Moderate)
        && [Covers::Head, Covers::Actions].iter().all(is_shared);
    let widest = if only_reads || is_kind_of_work { Covers::Actions } else { Covers::Head };
    [widest, Covers::Head, Covers::Command, Covers::Actions].into_iter().find(is_shared)
}

/// The item without choices that would permit no more than *once* does, and why they would not.
pub(crate) fn drop_useless_choices(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
    item: &RequestItem,
) -> (RequestItem, Option<&'static str>) {
    let why = call.and_then(|call| why_nothing_wider(context, request, call, item));
    let mut item = item.clone();
    if why.is_some() {
        item.choices.retain(|choice| matches!(choice, Choice::Once | Choice::Decline));
    }
    (item, why)
}

/// Why a yes cannot reach further than this call, if what the call runs is the cause.
fn why_nothing_wider(
    context: CardContext<'_>,
    request: &Request,
    call: &Call,
    item: &RequestItem,
) -> Option<&'static str> {
    let (Some(action), Part::Named) = (&item.action, item.part) else { return None };
    let has_heads = item.bounds.as_ref().is_some_and(|bounds| !bounds.heads.is_empty());
    let is_unnamed =
        why_only_once(context.graph, call, action).is_some() && !is_classed(item) && !has_heads;
    let is_unreadable = request.programs.iter().any(|program| program.hash.is_empty());
    let runs_foreign_code = is_unnamed
        && item.bounds.as_ref().is_some_and(|bounds| {
            bounds.dangers.iter().any(|danger| danger.kind == DangerKind::ForeignCode)
        });
    let is_offered = |choice| item.choices.contains(&choice);
    let rule = context.graph.and_then(|graph| graph.rule(action));
    let is_asked_anyway = item.risk == Risk::Critical
        || rule.is_some_and(|rule| rule.asking == AskingRule::Always)
        || item.reason.traits().longest_yes == LongestApproval::Once;
    match &call.command {
        Some(_) if runs_foreign_code => Some("it runs code that nobody has seen"),
        Some(_) if is_unnamed => Some("the line is not one plain command"),
        None if is_unnamed => Some("it runs a command and doesn't say which"),
        Some(_) if is_unreadable => Some("nobody can read a program that it starts"),
        Some(_) if !is_offered(Choice::Session) && !is_asked_anyway => {
            Some("it runs code that its words don't show")
        }
        Some(_) | None => None,
    }
}

/// The choice that a plain yes stands for: the scope that an ask-ahead asks for, *this task* for
/// moderate risk inside a run, and *once* otherwise.
pub(crate) fn default_choice(subject: &Subject, item: &RequestItem) -> Choice {
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

/// What a choice permits, without how long.
fn describe_permission(
    (context, request): (CardContext<'_>, &Request),
    call: Option<&Call>,
    item: &RequestItem,
    choice: Choice,
    covers: Option<Covers>,
) -> String {
    match choice {
        Choice::Decline => return "nothing; the agent is told".to_owned(),
        Choice::Once if is_critical_ahead(request, item) => return RECORDED_ONLY.to_owned(),
        Choice::Once => return describe_once(request),
        Choice::Run => return describe_task(context, call, item),
        Choice::Quarter | Choice::Session | Choice::Project => {}
    }
    match (&request.subject, &item.action) {
        (Subject::Calls(_), Some(action)) => describe_coverage(call, item, action, covers),
        (Subject::Calls(_), None) => "this".to_owned(),
        (Subject::Ahead(ahead), _) => match &ahead.category {
            Some(category) => describe_category(category.as_str()),
            None => "everything up to moderate risk".to_owned(),
        },
        (Subject::Start(start), _) => {
            format!("starts of {} with the same actions", start.workflow)
        }
        (Subject::Standing(coverage), _) => coverage.to_string(),
        (Subject::Slash(slash), _) => any_of(&slash.action),
        (Subject::Imported(imported), _) => {
            format!("{}, up to moderate risk", imported.coverage)
        }
        (Subject::Proposal(_), _) => "this change, once".to_owned(),
    }
}

/// How long a choice holds. What is for one call needs no end.
const fn describe_duration(request: &Request, choice: Choice) -> &'static str {
    match choice {
        Choice::Project if request.project.is_none() => {
            "for this session, because it belongs to no project"
        }
        choice => name_duration(choice),
    }
}

pub(crate) const fn name_duration(choice: Choice) -> &'static str {
    match choice {
        Choice::Once | Choice::Decline => "",
        Choice::Run => "until this task ends",
        Choice::Quarter => "for 15 minutes",
        Choice::Session => "for this session, a day at most",
        Choice::Project => "in this project, until its review",
    }
}

/// What *this task* covers, in the words of its categories.
fn describe_task(context: CardContext<'_>, call: Option<&Call>, item: &RequestItem) -> String {
    let (Some(call), Some(action)) = (call, &item.action) else { return "this".to_owned() };
    let mut kinds: Vec<String> = task_coverage(context.graph, (call, item), action)
        .iter()
        .map(|coverage| match coverage {
            Coverage::Category(category) => describe_category(category.as_str()),
            Coverage::Head { .. } => {
                describe_coverage(Some(call), item, action, Some(Covers::Head))
            }
            _ => any_of(action),
        })
        .collect();
    kinds.dedup();
    format!("{}, up to {} risk", kinds.join(" and "), item.risk)
}

/// What a yes to an ask-ahead in a critical category permits.
const RECORDED_ONLY: &str = "nothing yet: your yes is recorded, and the call itself still asks";

/// Whether a yes is only recorded, because nothing but an answer to the call itself carries critical
/// risk.
pub(crate) fn is_critical_ahead(request: &Request, item: &RequestItem) -> bool {
    matches!(request.subject, Subject::Ahead(_)) && item.risk == Risk::Critical
}

fn describe_once(request: &Request) -> String {
    match &request.subject {
        Subject::Calls(_) => "this exact call, once".to_owned(),
        Subject::Ahead(ahead) => match &ahead.category {
            Some(category) => format!("one call: {}", describe_category(category.as_str())),
            None => "one call up to moderate risk".to_owned(),
        },
        Subject::Start(start) => format!("this run of {}", start.workflow),
        Subject::Standing(coverage) => format!("{coverage}, once"),
        Subject::Slash(slash) => format!("one call: {}", any_of(&slash.action)),
        Subject::Imported(imported) => {
            format!("{}, up to moderate risk, once", imported.coverage)
        }
        Subject::Proposal(_) => "this change, as it is shown, once".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::request::AskAhead;
    use countersign_core::model::words::Reason;

    fn item(risk: Risk, choices: &[Choice]) -> RequestItem {
        let (action, answer) = (None, None);
        RequestItem {
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
            Subject::Ahead(AskAhead { text, category: None, scope, reason, fallback })
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
