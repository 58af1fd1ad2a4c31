//! A turn that could be an answer: to the plan or to the only open request, whichever was asked last.

use crate::plan::{PLAN_ENDED, answer_plan, describe_answer};
use crate::{ProcessedTurn, ShortReply, Turn};
use countersign_core::decide::facts::Facts;
use countersign_core::model::amount::{find_amount, write_amount};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::change::Change;
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::ids::GrantId;
use countersign_core::model::names::SessionKey;
use countersign_core::model::plan::{PlanAnswer, PlanDraft};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, Request};
use countersign_core::model::turn::{Speaker, TurnResult};
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
    settle_request(facts, request, choice, &answer)
}

/// A turn that is nothing but the amount of the only open question, which is critical: what the card
/// asks to be typed.
pub(super) fn confirm_amount(facts: &Facts, turn: &Turn) -> ProcessedTurn {
    let is_asked = |request: &&Request| !request.is_imported();
    let mut open = facts.state.open_requests(&turn.session, facts.now).filter(is_asked);
    let (Some(request), None) = (open.next(), open.next()) else {
        return ProcessedTurn::nothing();
    };
    let is_critical = request.open_items().any(|item| item.risk == Risk::Critical);
    if turn.speaker == Speaker::Agent || !is_critical || !names_amount(facts, request, &turn.text) {
        return ProcessedTurn::nothing();
    }
    let answer = Answer {
        say: AnswerChoices::One(Choice::Once),
        note: String::new(),
        proof: AnswerProof::TypedText,
        lasts: None,
        covers: None,
        from: turn.from.clone(),
    };
    settle_request(facts, request, Choice::Once, &answer)
}

/// With or without the currency that the call names.
fn names_amount(facts: &Facts, request: &Request, text: &str) -> bool {
    let record = request.calls().first().and_then(|id| facts.state.calls.get(id));
    let Some(call) = record.map(|record| &record.call) else { return false };
    let Some(amount) = find_amount(facts.graph, call).map(write_amount) else { return false };
    let currency = call.args.get("currency").and_then(|currency| currency.as_str());
    let typed = text.trim();
    !amount.trim().is_empty()
        && (typed == amount.trim()
            || currency.is_some_and(|currency| typed == format!("{} {currency}", amount.trim())))
}

fn settle_request(
    facts: &Facts,
    request: &Request,
    choice: Choice,
    answer: &Answer,
) -> ProcessedTurn {
    let settlement = settle(facts, &[request], answer);
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
