//! The ports: who is admitted, who is refused, and that a stop does not hang.

use crate::http::{HttpRequest, HttpResponse, connect, read_response};
use crate::test_server::{TestServer, expect_error};
use countersign_server::{
    AgentAccess, ListenError, Plane, Port, PortError, Ports, Rate, Rates, Sockets, TakenPortPolicy,
};
use serde_json::{Value, json};
use std::io::{BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::Duration;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn free_port() -> Option<Port> {
    Some(Port { address: HERE, number: 0, if_taken: TakenPortPolicy::Fail })
}

fn both() -> Ports {
    Ports { agent: free_port(), operator: free_port(), ..Ports::none() }
}

/// A server with both ports open, and their addresses.
fn open_ports() -> (TestServer, SocketAddr, SocketAddr) {
    open_with(&both())
}

fn open_with(ports: &Ports) -> (TestServer, SocketAddr, SocketAddr) {
    let server = TestServer::with_ports(ports).unwrap();
    let running = server.running.as_ref().unwrap();
    let (agent, operator) = (running.agent.unwrap(), running.operator.unwrap());
    (server, agent, operator)
}

fn write() -> Value {
    json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}})
}

fn check(token: &str) -> HttpRequest {
    HttpRequest::post("/v1/check", &write()).token(token)
}

/// The line of a card that names the agent.
fn agent_line(card: &Value) -> String {
    let lines = card["lines"].as_array().unwrap();
    let line =
        lines.iter().find_map(|line| line.as_str().filter(|line| line.starts_with("agent:")));
    line.unwrap_or_else(|| panic!("{card}")).to_owned()
}

#[test]
fn an_agent_is_known_by_its_token() {
    let (server, agent, _) = open_ports();
    let claude = server.issue_token(&json!({"agent": "claude"}));
    let answer = check(&claude).send_to(agent);
    assert_eq!((answer.status, &answer.body["status"]), (200, &json!("pending")));
    assert_eq!(agent_line(&server.card()), "agent: claude");
    // Other agents cannot see its sessions.
    let operation = answer.body["operation_id"].as_str().unwrap();
    let other = server.issue_token(&json!({"agent": "other"}));
    let path = format!("/v1/operations/{operation}?session=s1");
    assert_eq!(HttpRequest::get(&path).token(&claude).send_to(agent).status, 200);
    assert_eq!(HttpRequest::get(&path).token(&other).send_to(agent).error().0, 404);
    assert_eq!(expect_error(server.agent().get(&path)).0, 404);
}

#[test]
fn a_paused_agent_is_denied_by_its_name() {
    let (server, agent, _) = open_ports();
    let claude = server.issue_token(&json!({"agent": "claude"}));
    let read = json!({"session": "s1", "tool": "Read", "args": {"path": "/srv/a"}});
    let status = || {
        let answer = HttpRequest::post("/v1/check", &read).token(&claude).send_to(agent);
        answer.body["status"].clone()
    };
    assert_eq!(status(), "allowed");
    server.operator().post("/v1/pause", &json!({"agent": "claude"})).unwrap();
    assert_eq!(status(), "denied");
}

#[test]
fn a_token_counts_on_the_socket_and_a_wrong_one_is_refused_there() {
    let (server, _, _) = open_ports();
    let claude = server.issue_token(&json!({"agent": "claude"}));
    let on = |request: HttpRequest| {
        let stream = UnixStream::connect(&server.sockets.agent).unwrap();
        request.header("host", "x").send_on(&mut BufReader::new(stream))
    };
    assert_eq!(on(check(&claude)).body["status"], "pending");
    assert_eq!(agent_line(&server.card()), "agent: claude");
    assert_eq!(on(check("cs_agent_00")).error(), (401, "unauthenticated"));
    assert_eq!(on(check(&server.operator_token())).error(), (403, "wrong_plane"));
}

#[test]
fn a_request_without_a_known_credential_is_refused() {
    let (server, agent, operator) = open_ports();
    let claude = server.issue_token(&json!({"agent": "claude"}));
    let request = |port: String| HttpRequest::post("/v1/check", &write()).header("host", &port);
    for port in [agent, operator] {
        let named = port.to_string();
        let bare = request(named.clone()).send_without_host(port);
        assert_eq!(bare.error(), (401, "unauthenticated"));
        assert_eq!(bare.header("www-authenticate"), Some("Bearer"));
        let shown =
            ["Bearer", "Bearer ", "Basic Y3M6Y3M=", "Bearer cs_agent_0000", &claude, "Bearer null"];
        for shown in shown {
            let answer =
                request(named.clone()).header("authorization", shown).send_without_host(port);
            assert_eq!(answer.error(), (401, "unauthenticated"), "{shown}");
        }
        let cut = claude.get(..claude.len() - 1).unwrap();
        assert_eq!(request(named.clone()).token(cut).send_without_host(port).error().0, 401);
        assert_eq!(
            request(named).token(&claude).token(&claude).send_without_host(port).error().0,
            401
        );
    }
}

/// Every route of a plane, as its document lists them.
fn routes(plane: Plane) -> Vec<HttpRequest> {
    let document: Value = serde_json::from_str(plane.document()).unwrap();
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let path = path.replace("{id}", "x");
        found.extend(methods.as_object().unwrap().keys().map(|method| match method.as_str() {
            "get" => HttpRequest::get(&path),
            "post" => HttpRequest::post(&path, &json!({})),
            other => panic!("{other}"),
        }));
    }
    assert!(found.len() > 9);
    found
}

/// Admission comes before routing, so that it applies to paths without a route.
fn unknown_paths() -> [HttpRequest; 2] {
    [HttpRequest::get("/v1/nothing"), HttpRequest::get("/")]
}

#[test]
fn a_credential_of_one_plane_is_refused_by_every_route_of_the_other() {
    let failures = Rate { per_second: 1, burst: 1_000 };
    let rates = Rates { failures, ..Rates::DEFAULT };
    let (server, agent, operator) = open_with(&Ports { rates, ..both() });
    let claude = server.issue_token(&json!({"agent": "claude"}));
    let adapter = server.issue_token(&json!({"agent": "claude", "adapter": true}));
    for request in routes(Plane::Operator).into_iter().chain(unknown_paths()) {
        for token in [&claude, &adapter] {
            let answer = request.clone().token(token).send_to(operator);
            match request.head.split(' ').nth(1) {
                // The root says how to open the dashboard, to everybody.
                Some("/") => assert_eq!(answer.status, 308),
                _ => assert_eq!(answer.error(), (403, "wrong_plane"), "{}", request.head),
            }
            let socket = UnixStream::connect(&server.sockets.operator).unwrap();
            let shown = request.clone().token(token).header("host", "x");
            let answer = shown.send_on(&mut BufReader::new(socket));
            assert_eq!(answer.error(), (403, "wrong_plane"), "{}", request.head);
        }
    }
    for request in routes(Plane::Agent).into_iter().chain(unknown_paths()) {
        let answer = request.clone().token(&server.operator_token()).send_to(agent);
        assert_eq!(answer.error(), (403, "wrong_plane"), "{}", request.head);
    }
}

#[test]
fn no_credential_opens_the_operator_s_routes_on_the_agents_plane() {
    let (server, agent, _) = open_ports();
    let adapter = server.issue_token(&json!({"agent": "claude", "adapter": true}));
    let own: Vec<String> = routes(Plane::Agent).into_iter().map(|request| request.head).collect();
    for request in routes(Plane::Operator) {
        let head = request.head.clone();
        // Each plane has its own document, and its own view of a run.
        if head.contains("/v1/openapi.json") || head.starts_with("GET /v1/runs/x ") {
            continue;
        }
        assert!(!own.contains(&head), "{head}");
        let answer = request.token(&adapter).send_to(agent);
        let (status, code) = answer.error();
        assert!(matches!((status, code), (404, "no_route") | (405, "no_method")), "{head}: {code}");
    }
}

#[test]
fn the_operator_s_token_opens_the_operator_s_port() {
    let (server, _, operator) = open_ports();
    let answer = HttpRequest::get("/v1/status").token(&server.operator_token()).send_to(operator);
    assert_eq!((answer.status, &answer.body["assurance"]), (200, &json!("L0")));
    let answer = HttpRequest::get("/v1/check").token(&server.operator_token()).send_to(operator);
    assert_eq!(answer.error(), (404, "no_route"));
}

#[test]
fn the_operator_s_token_is_renewed_at_once() {
    let (server, _, operator) = open_ports();
    let old = server.operator_token();
    let status = |token: &str| HttpRequest::get("/v1/status").token(token).send_to(operator).status;
    let renewed = server.operator().post("/v1/operator-token/renew", &json!({})).unwrap();
    let new = server.operator_token();
    assert!(!renewed.to_string().contains("cs_operator_") && new != old);
    assert_eq!((status(&old), status(&new)), (401, 200));
}

#[test]
fn a_content_type_that_a_form_can_send_is_refused() {
    let (server, _, operator) = open_ports();
    let token = server.operator_token();
    let request = || HttpRequest::post("/v1/pause", &json!({"agent": "*"})).token(&token);
    assert_eq!(request().send_to(operator).status, 200);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let mut form = request();
        form.head = form.head.replace("application/json", kind);
        assert_eq!(form.send_to(operator).error(), (415, "not_json"), "{kind}");
    }
    // This check comes before routing, so that it applies to routes without a body.
    let mut nowhere = HttpRequest::post("/v1/nothing", &json!({})).token(&token);
    assert_eq!(nowhere.clone().send_to(operator).status, 404);
    nowhere.head = nowhere.head.replace("application/json", "text/plain");
    assert_eq!(nowhere.send_to(operator).error(), (415, "not_json"));
    let mut undeclared = request();
    undeclared.head = undeclared.head.replace("content-type: application/json\r\n", "");
    assert_eq!(undeclared.send_to(operator).error(), (415, "not_json"));
}

#[test]
fn a_revoked_token_is_refused_at_once_on_an_open_connection() {
    let (server, agent, _) = open_ports();
    let claude = server.issue_token(&json!({"agent": "claude"}));
    server.issue_token(&json!({"agent": "claude", "adapter": true}));
    let mut stream = BufReader::new(connect(agent));
    let mut status =
        || check(&claude).header("host", &agent.to_string()).send_on(&mut stream).status;
    assert_eq!(status(), 200);
    let revoked = server.operator().post("/v1/agents/claude/revoke", &json!({})).unwrap();
    assert_eq!(revoked, json!({"agent": "claude", "revoked": ["agent", "adapter"]}));
    assert_eq!(status(), 401);
    assert_eq!(server.operator().get("/v1/agents").unwrap(), json!({"agents": []}));
    let again = server.operator().post("/v1/agents/claude/revoke", &json!({}));
    assert_eq!(expect_error(again), (404, "unknown".to_owned()));
}

#[test]
fn the_ledger_records_credentials_without_their_tokens() {
    let server = TestServer::open();
    let token = server.issue_token(&json!({"agent": "claude"}));
    server.operator().post("/v1/agents/claude/revoke", &json!({})).unwrap();
    let events = server.events(Some(1)).unwrap().map(Result::unwrap);
    let mut found = Vec::new();
    for event in events {
        let kind = event.data.kind.word();
        assert!(!json!(event.data).to_string().contains(&token));
        if kind.starts_with("credential_") {
            found.push(kind);
        }
        if kind == "credential_revoked" {
            break;
        }
    }
    assert_eq!(found, ["credential_issued", "credential_revoked"]);
}

#[test]
fn a_name_is_issued_once_and_reserved_names_are_refused() {
    let server = TestServer::open();
    let add = |body: Value| server.operator().post("/v1/agents", &body);
    server.issue_token(&json!({"agent": "claude"}));
    assert_eq!(expect_error(add(json!({"agent": "claude"}))), (409, "conflict".to_owned()));
    server.issue_token(&json!({"agent": "claude", "adapter": true}));
    for reserved in ["uid-0", "uid-1000", "operator", "Operator"] {
        assert_eq!(expect_error(add(json!({"agent": reserved}))), (422, "invalid".to_owned()));
    }
    // An adapter for an agent that uses the socket without a token.
    server.issue_token(&json!({"agent": "uid-1000", "adapter": true}));
    let bad = [
        json!({"agent": ""}),
        json!({"agent": "a b"}),
        json!({"agent": "a\u{202e}b"}),
        json!({"agent": "a".repeat(1000)}),
        json!({"agent": 1}),
        json!({}),
        json!({"agent": "b", "principal": "operator"}),
    ];
    for body in bad {
        let (status, _) = expect_error(add(body.clone()));
        assert!(status == 400 || status == 422, "{body}: {status}");
    }
    let listed = server.operator().get("/v1/agents").unwrap();
    assert_eq!(listed["agents"].as_array().unwrap().len(), 3, "{listed}");
    assert!(!listed.to_string().contains("cs_") && !listed.to_string().contains("hash"));
}

#[test]
fn a_page_of_another_site_is_refused() {
    let (server, agent, operator) = open_ports();
    let claude = server.issue_token(&json!({"agent": "claude"}));
    let planes =
        [(agent, "/v1/check", claude), (operator, "/v1/requests", server.operator_token())];
    for (port, path, token) in planes {
        let request = || HttpRequest::get(path).token(&token);
        let (own, number) = (port.to_string(), port.port());
        for host in [format!("evil.example:{number}"), "evil.example".into(), "127.0.0.1".into()] {
            assert_eq!(
                request().header("host", &host).send_without_host(port).error(),
                (403, "wrong_host")
            );
        }
        let localhost = format!("localhost:{number}");
        assert_ne!(request().header("host", &localhost).send_without_host(port).status, 403);
        let foreign = [
            ("origin", "http://evil.example".to_owned()),
            ("origin", "null".to_owned()),
            ("origin", format!("https://{own}")),
            ("sec-fetch-site", "cross-site".to_owned()),
            ("sec-fetch-site", "same-site".to_owned()),
        ];
        for (name, value) in foreign {
            let answer = request().header(name, &value).send_to(port);
            assert_eq!(answer.error(), (403, "cross_site"), "{name}: {value}");
        }
        let page = request().header("origin", &format!("http://{own}"));
        let answer = page.header("sec-fetch-site", "same-origin").send_to(port);
        assert_ne!(answer.status, 403);
        // No other origin may read the response.
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn every_response_has_the_security_headers() {
    let (server, agent, operator) = open_ports();
    let answers = [
        HttpRequest::get("/v1/status").token(&server.operator_token()).send_to(operator),
        HttpRequest::get("/v1/status").send_to(operator),
        HttpRequest::get("/v1/nothing").token(&server.operator_token()).send_to(operator),
        HttpRequest::get("/v1/status").send_without_host(operator),
        HttpRequest::post("/v1/check", &json!({})).token("x").send_to(agent),
    ];
    for answer in answers {
        let csp = answer.header("content-security-policy").unwrap();
        assert!(csp.contains("default-src 'none'") && csp.contains("frame-ancestors 'none'"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("server"), None);
    }
}

#[test]
fn a_rate_limit_applies_to_one_credential_only() {
    let few = Rate { per_second: 1, burst: 3 };
    let rates = Rates { per_credential: few, ..Rates::DEFAULT };
    let (server, agent, _) = open_with(&Ports { rates, ..both() });
    let (claude, other) = (
        server.issue_token(&json!({"agent": "claude"})),
        server.issue_token(&json!({"agent": "other"})),
    );
    let answers: Vec<HttpResponse> = (0..12).map(|_| check(&claude).send_to(agent)).collect();
    let refused: Vec<&HttpResponse> =
        answers.iter().filter(|answer| answer.status != 200).collect();
    assert!(answers.iter().take(3).all(|answer| answer.status == 200));
    let last = refused.first().unwrap();
    assert_eq!(last.error(), (429, "too_many"));
    assert_eq!(last.header("retry-after"), Some("1"));
    assert_eq!(
        HttpRequest::get("/v1/operations/x?session=s1").token(&other).send_to(agent).status,
        404
    );
}

#[test]
fn guessing_is_rate_limited_and_a_valid_token_is_not() {
    let failures = Rate { per_second: 1, burst: 2 };
    let (server, agent, _) =
        open_with(&Ports { rates: Rates { failures, ..Rates::DEFAULT }, ..both() });
    let claude = server.issue_token(&json!({"agent": "claude"}));
    let statuses: Vec<u16> = (0..12).map(|_| check("cs_agent_0").send_to(agent).status).collect();
    assert!(statuses.starts_with(&[401, 401]) && statuses.contains(&429), "{statuses:?}");
    assert_eq!(check(&claude).send_to(agent).status, 200);
}

#[test]
fn one_address_is_rate_limited() {
    let per_address = Rate { per_second: 1, burst: 2 };
    let rates = Rates { per_address, ..Rates::DEFAULT };
    let (server, agent, operator) = open_with(&Ports { rates, ..both() });
    let statuses: Vec<u16> = (0..9).map(|_| HttpRequest::get("/").send_to(agent).status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    let answer = HttpRequest::get("/v1/status").token(&server.operator_token()).send_to(operator);
    assert_eq!(answer.status, 200, "the planes share nothing");
}

#[test]
fn a_required_port_that_is_taken_is_an_error_and_a_default_one_is_skipped() {
    let listener = TcpListener::bind((HERE, 0)).unwrap();
    let number = listener.local_addr().unwrap().port();
    let port = |if_taken| Some(Port { address: HERE, number, if_taken });
    let refused =
        TestServer::with_ports(&Ports { operator: port(TakenPortPolicy::Fail), ..both() });
    let Err(error @ ListenError::Port(PortError::Taken(_))) = refused else { panic!() };
    assert!(error.to_string().contains(&number.to_string()) && error.help().contains("--no-http"));
    let server =
        TestServer::with_ports(&Ports { operator: port(TakenPortPolicy::Skip), ..both() }).unwrap();
    let running = server.running.as_ref().unwrap();
    assert!(running.operator.is_none() && running.agent.is_some());
    server.operator().get("/v1/status").unwrap();
}

#[test]
fn a_stop_ends_every_open_connection() {
    let (mut server, agent, operator) = open_ports();
    let claude = server.issue_token(&json!({"agent": "claude"}));
    let mut idle = BufReader::new(connect(agent));
    check(&claude).header("host", &agent.to_string()).send_on(&mut idle);
    let mut begun = connect(agent);
    begun.write_all(b"POST /v1/check HTTP/1.1\r\nhost:").unwrap();
    let mut silent = connect(operator);
    let mut stream = connect(operator);
    let events = HttpRequest::get("/v1/events?from=1").token(&server.operator_token());
    let head = events.header("host", &operator.to_string()).head;
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    assert_ne!(stream.read(&mut [0; 64]).unwrap(), 0);
    let mut waiting = BufReader::new(connect(agent));
    let mut request = write();
    (request["wait_ms"], request["args"]) = (json!(200_000), json!({"path": "/srv/b"}));
    let request =
        HttpRequest::post("/v1/check", &request).token(&claude).header("host", &agent.to_string());
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| request.send_on(&mut waiting));
        let opened = server.events(Some(1)).unwrap().map(Result::unwrap);
        let mut parked = opened.filter(|event| event.data.kind.word() == "request_opened");
        // The earlier call, and this one.
        assert!(parked.nth(1).is_some());
        server.stop();
        assert_eq!(answer.join().unwrap().body["status"], "pending");
    });
    for end in [&mut begun, &mut silent, &mut stream, idle.get_mut()] {
        let mut rest = Vec::new();
        let _reset = end.read_to_end(&mut rest);
    }
    assert!(std::net::TcpStream::connect(agent).is_err());
}

#[test]
fn if_agents_are_other_users_the_own_user_is_refused() {
    let group = rustix::process::getegid().as_raw();
    let shared = |folder: &std::path::Path| Sockets {
        access: AgentAccess::Group(group),
        ..Sockets::in_folder(folder)
    };
    let server = TestServer::with_sockets(&both(), shared).unwrap();
    let agent = server.running.as_ref().unwrap().agent.unwrap();
    assert_eq!(
        expect_error(server.agent().post("/v1/check", &write())),
        (403, "forbidden".to_owned())
    );
    let claude = server.issue_token(&json!({"agent": "claude"}));
    assert_eq!(check(&claude).send_to(agent).error(), (403, "forbidden"));
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(&server.sockets.agent).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o660);
}

/// hyper returns these errors itself; they still have a code, a message and a remedy.
#[test]
fn a_malformed_head_gets_an_error_body() {
    let (server, agent, operator) = open_ports();
    let many: String = (0..100).map(|n| format!("x-{n}: y\r\n")).collect();
    let heads = [
        ("GET / HTTP/1.1\r\nhost x\r\n\r\n".to_owned(), (400, "unreadable")),
        ("GET / HTTP/3.0\r\n\r\n".to_owned(), (400, "unreadable")),
        ("\u{16}\u{3}\u{1}\u{2}".to_owned(), (400, "unreadable")),
        (
            "POST /v1/check HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n".to_owned(),
            (400, "unreadable"),
        ),
        (format!("GET / HTTP/1.1\r\n{many}\r\n"), (431, "too_large")),
    ];
    for (head, expected) in heads {
        for address in [agent, operator] {
            let mut stream = BufReader::new(connect(address));
            stream.get_mut().write_all(head.as_bytes()).unwrap();
            let answer = read_response(&mut stream);
            assert_eq!(answer.error(), expected, "{}", head.len());
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
            assert_eq!(answer.header("connection"), Some("close"));
        }
        let mut stream = BufReader::new(UnixStream::connect(&server.sockets.agent).unwrap());
        stream.get_mut().write_all(head.as_bytes()).unwrap();
        assert_eq!(read_response(&mut stream).error(), expected, "{}", head.len());
    }
}

#[test]
fn a_malformed_head_does_not_damage_the_response_before_it() {
    let (server, agent, _) = open_ports();
    let token = server.issue_token(&json!({"agent": "claude"}));
    let mut stream = BufReader::new(connect(agent));
    assert_eq!(check(&token).header("host", &agent.to_string()).send_on(&mut stream).status, 200);
    stream.get_mut().write_all(b"nonsense\r\n\r\n").unwrap();
    assert_eq!(read_response(&mut stream).error(), (400, "unreadable"));
}

/// A token that nobody sends, and a client that says nothing, keep no place for long.
#[test]
fn two_thousand_silent_connections_do_not_keep_the_operator_out() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    let (server, _, operator) = open_ports();
    let token = server.operator_token();
    let silent: Vec<TcpStream> =
        (0..2_000).map(|_| TcpStream::connect(operator).unwrap()).collect();
    let mut stream = TcpStream::connect(operator).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let host = operator.to_string();
    let head =
        format!("GET /v1/status HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
    drop(silent);
}
