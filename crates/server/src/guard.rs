//! What stands before the routes of a port: it has to be meant for us, and come from no page that
//! is not ours. A browser runs what anybody wrote, and can reach this machine.

use crate::body::declares_json;
use crate::fault::Fault;
use crate::ports::Door;
use axum::extract::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN,
    REFERRER_POLICY, TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// Nothing that we answer is a page: it loads nothing, is shown in nothing and kept nowhere.
pub(crate) const HEADERS: [(HeaderName, &str); 7] = [
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

/// How a port is called, and what pages of ours would say.
pub(crate) struct Names {
    hosts: Vec<String>,
    scheme: &'static str,
}

impl Names {
    pub fn of(door: &Door) -> Self {
        let scheme = if door.tls.is_some() { "https" } else { "http" };
        Self { hosts: door.hosts.clone(), scheme }
    }

    /// Refuses what is not meant for us, comes from another page, or could come from one.
    pub fn is_for_us(&self, request: &Request) -> Result<(), Fault> {
        if !self.is_meant(request) {
            return Err(Fault::wrong_host());
        }
        if !self.is_ours(request.headers()) {
            return Err(Fault::cross_site());
        }
        if !is_json(request) {
            return Err(Fault::not_json());
        }
        Ok(())
    }

    fn is_host(&self, given: &str) -> bool {
        self.hosts.iter().any(|host| host.eq_ignore_ascii_case(given))
    }

    fn is_origin(&self, given: &str) -> bool {
        let host = given.strip_prefix(self.scheme).and_then(|rest| rest.strip_prefix("://"));
        host.is_some_and(|host| self.is_host(host))
    }

    /// Whatever names a host, in the head or in the address, has to name us.
    fn is_meant(&self, request: &Request) -> bool {
        let address = request.uri().authority();
        let told = one(request.headers(), &HOST);
        told.is_some_and(|host| self.is_host(host))
            && address.is_none_or(|address| self.is_host(address.as_str()))
    }

    /// A browser says from where a request comes. Whoever is no browser says nothing.
    fn is_ours(&self, headers: &HeaderMap) -> bool {
        let fetch = headers.get_all("sec-fetch-site");
        let from_us = |site: &HeaderValue| matches!(site.as_bytes(), b"same-origin" | b"none");
        let origin = !headers.contains_key(ORIGIN)
            || one(headers, &ORIGIN).is_some_and(|origin| self.is_origin(origin));
        origin && fetch.iter().all(from_us)
    }
}

/// The one value of a header; two of them are none.
fn one<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (Some(only), None) => only.to_str().ok(),
        _ => None,
    }
}

/// A form of a page sends other kinds without asking us first; JSON it cannot.
fn is_json(request: &Request) -> bool {
    let (headers, reads) = (request.headers(), request.method().is_safe());
    let empty = !headers.contains_key(TRANSFER_ENCODING)
        && headers.get(CONTENT_LENGTH).is_none_or(|length| length.as_bytes() == b"0");
    match headers.get(CONTENT_TYPE) {
        _ if reads => true,
        None => empty,
        Some(kind) => kind.to_str().is_ok_and(declares_json),
    }
}

/// On every answer, whatever it is.
pub(crate) fn add_headers(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn names() -> Names {
        Names { hosts: vec!["localhost:7777".into(), "[::1]:7777".into()], scheme: "http" }
    }

    fn asked(uri: &str, headers: &[(&str, &str)]) -> Request {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::empty()).unwrap()
    }

    #[test]
    fn only_our_own_name_with_our_own_number_means_us() {
        for host in ["localhost:7777", "LocalHost:7777", "[::1]:7777"] {
            assert!(names().is_meant(&asked("/v1/status", &[("host", host)])), "{host}");
        }
        let foreign = ["", "localhost", "localhost:7778", "localhost.:7777", "evil.example:7777"];
        for host in foreign {
            assert!(!names().is_meant(&asked("/v1/status", &[("host", host)])), "{host}");
        }
        assert!(!names().is_meant(&asked("/v1/status", &[])));
        let twice = [("host", "localhost:7777"), ("host", "evil.example")];
        assert!(!names().is_meant(&asked("/v1/status", &twice)));
        let ours = [("host", "localhost:7777")];
        assert!(!names().is_meant(&asked("http://evil.example/v1/status", &ours)));
        assert!(names().is_meant(&asked("http://localhost:7777/v1/status", &ours)));
    }

    #[test]
    fn what_another_page_sends_is_not_ours() {
        let fits = |headers: &[(&str, &str)]| names().is_ours(asked("/", headers).headers());
        assert!(fits(&[]));
        assert!(fits(&[("origin", "http://localhost:7777"), ("sec-fetch-site", "same-origin")]));
        assert!(fits(&[("sec-fetch-site", "none")]));
        for origin in [
            "null",
            "http://evil.example",
            "https://localhost:7777",
            "http://localhost:7778",
            "http://localhost",
            "http://localhost:7777.evil.example",
            "",
        ] {
            assert!(!fits(&[("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site", "", "same-origin, cross-site"] {
            assert!(!fits(&[("sec-fetch-site", site)]), "{site}");
        }
        assert!(!fits(&[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")]));
        assert!(!fits(&[("origin", "http://localhost:7777"), ("origin", "http://a.example")]));
    }
}
