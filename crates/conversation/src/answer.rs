//! A turn that could be an answer: to the plan or to the only open request, whichever was asked last.

use crate::plan::{PLAN_ENDED, answer_plan, describe_answer};
use crate::{ProcessedTurn, ShortReply, Turn};
use countersign_core::decide::facts::Facts;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::change::Change;
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::ids::GrantId;
use countersign_core::model::names::SessionKey;
use countersign_core::model::plan::{PlanAnswer, PlanDraft};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, Request};
use countersign_core::model::turn::TurnResult;
use countersign_core::model::words::{Choice, Risk};
use countersign_core::state::Question;
use countersign_core::steps::end_consent::end_plan_steps;
use countersign_core::steps::settle::{AnswerReply, Refusal, live_run, settle};

/// How many open requests a reply lists: a person reads them.
const MAX_LISTED: usize = 5;

pub(super) fn apply_reply(facts: &Facts, turn: &Turn, reply: &ShortReply) -> ProcessedTurn {
    let session = &turn.session;
    let open: Vec<&Request> =
        facts.state.open_requests(session, facts.now).filter(|r| !r.is_imported()).collect();
    let Some(open_session) = facts.state.open_session(session, facts.now) else {
        return ProcessedTurn::nothing();
    };
    let mut processed = match (&open_session.plan, open.as_slice()) {
        (Some(plan), requests) if requests.is_empty() || open_session.latest == Question::Plan => {
            reply_to_plan(facts, session, plan, reply)
        }
        (_, [request]) => reply_to_request(facts, request, reply, &turn.from),
        (_, []) => ProcessedTurn::nothing(),
        (_, several) => list_open(facts, several, reply),
    };
    if matches!(reply, ShortReply::No { .. } | ShortReply::NoInside) {
        end_accepted_plan(facts, session, &mut processed);
    }
    processed
}

/// A turn that ends consent and begins with a no also declines what is open: `no, that's wrong`.
pub(super) fn decline_too(facts: &Facts, turn: &Turn, processed: &mut ProcessedTurn) {
    let declined = apply_reply(facts, turn, &ShortReply::No { note: String::new() });
    let ended: Vec<GrantId> = processed.changes.iter().filter_map(ended_grant).collect();
    let is_new = |change: &Change| ended_grant(change).is_none_or(|grant| !ended.contains(&grant));
    processed.changes.extend(declined.changes.into_iter().filter(is_new));
    processed.lines.extend(declined.lines);
}

fn ended_grant(change: &Change) -> Option<GrantId> {
    if let Change::GrantEnded { grant, .. } | Change::GrantRevoked { grant, .. } = change {
        return Some(*grant);
    }
    None
}

/// A no ends the plan that was accepted, whatever else it answers.
fn end_accepted_plan(facts: &Facts, session: &SessionKey, processed: &mut ProcessedTurn) {
    let ends = end_plan_steps(facts, session);
    if ends.is_empty() {
        return;
    }
    processed.changes.extend(ends);
    if !processed.lines.iter().any(|line| line == PLAN_ENDED) {
        processed.lines.push(PLAN_ENDED.to_owned());
    }
}

fn reply_to_plan(
    facts: &Facts,
    session: &SessionKey,
    plan: &PlanDraft,
    reply: &ShortReply,
) -> ProcessedTurn {
    let (answer, changes) = answer_plan(facts, session, plan, reply);
    let heard = match answer {
        PlanAnswer::Accepted => TurnResult::PlanAccepted,
        PlanAnswer::Confirm | PlanAnswer::ConfirmLast | PlanAnswer::Amended => TurnResult::Confirm,
        PlanAnswer::Ended | PlanAnswer::Stale => TurnResult::Nothing,
    };
    ProcessedTurn::new(heard, vec![describe_answer(answer).into()], changes)
}

fn reply_to_request(
    facts: &Facts,
    request: &Request,
    reply: &ShortReply,
    from: &AnswerFrom,
) -> ProcessedTurn {
    let choice = match reply {
        ShortReply::ClearYes => choice_for_yes(facts, request),
        ShortReply::No { .. } => Choice::Decline,
        ShortReply::WeakYes | ShortReply::YesWithChanges => {
            let line = "Is that a yes to exactly what was shown?";
            return ProcessedTurn::new(TurnResult::Confirm, vec![line.into()], Vec::new());
        }
        ShortReply::NoInside => return ProcessedTurn::nothing(),
    };
    let note = match reply {
        ShortReply::No { note } => note.clone(),
        ShortReply::ClearYes
        | ShortReply::WeakYes
        | ShortReply::YesWithChanges
        | ShortReply::NoInside => String::new(),
    };
    let (say, proof) = (AnswerChoices::One(choice), AnswerProof::KeyPress);
    let answer = Answer { say, note, proof, lasts: None, covers: None, from: from.clone() };
    let settlement = settle(facts, &[request], &answer);
    match settlement.reply {
        AnswerReply::Accepted { .. } => confirm_answer(choice, settlement.changes),
        AnswerReply::Refused(Refusal::NotCounted(why)) => {
            let line = format!("{why}: {}", why.remedy(request.id));
            ProcessedTurn::new(TurnResult::Nothing, vec![line], Vec::new())
        }
        AnswerReply::Refused(why) => {
            ProcessedTurn::new(TurnResult::Nothing, vec![why.to_string()], Vec::new())
        }
        AnswerReply::AlreadyAnswered | AnswerReply::Late => ProcessedTurn::nothing(),
    }
}

/// With several open requests an answer names none of them.
fn list_open(facts: &Facts, open: &[&Request], reply: &ShortReply) -> ProcessedTurn {
    if *reply == ShortReply::NoInside {
        return ProcessedTurn::nothing();
    }
    let mut lines = vec![format!(
        "{} questions are open, so this answers none of them; answer one with `countersign approve \
         ID` or `countersign decline ID`:",
        open.len()
    )];
    lines.extend(open.iter().take(MAX_LISTED).map(|request| describe_open(facts, request)));
    if let Some(more) = open.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        lines.push(format!("and {more} more: `countersign ls`"));
    }
    ProcessedTurn::new(TurnResult::Nothing, lines, Vec::new())
}

fn describe_open(facts: &Facts, request: &Request) -> String {
    let call = request.calls().first().and_then(|id| facts.state.calls.get(id));
    let line = call.and_then(|record| record.call.command.as_ref());
    let what = match line {
        Some(Command::Plain { argv, .. }) => format!("`{}`", render_argv(argv)),
        Some(Command::NotPlain { .. }) | None => {
            let actions = request.open_items().filter_map(|item| item.action.as_ref());
            actions.map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
    };
    let risk = request.open_items().map(|item| item.risk).max().unwrap_or(Risk::ReadOnly);
    let what = if what.is_empty() { "a question without an action".to_owned() } else { what };
    format!("{}: {what} ({risk} risk)", request.id)
}

fn confirm_answer(choice: Choice, changes: Vec<Change>) -> ProcessedTurn {
    let declined = choice == Choice::Decline;
    let line = if declined { "Declined".to_owned() } else { format!("Approved: {choice}") };
    ProcessedTurn::new(TurnResult::Answered, vec![line], changes)
}

/// The choice for a plain yes: *this task* for moderate risk inside a live run, otherwise *once*.
fn choice_for_yes(facts: &Facts, request: &Request) -> Choice {
    let mut items = request.open_items();
    match (items.next(), items.next()) {
        (Some(item), None)
            if item.risk == Risk::Moderate
                && item.choices.contains(&Choice::Run)
                && live_run(facts, request).is_some() =>
        {
            Choice::Run
        }
        (Some(item), None) if !item.choices.contains(&Choice::Once) => Choice::Session,
        (Some(_) | None, _) => Choice::Once,
    }
}
