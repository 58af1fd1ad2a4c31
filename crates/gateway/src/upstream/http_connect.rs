//! A connection to a server on HTTP, with or without TLS.

use axum::body::Body;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName as TlsName;
use rustls::{ClientConfig, RootCertStore};
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// The parts of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HttpAddress {
    scheme: Scheme,
    host: String,
    port: u16,
    pub(super) path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

impl HttpAddress {
    pub(super) fn parse(url: &str) -> Result<Self, String> {
        let uri: axum::http::Uri =
            url.parse().map_err(|error| format!("`{url}` is no address: {error}"))?;
        let scheme = match uri.scheme_str() {
            Some("http") => Scheme::Http,
            Some("https") => Scheme::Https,
            _ => return Err(format!("`{url}` starts with neither http:// nor https://")),
        };
        let host = uri.host().ok_or_else(|| format!("`{url}` names no host"))?.to_owned();
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err("an address must not contain a password: use a header".to_owned());
        }
        let default = if scheme == Scheme::Http { 80 } else { 443 };
        let port = uri.port_u16().unwrap_or(default);
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(Self { scheme, host, port, path })
    }

    pub(super) fn host_header(&self) -> String {
        let is_default =
            matches!((self.scheme, self.port), (Scheme::Http, 80) | (Scheme::Https, 443));
        if is_default { self.host.clone() } else { format!("{}:{}", self.host, self.port) }
    }
}

/// Nothing has been sent if this fails.
pub(super) async fn connect(address: &HttpAddress) -> Result<SendRequest<Body>, String> {
    let failure = |error: &dyn std::fmt::Display| {
        format!("`{}:{}` cannot be reached: {error}", address.host, address.port)
    };
    let host = address.host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((host, address.port)).await.map_err(|error| failure(&error))?;
    let _slow = stream.set_nodelay(true);
    match address.scheme {
        Scheme::Http => start(stream).await.map_err(|error| failure(&error)),
        Scheme::Https => {
            let name = TlsName::try_from(host.to_owned()).map_err(|error| failure(&error))?;
            let connector = TlsConnector::from(tls_config()?);
            let stream = connector.connect(name, stream).await.map_err(|error| failure(&error))?;
            start(stream).await.map_err(|error| failure(&error))
        }
    }
}

async fn start(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
) -> Result<SendRequest<Body>, hyper::Error> {
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(async move {
        let _ended = connection.await;
    });
    Ok(sender)
}

/// The certificates of the system, read once.
fn tls_config() -> Result<Arc<ClientConfig>, String> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(Arc::clone(config));
    }
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err("the system has no certificates to check a server with".to_owned());
    }
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    Ok(Arc::clone(CONFIG.get_or_init(|| Arc::new(config))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_no_password() {
        let address = HttpAddress::parse("https://a.example/mcp?x=1").unwrap();
        assert_eq!(
            (address.host_header().as_str(), address.path.as_str()),
            ("a.example", "/mcp?x=1")
        );
        assert_eq!(HttpAddress::parse("http://[::1]:99").unwrap().host_header(), "[::1]:99");
        for url in ["", "ftp://a/", "a.example/mcp", "http://me:secret@a.example/", "http:///x"] {
            assert!(HttpAddress::parse(url).is_err(), "{url}");
        }
    }
}
