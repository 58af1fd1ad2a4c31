//! The open question about a call of a program, for the program's own prompt.

use crate::{AgentError, Host};
use countersign_api::{Answerable, QuestionView, SurfaceReach};
use countersign_card::{Card, CardContext, CardItem, ProgramQuestion, build_card, render_question};
use countersign_core::model::answering::{ShownExtent, SurfaceKind};
use countersign_core::model::delivery::{Delivery, Evidence, Extent, ShownObject};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Action, SurfaceName};
use countersign_core::model::request::AnswerChoices;
use countersign_core::model::words::Choice;
use countersign_core::steps::may_answer::{AnswerConditions, check_answer, strongest_proof};
use std::collections::BTreeMap;

/// A question for a program, and what a yes in the program's own prompt would give.
pub(super) struct WordedQuestion {
    pub(super) view: QuestionView,
    /// None if a yes there would not count.
    pub(super) yes: Option<AnswerChoices>,
}

impl Host {
    /// The cards of a call's open requests as text. That the program shows them goes on record.
    pub(super) async fn describe_program_question(
        &self,
        call: CallId,
    ) -> Result<Option<WordedQuestion>, AgentError> {
        let read = self.run(move |engine| {
            let state = engine.read_call(call)?;
            let requests = state.calls.get(&call).map(|record| record.requests.clone());
            let requests = requests.unwrap_or_default();
            Ok((engine.read_cards(&requests)?, requests, engine.display_time()))
        });
        let (state, requests, now) = read.await?;
        let graph = self.graph()?;
        let context = CardContext { graph: graph.as_deref(), state: &state, now };
        let open = requests.iter().filter_map(|id| state.requests.get(id));
        let cards: Vec<_> = open
            .filter(|request| request.is_open(now))
            .map(|request| build_card(context, request))
            .collect();
        let Some(first) = cards.first() else { return Ok(None) };
        let risk = cards.iter().map(|card| card.risk).max().unwrap_or(first.risk);
        let rendered: Vec<ProgramQuestion> = cards.iter().map(render_question).collect();
        let lines: Vec<String> = rendered.iter().flat_map(|card| card.lines.clone()).collect();
        let exact: Vec<String> = rendered.iter().flat_map(|card| card.call.clone()).collect();
        let command = match rendered.as_slice() {
            [only] => only.command.clone(),
            _ => None,
        };
        let is_whole = exact.len() <= QuestionView::MAX_LINES
            && cards.iter().all(|card| card.left_out.is_nothing());
        let surface = SurfaceKind::ProgramPrompt;
        let given = AnswerConditions {
            surface,
            assurance: self.assurance(),
            risk,
            shown: if is_whole { ShownExtent::Whole } else { ShownExtent::Part },
            proof: strongest_proof(surface, self.assurance()),
            covers: None,
        };
        let yes = plain_yes(&cards).filter(|_| check_answer(Choice::Once, &given).is_ok());
        let answerable = match &yes {
            Some(_) => Answerable::InProgram,
            None => Answerable::OnSurfaces,
        };
        if answerable == Answerable::InProgram {
            self.record_shown(cards.iter().map(|card| card.request).collect()).await?;
        }
        let surfaces = match self.has_surface() {
            true => SurfaceReach::Attached,
            false => SurfaceReach::None,
        };
        let request_id = first.request;
        let view =
            QuestionView { request_id, risk, lines, call: exact, command, answerable, surfaces };
        Ok(Some(WordedQuestion { view, yes }))
    }

    async fn record_shown(&self, requests: Vec<RequestId>) -> Result<(), AgentError> {
        let surface = program_surface()?;
        let record = self.run(move |engine| {
            for request in requests {
                let shown = ShownObject::Request(request);
                let (surface, evidence) = (surface.clone(), Evidence::Requested);
                let extent = Extent::Whole;
                engine.record_delivery(&Delivery { shown, surface, evidence, extent })?;
            }
            Ok(())
        });
        Ok(record.await?)
    }
}

/// What a plain yes gives for each item of the cards, which is what their lines say. None if an item has
/// no name to answer it by.
fn plain_yes(cards: &[Card]) -> Option<AnswerChoices> {
    let items: Vec<&CardItem> = cards.iter().flat_map(|card| &card.items).collect();
    match items.as_slice() {
        [] => None,
        [only] => Some(AnswerChoices::One(only.yes)),
        several => {
            let named = several.iter().map(|item| Some((item.named_action()?, item.yes)));
            named.collect::<Option<BTreeMap<Action, Choice>>>().map(AnswerChoices::Items)
        }
    }
}

/// The surface of a question that a program's own prompt shows.
pub(super) fn program_surface() -> Result<SurfaceName, AgentError> {
    SurfaceName::parse("program").map_err(AgentError::Name)
}
