//! Puts the question of a waiting call to the person at the client.
//!
//! A client's dialog proves little: a hook of the client can answer it, and the agent may reach the
//! hook. So the operator has to register the client as an adapter, only questions up to moderate risk
//! are put, and only if the dialog shows the whole call. On all other surfaces the question stays open.

mod put;

pub(crate) use put::PutQuestions;

use super::tools::OutputSchema;
use crate::era::{ClientHello, Era};
use crate::relay::{Context, Relay, RpcResponse};
use crate::wire::json_text::{decode_string, encode_string, find};
use countersign_card::{CardContext, build_card, render_lines};
use countersign_core::model::delivery::{Delivery, Evidence, Extent, Shown};
use countersign_core::model::grant::Confirmation;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::SurfaceName;
use countersign_core::model::request::{Answer, AnswerFrom, Request, Say, Subject};
use countersign_core::model::words::{Choice, Principal, Risk};
use countersign_engine::{AnswerTarget, EngineError};
use countersign_host::HostEngine;
use std::sync::Arc;

/// No question above it is put to a client.
const HIGHEST_RISK: Risk = Risk::Moderate;

const METHOD: &str = "elicitation/create";

/// A question that this client may be asked.
#[derive(Clone)]
pub(crate) struct ClientQuestion {
    request: RequestId,
    surface: SurfaceName,
    /// The params of the elicitation.
    params: String,
}

impl Relay {
    /// Whether the operator registered this client as an adapter.
    fn may_answer(&self) -> bool {
        self.principal == Principal::Adapter
    }

    /// The question of a call, if the person at this client may answer it.
    pub(super) async fn find_client_question(
        &self,
        context: &Context,
        call: CallId,
    ) -> Option<ClientQuestion> {
        if !self.may_answer() || !takes_forms(&context.hello) {
            return None;
        }
        let surface = SurfaceName::parse(&format!("mcp:{}", self.owner.agent)).ok()?;
        let graph = self.gateway.host.graph().ok()?;
        let found = self
            .gateway
            .host
            .run(move |engine| show_question(engine, graph.as_deref(), call, surface));
        found.await.ok().flatten()
    }

    /// Gives a modern client the question as the result of its request. It repeats the request with the
    /// answer.
    pub(super) fn put_in_result(
        &self,
        context: &Context,
        call: CallId,
        question: ClientQuestion,
    ) -> Option<RpcResponse> {
        let (method, params) = (encode_string(METHOD), question.params.clone());
        let handle = self.gateway.questions.put(self, context, call, question)?;
        Some(RpcResponse::Result(format!(
            "{{\"resultType\":\"input_required\",\"inputRequests\":{{\"approval\":\
             {{\"method\":{method},\"params\":{params}}}}},\"requestState\":{handle}}}"
        )))
    }

    /// Goes on with a call whose question was put in a result.
    pub(super) async fn continue_question(
        self: &Arc<Self>,
        context: &Context,
        (call, question): (CallId, ClientQuestion),
    ) -> RpcResponse {
        let params = context.message.params();
        let answer = find(params, &["inputResponses", "approval"]).unwrap_or("{}");
        let name = find(params, &["name"]).and_then(decode_string);
        let server = name.and_then(|name| self.find_tool_server(&name));
        let tool = server.and_then(|(slot, tool)| slot.find_tool(&tool));
        let output = tool.map_or(OutputSchema::None, |tool| tool.output);
        match self.settle_question(&question, answer).await {
            Ok(()) => self.retry_call(context, call, output).await,
            Err(error) => super::decide::undecided(&error),
        }
    }

    /// Holds a call until there is an answer, from this client or from anywhere. True if there is one.
    pub(super) async fn wait_with_client(
        &self,
        context: &Context,
        call: CallId,
        question: Option<ClientQuestion>,
    ) -> Result<bool, EngineError> {
        let waiting = self.wait_for_operator(context, call);
        let legacy = question.filter(|_| context.hello.era == Era::Legacy);
        let Some(question) = legacy else { return waiting.await };
        let Some(mut open) = self.start_question(&context.reply, METHOD, &question.params).await
        else {
            return waiting.await;
        };
        tokio::pin!(waiting);
        let answer = tokio::select! {
            answered = &mut waiting => {
                open.withdraw(&context.reply).await;
                return answered;
            }
            answer = open.wait() => answer,
        };
        self.settle_question(&question, answer.as_deref().unwrap_or("{}")).await?;
        waiting.await
    }

    /// Records what the person said. Anything but a clear yes or no is no answer.
    async fn settle_question(
        &self,
        question: &ClientQuestion,
        answer: &str,
    ) -> Result<(), EngineError> {
        let action = find(answer, &["action"]).and_then(decode_string).unwrap_or_default();
        let choice = match action.as_str() {
            "accept" => Choice::Once,
            "decline" => Choice::Decline,
            _ => return Ok(()),
        };
        let (id, from) = (question.request, AnswerFrom::Surface(question.surface.clone()));
        self.gateway.host.run(move |engine| answer_question(engine, id, choice, from)).await
    }
}

/// A client that can only open addresses is not asked.
fn takes_forms(hello: &ClientHello) -> bool {
    let modes = find(&hello.capabilities, &["elicitation"]);
    hello.has_capability(&["elicitation"])
        && (hello.has_capability(&["elicitation", "form"])
            || !modes.is_some_and(|modes| modes.contains("\"url\"")))
}

fn is_harmless(request: &Request) -> bool {
    let is_about_calls = matches!(request.subject, Subject::Calls(_));
    is_about_calls && request.items.iter().all(|item| item.risk <= HIGHEST_RISK)
}

/// Builds the dialog, and records that it is shown.
fn show_question(
    engine: &HostEngine,
    graph: Option<&Graph>,
    call: CallId,
    surface: SurfaceName,
) -> Result<Option<ClientQuestion>, EngineError> {
    let waiting = engine.read_call(call)?;
    let requests = waiting.calls.get(&call).map(|call| call.requests.as_slice());
    // A call with several questions has one of high risk.
    let Some(&[id]) = requests else { return Ok(None) };
    let (state, now) = (engine.read_request(id)?, engine.current_time()?);
    let Some(request) = state.requests.get(&id).filter(|r| r.is_open(now) && is_harmless(r)) else {
        return Ok(None);
    };
    let mut card = build_card(CardContext { graph, state: &state, now }, request);
    if !card.left_out.is_nothing() || card.risk > HIGHEST_RISK || card.confirm.is_some() {
        return Ok(None);
    }
    // The dialog has its own buttons.
    card.items.clear();
    let (shown, evidence, extent) = (Shown::Request(id), Evidence::Requested, Extent::Whole);
    engine.record_delivery(&Delivery { shown, surface: surface.clone(), evidence, extent })?;
    let message = format!("{}\nAccepting approves this call once.", render_lines(&card).join("\n"));
    let params = format!(
        "{{\"message\":{},\"requestedSchema\":{{\"type\":\"object\",\"properties\":{{}}}}}}",
        encode_string(&message)
    );
    Ok(Some(ClientQuestion { request: id, surface, params }))
}

fn answer_question(
    engine: &HostEngine,
    id: RequestId,
    choice: Choice,
    from: AnswerFrom,
) -> Result<(), EngineError> {
    let state = engine.read_request(id)?;
    if !state.requests.get(&id).is_some_and(is_harmless) {
        return Ok(());
    }
    let answer = Answer {
        say: Say::One(choice),
        note: String::new(),
        confirmation: Confirmation::Plain,
        lasts: None,
        covers: None,
        from,
    };
    engine.answer(AnswerTarget::Request(id), &answer).map(drop)
}
