//! Responses to a browser: pages, redirects, files, cookies.

use crate::error::ApiError;
use axum::body::Body;
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, LOCATION, REFERRER_POLICY, SET_COOKIE,
    USER_AGENT,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use countersign_card::escape_for_display;
use countersign_dashboard::{ClosedLoginPage, Template, render};

pub(super) const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Nothing but our own files is loaded, nothing is written into a page as script or style, and no page
/// is framed.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
     frame-ancestors 'none'";

pub(super) fn page_response(
    status: StatusCode,
    page: &impl Template,
) -> Result<Response, ApiError> {
    let html = render(page).map_err(|error| {
        ApiError::unavailable(format!("the page cannot be shown: {error}"), "look at another page")
    })?;
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY)),
        // With `no-referrer` browsers send `Origin: null` with a form of the page itself.
        (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    ];
    Ok((status, headers, html).into_response())
}

pub(super) fn file_response(content_type: &'static str, content: &'static str) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static(content_type))], content).into_response()
}

pub(super) fn text_response(text: &'static str) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"))], text).into_response()
}

/// To a page of our own, fetched with GET: a reload does not send a form again.
pub(super) fn redirect(location: &str) -> Response {
    redirect_with(StatusCode::SEE_OTHER, location)
}

pub(super) fn redirect_with(status: StatusCode, location: &str) -> Response {
    match HeaderValue::from_str(location) {
        Ok(location) => (status, [(LOCATION, location)], Body::empty()).into_response(),
        Err(_) => status.into_response(),
    }
}

/// A page without anything of the record, for a browser that is not logged in.
pub(super) fn closed_page(base: &str, status: StatusCode, why: &str) -> Response {
    let page = ClosedLoginPage { base, why };
    page_response(status, &page).unwrap_or_else(IntoResponse::into_response)
}

/// The values of all cookies of this name: another page of this host may have set one, too.
pub(super) fn find_cookies(headers: &HeaderMap, name: &str) -> Vec<String> {
    let values = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    let own = pairs.filter(|(key, _)| key.trim() == name);
    own.map(|(_, value)| value.trim().to_owned()).take(4).collect()
}

pub(super) struct NewCookie<'a> {
    pub name: &'static str,
    pub value: &'a str,
    pub path: &'a str,
    pub seconds: i64,
    pub is_tls: bool,
}

impl NewCookie<'_> {
    pub fn add_to(&self, response: &mut Response) {
        let Self { name, value, path, seconds, .. } = self;
        let secure = if self.is_tls { "; Secure" } else { "" };
        let cookie = format!(
            "{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
        );
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
    }
}

/// What a browser says that it is, in two words. Nobody has verified it.
pub(super) fn describe_browser(headers: &HeaderMap) -> String {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let names =
        [("Firefox/", "Firefox"), ("Edg/", "Edge"), ("Chrome/", "Chrome"), ("Safari/", "Safari")];
    let systems = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("Linux", "Linux"),
        ("Mac OS", "macOS"),
        ("Windows", "Windows"),
    ];
    let find = |known: &[(&str, &'static str)]| {
        known.iter().find(|(part, _)| agent.contains(part)).map(|(_, name)| *name)
    };
    match (find(&names), find(&systems)) {
        (Some(name), Some(system)) => format!("{name} on {system}"),
        (Some(name), None) => name.to_owned(),
        (None, _) => escape_for_display(&agent.chars().take(40).collect::<String>()),
    }
}
