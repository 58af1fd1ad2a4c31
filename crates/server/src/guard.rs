//! Protects a port against web pages: a browser on this machine runs code of any site and can
//! reach the port.
//!
//! A request has to name one of the port's own hosts, must not come from another site's page, and
//! must not be one that a page can send without a preflight.
//!
//! See docs/decisions/0024-ports-and-credentials.md.

use crate::error::ApiError;
use crate::extract::is_json_type;
use crate::ports::OpenPort;
use axum::extract::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN,
    REFERRER_POLICY, TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// No response of a route is a page: a browser must not load anything from it, frame it or cache it.
pub(crate) const SECURITY_HEADERS: [(HeaderName, &str); 7] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The hosts and origins that a port accepts.
pub(crate) struct OriginGuard {
    hosts: Vec<String>,
    scheme: &'static str,
}

impl OriginGuard {
    pub fn new(port: &OpenPort) -> Self {
        let scheme = if port.tls.is_some() { "https" } else { "http" };
        Self { hosts: port.hosts.clone(), scheme }
    }

    pub fn check_host(&self, request: &Request) -> Result<(), ApiError> {
        match self.has_own_host(request) {
            true => Ok(()),
            false => Err(ApiError::wrong_host()),
        }
    }

    pub fn check(&self, request: &Request) -> Result<(), ApiError> {
        self.check_host(request)?;
        if !self.has_own_origin(request.headers()) {
            return Err(ApiError::cross_site());
        }
        if !has_json_body(request) {
            return Err(ApiError::not_json());
        }
        Ok(())
    }

    fn is_own_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    fn is_own_origin(&self, origin: &str) -> bool {
        let host = origin.strip_prefix(self.scheme).and_then(|rest| rest.strip_prefix("://"));
        host.is_some_and(|host| self.is_own_host(host))
    }

    /// Checks the `Host` header, and the host of an absolute URI.
    fn has_own_host(&self, request: &Request) -> bool {
        let authority = request.uri().authority();
        single_value(request.headers(), &HOST).is_some_and(|host| self.is_own_host(host))
            && authority.is_none_or(|authority| self.is_own_host(authority.as_str()))
    }

    /// Browsers send where a request comes from. Other programs send neither header.
    fn has_own_origin(&self, headers: &HeaderMap) -> bool {
        let is_own_site = |site: &HeaderValue| matches!(site.as_bytes(), b"same-origin" | b"none");
        let is_own_origin = !headers.contains_key(ORIGIN)
            || single_value(headers, &ORIGIN).is_some_and(|origin| self.is_own_origin(origin));
        is_own_origin && headers.get_all("sec-fetch-site").iter().all(is_own_site)
    }
}

/// The value of a header. None if it occurs twice.
pub(crate) fn single_value<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Whether the body is JSON, empty or irrelevant. A form of a page can send other types without a
/// preflight, but not JSON.
fn has_json_body(request: &Request) -> bool {
    let headers = request.headers();
    if request.method().is_safe() {
        return true;
    }
    match headers.get(CONTENT_TYPE) {
        None => {
            let length = headers.get(CONTENT_LENGTH);
            !headers.contains_key(TRANSFER_ENCODING)
                && length.is_none_or(|length| length.as_bytes() == b"0")
        }
        Some(kind) => kind.to_str().is_ok_and(is_json_type),
    }
}

/// A page of the dashboard brings a content policy of its own.
pub(crate) fn add_security_headers(headers: &mut HeaderMap) {
    for (name, value) in SECURITY_HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn guard() -> OriginGuard {
        OriginGuard { hosts: vec!["localhost:7777".into(), "[::1]:7777".into()], scheme: "http" }
    }

    fn request(uri: &str, headers: &[(&str, &str)]) -> Request {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::empty()).unwrap()
    }

    #[test]
    fn only_an_own_host_with_the_own_port_is_accepted() {
        let accepts =
            |uri: &str, headers: &[(&str, &str)]| guard().has_own_host(&request(uri, headers));
        for host in ["localhost:7777", "LocalHost:7777", "[::1]:7777"] {
            assert!(accepts("/v1/status", &[("host", host)]), "{host}");
        }
        let foreign = ["", "localhost", "localhost:7778", "localhost.:7777", "evil.example:7777"];
        for host in foreign {
            assert!(!accepts("/v1/status", &[("host", host)]), "{host}");
        }
        assert!(!accepts("/v1/status", &[]));
        let twice = [("host", "localhost:7777"), ("host", "evil.example")];
        assert!(!accepts("/v1/status", &twice));
        let own = [("host", "localhost:7777")];
        assert!(!accepts("http://evil.example/v1/status", &own));
        assert!(accepts("http://localhost:7777/v1/status", &own));
    }

    #[test]
    fn a_request_of_another_page_is_refused() {
        let accepts =
            |headers: &[(&str, &str)]| guard().has_own_origin(request("/", headers).headers());
        assert!(accepts(&[]));
        assert!(accepts(&[("origin", "http://localhost:7777"), ("sec-fetch-site", "same-origin")]));
        assert!(accepts(&[("sec-fetch-site", "none")]));
        for origin in [
            "null",
            "http://evil.example",
            "https://localhost:7777",
            "http://localhost:7778",
            "http://localhost",
            "http://localhost:7777.evil.example",
            "",
        ] {
            assert!(!accepts(&[("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site", "", "same-origin, cross-site"] {
            assert!(!accepts(&[("sec-fetch-site", site)]), "{site}");
        }
        assert!(!accepts(&[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")]));
        assert!(!accepts(&[("origin", "http://localhost:7777"), ("origin", "http://a.example")]));
    }
}
