//! How many approvals a wider choice would have made unnecessary.
//!
//! Only what is certain counts: approvals of the same agent in the same project (or session, if it has
//! none) whose request and call are in the state, and that the choice would have covered in full.
//!
//! See docs/decisions/0056-spared-approvals-of-a-project.md.

use crate::CardContext;
use countersign_core::model::call::{Call, Part, Words};
use countersign_core::model::command::Command;
use countersign_core::model::limits;
use countersign_core::model::place::{Bound, CommandHead, Place};
use countersign_core::model::request::{Request, RequestItem, RequestState, Subject};
use countersign_core::model::words::{Choice, Covers, Ending, Risk};
use countersign_core::steps::suggest::is_asked_for_lack;

/// The approvals that would have been spared if the operator had made this choice whenever it was
/// asked: a yes for a session spares the later questions of each session, not the first.
pub(crate) fn count_spared(
    context: CardContext<'_>,
    request: &Request,
    (call, item): (&Call, &RequestItem),
    (choice, covers): (Choice, Option<Covers>),
) -> usize {
    if matches!(choice, Choice::Once | Choice::Run | Choice::Decline) {
        return 0;
    }
    let mut asked: Vec<&Request> = context
        .state
        .requests
        .values()
        .filter(|earlier| {
            is_approval(request, earlier)
                && earlier.programs.iter().all(|program| request.programs.contains(program))
                && would_cover(context, (call, item), covers, earlier)
        })
        .collect();
    asked.sort_by_key(|earlier| (earlier.opened_at, earlier.id));
    let mut given: Vec<&Request> = Vec::new();
    for question in &asked {
        if !given.iter().any(|yes| is_in_reach(yes, question, choice)) {
            given.push(question);
        }
    }
    asked.len().saturating_sub(given.len())
}

fn is_approval(request: &Request, earlier: &Request) -> bool {
    let is_same_owner = match &request.project {
        Some(_) => earlier.project == request.project,
        None => earlier.session == request.session,
    };
    earlier.id != request.id
        && is_same_owner
        && earlier.agent == request.agent
        && earlier.state == RequestState::Closed(Ending::Approved)
        && earlier.opened_at <= request.opened_at
}

/// Whether this choice, as the answer to `yes`, would still have held for `question`.
fn is_in_reach(yes: &Request, question: &Request, choice: Choice) -> bool {
    let is_recent = |span| question.opened_at < yes.opened_at + span;
    let is_same_session = yes.session == question.session;
    match choice {
        Choice::Quarter => is_same_session && is_recent(limits::A_QUARTER),
        Choice::Session => is_same_session && is_recent(limits::SESSION_GRANT),
        Choice::Project => is_same_session || yes.project.is_some(),
        Choice::Once | Choice::Run | Choice::Decline => false,
    }
}

/// Whether a yes to `item` covers all that the earlier request asked.
pub(crate) fn would_cover(
    context: CardContext<'_>,
    (call, item): (&Call, &RequestItem),
    covers: Option<Covers>,
    earlier: &Request,
) -> bool {
    let Subject::Calls(calls) = &earlier.subject else { return false };
    let Some(record) = calls.first().and_then(|id| context.state.calls.get(id)) else {
        return false;
    };
    let is_covered =
        |old: &RequestItem| would_cover_item((call, item), covers, (&record.call, old));
    !earlier.items.is_empty()
        && record.call.words == Words::Kept
        && earlier.items.iter().all(is_covered)
}

/// Whether a yes to `item` covers `old`.
pub(crate) fn would_cover_item(
    (call, item): (&Call, &RequestItem),
    covers: Option<Covers>,
    (old_call, old): (&Call, &RequestItem),
) -> bool {
    is_carried(old, item, covers) && is_named((call, item), covers, (old_call, old))
}

/// Whether a yes to `item` names what `old` does, whatever its risk.
pub(crate) fn is_named(
    (call, item): (&Call, &RequestItem),
    covers: Option<Covers>,
    (old_call, old): (&Call, &RequestItem),
) -> bool {
    old.action == item.action
        && old.part == item.part
        && match covers {
            Some(Covers::Command) => is_same_command(call, old_call),
            Some(Covers::Head) => is_same_head(item, old),
            Some(Covers::Actions) | None => is_within(item, old),
        }
}

/// Whether a yes to `item` carries `old` apart from what it names: risk, places and reason.
fn is_carried(old: &RequestItem, item: &RequestItem, covers: Option<Covers>) -> bool {
    let places = |item: &RequestItem| {
        item.bounds.as_ref().map_or_else(Vec::new, |bounds| bounds.places.clone())
    };
    let shown = places(item);
    let is_shown = |place: &Place| !place.is_kept_apart() || shown.contains(place);
    is_asked_for_lack(old.reason, covers)
        && old.risk <= item.risk
        && old.risk < Risk::Critical
        && places(old).iter().all(is_shown)
}

fn is_same_command(call: &Call, old: &Call) -> bool {
    matches!(call.command, Some(Command::Plain { .. })) && call.command == old.command
}

fn is_same_head(item: &RequestItem, old: &RequestItem) -> bool {
    let (Some(bounds), Some(earlier)) = (&item.bounds, &old.bounds) else { return false };
    let is_covered = |old: &CommandHead| {
        bounds.heads.iter().any(|head| {
            head.words == old.words
                && head.class == old.class
                && Bound::cover(&head.within, &old.within)
        })
    };
    !earlier.heads.is_empty() && earlier.heads.iter().all(is_covered)
}

fn is_within(item: &RequestItem, old: &RequestItem) -> bool {
    let within = |item: &RequestItem| {
        item.bounds.as_ref().map_or_else(Vec::new, |bounds| bounds.within.clone())
    };
    item.part == Part::Declared || Bound::cover(&within(item), &within(old))
}
