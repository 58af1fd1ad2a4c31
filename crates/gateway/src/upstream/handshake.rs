//! Introduces a client to a server, in the era that both know, or else in the server's own.

use super::Upstream;
use crate::era::{ClientHello, Era, MODERN, ServerHello};
use crate::limits;
use crate::wire::Message;
use crate::wire::json_text::find;

/// Errors that only a server of the modern era returns.
const MODERN_ERRORS: std::ops::RangeInclusive<i64> = -32022..=-32020;

/// Introduces the client. The client's own era is tried first, so that nothing has to be translated
/// if the server knows it too.
pub(crate) async fn greet(upstream: &Upstream, client: &ClientHello) -> Result<(), String> {
    let hello = match client.era {
        Era::Modern => match discover(upstream, client).await {
            Ok(hello) => Ok(hello),
            Err(Refusal::OfItsEra(why)) => Err(why),
            // A legacy server answers with any error, or not at all.
            Err(Refusal::OfAnyEra(_)) => {
                initialize(upstream, client).await.map_err(Refusal::into_text)
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

enum Refusal {
    /// The server speaks this era and refuses all the same.
    OfItsEra(String),
    OfAnyEra(String),
}

impl Refusal {
    fn into_text(self) -> String {
        match self {
            Self::OfItsEra(why) | Self::OfAnyEra(why) => why,
        }
    }
}

async fn discover(upstream: &Upstream, client: &ClientHello) -> Result<ServerHello, Refusal> {
    let params = client.add_meta("{}", None);
    let answer = upstream.ask("server/discover", &params, limits::PROBE_TIMEOUT).await;
    let message = answer.map_err(Refusal::OfAnyEra)?;
    let Some(result) = message.result() else {
        let is_modern = message.error_code().is_some_and(|code| MODERN_ERRORS.contains(&code));
        let why = describe_error("server/discover", &message);
        return Err(if is_modern { Refusal::OfItsEra(why) } else { Refusal::OfAnyEra(why) });
    };
    match find(result, &["supportedVersions"]) {
        Some(versions) if versions.contains(&format!("\"{MODERN}\"")) => {
            Ok(ServerHello { era: Era::Modern, result: result.to_owned() })
        }
        Some(_) => Err(Refusal::OfItsEra("the server knows no version that we know".to_owned())),
        None => Err(Refusal::OfAnyEra("`server/discover` names no versions".to_owned())),
    }
}

async fn initialize(upstream: &Upstream, client: &ClientHello) -> Result<ServerHello, Refusal> {
    let params = client.initialize_params();
    let answer = upstream.ask("initialize", &params, limits::START_TIMEOUT).await;
    let message = answer.map_err(Refusal::OfAnyEra)?;
    match message.result() {
        Some(result) if find(result, &["protocolVersion"]).is_some() => {
            let _second = upstream.introduced.set(client.capabilities.clone());
            Ok(ServerHello { era: Era::Legacy, result: result.to_owned() })
        }
        _ => Err(Refusal::OfAnyEra(describe_error("initialize", &message))),
    }
}

fn describe_error(method: &str, message: &Message) -> String {
    let text = message.error().and_then(|error| find(error, &["message"]));
    format!("the server answered `{method}` with {}", text.unwrap_or("something else"))
}
