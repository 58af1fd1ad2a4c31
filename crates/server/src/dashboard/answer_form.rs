//! The form of a card as an answer of the operator's plane.

use super::forms::PageForm;
use crate::error::ApiError;
use crate::limits;
use countersign_api::{AnswerRequest, CardView, ShownDigest, Text};
use countersign_card::{Card, CardItem, Offer, SecondConfirmation};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::{Action, SurfaceName};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Covers};
use countersign_dashboard::Confirming;
use std::collections::BTreeMap;

/// A form whose token was checked.
pub(super) struct AnswerForm<'f> {
    pub request: RequestId,
    pub digest: &'f str,
    pub rendered_at: i64,
    form: &'f PageForm,
}

/// What a form says.
pub(super) enum FormAnswer {
    Send(Box<AnswerRequest>),
    /// The choice counts only after a second yes.
    Confirm(Confirming),
}

impl<'f> AnswerForm<'f> {
    pub fn read(form: &'f PageForm) -> Result<Self, ApiError> {
        let request = RequestId::parse(form.get("request")?);
        let request = request.ok_or_else(|| ApiError::unknown("request"))?;
        let rendered_at = form.get("at")?.parse();
        let rendered_at = rendered_at.map_err(|_| ApiError::unreadable("`at` is not a number"))?;
        Ok(Self { request, digest: form.get("digest")?, rendered_at, form })
    }

    /// Nobody reads a card that fast, and nobody remembers one that long.
    pub fn check_time(&self, now: Time) -> Result<(), ApiError> {
        let rendered_at = Time::from_micros(self.rendered_at);
        if now < rendered_at + limits::MIN_CARD_TIME {
            let message = "that came before anybody could read the card, so nothing was answered";
            return Err(ApiError::conflict(message, "look at it, then answer"));
        }
        if now >= rendered_at + limits::MAX_CARD_TIME {
            let message = "this page was open for too long, so nothing was answered";
            return Err(ApiError::conflict(message, "look at the card as it is now, then answer"));
        }
        Ok(())
    }

    /// The answer for the card as it is now.
    pub fn to_answer(
        &self,
        card: &CardView,
        surface: &SurfaceName,
    ) -> Result<FormAnswer, ApiError> {
        let digest = ShownDigest::try_from(self.digest.to_owned()).map_err(ApiError::unreadable)?;
        let note: Text<4096> = self.form.parse("note")?;
        let confirm = self.form.optional("confirm")?.map(|typed| typed.trim().to_owned());
        let confirm: Option<Text<256>> = confirm
            .map(Text::try_from)
            .transpose()
            .map_err(|error| ApiError::invalid(error, "type what the card asks for"))?;
        let chosen = self.form.get("choice")?;
        let mut answer = AnswerRequest::new(digest, Choice::Decline);
        (answer.note, answer.surface) = (note, Some(surface.clone()));
        match chosen {
            "" => return Err(no_choice()),
            "decline" | "decline-and-stop" => {
                answer.stop = chosen == "decline-and-stop";
                decline_all(&mut answer, &card.card)?;
                return Ok(FormAnswer::Send(Box::new(answer)));
            }
            "items" => self.choose_items(&mut answer, &card.card)?,
            one => choose_one(&mut answer, &card.card, one)?,
        }
        let has_confirmed = confirm.is_some();
        answer.confirm = confirm;
        let offers = chosen_offers(&answer, &card.card);
        let is_second = |offer: &&Offer| offer.second == SecondConfirmation::Needed;
        match offers.iter().copied().find(is_second) {
            Some(offer) if card.card.confirm.is_none() && !has_confirmed => {
                Ok(FormAnswer::Confirm(Confirming {
                    choice: chosen.to_owned(),
                    permits: offer.describe(),
                    note: answer.note.as_str().to_owned(),
                }))
            }
            _ => Ok(FormAnswer::Send(Box::new(answer))),
        }
    }

    fn choose_items(&self, answer: &mut AnswerRequest, card: &Card) -> Result<(), ApiError> {
        let mut chosen = Vec::new();
        for (index, item) in card.items.iter().enumerate() {
            if self.form.get(&format!("action.{index}"))? != item.action.as_str() {
                let message = "the parts of this request have changed, so nothing was answered";
                return Err(ApiError::conflict(message, "look at it again"));
            }
            let value = self.form.optional(&format!("item.{index}"))?.ok_or_else(|| {
                let message = format!("`{}` has no answer, so nothing was sent", item.action);
                ApiError::invalid(message, "answer each part")
            })?;
            chosen.push((item, find_offer(item, value)?));
        }
        let is_wide = |offer: &Offer| {
            matches!(offer.choice, Choice::Quarter | Choice::Session | Choice::Project)
        };
        let covers: Vec<Option<Covers>> = chosen
            .iter()
            .filter(|(_, offer)| is_wide(offer))
            .map(|(_, offer)| offer.covers)
            .collect();
        answer.covers = covers.first().copied().flatten();
        if covers.iter().any(|other| *other != answer.covers) {
            let message = "the parts of one card are allowed to the same extent";
            return Err(ApiError::invalid(message, "choose again; nothing was answered"));
        }
        answer.choice = None;
        answer.items = chosen
            .iter()
            .map(|(item, offer)| Ok((named_action(item)?, offer.choice)))
            .collect::<Result<BTreeMap<Action, Choice>, ApiError>>()?;
        Ok(())
    }
}

fn decline_all(answer: &mut AnswerRequest, card: &Card) -> Result<(), ApiError> {
    if card.items.len() > 1 {
        answer.choice = None;
        let items = card.items.iter().map(|item| Ok((named_action(item)?, Choice::Decline)));
        answer.items = items.collect::<Result<_, ApiError>>()?;
    }
    Ok(())
}

fn choose_one(answer: &mut AnswerRequest, card: &Card, value: &str) -> Result<(), ApiError> {
    let [item] = card.items.as_slice() else {
        // A closed card has no items: settling says why.
        if card.items.is_empty() {
            answer.choice = value.split('.').next().and_then(Choice::from_word);
            return Ok(());
        }
        return Err(no_choice());
    };
    let offer = find_offer(item, value)?;
    (answer.choice, answer.covers) = (Some(offer.choice), offer.covers);
    Ok(())
}

fn find_offer<'c>(item: &'c CardItem, value: &str) -> Result<&'c Offer, ApiError> {
    let (choice, covers) = match value.split_once('.') {
        Some((choice, covers)) => (choice, Covers::from_word(covers)),
        None => (value, None),
    };
    let choice = Choice::from_word(choice);
    let found =
        item.offers.iter().find(|offer| Some(offer.choice) == choice && offer.covers == covers);
    found.ok_or_else(|| {
        let message = "the card no longer offers this choice, so nothing was answered";
        ApiError::conflict(message, "look at it again")
    })
}

fn chosen_offers<'c>(answer: &AnswerRequest, card: &'c Card) -> Vec<&'c Offer> {
    let choice = |item: &CardItem| {
        let named = item.named_action();
        answer.choice.or_else(|| answer.items.get(named.as_ref()?).copied())
    };
    let of_item = |item: &'c CardItem| {
        let chosen = choice(item);
        item.offers.iter().find(|offer| {
            Some(offer.choice) == chosen
                && (offer.covers == answer.covers || offer.covers.is_none())
        })
    };
    card.items.iter().filter_map(of_item).collect()
}

fn named_action(item: &CardItem) -> Result<Action, ApiError> {
    item.named_action().ok_or_else(|| ApiError::unreadable("a part of this card has no action"))
}

fn no_choice() -> ApiError {
    ApiError::invalid("nothing was chosen", "press one of the buttons of the card")
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::time::Span;

    #[test]
    fn an_answer_counts_once_its_card_could_be_read_and_while_it_is_remembered() {
        let rendered = Time::from_micros(1_000_000);
        let fields = [("request", "r00000000000000000000000000000001"), ("at", "1000000")];
        let form = PageForm::from_fields(&fields);
        let answer = AnswerForm::read(&form).unwrap();
        let counts = |after: Span| answer.check_time(rendered + after).is_ok();
        assert!(!counts(Span::micros(0)) && !counts(Span::micros(399_999)));
        assert!(counts(Span::micros(400_000)) && counts(Span::hours(11)));
        assert!(!counts(Span::hours(12)));
    }

    #[test]
    fn a_field_that_is_sent_twice_is_refused() {
        let form = PageForm::from_fields(&[("choice", "once"), ("choice", "decline")]);
        assert!(form.get("choice").is_err() && form.get("note").is_ok());
    }
}
