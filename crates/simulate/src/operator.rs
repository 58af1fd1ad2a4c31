//! A model of the person who answers: which choice of a card it takes.

use countersign_card::{Card, CardItem};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::names::Action;
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom};
use countersign_core::model::words::{Choice, Covers, Risk};
use std::collections::BTreeMap;

/// Who answers the questions of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorModel {
    /// Nobody: every question is withdrawn, and nothing is ever granted.
    Nobody,
    /// Types `s` up to moderate risk, and `once` above it.
    Careful,
    /// Types `s` up to high risk, and `once` for what is critical.
    Trusting,
}

impl OperatorModel {
    /// The answer to a card; none if nobody answers.
    pub(crate) fn answer(self, card: &Card) -> Option<Answer> {
        match self {
            Self::Nobody => None,
            Self::Careful => Some(answer_up_to(Risk::Moderate, card)),
            Self::Trusting => Some(answer_up_to(Risk::High, card)),
        }
    }
}

fn answer_up_to(widest: Risk, card: &Card) -> Answer {
    let choices: Vec<(&CardItem, Choice)> =
        card.items.iter().map(|item| (item, choose(item, widest))).collect();
    let say = match choices.as_slice() {
        [(_, choice)] => AnswerChoices::One(*choice),
        several => {
            AnswerChoices::Items(several.iter().filter_map(name_item).collect::<BTreeMap<_, _>>())
        }
    };
    Answer {
        say,
        note: String::new(),
        proof: AnswerProof::TypedText,
        lasts: None,
        covers: choose_coverage(&choices),
        // The model has seen the whole call, as a person would before a yes to high risk.
        from: AnswerFrom::Embedder,
    }
}

fn name_item((item, choice): &(&CardItem, Choice)) -> Option<(Action, Choice)> {
    Some((Action::parse(item.action.as_str()).ok()?, *choice))
}

fn choose(item: &CardItem, widest: Risk) -> Choice {
    let is_offered = |choice| item.offers.iter().any(|offer| offer.choice == choice);
    match item.risk <= widest && is_offered(Choice::Session) {
        true => Choice::Session,
        false => Choice::Once,
    }
}

/// What `s` stands for on this card: an answer names one coverage for all its items.
fn choose_coverage(choices: &[(&CardItem, Choice)]) -> Option<Covers> {
    let wide = choices.iter().filter(|(_, choice)| *choice == Choice::Session);
    let stands_for = |item: &CardItem| {
        let first = item.offers.iter().find(|offer| offer.choice == Choice::Session);
        first.and_then(|offer| offer.covers)
    };
    wide.filter_map(|(item, _)| stands_for(item)).next()
}
