//! Settles an answer: mints its grants, records its declines, closes its requests.
//!
//! An answer to several items is accepted or refused as a whole. A choice that was not offered is
//! refused: it mints nothing and leaves the request open. A request that has ended takes no answer.
//!
//! See docs/decisions/0042-a-yes-needs-the-whole-call.md.

mod coverage;
mod mint;
mod new_grant;

pub(crate) use coverage::{NamedCoverage, named_coverage};
pub use coverage::{PinOwner, has_open_heads, offered_coverage, pin_owner, why_only_once};
pub use mint::{StartedRun, create_run, task_coverage};
pub use new_grant::create_direct_grant;
pub(crate) use new_grant::direct_risk;

use crate::decide::facts::Facts;
use crate::model::call::{Call, CallTarget};
use crate::model::change::{Answered, Change, Decline, GrantEnding, Timing};
use crate::model::grant::{Coverage, GrantState, Scope};
use crate::model::ids::{GrantId, RequestId};
use crate::model::limits;
use crate::model::names::Action;
use crate::model::request::{Answer, AnswerChoices, Request, RequestItem, RequestState, Subject};
use crate::model::time::Time;
use crate::model::words::{Choice, Covers, Ending, Risk};
use crate::steps::may_answer::{AnswerConditions, AnswerNotCounted, check_answer};

/// The result of an answer, and the changes that follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    pub reply: AnswerReply,
    pub changes: Vec<Change>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AnswerReply {
    Accepted {
        given: Vec<ItemResult>,
    },
    AlreadyAnswered,
    /// Recorded, but without effect: the request had ended.
    Late,
    Refused(Refusal),
}

/// The result for one item. `granted` differs from `asked` if the choice could not be granted as it
/// was.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemResult {
    pub action: Option<Action>,
    pub asked: Choice,
    /// None for a decline, and if a yes mints nothing.
    pub granted: Option<Scope>,
    pub why: Option<&'static str>,
    /// When the grant ends, if that is known now.
    pub ends_at: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("several items are open: name each one with its choice")]
    SeveralItems,
    #[error("one of the answered items is not open in this request")]
    NotAnItem,
    #[error("that choice is not offered here")]
    NotOffered,
    #[error(
        "a line of several commands has no exact command: say what a yes for longer than once \
         covers"
    )]
    NoCoverage,
    #[error(transparent)]
    NotCounted(#[from] AnswerNotCounted),
    #[error(
        "a yes for some time lasts 24 hours at most, and 15 minutes where no session is offered"
    )]
    TooLong,
    #[error("nothing was answered")]
    Nothing,
}

/// An open item and the choice for it.
struct ItemChoice<'a> {
    request: &'a Request,
    at: usize,
    item: &'a RequestItem,
    choice: Choice,
}

/// Settles an answer to the requests of one call, ask-ahead or start.
pub fn settle(facts: &Facts, requests: &[&Request], answer: &Answer) -> Settlement {
    let open: Vec<&Request> =
        requests.iter().copied().filter(|request| request.is_open(facts.now)).collect();
    if open.is_empty() {
        return answer_too_late(facts, requests, answer);
    }
    let chosen = match choose_items(&open, answer) {
        Ok(chosen) => chosen,
        Err(Refusal::NotAnItem) => return answer_closed_item(facts, requests, answer),
        Err(refusal) => return refuse(refusal),
    };
    if let Some(refusal) = chosen.iter().find_map(|chosen| check_choice(facts, chosen, answer)) {
        return refuse(refusal);
    }
    accept_answer(facts, &open, &chosen, answer)
}

/// Closes a request without an answer of the operator.
pub fn request_closed(request: RequestId, ending: Ending) -> Change {
    let answered = Answered {
        request,
        ending: Some(ending),
        timing: Timing::InTime,
        items: Vec::new(),
        note: String::new(),
        declines: Vec::new(),
        cleared: Vec::new(),
        surface: None,
    };
    Change::RequestAnswered { answered: Box::new(answered) }
}

fn refuse(refusal: Refusal) -> Settlement {
    Settlement { reply: AnswerReply::Refused(refusal), changes: Vec::new() }
}

/// The answer names an item that is not open: its request has ended, or there is no such item.
fn answer_closed_item(facts: &Facts, requests: &[&Request], answer: &Answer) -> Settlement {
    let AnswerChoices::Items(named) = &answer.say else { return refuse(Refusal::NotAnItem) };
    let holds = |request: &&&Request| {
        let mut actions = request.items.iter().filter_map(|item| item.action.as_ref());
        actions.any(|action| named.contains_key(action))
    };
    let ended: Vec<&Request> = requests
        .iter()
        .filter(holds)
        .filter(|request| !request.is_open(facts.now))
        .copied()
        .collect();
    match ended.as_slice() {
        [] => refuse(Refusal::NotAnItem),
        ended => answer_too_late(facts, ended, answer),
    }
}

fn answer_too_late(facts: &Facts, requests: &[&Request], answer: &Answer) -> Settlement {
    let expired = |request: &&&Request| match request.state {
        RequestState::Open => request.ends_at <= facts.now,
        RequestState::Closed(ending) => ending == Ending::Expired,
    };
    let Some(request) = requests.iter().find(expired) else {
        return Settlement { reply: AnswerReply::AlreadyAnswered, changes: Vec::new() };
    };
    let mut change = request_closed(request.id, Ending::Expired);
    if let Change::RequestAnswered { answered } = &mut change {
        answered.timing = Timing::Late;
        answered.note = answer.redacted_note(facts.key);
        answered.surface = answer.from.surface().cloned();
    }
    Settlement { reply: AnswerReply::Late, changes: vec![change] }
}

fn choose_items<'a>(open: &[&'a Request], answer: &Answer) -> Result<Vec<ItemChoice<'a>>, Refusal> {
    let items: Vec<_> = open
        .iter()
        .flat_map(|request| {
            request.items.iter().enumerate().map(move |(at, item)| (*request, at, item))
        })
        .filter(|(_, _, item)| item.answer.is_none())
        .collect();
    match &answer.say {
        AnswerChoices::One(choice) => match items.as_slice() {
            [(request, at, item)] => {
                Ok(vec![ItemChoice { request, at: *at, item, choice: *choice }])
            }
            _ => Err(Refusal::SeveralItems),
        },
        AnswerChoices::Items(map) if map.is_empty() => Err(Refusal::Nothing),
        AnswerChoices::Items(map) => map
            .iter()
            .map(|(action, choice)| {
                items
                    .iter()
                    .find(|(_, _, item)| item.action.as_ref() == Some(action))
                    .map(|(request, at, item)| ItemChoice {
                        request,
                        at: *at,
                        item,
                        choice: *choice,
                    })
                    .ok_or(Refusal::NotAnItem)
            })
            .collect(),
    }
}

/// Why this choice is refused, if it is.
fn check_choice(facts: &Facts, chosen: &ItemChoice, answer: &Answer) -> Option<Refusal> {
    let ItemChoice { request, item, choice, .. } = chosen;
    if !item.choices.contains(choice) {
        return Some(Refusal::NotOffered);
    }
    if *choice == Choice::Run && live_run(facts, request).is_none() {
        return Some(Refusal::NotOffered);
    }
    if let Some(refusal) = check_coverage(facts, chosen, answer.covers) {
        return Some(refusal);
    }
    if let Some(lasts) = answer.lasts {
        // Longer than a quarter of an hour is as much as a session.
        let is_offered = lasts <= limits::A_QUARTER || item.choices.contains(&Choice::Session);
        if *choice != Choice::Quarter || !is_offered || lasts > limits::SESSION_GRANT {
            return Some(Refusal::TooLong);
        }
    }
    let given = AnswerConditions {
        surface: answer.from.kind(),
        assurance: facts.assurance,
        risk: seen_risk(facts, request, item),
        shown: request.shown_extent(&answer.from),
        proof: answer.proof,
        covers: answer.covers,
    };
    check_answer(*choice, &given).err().map(Refusal::NotCounted)
}

/// Why a yes for some time cannot cover this. Without a word about it, it is for the exact command,
/// which only a line of one command has.
fn check_coverage(facts: &Facts, chosen: &ItemChoice, covers: Option<Covers>) -> Option<Refusal> {
    let ItemChoice { request, item, choice, .. } = chosen;
    if !is_wide(*choice) {
        return None;
    }
    let call = find_call(facts, request);
    let offered = call.map_or_else(Vec::new, |call| offered_coverage(call, item, *choice));
    match covers {
        Some(covers) => (!offered.contains(&covers)).then_some(Refusal::NotOffered),
        None if offered.is_empty() || offered.contains(&Covers::Command) => None,
        None => Some(Refusal::NoCoverage),
    }
}

/// The risk that an answer is taken at. What the record hides could be syntax of a shell: then a yes
/// counts only where the whole call was shown, as at high risk.
fn seen_risk(facts: &Facts, request: &Request, item: &RequestItem) -> Risk {
    match find_call(facts, request).is_some_and(Call::hides_syntax) {
        true => item.risk.max(Risk::High),
        false => item.risk,
    }
}

/// Whether a choice reaches further than one call, by what it covers.
const fn is_wide(choice: Choice) -> bool {
    match choice {
        Choice::Quarter | Choice::Session | Choice::Project => true,
        Choice::Once | Choice::Run | Choice::Decline => false,
    }
}

/// The run of the call that a request is about, if the run is live.
pub fn live_run<'a>(facts: &Facts<'a>, request: &Request) -> Option<&'a crate::model::run::Run> {
    let id = find_call(facts, request)?.run?;
    facts.state.runs.get(&id).filter(|run| run.is_live(facts.now))
}

/// The call that a request was opened for.
pub(crate) fn find_call<'a>(facts: &Facts<'a>, request: &Request) -> Option<&'a Call> {
    match &request.subject {
        Subject::Calls(calls) => {
            calls.first().and_then(|id| facts.state.calls.get(id)).map(|record| &*record.call)
        }
        Subject::Ahead(_)
        | Subject::Start(_)
        | Subject::Standing(_)
        | Subject::Slash(_)
        | Subject::Proposal(_)
        | Subject::Imported(_) => None,
    }
}

fn accept_answer(
    facts: &Facts,
    open: &[&Request],
    chosen: &[ItemChoice],
    answer: &Answer,
) -> Settlement {
    let declined = has_decline(chosen);
    let mut changes: Vec<_> =
        open.iter().filter_map(|request| answer_request(facts, request, chosen, answer)).collect();
    let mut given = Vec::new();
    for one in chosen {
        let is_granted = one.choice != Choice::Decline && !(declined && one.choice == Choice::Once);
        if is_granted {
            let minted = mint::mint(facts, one.request, one.item, one.choice, answer);
            given.push(minted.given);
            changes.extend(minted.changes);
        } else {
            let action = one.item.action.clone();
            given.push(ItemResult {
                action,
                asked: one.choice,
                granted: None,
                why: None,
                ends_at: None,
            });
        }
    }
    if declined {
        changes.extend(end_exact_grants(facts, open));
    } else {
        changes.extend(chosen.iter().flat_map(|one| coverage::pin_programs(facts, one.request)));
        changes
            .extend(chosen.iter().filter_map(|one| coverage::take_new_files(facts, one.request)));
    }
    Settlement { reply: AnswerReply::Accepted { given }, changes }
}

fn has_decline(chosen: &[ItemChoice]) -> bool {
    chosen.iter().any(|one| one.choice == Choice::Decline)
}

/// The change that the answer makes to one of the requests, if any.
fn answer_request(
    facts: &Facts,
    request: &Request,
    chosen: &[ItemChoice],
    answer: &Answer,
) -> Option<Change> {
    let mine: Vec<_> = chosen.iter().filter(|one| one.request.id == request.id).collect();
    let declines: Vec<_> = mine
        .iter()
        .filter(|one| one.choice == Choice::Decline)
        .map(|one| Decline {
            lasting: request.lasting,
            action: one.item.action.clone(),
            target: find_target(facts, request),
        })
        .collect();
    let cleared = mine
        .iter()
        .filter(|one| one.choice != Choice::Decline)
        .filter_map(|one| one.item.action.clone())
        .map(|action| (action, find_target(facts, request)))
        .collect();
    let all = mine.len() == request.open_items().count();
    let ending = match (has_decline(chosen), declines.is_empty()) {
        (true, false) => Some(Ending::Declined),
        (true, true) => Some(Ending::Cancelled),
        (false, _) if mine.is_empty() => return None,
        (false, _) => all.then_some(Ending::Approved),
    };
    let answered = Answered {
        request: request.id,
        ending,
        timing: Timing::InTime,
        items: mine.iter().map(|one| (one.at, one.choice)).collect(),
        note: answer.redacted_note(facts.key),
        declines,
        cleared,
        surface: answer.from.surface().cloned(),
    };
    Some(Change::RequestAnswered { answered: Box::new(answered) })
}

fn find_target(facts: &Facts, request: &Request) -> CallTarget {
    find_call(facts, request).map_or_else(|| CallTarget::Named(Vec::new()), Call::acts_on)
}

/// A declined item ends the exact grants for the call's other items.
fn end_exact_grants(facts: &Facts, open: &[&Request]) -> Vec<Change> {
    let ends = |id: GrantId| Change::GrantEnded { grant: id, why: GrantEnding::ItemDeclined };
    facts
        .state
        .grants
        .iter()
        .filter(|grant| grant.state == GrantState::Live)
        .filter(|grant| {
            matches!(&grant.coverage, Coverage::Digest { digest, .. }
                if open.iter().any(|request| request.digest == *digest))
        })
        .map(|grant| ends(grant.id))
        .collect()
}
