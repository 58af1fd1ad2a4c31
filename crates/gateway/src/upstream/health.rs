//! The health check before a call is tried again.

use super::connection::Upstream;
use super::http_connect::{HttpAddress, connect};
use crate::limits;
use crate::wire::{ClientHello, Era};
use axum::body::Body;
use axum::http::Request;
use axum::http::header::HOST;
use tokio::time::timeout;

/// How a tool's server is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HealthCheck {
    /// The server itself is asked something that changes nothing.
    Ping,
    /// The address that the tool's mapping names is asked, and the server is not.
    Url(String),
}

impl HealthCheck {
    /// A name that is no address stands for the server's own check.
    pub(crate) fn from_mapping(name: Option<&str>) -> Self {
        match name {
            Some(name) if name.contains("://") => Self::Url(name.to_owned()),
            Some(_) | None => Self::Ping,
        }
    }

    /// What can be known before a server is started: only an address that fails rules it out.
    pub(crate) async fn may_be_healthy(&self) -> bool {
        match self {
            Self::Ping => true,
            Self::Url(url) => is_url_healthy(url).await,
        }
    }

    /// What is left to ask of a server that is running.
    pub(crate) async fn is_healthy(&self, upstream: &Upstream, client: &ClientHello) -> bool {
        match self {
            Self::Ping => answers_ping(upstream, client).await,
            Self::Url(_) => true,
        }
    }
}

async fn answers_ping(upstream: &Upstream, client: &ClientHello) -> bool {
    let answer = match upstream.era() {
        Era::Legacy => upstream.ask("ping", "{}", limits::PROBE_TIMEOUT).await,
        Era::Modern => {
            let params = client.add_meta("{}", None);
            upstream.ask("server/discover", &params, limits::PROBE_TIMEOUT).await
        }
    };
    answer.is_ok()
}

/// A redirection is no success, and an address that cannot be read is never healthy.
#[allow(clippy::disallowed_methods, reason = "how long a check may take decides no call")]
async fn is_url_healthy(url: &str) -> bool {
    let asking = async {
        let address = HttpAddress::parse(url).ok()?;
        let request = Request::get(address.path.as_str()).header(HOST, address.host_header());
        let request = request.body(Body::empty()).ok()?;
        let mut sender = connect(&address).await.ok()?;
        let response = sender.send_request(request).await.ok()?;
        Some(response.status().is_success())
    };
    matches!(timeout(limits::HEALTH_TIMEOUT, asking).await, Ok(Some(true)))
}
