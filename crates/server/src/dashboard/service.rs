//! A request to the dashboard: is it ours, whose session is it, which page or form is it.

use super::forms::PageForm;
use super::logins::LoginState;
use super::origin::{Origin, OriginState};
use super::respond::{
    NewCookie, closed_page, describe_browser, file_response, find_cookies, page_response, redirect,
    redirect_with, text_response,
};
use super::visit::Visit;
use super::{Dashboard, acts, events, pages, session_file};
use crate::Daemon;
use crate::error::ApiError;
use crate::guard::single_value;
use crate::limits;
use crate::lineage::{Lineage, find_lineage};
use crate::peers::Peer;
use axum::extract::Request;
use axum::http::header::{ALLOW, HOST};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use countersign_core::model::time::{Span, Time};
use countersign_dashboard::{LoginPage, RootPage, find_asset};
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

/// The cookie of a browser that is logged in, and that of one that shows characters.
const SESSION_COOKIE: &str = "countersign";
const LOGIN_COOKIE: &str = "countersign-login";

/// The dashboard of a daemon, on its port.
#[derive(Clone)]
pub(crate) struct DashboardService {
    daemon: Arc<Daemon>,
}

impl DashboardService {
    pub fn new(daemon: &Arc<Daemon>) -> Self {
        Self { daemon: Arc::clone(daemon) }
    }

    fn dashboard(&self) -> &Dashboard {
        &self.daemon.dashboard
    }

    /// Whether this path is one of the dashboard's. Whoever does not know its secret gets the plane.
    pub fn owns(&self, path: &str) -> bool {
        use subtle::ConstantTimeEq;
        let base = self.dashboard().base().as_bytes();
        let start = path.as_bytes().get(..base.len());
        path == "/" || start.is_some_and(|start| start.ct_eq(base).into())
    }

    /// Answers a request. An error is a page, too.
    pub async fn handle(
        self,
        peer: Peer,
        is_admitted: Arc<AtomicBool>,
        request: Request,
    ) -> Result<Response, Infallible> {
        let response = self.respond(peer, &is_admitted, request).await;
        Ok(response.unwrap_or_else(|error| {
            closed_page(self.dashboard().base(), error.status(), &error.to_sentence())
        }))
    }

    async fn respond(
        &self,
        peer: Peer,
        is_admitted: &AtomicBool,
        request: Request,
    ) -> Result<Response, ApiError> {
        check_peer(peer)?;
        let state = self.dashboard().origin.read().unwrap_or_else(PoisonError::into_inner).clone();
        let OriginState::At(origin) = &state else {
            return Err(state.explain().err().map_or_else(ApiError::no_route, |(what, remedy)| {
                ApiError::conflict(what, remedy)
            }));
        };
        let path = request.uri().path().to_owned();
        let host = single_value(request.headers(), &HOST).unwrap_or_default();
        let is_read = request.method() == Method::GET;
        if !origin.is_host(host) {
            let query = request.uri().path_and_query().map_or("/", |path| path.as_str());
            return match is_read {
                true => Ok(redirect_with(StatusCode::PERMANENT_REDIRECT, &origin.url(query))),
                false => Err(ApiError::cross_site()),
            };
        }
        let is_allowed = match is_read {
            true => origin.may_show(request.headers()),
            false => origin.sent_form(request.headers()),
        };
        if !is_allowed {
            return Err(ApiError::cross_site());
        }
        let Some(below) = path.strip_prefix(self.dashboard().base()) else {
            return page_response(StatusCode::OK, &RootPage);
        };
        if is_read {
            if let Some(asset) = find_asset(below) {
                return Ok(file_response(asset.content_type, asset.content));
            }
            if let Some(login) = below.strip_prefix("login/") {
                return self.show_login(login, origin, request.headers()).await;
            }
        }
        let now = self.daemon.display_time().await?;
        let cookies = find_cookies(request.headers(), SESSION_COOKIE);
        let Some(session) = self.dashboard().lock_sessions().find(&cookies, now) else {
            let why = "This browser is not logged in, or its session is over.";
            return Ok(closed_page(self.dashboard().base(), StatusCode::UNAUTHORIZED, why));
        };
        is_admitted.store(true, Ordering::SeqCst);
        self.dashboard().keep_session(now);
        let daemon = Arc::clone(&self.daemon);
        let visit = Visit { daemon, session, now, path: below.to_owned() };
        match *request.method() {
            Method::GET if below == "events" => {
                events::stream(&visit, request.headers(), request.uri()).await
            }
            Method::GET => pages::show(&visit, request.uri()).await,
            Method::POST => acts::carry_out(&visit, PageForm::read(request).await?).await,
            _ => {
                let allow = [(ALLOW, HeaderValue::from_static("GET, POST"))];
                Ok((StatusCode::METHOD_NOT_ALLOWED, allow).into_response())
            }
        }
    }

    /// The page behind a link of `countersign open`, and what that page asks.
    async fn show_login(
        &self,
        login: &str,
        origin: &Origin,
        headers: &HeaderMap,
    ) -> Result<Response, ApiError> {
        let now = self.daemon.display_time().await?;
        let base = self.dashboard().base();
        let cookies = find_cookies(headers, LOGIN_COOKIE);
        let cookie = cookies.first().map(String::as_str);
        if let Some(id) = login.strip_suffix("/state") {
            return Ok(text_response(self.dashboard().lock_logins().state(id, cookie, now)));
        }
        let browser = describe_browser(headers);
        let visited = self.dashboard().lock_logins().visit((login, cookie), &browser, now)?;
        let path = format!("{base}login/{login}");
        let new_cookie = |name, value, span: Span| NewCookie {
            name,
            value,
            path: base,
            seconds: (Time::from_micros(0) + span).micros() / 1_000_000,
            is_tls: origin.is_tls(),
        };
        match visited {
            LoginState::Waiting { code, cookie } => {
                let page = LoginPage { base, path: &path, code: &code };
                let mut response = page_response(StatusCode::OK, &page)?;
                if let Some(value) = &cookie {
                    new_cookie(LOGIN_COOKIE, value, limits::LOGIN_TIME).add_to(&mut response);
                }
                Ok(response)
            }
            LoginState::LetIn { browser } => {
                let mut sessions = self.dashboard().lock_sessions();
                let value = sessions.open(browser, now)?;
                session_file::write_sessions(&self.dashboard().credentials, &sessions)?;
                let mut response = redirect(base);
                let cookie = new_cookie(SESSION_COOKIE, &value, limits::BROWSER_SESSION_TIME);
                cookie.add_to(&mut response);
                new_cookie(LOGIN_COOKIE, "", Span::seconds(0)).add_to(&mut response);
                Ok(response)
            }
            LoginState::Over => {
                let why = "This link was used, or a minute has passed since it was made.";
                Ok(closed_page(base, StatusCode::GONE, why))
            }
        }
    }
}

/// What the daemon started is not the operator's browser. Other sandboxes say nothing here, because
/// browsers run in them; nobody gets in without the characters.
fn check_peer(peer: Peer) -> Result<(), ApiError> {
    match peer {
        Peer::Local { pid: Some(pid), .. } | Peer::Network { pid: Some(pid), .. }
            if find_lineage(pid) == Lineage::StartedByDaemon =>
        {
            let message = "a process that the daemon started is not the operator";
            Err(ApiError::forbidden(message, "use a browser of your own"))
        }
        _ => Ok(()),
    }
}
