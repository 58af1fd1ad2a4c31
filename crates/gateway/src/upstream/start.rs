//! Starts a server for a client, and introduces the client in the era that both know, or else in the
//! server's own.

use super::connection::Upstream;
use super::events::handle_event;
use super::inbox::EventHandler;
use super::lists::listen_to_lists;
use super::slot::ServerSlot;
use crate::client::ClientConnection;
use crate::limits;
use crate::wire::{ClientHello, Era, MODERN, Message, ServerHello, find};
use std::path::PathBuf;
use std::sync::Arc;

/// Starts or reaches the server of a slot, and introduces the client. The server cannot write to our
/// own folders, unless its spec allows that.
pub(crate) async fn start_server(
    slot: &Arc<ServerSlot>,
    own_folders: &[PathBuf],
    client: &Arc<ClientConnection>,
    hello: &ClientHello,
) -> Result<Arc<Upstream>, String> {
    slot.forget_tools();
    let handler = event_handler(slot, client);
    let upstream = Arc::new(Upstream::open(&slot.spec.launch, own_folders, handler).await?);
    slot.set_current(Some(Arc::clone(&upstream)));
    if let Err(why) = introduce_client(&upstream, hello).await {
        slot.set_current(None);
        return Err(why);
    }
    listen_to_lists(&upstream, hello).await;
    Ok(upstream)
}

/// The server lives no longer than its client's session, so the handler keeps neither alive.
fn event_handler(slot: &Arc<ServerSlot>, client: &Arc<ClientConnection>) -> EventHandler {
    let (slot, client) = (Arc::downgrade(slot), Arc::downgrade(client));
    Box::new(move |event| {
        let (slot, client) = (slot.upgrade(), client.upgrade());
        Box::pin(async move {
            if let (Some(slot), Some(client)) = (slot, client) {
                handle_event(&slot, &client, event).await;
            }
        })
    })
}

/// Errors that only a server of the modern era returns.
const MODERN_ERRORS: std::ops::RangeInclusive<i64> = -32022..=-32020;

/// Introduces the client. The client's own era is tried first, so that nothing has to be translated
/// if the server knows it too.
async fn introduce_client(upstream: &Upstream, client: &ClientHello) -> Result<(), String> {
    let hello = match client.era {
        Era::Modern => match discover(upstream, client).await {
            Ok(hello) => Ok(hello),
            Err(GreetingError::OfItsEra(why)) => Err(why),
            // A legacy server answers with any error, or not at all.
            Err(GreetingError::OfAnyEra(_)) => {
                initialize(upstream, client).await.map_err(GreetingError::into_text)
            }
        },
        Era::Legacy => match initialize(upstream, client).await {
            Ok(hello) => Ok(hello),
            Err(legacy) => {
                let modern = discover(upstream, client).await;
                modern.map_err(|_| legacy.into_text())
            }
        },
    };
    let _second = upstream.hello.set(hello?);
    Ok(())
}

enum GreetingError {
    /// The server speaks this era and refuses all the same.
    OfItsEra(String),
    OfAnyEra(String),
}

impl GreetingError {
    fn into_text(self) -> String {
        match self {
            Self::OfItsEra(why) | Self::OfAnyEra(why) => why,
        }
    }
}

async fn discover(upstream: &Upstream, client: &ClientHello) -> Result<ServerHello, GreetingError> {
    let params = client.add_meta("{}", None);
    let answer = upstream.ask("server/discover", &params, limits::PROBE_TIMEOUT).await;
    let message = answer.map_err(GreetingError::OfAnyEra)?;
    let Some(result) = message.result() else {
        let is_modern = message.error_code().is_some_and(|code| MODERN_ERRORS.contains(&code));
        let why = describe_error("server/discover", &message);
        return Err(if is_modern {
            GreetingError::OfItsEra(why)
        } else {
            GreetingError::OfAnyEra(why)
        });
    };
    match find(result, &["supportedVersions"]) {
        Some(versions) if versions.contains(&format!("\"{MODERN}\"")) => {
            Ok(ServerHello { era: Era::Modern, result: result.to_owned() })
        }
        Some(_) => {
            Err(GreetingError::OfItsEra("the server knows no version that we know".to_owned()))
        }
        None => Err(GreetingError::OfAnyEra("`server/discover` names no versions".to_owned())),
    }
}

async fn initialize(
    upstream: &Upstream,
    client: &ClientHello,
) -> Result<ServerHello, GreetingError> {
    let params = client.initialize_params();
    let answer = upstream.ask("initialize", &params, limits::START_TIMEOUT).await;
    let message = answer.map_err(GreetingError::OfAnyEra)?;
    match message.result() {
        Some(result) if find(result, &["protocolVersion"]).is_some() => {
            let _second = upstream.introduced.set(client.capabilities.clone());
            Ok(ServerHello { era: Era::Legacy, result: result.to_owned() })
        }
        _ => Err(GreetingError::OfAnyEra(describe_error("initialize", &message))),
    }
}

fn describe_error(method: &str, message: &Message) -> String {
    let text = message.error().and_then(|error| find(error, &["message"]));
    format!("the server answered `{method}` with {}", text.unwrap_or("something else"))
}
