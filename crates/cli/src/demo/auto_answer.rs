//! Answers in place of a person: approves the push once, declines the payment.

use crate::operate::{SURFACE, card_page, fit_bounds, report_shown, shown_digest};
use countersign_api::{AnswerRequest, CardView, EventsQuery, LedgerPosition};
use countersign_card::CardKind;
use countersign_client::OperatorClient;
use countersign_console::{BOLD, Failure, out};
use countersign_core::model::delivery::Extent;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::words::Choice;

const NOTE: &str = "not before we have agreed on it";

/// What a person would type, and the answer that it means.
fn choose_answer(card: &CardView) -> Result<(String, AnswerRequest), Failure> {
    let digest = shown_digest(card)?;
    Ok(match card.card.kind {
        CardKind::Money => {
            let mut answer = AnswerRequest::new(digest, Choice::Decline);
            answer.note = fit_bounds("note", NOTE)?;
            (format!("n: {NOTE}"), answer)
        }
        _ => ("once".to_owned(), AnswerRequest::new(digest, Choice::Once)),
    })
}

/// Shows each card as it comes and answers it, until the daemon ends.
pub(super) fn answer_all(operator: &OperatorClient) -> Result<(), Failure> {
    let query = EventsQuery { from: LedgerPosition::new(1), surface: None };
    for event in operator.events(&query)? {
        let Some(card) = event?.data.card else { continue };
        let (typed, mut answer) = choose_answer(&card)?;
        let mut page = card_page(&card);
        page.styled(BOLD, "> ").text(&typed).end();
        out::show(&page)?;
        report_shown(operator, card.card.request, Extent::Card);
        answer.surface = SurfaceName::parse(SURFACE).ok();
        operator.answer_request(card.card.request, &answer)?;
    }
    Ok(())
}
