//! The dashboard at its port: who gets in, and what a form needs. What a person does there is checked in
//! a real browser, by `cargo xtask browser`.

use crate::http::{HttpRequest, HttpResponse};
use crate::test_server::TestServer;
use countersign_server::{Port, Ports, TakenPortPolicy};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

fn local_ports(operator: u16) -> Ports {
    let port = |number| {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Some(Port { address, number, if_taken: TakenPortPolicy::Fail })
    };
    Ports { agent: port(0), operator: port(operator), ..Ports::none() }
}

/// A daemon with ports, and where they are.
struct Served {
    server: TestServer,
    agent: SocketAddr,
    operator: SocketAddr,
}

/// A browser that is logged in.
struct Browser {
    base: String,
    cookie: String,
}

impl Served {
    fn open() -> Self {
        let server = TestServer::with_ports(&local_ports(0)).unwrap();
        let running = server.running.as_ref().unwrap();
        let (agent, operator) = (running.agent.unwrap(), running.operator.unwrap());
        Self { server, agent, operator }
    }

    fn host(&self) -> String {
        format!("localhost:{}", self.operator.port())
    }

    fn get(&self, path: &str, cookie: &str) -> HttpResponse {
        let request = HttpRequest::get(path).header("host", &self.host());
        request.header("cookie", cookie).send_without_host(self.operator)
    }

    /// The path of a login's page, and the login.
    fn start_login(&self) -> (String, String) {
        let login = self.server.operator().post("/v1/dashboard/logins", &json!({})).unwrap();
        let origin = format!("http://{}", self.host());
        let path = login["url"].as_str().unwrap().strip_prefix(&origin).unwrap().to_owned();
        (path, login["login"].as_str().unwrap().to_owned())
    }

    fn confirm(&self, login: &str, code: &str) -> bool {
        let body = json!({"login": login, "code": code});
        self.server.operator().post("/v1/dashboard/logins/confirm", &body).is_ok()
    }

    fn log_in(&self) -> Browser {
        let (path, login) = self.start_login();
        let page = self.get(&path, "");
        let cookie = cookie_of(&page);
        assert!(self.confirm(&login, &shown_code(&page)));
        let entered = self.get(&path, &cookie);
        assert_eq!(entered.status, 303);
        let base = entered.header("location").unwrap().to_owned();
        Browser { base, cookie: cookie_of(&entered) }
    }

    fn post(&self, browser: &Browser, form: &str, headers: &[(&str, &str)]) -> u16 {
        let mut head = format!("POST {}pause HTTP/1.1\r\nhost: {}\r\n", browser.base, self.host());
        let typed = [("content-type", "application/x-www-form-urlencoded")];
        let length = form.len().to_string();
        let own = [("content-length", length.as_str()), ("cookie", &browser.cookie)];
        for (name, value) in typed.iter().chain(&own).chain(headers) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let request = HttpRequest { head, body: form.to_owned() };
        request.send_without_host(self.operator).status
    }
}

fn text(response: &HttpResponse) -> &str {
    match &response.body {
        Value::String(text) => text,
        other => panic!("no page: {other}"),
    }
}

/// The first cookie that a response sets, as a browser sends it.
fn cookie_of(response: &HttpResponse) -> String {
    response.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    text.split_once(start).unwrap().1.split_once(end).unwrap().0
}

fn shown_code(page: &HttpResponse) -> String {
    between(text(page), "<code>", "</code>").to_owned()
}

#[test]
fn nobody_learns_anything_without_a_session() {
    let served = Served::open();
    let root = served.get("/", "");
    assert!(text(&root).contains("countersign open") && !text(&root).contains("/d/"));
    let (path, _) = served.start_login();
    let base = path.split_once("login/").unwrap().0;
    assert_eq!(served.get(base, "").status, 401);
    assert_eq!(served.get(base, "countersign=00").status, 401);
    assert_eq!(served.get("/d/00000000000000000000000000000000/", "").error().0, 401);
    // The agents' port has no such pages, and their tokens open none.
    let claude = served.server.issue_token(&json!({"agent": "claude"}));
    let host = served.host();
    let with_token = HttpRequest::get(base).header("host", &host).token(&claude);
    assert_eq!(with_token.send_without_host(served.operator).status, 401);
    let elsewhere = HttpRequest::get(base).token(&claude).send_to(served.agent);
    assert_eq!(elsewhere.error(), (404, "no_route"));
}

#[test]
fn a_link_lets_one_browser_in_and_only_after_its_characters_were_typed() {
    let served = Served::open();
    let (path, login) = served.start_login();
    let (own, other) = (served.get(&path, ""), served.get(&path, ""));
    assert_ne!(shown_code(&own), shown_code(&other));
    assert_eq!(served.get(&path, &cookie_of(&own)).status, 200, "not yet");
    assert!(served.confirm(&login, &shown_code(&own)));
    assert_eq!(served.get(&path, &cookie_of(&other)).status, 410);
    let entered = served.get(&path, &cookie_of(&own));
    assert_eq!(entered.status, 303);
    for part in ["HttpOnly", "SameSite=Strict", "Path=/d/"] {
        assert!(entered.header("set-cookie").unwrap().contains(part), "{part}");
    }
    assert_eq!(served.get(&path, &cookie_of(&own)).status, 410, "used");
    assert!(!served.confirm(&login, &shown_code(&own)));
    let base = entered.header("location").unwrap();
    let page = served.get(base, &cookie_of(&entered));
    assert!(text(&page).contains("Nothing waits for you"));
    for (name, part) in [
        ("content-security-policy", "default-src 'none'"),
        ("content-security-policy", "frame-ancestors 'none'"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
    ] {
        assert!(page.header(name).unwrap().contains(part), "{name}");
    }
    assert!(!page.header("content-security-policy").unwrap().contains("unsafe"));
}

#[test]
fn a_form_needs_its_token_and_what_only_our_own_page_can_send() {
    let served = Served::open();
    let browser = served.log_in();
    let page = served.get(&browser.base, &browser.cookie);
    let form = between(text(&page), "action=\"", "Pause all agents");
    let token = between(form, "name=\"token\" value=\"", "\"");
    let (right, wrong) = (format!("token={token}&agent=*"), "token=00&agent=*".to_owned());
    let own = format!("http://{}", served.host());
    let other = format!("http://localhost:{}", served.agent.port());
    let send = |form: &str, origin: Option<&str>, site: Option<&str>| {
        let origin = origin.map(|origin| ("origin", origin));
        let site = site.map(|site| ("sec-fetch-site", site));
        let headers: Vec<(&str, &str)> = origin.into_iter().chain(site).collect();
        served.post(&browser, form, &headers)
    };
    let (own, other) = (Some(own.as_str()), Some(other.as_str()));
    for (form, origin, site) in [
        (&right, None, None),
        (&right, own, None),
        (&right, None, Some("same-origin")),
        (&right, Some("null"), Some("same-origin")),
        (&right, other, Some("same-site")),
        (&right, own, Some("same-site")),
        (&right, own, Some("none")),
        (&right, own, Some("cross-site")),
        (&wrong, own, Some("same-origin")),
    ] {
        assert_eq!(send(form, origin, site), 403, "{origin:?} {site:?}");
    }
    let status = || served.server.operator().get("/v1/status").unwrap()["paused"].clone();
    assert_eq!(status(), json!([]), "none of them did anything");
    assert_eq!(send(&right, own, Some("same-origin")), 303);
    assert_eq!(status(), json!(["*"]));
}

#[test]
fn ending_the_sessions_and_renewing_the_token_log_browsers_out() {
    let served = Served::open();
    let (first, second) = (served.log_in(), served.log_in());
    let sessions = served.server.operator().get("/v1/dashboard/sessions").unwrap();
    let newest = sessions["sessions"][0]["id"].clone();
    let end = json!({"session": newest});
    served.server.operator().post("/v1/dashboard/sessions/end", &end).unwrap();
    assert_eq!(served.get(&second.base, &second.cookie).status, 401);
    assert_eq!(served.get(&first.base, &first.cookie).status, 200);
    served.server.operator().post("/v1/operator-token/renew", &json!({})).unwrap();
    assert_eq!(served.get(&first.base, &first.cookie).status, 401);
}

#[test]
fn there_is_no_login_where_another_program_has_the_other_address_of_localhost() {
    let taken = TcpListener::bind((Ipv6Addr::LOCALHOST, 0));
    let Ok(taken) = taken else { return };
    let number = taken.local_addr().unwrap().port();
    let Ok(server) = TestServer::with_ports(&local_ports(number)) else { return };
    let refused = server.operator().post("/v1/dashboard/logins", &json!({}));
    let (status, code) = crate::test_server::expect_error(refused);
    assert_eq!((status, code.as_str()), (409, "conflict"));
}
