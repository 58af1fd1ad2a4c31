//! One request at a server, with everything that happens before its response: progress, questions
//! to the client, cancellation.

use super::asker::name_askers;
use super::connection::{Exchange, NoResponse, Upstream, reserve_id};
use super::inbox::SendError;
use super::slot::ServerSlot;
use crate::client::{ClientConnection, ClientRequest, ExchangeRoute, LogMessages};
use crate::limits;
use crate::wire::{
    Era, Members, Message, encode_string, find, is_input_required, remove_envelope, response,
    set_at, set_member,
};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// A server expects other headers than its list of tools told us.
const HEADER_MISMATCH: i64 = -32020;

/// A request that a server works on. Its route ends with it.
pub(crate) struct OpenExchange {
    client: Arc<ClientConnection>,
    upstream: Arc<Upstream>,
    exchange: Exchange,
    questions: mpsc::Receiver<Message>,
}

impl Drop for OpenExchange {
    fn drop(&mut self) {
        self.client.routes.remove(self.exchange.id);
    }
}

/// How an exchange ended, or why it pauses.
pub(crate) enum ExchangeEnd {
    Response(Box<Message>),
    /// The client has to answer first. The text of the questions, and how to go on.
    NeedsInput(String, Resume),
    /// The server has received nothing.
    NotSent(String),
    /// The server may have acted.
    Unknown(String),
    /// The server went away. It may have acted.
    Died(String),
}

/// How a paused exchange goes on.
pub(crate) enum Resume {
    /// The request is sent again, with the server's own state.
    Resend { state: Option<String> },
    /// The server waits for the answer to this request of its own.
    Answer { open: Box<OpenExchange>, question: String },
}

/// Sends a request to a server and waits for its end.
pub(crate) async fn run_exchange(
    request: &ClientRequest,
    slot: &ServerSlot,
    upstream: &Arc<Upstream>,
    mut params: String,
) -> ExchangeEnd {
    for _round in 0..limits::MAX_INPUT_ROUNDS {
        let open = match open_exchange(request, slot, upstream, &params).await {
            Ok(open) => open,
            Err(SendError::NotSent(why)) => return ExchangeEnd::NotSent(why),
            Err(SendError::Unsure(why)) => return ExchangeEnd::Died(why),
        };
        let number = open.exchange.id;
        match open.wait(request).await {
            ExchangeEnd::Response(message) => {
                if message.error_code() == Some(HEADER_MISMATCH) {
                    slot.forget_tools();
                }
                let Some(inputs) = message.result().filter(|result| is_input_required(result))
                else {
                    return ExchangeEnd::Response(message);
                };
                let inputs = name_askers(&slot.spec.name, inputs);
                if request.hello.era == Era::Modern {
                    return pause(&inputs);
                }
                params = collect_inputs(&request.client, &inputs, &params, number).await;
            }
            other => return other,
        }
    }
    let name = &slot.spec.name;
    ExchangeEnd::Unknown(format!("`{name}` asked for input too often"))
}

async fn open_exchange(
    request: &ClientRequest,
    slot: &ServerSlot,
    upstream: &Arc<Upstream>,
    params: &str,
) -> Result<OpenExchange, SendError> {
    upstream.ensure_initialized().await;
    let id = reserve_id();
    let (params, token) = replace_progress_token(params, id);
    let params = match (request.hello.era, upstream.era()) {
        (Era::Legacy, Era::Modern) => {
            request.hello.add_meta(&params, request.client.log_level().as_deref())
        }
        (Era::Modern, Era::Legacy) => remove_envelope(&params),
        (Era::Legacy, Era::Legacy) | (Era::Modern, Era::Modern) => params,
    };
    let (sender, questions) = mpsc::channel(limits::MAX_INPUT_ROUNDS);
    let takes_questions = request.hello.era == Era::Modern;
    let questions_to = takes_questions.then_some(sender);
    let logs = LogMessages::of_request(request.message.params());
    let route =
        ExchangeRoute { reply: request.reply.clone(), token, questions: questions_to, logs };
    request.client.routes.add(id, route);
    let text = request.message.with_id_and_params(&id.to_string(), &params);
    let headers = slot.build_argument_headers(request.message.method(), &params);
    match upstream.send_text(id, text, &headers).await {
        Ok(exchange) => {
            let (client, upstream) = (Arc::clone(&request.client), Arc::clone(upstream));
            Ok(OpenExchange { client, upstream, exchange, questions })
        }
        Err(error) => {
            request.client.routes.remove(id);
            Err(error)
        }
    }
}

/// Asks a legacy client what a modern server wants to know, and returns the params of the next
/// attempt.
async fn collect_inputs(
    client: &ClientConnection,
    result: &str,
    params: &str,
    number: u64,
) -> String {
    let mut responses = String::from("{}");
    let requests = find(result, &["inputRequests"]).and_then(Members::read);
    let names: Vec<String> = requests.iter().flat_map(|r| r.names().map(str::to_owned)).collect();
    for name in names {
        let wanted = requests.as_ref().and_then(|requests| requests.get(&name));
        let method = wanted.and_then(|w| Members::read(w)?.get_string("method"));
        let asked = wanted.and_then(|wanted| find(wanted, &["params"])).unwrap_or("{}");
        let Some(method) = method else { continue };
        // A client that refuses has cancelled the question.
        let answer = client.ask(&method, asked, Some(number)).await;
        let answer = answer.unwrap_or_else(|_| "{\"action\":\"cancel\"}".to_owned());
        responses = set_member(&responses, &name, &answer);
    }
    let params = set_member(params, "inputResponses", &responses);
    match find(result, &["requestState"]) {
        Some(state) => set_member(&params, "requestState", state),
        None => params,
    }
}

/// A modern client repeats the request with its answers.
fn pause(result: &str) -> ExchangeEnd {
    let state = find(result, &["requestState"]).map(str::to_owned);
    ExchangeEnd::NeedsInput(result.to_owned(), Resume::Resend { state })
}

impl OpenExchange {
    /// Waits for the response, or for a question that a modern client has to answer.
    #[allow(clippy::disallowed_methods, reason = "how long a server may take decides no call")]
    pub(crate) async fn wait(mut self, request: &ClientRequest) -> ExchangeEnd {
        let (exchange, questions) = (&mut self.exchange, &mut self.questions);
        let id = exchange.id;
        let lost = tokio::select! {
            response = exchange.wait_more() => return self.finish(response),
            Some(question) = questions.recv() => return self.pass_question(&question),
            () = request.cancel.wait() => "the client cancelled it",
            () = sleep(limits::EXECUTION_TIMEOUT) => "the server did not answer in time",
        };
        self.upstream.cancel(id).await;
        match timeout(limits::CANCEL_GRACE, self.exchange.wait_more()).await {
            Ok(Ok(message)) => ExchangeEnd::Response(Box::new(message)),
            // Nobody wants it any more, so nobody tries it again.
            Ok(Err(_)) | Err(_) => ExchangeEnd::Unknown(lost.to_owned()),
        }
    }

    fn finish(&self, response: Result<Message, NoResponse>) -> ExchangeEnd {
        match response {
            Ok(message) => ExchangeEnd::Response(Box::new(message)),
            Err(NoResponse::ConnectionLost) => ExchangeEnd::Died(self.upstream.describe_end()),
            Err(NoResponse::Unreadable(why)) => ExchangeEnd::Unknown(why),
        }
    }

    fn pass_question(self, question: &Message) -> ExchangeEnd {
        let (method, params) = (encode_string(question.method()), question.params());
        let inputs = format!("{{\"input\":{{\"method\":{method},\"params\":{params}}}}}");
        let result = format!("{{\"resultType\":\"input_required\",\"inputRequests\":{inputs}}}");
        let id = question.id().to_owned();
        ExchangeEnd::NeedsInput(result, Resume::Answer { open: Box::new(self), question: id })
    }

    /// Gives the server the client's answer, and goes on with the request under which the client
    /// sent it.
    pub(crate) async fn answer(
        self,
        request: &ClientRequest,
        question: &str,
        answer: Option<&str>,
    ) -> Self {
        let token = find(request.message.params(), &["_meta", "progressToken"]).map(str::to_owned);
        self.client.routes.redirect(self.exchange.id, request.reply.clone(), token);
        match answer {
            Some(result) => {
                self.upstream.forward(response(question, result)).await;
            }
            None => self.upstream.answer_error(question, -32603, "the client did not answer").await,
        }
        self
    }
}

/// The params with our number as the token for progress, and the client's token.
fn replace_progress_token(params: &str, id: u64) -> (String, Option<String>) {
    let Some(token) = find(params, &["_meta", "progressToken"]) else {
        return (params.to_owned(), None);
    };
    (set_at(params, &["_meta", "progressToken"], &id.to_string()), Some(token.to_owned()))
}
