//! The open question about a call of a program, for the program's own prompt.

use crate::{AgentError, Host};
use countersign_api::{Answerable, QuestionView, SurfaceReach};
use countersign_card::{CardContext, build_card, render_question};
use countersign_core::model::answering::{ShownExtent, SurfaceKind};
use countersign_core::model::delivery::{Delivery, Evidence, Extent, ShownObject};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::SurfaceName;
use countersign_core::model::words::Choice;
use countersign_core::steps::may_answer::{AnswerConditions, check_answer, strongest_proof};

impl Host {
    /// The cards of a call's open requests as text. That the program shows them goes on record.
    pub(super) async fn describe_program_question(
        &self,
        call: CallId,
    ) -> Result<Option<QuestionView>, AgentError> {
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
        let lines: Vec<String> = cards.iter().flat_map(render_question).collect();
        let is_whole = lines.len() <= QuestionView::MAX_LINES
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
        let answerable = match check_answer(Choice::Once, &given) {
            Ok(()) => Answerable::InProgram,
            Err(_) => Answerable::OnSurfaces,
        };
        if answerable == Answerable::InProgram {
            self.record_shown(cards.iter().map(|card| card.request).collect()).await?;
        }
        let surfaces = match self.has_surface() {
            true => SurfaceReach::Attached,
            false => SurfaceReach::None,
        };
        Ok(Some(QuestionView { request_id: first.request, risk, lines, answerable, surfaces }))
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

/// The surface of a question that a program's own prompt shows.
pub(super) fn program_surface() -> Result<SurfaceName, AgentError> {
    SurfaceName::parse("program").map_err(AgentError::Name)
}
