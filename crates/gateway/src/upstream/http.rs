//! A server on streamable HTTP, of either era.
//!
//! Each message is one POST on a connection of its own. The response is one message or a stream of
//! events; both belong to that request. A legacy server also has a stream for everything else.

use super::http_connect::{HttpAddress, connect};
use super::inbox::{Inbox, SendError};
use super::sse::SseReader;
use crate::limits;
use crate::locks::lock;
use crate::spec::HttpSpec;
use crate::wire::{
    META_VERSION, MODERN, Message, MessageKind, decode_string, encode_header, error_object,
    error_response, find, named_object,
};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};
use hyper::body::Incoming;
use std::sync::{Arc, Mutex};
use tokio_stream::StreamExt;

const SESSION_HEADER: &str = "mcp-session-id";
const VERSION_HEADER: &str = "mcp-protocol-version";

pub(super) struct HttpChannel {
    state: Arc<ChannelState>,
}

struct ChannelState {
    address: HttpAddress,
    headers: Vec<(String, String)>,
    inbox: Arc<Inbox>,
    /// What a legacy server gave us: the id of our session, and the version.
    session: Mutex<LegacySession>,
}

#[derive(Clone, Default)]
struct LegacySession {
    id: Option<String>,
    version: Option<String>,
}

impl HttpChannel {
    pub(super) fn new(spec: &HttpSpec, inbox: Arc<Inbox>) -> Result<Self, String> {
        let address = HttpAddress::parse(&spec.url)?;
        let (headers, session) = (spec.headers.clone(), Mutex::default());
        Ok(Self { state: Arc::new(ChannelState { address, headers, inbox, session }) })
    }

    /// Returns once the server is connected. The response arrives in the inbox.
    pub(super) async fn write(
        &self,
        text: String,
        argument_headers: &[(String, String)],
    ) -> Result<(), SendError> {
        let Ok(message) = Message::parse(text) else {
            return Err(SendError::NotSent("the message cannot be sent".to_owned()));
        };
        let request =
            self.state.build_post(&message, argument_headers).map_err(SendError::NotSent)?;
        let sender = connect(&self.state.address).await.map_err(SendError::NotSent)?;
        let state = Arc::clone(&self.state);
        tokio::spawn(async move { state.exchange(sender, request, message).await });
        Ok(())
    }

    /// Opens the stream of a legacy server for what belongs to no request. Many have none.
    pub(super) fn open_stream(&self) {
        let state = Arc::clone(&self.state);
        tokio::spawn(async move {
            let (Ok(request), Ok(mut sender)) = (
                state.build_request(Method::GET, "", &HeaderMap::new()),
                connect(&state.address).await,
            ) else {
                return;
            };
            if let Ok(response) = sender.send_request(request).await
                && is_stream(response.headers())
            {
                state.read_events(response, None).await;
            }
        });
    }

    pub(super) fn describe_end(&self) -> String {
        "the server has ended the connection".to_owned()
    }
}

type Sender = hyper::client::conn::http1::SendRequest<Body>;

impl ChannelState {
    fn build_post(
        &self,
        message: &Message,
        argument_headers: &[(String, String)],
    ) -> Result<Request<Body>, String> {
        let mut headers = HeaderMap::new();
        let mut add = |name: &'static str, value: &str| {
            if let Ok(value) = encode_header(value).parse() {
                headers.insert(name, value);
            }
        };
        if find(message.params(), &["_meta", META_VERSION]).is_some() {
            add(VERSION_HEADER, MODERN);
            add("mcp-method", message.method());
            let named = named_object(message.method());
            let name = named.and_then(|member| find(message.params(), &[member]));
            if let Some(name) = name.and_then(decode_string) {
                add("mcp-name", &name);
            }
            for (name, value) in argument_headers {
                let name = HeaderName::try_from(name).map_err(|error| error.to_string())?;
                let value = HeaderValue::try_from(value).map_err(|error| error.to_string())?;
                headers.insert(name, value);
            }
        }
        self.build_request(Method::POST, message.text(), &headers)
    }

    fn build_request(
        &self,
        method: Method,
        body: &str,
        headers: &HeaderMap,
    ) -> Result<Request<Body>, String> {
        let session = lock(&self.session).clone();
        let mut request = Request::builder().method(method).uri(self.address.path.as_str());
        request = request.header(HOST, self.address.host_header());
        request = request.header(ACCEPT, "application/json, text/event-stream");
        request = request.header(CONTENT_TYPE, "application/json");
        for (name, value) in &self.headers {
            request = request.header(name.as_str(), value.as_str());
        }
        if let Some(id) = session.id {
            request = request.header(SESSION_HEADER, id);
        }
        if let Some(version) = session.version.filter(|_| !headers.contains_key(VERSION_HEADER)) {
            request = request.header(VERSION_HEADER, version);
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.body(Body::from(body.to_owned())).map_err(|error| error.to_string())
    }

    async fn exchange(&self, mut sender: Sender, request: Request<Body>, message: Message) {
        let id =
            message.id().parse::<u64>().ok().filter(|_| message.kind() == MessageKind::Request);
        // If this fails, the server may have received it all the same.
        if let Ok(response) = sender.send_request(request).await {
            self.read_response(response, &message, id).await;
        }
        // Whoever still waits learns that nothing will come.
        if let Some(id) = id {
            self.inbox.forget(id);
        }
    }

    async fn read_response(
        &self,
        response: Response<Incoming>,
        message: &Message,
        id: Option<u64>,
    ) {
        let status = response.status();
        if let Some(session) = response.headers().get(SESSION_HEADER).and_then(|v| v.to_str().ok())
        {
            lock(&self.session).id = Some(session.to_owned());
        }
        if is_stream(response.headers()) {
            return self.read_events(response, id).await;
        }
        let body = to_bytes(Body::new(response.into_body()), limits::MESSAGE_BYTES).await;
        match read_body(body) {
            Ok(answer) => self.take(answer, id).await,
            Err(why) if status.is_success() => self.refuse_response(id, &why),
            Err(_) => {
                let error =
                    error_object(-32000, &format!("the server answered with status {status}"));
                if let Ok(answer) = Message::parse(error_response(message.id(), &error)) {
                    self.inbox.deliver(answer, id).await;
                }
            }
        }
        // The server has forgotten our session: only a new start helps.
        if status.as_u16() == 404 && lock(&self.session).id.is_some() {
            self.inbox.close();
        }
    }

    /// Nothing else will come for this request.
    fn refuse_response(&self, id: Option<u64>, why: &str) {
        self.inbox.refuse_responses(id.into_iter().collect(), why);
    }

    /// A legacy server names the version in its introduction.
    async fn take(&self, message: Message, id: Option<u64>) {
        let version = message.result().and_then(|result| find(result, &["protocolVersion"]));
        if let Some(version) = version.and_then(decode_string) {
            lock(&self.session).version = Some(version);
        }
        self.inbox.deliver(message, id).await;
    }

    async fn read_events(&self, response: Response<Incoming>, id: Option<u64>) {
        let mut body = Body::new(response.into_body()).into_data_stream();
        let mut events = SseReader::default();
        while let Some(Ok(bytes)) = body.next().await {
            let Ok(texts) = events.read(&bytes) else {
                return self.refuse_response(id, "it is longer than a message may be");
            };
            for text in texts {
                match Message::parse(text) {
                    Ok(message) => self.take(message, id).await,
                    Err(why) => return self.refuse_response(id, &why.to_string()),
                }
            }
        }
    }
}

fn read_body(body: Result<Bytes, axum::Error>) -> Result<Message, String> {
    let bytes = body.map_err(|_| "it is too long, or its end did not come")?;
    let text = String::from_utf8(bytes.to_vec()).map_err(|_| "it is not UTF-8")?;
    Message::parse(text).map_err(|why| why.to_string())
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}
