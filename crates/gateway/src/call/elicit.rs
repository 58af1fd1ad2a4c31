//! Puts the question of a waiting call to the person at the client.
//!
//! A client's dialog proves little: a hook of the client can answer it, and the agent may reach the
//! hook. So only the client of an adapter is asked, and only where core's rule for answers would count
//! a yes from there. On all other surfaces the question stays open.
//!
//! See docs/decisions/0085-dialogs-of-an-adapters-client.md.

use super::paused_requests::ClientQuestion;
use super::texts::undecided;
use super::tool_calls::ToolCalls;
use crate::client::ClientRequest;
use crate::upstream::OutputSchema;
use crate::wire::{ClientHello, Era, RpcResponse, decode_string, encode_string, find};
use countersign_card::{CardContext, build_card, render_lines};
use countersign_core::model::answering::{AnswerProof, ShownExtent, SurfaceKind};
use countersign_core::model::delivery::{Delivery, Evidence, Extent, ShownObject};
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, Request, Subject};
use countersign_core::model::words::{Choice, Principal};
use countersign_core::steps::may_answer::{
    AnswerConditions, check_answer, reaches_operator, strongest_proof,
};
use countersign_engine::{AnswerTarget, EngineError};
use countersign_host::HostEngine;

const METHOD: &str = "elicitation/create";

/// Whether an answer from this client is the operator's.
fn may_answer(calls: &ToolCalls) -> bool {
    reaches_operator(match calls.principal {
        Principal::Adapter => SurfaceKind::ClientDialog,
        Principal::Agent | Principal::Application | Principal::Operator => SurfaceKind::Agent,
    })
}

/// The question of a call, if the person at this client may answer it.
pub(super) async fn find_question(
    calls: &ToolCalls,
    request: &ClientRequest,
    call: CallId,
) -> Option<ClientQuestion> {
    if !may_answer(calls) || !takes_forms(&request.hello) {
        return None;
    }
    let surface = SurfaceName::parse(&format!("mcp:{}", calls.owner.agent)).ok()?;
    let graph = calls.shared.host.graph().ok()?;
    let found =
        calls.shared.host.run(move |engine| show_question(engine, graph.as_deref(), call, surface));
    found.await.ok().flatten()
}

/// The question that a repeated request answers, if it was put in a result.
pub(super) fn take_question(calls: &ToolCalls, request: &ClientRequest) -> Option<ClientQuestion> {
    if !may_answer(calls) {
        return None;
    }
    calls.shared.dialogs.take_for(&calls.owner, request)
}

/// Gives a modern client the question as the result of its request. It repeats the request with the
/// answer.
pub(super) fn put_in_result(
    calls: &ToolCalls,
    request: &ClientRequest,
    question: ClientQuestion,
) -> Option<RpcResponse> {
    let (method, params) = (encode_string(METHOD), question.params.clone());
    let dialogs = &calls.shared.dialogs;
    drop(dialogs.take_abandoned());
    let handle = dialogs.pause(&calls.owner, request, question).ok()?;
    Some(RpcResponse::Result(format!(
        "{{\"resultType\":\"input_required\",\"inputRequests\":{{\"approval\":\
         {{\"method\":{method},\"params\":{params}}}}},\"requestState\":{handle}}}"
    )))
}

/// Goes on with a call whose question was put in a result.
pub(super) async fn continue_question(
    calls: &ToolCalls,
    request: &ClientRequest,
    question: &ClientQuestion,
) -> RpcResponse {
    let params = request.message.params();
    let answer = find(params, &["inputResponses", "approval"]).unwrap_or("{}");
    let name = find(params, &["name"]).and_then(decode_string);
    let server = name.and_then(|name| calls.servers.find_tool_server(&name));
    let tool = server.and_then(|(slot, tool)| slot.find_tool(&tool));
    let output = tool.map_or(OutputSchema::None, |tool| tool.output);
    match settle_question(calls, question, answer).await {
        Ok(()) => calls.retry_call(request, question.call, output).await,
        Err(error) => undecided(&error),
    }
}

/// Waits until a call has its answer, from this client or from anywhere. True if there is one.
pub(super) async fn wait_with_client(
    calls: &ToolCalls,
    request: &ClientRequest,
    call: CallId,
    question: Option<ClientQuestion>,
) -> Result<bool, EngineError> {
    let waiting = calls.wait_for_operator(request, call);
    let legacy = question.filter(|_| request.hello.era == Era::Legacy);
    let Some(question) = legacy else { return waiting.await };
    let Some(mut open) =
        request.client.questions.ask(&request.reply, METHOD, &question.params).await
    else {
        return waiting.await;
    };
    tokio::pin!(waiting);
    let answer = tokio::select! {
        answered = &mut waiting => {
            open.withdraw(&request.reply).await;
            return answered;
        }
        answer = open.wait() => answer,
    };
    let answer = answer.as_ref().and_then(|message| message.result()).unwrap_or("{}");
    settle_question(calls, &question, answer).await?;
    waiting.await
}

/// Records what the person said. Anything but a clear yes or no is no answer.
async fn settle_question(
    calls: &ToolCalls,
    question: &ClientQuestion,
    answer: &str,
) -> Result<(), EngineError> {
    let action = find(answer, &["action"]).and_then(decode_string).unwrap_or_default();
    let choice = match action.as_str() {
        "accept" => Choice::Once,
        "decline" => Choice::Decline,
        _ => return Ok(()),
    };
    let answer = Answer {
        say: AnswerChoices::One(choice),
        note: String::new(),
        proof: AnswerProof::KeyPress,
        lasts: None,
        covers: None,
        from: AnswerFrom::ClientDialog(question.surface.clone()),
    };
    let target = AnswerTarget::Request(question.request);
    calls.shared.host.run(move |engine| engine.answer(target, &answer).map(drop)).await
}

/// A client that can only open addresses is not asked.
fn takes_forms(hello: &ClientHello) -> bool {
    let modes = find(&hello.capabilities, &["elicitation"]);
    hello.has_capability(&["elicitation"])
        && (hello.has_capability(&["elicitation", "form"])
            || !modes.is_some_and(|modes| modes.contains("\"url\"")))
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
    let is_about_calls = |request: &&Request| matches!(request.subject, Subject::Calls(_));
    let request = state.requests.get(&id).filter(is_about_calls);
    let Some(request) = request.filter(|request| request.is_open(now)) else { return Ok(None) };
    let mut card = build_card(CardContext { graph, state: &state, now }, request);
    let kind = SurfaceKind::ClientDialog;
    let given = AnswerConditions {
        surface: kind,
        assurance: engine.assurance(),
        risk: card.risk,
        shown: match card.left_out.is_nothing() {
            true => ShownExtent::Whole,
            false => ShownExtent::Part,
        },
        proof: strongest_proof(kind, engine.assurance()),
        covers: None,
    };
    if check_answer(Choice::Once, &given).is_err() {
        return Ok(None);
    }
    // The dialog has its own buttons.
    card.items.clear();
    let (shown, evidence, extent) = (ShownObject::Request(id), Evidence::Requested, Extent::Whole);
    engine.record_delivery(&Delivery { shown, surface: surface.clone(), evidence, extent })?;
    let message = format!("{}\nAccepting approves this call once.", render_lines(&card).join("\n"));
    let params = format!(
        "{{\"message\":{},\"requestedSchema\":{{\"type\":\"object\",\"properties\":{{}}}}}}",
        encode_string(&message)
    );
    Ok(Some(ClientQuestion { call, request: id, surface, params }))
}
