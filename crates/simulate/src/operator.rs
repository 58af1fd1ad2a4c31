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
    /// Allows everything: up to moderate risk for the session, above it once. For the session it takes
    /// the head where the card offers one, else the narrowest coverage.
    Sensible,
}

impl OperatorModel {
    /// The answer to a card; none if nobody answers.
    pub(crate) fn answer(self, card: &Card) -> Option<Answer> {
        match self {
            Self::Nobody => None,
            Self::Sensible => Some(answer_sensibly(card)),
        }
    }
}

fn answer_sensibly(card: &Card) -> Answer {
    let choices: Vec<(&CardItem, Choice)> =
        card.items.iter().map(|item| (item, choose(item))).collect();
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

fn choose(item: &CardItem) -> Choice {
    let is_offered = |choice| item.offers.iter().any(|offer| offer.choice == choice);
    match item.risk {
        Risk::ReadOnly | Risk::Low | Risk::Moderate if is_offered(Choice::Session) => {
            Choice::Session
        }
        Risk::ReadOnly | Risk::Low | Risk::Moderate | Risk::High | Risk::Critical => Choice::Once,
    }
}

/// An answer names one coverage for all its items, so the head only if every item offers it.
fn choose_coverage(choices: &[(&CardItem, Choice)]) -> Option<Covers> {
    let mut wide = choices.iter().filter(|(_, choice)| *choice == Choice::Session).peekable();
    wide.peek()?;
    let has_head = |item: &CardItem| {
        let is_head = |offer: &countersign_card::Offer| {
            offer.choice == Choice::Session && offer.covers == Some(Covers::Head)
        };
        item.offers.iter().any(is_head)
    };
    wide.all(|(item, _)| has_head(item)).then_some(Covers::Head)
}
