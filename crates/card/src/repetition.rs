//! That a card is one of a kind which the operator always allows, and the grant that would have spared
//! the questions.
//!
//! Only questions of this session count, and only while none of them was declined. The grant is one that
//! the card itself offers.
//!
//! See docs/decisions/0124-the-offer-after-three-yeses.md.

use crate::CardContext;
use crate::limits::MIN_ASKED;
use crate::offers::{drop_useless_choices, list_coverage};
use crate::spared::would_cover;
use countersign_core::model::call::Call;
use countersign_core::model::request::{Request, RequestState, Subject};
use countersign_core::model::words::{Choice, Covers, Ending};
use serde::{Deserialize, Serialize};

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repetition {
    /// How often the session was asked for the same kind, and allowed it.
    pub asked: usize,
    /// How many of these questions a yes for the session would have covered.
    pub covered: usize,
    /// The coverage that has to be named for that; none if `s` alone stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
}

impl Repetition {
    pub fn describe(&self) -> String {
        let typed = match self.covers {
            None => "s".to_owned(),
            Some(covers) => format!("s {covers}"),
        };
        let Self { asked, covered, .. } = self;
        format!(
            "asked {asked} times this session, always yes; `{typed}` would have covered {covered} \
             of them"
        )
    }
}

pub(crate) fn find_repetition(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
) -> Option<Repetition> {
    let call = call?;
    let (mut open, answered) = (request.open_items(), list_answered(context, request));
    let (item, None) = (open.next()?, open.next()) else { return None };
    let (item, _) = drop_useless_choices(context, request, Some(call), item);
    let same: Vec<&Request> = answered
        .into_iter()
        .filter(|one| one.items.iter().any(|old| old.is_same_kind(&item)))
        .collect();
    let is_yes = |one: &&Request| one.state == RequestState::Closed(Ending::Approved);
    if same.len() < MIN_ASKED
        || !same.iter().all(is_yes)
        || !item.choices.contains(&Choice::Session)
    {
        return None;
    }
    let offered = list_coverage(context, request, (call, &item), Choice::Session);
    let offered = if offered.is_empty() { vec![None] } else { offered };
    let count = |covers: Option<Covers>| {
        same.iter().filter(|one| would_cover(context, (call, &item), covers, one)).count()
    };
    // The first is what `s` alone stands for; another has to cover more.
    let mut best = (offered.first().copied()?, count(offered.first().copied()?), true);
    for covers in offered.iter().skip(1) {
        if count(*covers) > best.1 {
            best = (*covers, count(*covers), false);
        }
    }
    let (covers, covered, is_plain) = best;
    let covers = covers.filter(|_| !is_plain);
    (covered > 1).then_some(Repetition { asked: same.len(), covered, covers })
}

/// What the operator has answered in this session before the request was opened.
fn list_answered<'a>(context: CardContext<'a>, request: &Request) -> Vec<&'a Request> {
    let is_earlier = |earlier: &&Request| {
        earlier.id != request.id
            && earlier.session == request.session
            && earlier.agent == request.agent
            && earlier.opened_at <= request.opened_at
            && matches!(earlier.subject, Subject::Calls(_))
            && matches!(earlier.state, RequestState::Closed(Ending::Approved | Ending::Declined))
    };
    context.state.requests.values().filter(is_earlier).collect()
}
