//! One request at a server, with everything that happens before its response: progress, questions
//! to the client, cancellation.

use super::continuations::Resume;
use super::slots::ServerSlot;
use super::{Context, Relay, Reply, lock};
use crate::era::{Era, META_LOG_LEVEL, is_input_required, remove_envelope};
use crate::limits;
use crate::upstream::{Exchange, Lost, SendError, Upstream, reserve_id};
use crate::wire::json_text::{encode_string, find, replace_range, set_at, set_member};
use crate::wire::{Members, Message};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// A server expects other headers than its list of tools told us.
const HEADER_MISMATCH: i64 = -32020;

/// The client's requests that servers work on, by our numbers.
#[derive(Default)]
pub(super) struct Routes {
    open: Mutex<BTreeMap<u64, Route>>,
}

struct Route {
    reply: Reply,
    /// The client's own token for progress, as text.
    token: Option<String>,
    /// Takes the questions that belong to this request, if its client answers them by repeating it.
    questions: Option<mpsc::Sender<Message>>,
    logs: LogMessages,
}

/// Whether a modern request names a log level. Without one it must get no log messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogMessages {
    Wanted,
    Unwanted,
}

impl LogMessages {
    fn of_request(params: &str) -> Self {
        match find(params, &["_meta", META_LOG_LEVEL]) {
            Some(_) => Self::Wanted,
            None => Self::Unwanted,
        }
    }
}

impl Routes {
    pub(super) fn find_reply(&self, id: Option<u64>) -> Option<Reply> {
        lock(&self.open).get(&id?).map(|route| route.reply.clone())
    }

    pub(super) fn find_newest_reply(&self) -> Option<Reply> {
        lock(&self.open).last_key_value().map(|(_, route)| route.reply.clone())
    }

    /// The newest modern request that wants log messages: they do not say to which one they belong.
    pub(super) fn find_log_reply(&self) -> Option<Reply> {
        let open = lock(&self.open);
        let mut wanting = open.values().rev().filter(|route| route.logs == LogMessages::Wanted);
        wanting.next().map(|route| route.reply.clone())
    }

    /// The way back and the client's token for progress under our number.
    pub(super) fn find_progress(&self, id: u64) -> Option<(Reply, String)> {
        let open = lock(&self.open);
        let route = open.get(&id)?;
        Some((route.reply.clone(), route.token.clone()?))
    }

    /// The request to which a question belongs: the named one, or else the newest that takes any.
    pub(super) fn find_questions(&self, id: Option<u64>) -> Option<mpsc::Sender<Message>> {
        let open = lock(&self.open);
        match id {
            Some(id) => open.get(&id)?.questions.clone(),
            None => open.values().rev().find_map(|route| route.questions.clone()),
        }
    }
}

/// A request that a server works on. Its route ends with it.
pub(crate) struct OpenExchange {
    relay: Arc<Relay>,
    upstream: Arc<Upstream>,
    exchange: Exchange,
    questions: mpsc::Receiver<Message>,
}

impl Drop for OpenExchange {
    fn drop(&mut self) {
        lock(&self.relay.routes.open).remove(&self.exchange.id);
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
}

impl Relay {
    /// Sends a request to a server and waits for its end.
    pub(crate) async fn run_exchange(
        self: &Arc<Self>,
        context: &Context,
        slot: &ServerSlot,
        upstream: &Arc<Upstream>,
        mut params: String,
    ) -> ExchangeEnd {
        for _round in 0..limits::MAX_INPUT_ROUNDS {
            let open = match self.open_exchange(context, slot, upstream, &params).await {
                Ok(open) => open,
                Err(SendError::NotSent(why)) => return ExchangeEnd::NotSent(why),
                Err(SendError::Unsure(why)) => return ExchangeEnd::Unknown(why),
            };
            let number = open.exchange.id;
            match open.wait(context).await {
                ExchangeEnd::Response(message) => {
                    if message.error_code() == Some(HEADER_MISMATCH) {
                        slot.forget_tools();
                    }
                    let Some(inputs) = message.result().filter(|result| is_input_required(result))
                    else {
                        return ExchangeEnd::Response(message);
                    };
                    if context.hello.era == Era::Modern {
                        return pause(inputs);
                    }
                    params = self.collect_inputs(inputs, &params, number).await;
                }
                other => return other,
            }
        }
        let name = &slot.spec.name;
        ExchangeEnd::Unknown(format!("`{name}` asked for input too often"))
    }

    async fn open_exchange(
        self: &Arc<Self>,
        context: &Context,
        slot: &ServerSlot,
        upstream: &Arc<Upstream>,
        params: &str,
    ) -> Result<OpenExchange, SendError> {
        upstream.ensure_initialized().await;
        let id = reserve_id();
        let (params, token) = replace_progress_token(params, id);
        let params = match (context.hello.era, upstream.era()) {
            (Era::Legacy, Era::Modern) => {
                context.hello.add_meta(&params, lock(&self.log_level).as_deref())
            }
            (Era::Modern, Era::Legacy) => remove_envelope(&params),
            (Era::Legacy, Era::Legacy) | (Era::Modern, Era::Modern) => params,
        };
        let (sender, questions) = mpsc::channel(limits::MAX_INPUT_ROUNDS);
        let takes_questions = context.hello.era == Era::Modern;
        let questions_to = takes_questions.then_some(sender);
        let logs = LogMessages::of_request(context.message.params());
        let route = Route { reply: context.reply.clone(), token, questions: questions_to, logs };
        lock(&self.routes.open).insert(id, route);
        let text = context.message.with_id_and_params(&id.to_string(), &params);
        let headers = slot.mirror_arguments(context.message.method(), &params);
        match upstream.send_text(id, text, &headers).await {
            Ok(exchange) => {
                let (relay, upstream) = (Arc::clone(self), Arc::clone(upstream));
                Ok(OpenExchange { relay, upstream, exchange, questions })
            }
            Err(error) => {
                lock(&self.routes.open).remove(&id);
                Err(error)
            }
        }
    }

    /// Asks a legacy client what a modern server wants to know, and returns the params of the next
    /// attempt.
    async fn collect_inputs(&self, result: &str, params: &str, number: u64) -> String {
        let mut responses = String::from("{}");
        let requests = find(result, &["inputRequests"]).and_then(Members::read);
        let names: Vec<String> =
            requests.iter().flat_map(|r| r.names().map(str::to_owned)).collect();
        for name in names {
            let wanted = requests.as_ref().and_then(|requests| requests.get(&name));
            let method = wanted.and_then(|w| Members::read(w)?.get_string("method"));
            let asked = wanted.and_then(|wanted| find(wanted, &["params"])).unwrap_or("{}");
            let Some(method) = method else { continue };
            // A client that refuses has cancelled the question.
            let answer = self.ask_client(&method, asked, Some(number)).await;
            let answer = answer.unwrap_or_else(|_| "{\"action\":\"cancel\"}".to_owned());
            responses = set_member(&responses, &name, &answer);
        }
        let params = set_member(params, "inputResponses", &responses);
        match find(result, &["requestState"]) {
            Some(state) => set_member(&params, "requestState", state),
            None => params,
        }
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
    pub(crate) async fn wait(mut self, context: &Context) -> ExchangeEnd {
        let (exchange, questions) = (&mut self.exchange, &mut self.questions);
        let id = exchange.id;
        let lost = tokio::select! {
            response = exchange.wait_more() => return self.finish(response),
            Some(question) = questions.recv() => return self.pass_question(&question),
            () = context.cancel.wait() => "the client cancelled it",
            () = sleep(limits::EXECUTION_TIMEOUT) => "the server did not answer in time",
        };
        self.upstream.cancel(id).await;
        match timeout(limits::CANCEL_GRACE, self.exchange.wait_more()).await {
            Ok(response) => self.finish(response),
            Err(_) => ExchangeEnd::Unknown(lost.to_owned()),
        }
    }

    fn finish(&self, response: Result<Message, Lost>) -> ExchangeEnd {
        match response {
            Ok(message) => ExchangeEnd::Response(Box::new(message)),
            Err(Lost) => ExchangeEnd::Unknown(self.upstream.describe_end()),
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
        context: &Context,
        question: &str,
        answer: Option<&str>,
    ) -> Self {
        if let Some(route) = lock(&self.relay.routes.open).get_mut(&self.exchange.id) {
            route.reply = context.reply.clone();
            route.token =
                find(context.message.params(), &["_meta", "progressToken"]).map(str::to_owned);
        }
        match answer {
            Some(result) => {
                self.upstream.forward(crate::wire::message::response(question, result)).await;
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

/// A progress notification with the client's own token.
pub(super) fn restore_progress_token(message: &Message, token: &str) -> Option<String> {
    let members = Members::read(message.params())?;
    let range = members.range("progressToken")?;
    Some(message.with_params(&replace_range(message.params(), range, token)))
}
