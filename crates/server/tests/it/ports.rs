//! The ports: who comes in, who does not, and that nothing hangs when it ends.

use crate::house::{House, refusal};
use crate::wire::{Answer, Asked, connect, read};
use countersign_server::{
    AgentAccess, IfTaken, ListenError, Plane, Port, PortError, Ports, Rate, Rates, Sockets,
};
use serde_json::{Value, json};
use std::io::{BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn any() -> Option<Port> {
    Some(Port { address: HERE, number: 0, if_taken: IfTaken::Fail })
}

fn both() -> Ports {
    Ports { agent: any(), operator: any(), ..Ports::none() }
}

/// A daemon with both ports open, and where they are.
fn open() -> (House, SocketAddr, SocketAddr) {
    opened(&both())
}

fn opened(ports: &Ports) -> (House, SocketAddr, SocketAddr) {
    let house = House::on(ports).unwrap();
    let listening = house.listening.as_ref().unwrap();
    let (agent, operator) = (listening.agent.unwrap(), listening.operator.unwrap());
    (house, agent, operator)
}

fn write() -> Value {
    json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}})
}

fn check(token: &str) -> Asked {
    Asked::post("/v1/check", &write()).by(token)
}

/// The line of a card that tells whose it is.
fn of(card: &Value) -> String {
    let lines = card["lines"].as_array().unwrap();
    let line =
        lines.iter().find_map(|line| line.as_str().filter(|line| line.starts_with("agent:")));
    line.unwrap_or_else(|| panic!("{card}")).to_owned()
}

#[test]
fn an_agent_is_known_by_its_token() {
    let (house, agent, _) = open();
    let claude = house.token(&json!({"agent": "claude"}));
    let answer = check(&claude).at(agent);
    assert_eq!((answer.status, &answer.body["status"]), (200, &json!("pending")));
    assert_eq!(of(&house.card()), "agent: claude");
    // Its sessions are nobody else's.
    let operation = answer.body["operation_id"].as_str().unwrap();
    let other = house.token(&json!({"agent": "other"}));
    let path = format!("/v1/operations/{operation}?session=s1");
    assert_eq!(Asked::get(&path).by(&claude).at(agent).status, 200);
    assert_eq!(Asked::get(&path).by(&other).at(agent).refusal().0, 404);
    assert_eq!(refusal(house.agent().get(&path)).0, 404);
}

#[test]
fn a_paused_agent_is_denied_by_its_name() {
    let (house, agent, _) = open();
    let claude = house.token(&json!({"agent": "claude"}));
    let read = json!({"session": "s1", "tool": "Read", "args": {"path": "/srv/a"}});
    let status = || {
        let answer = Asked::post("/v1/check", &read).by(&claude).at(agent);
        answer.body["status"].clone()
    };
    assert_eq!(status(), "allowed");
    house.operator().post("/v1/pause", &json!({"agent": "claude"})).unwrap();
    assert_eq!(status(), "denied");
}

#[test]
fn a_token_counts_on_the_socket_too_and_a_wrong_one_is_not_passed_over() {
    let (house, _, _) = open();
    let claude = house.token(&json!({"agent": "claude"}));
    let on = |asked: Asked| {
        let stream = UnixStream::connect(&house.sockets.agent).unwrap();
        asked.with("host", "x").on(&mut BufReader::new(stream))
    };
    assert_eq!(on(check(&claude)).body["status"], "pending");
    assert_eq!(of(&house.card()), "agent: claude");
    assert_eq!(on(check("cs_agent_00")).refusal(), (401, "unauthenticated"));
    assert_eq!(on(check(&house.operator_token())).refusal(), (403, "wrong_plane"));
}

#[test]
fn whoever_shows_nothing_that_is_known_does_not_come_in() {
    let (house, agent, operator) = open();
    let claude = house.token(&json!({"agent": "claude"}));
    let asked = |port: String| Asked::post("/v1/check", &write()).with("host", &port);
    for port in [agent, operator] {
        let named = port.to_string();
        let bare = asked(named.clone()).bare(port);
        assert_eq!(bare.refusal(), (401, "unauthenticated"));
        assert_eq!(bare.header("www-authenticate"), Some("Bearer"));
        let shown =
            ["Bearer", "Bearer ", "Basic Y3M6Y3M=", "Bearer cs_agent_0000", &claude, "Bearer null"];
        for shown in shown {
            let answer = asked(named.clone()).with("authorization", shown).bare(port);
            assert_eq!(answer.refusal(), (401, "unauthenticated"), "{shown}");
        }
        let cut = claude.get(..claude.len() - 1).unwrap();
        assert_eq!(asked(named.clone()).by(cut).bare(port).refusal().0, 401);
        assert_eq!(asked(named).by(&claude).by(&claude).bare(port).refusal().0, 401);
    }
}

/// Every route of a plane, as its document lists them.
fn routes(plane: Plane) -> Vec<Asked> {
    let document: Value = serde_json::from_str(plane.document()).unwrap();
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let path = path.replace("{id}", "x");
        found.extend(methods.as_object().unwrap().keys().map(|method| match method.as_str() {
            "get" => Asked::get(&path),
            "post" => Asked::post(&path, &json!({})),
            other => panic!("{other}"),
        }));
    }
    assert!(found.len() > 9);
    found
}

/// Who speaks is found out before it is looked for a route, so that it holds for no route, too.
fn nowhere() -> [Asked; 2] {
    [Asked::get("/v1/nothing"), Asked::get("/")]
}

#[test]
fn a_credential_of_one_plane_opens_no_route_of_the_other() {
    let failures = Rate { per_second: 1, burst: 1_000 };
    let rates = Rates { failures, ..Rates::DEFAULT };
    let (house, agent, operator) = opened(&Ports { rates, ..both() });
    let claude = house.token(&json!({"agent": "claude"}));
    let adapter = house.token(&json!({"agent": "claude", "adapter": true}));
    for asked in routes(Plane::Operator).into_iter().chain(nowhere()) {
        for token in [&claude, &adapter] {
            let answer = asked.clone().by(token).at(operator);
            assert_eq!(answer.refusal(), (403, "wrong_plane"), "{}", asked.head);
            let socket = UnixStream::connect(&house.sockets.operator).unwrap();
            let shown = asked.clone().by(token).with("host", "x");
            let answer = shown.on(&mut BufReader::new(socket));
            assert_eq!(answer.refusal(), (403, "wrong_plane"), "{}", asked.head);
        }
    }
    for asked in routes(Plane::Agent).into_iter().chain(nowhere()) {
        let answer = asked.clone().by(&house.operator_token()).at(agent);
        assert_eq!(answer.refusal(), (403, "wrong_plane"), "{}", asked.head);
    }
}

#[test]
fn no_route_of_the_operator_is_there_for_agents_whatever_they_show() {
    let (house, agent, _) = open();
    let adapter = house.token(&json!({"agent": "claude", "adapter": true}));
    let own: Vec<String> = routes(Plane::Agent).into_iter().map(|asked| asked.head).collect();
    for asked in routes(Plane::Operator) {
        let head = asked.head.clone();
        if head.contains("/v1/openapi.json") {
            continue;
        }
        assert!(!own.contains(&head), "{head}");
        let answer = asked.by(&adapter).at(agent);
        let (status, code) = answer.refusal();
        assert!(matches!((status, code), (404, "no_route") | (405, "no_method")), "{head}: {code}");
    }
}

#[test]
fn the_operator_s_token_opens_the_operator_s_port() {
    let (house, _, operator) = open();
    let answer = Asked::get("/v1/status").by(&house.operator_token()).at(operator);
    assert_eq!((answer.status, &answer.body["assurance"]), (200, &json!("L0")));
    let answer = Asked::get("/v1/check").by(&house.operator_token()).at(operator);
    assert_eq!(answer.refusal(), (404, "no_route"));
}

#[test]
fn the_operator_s_token_is_renewed_at_once() {
    let (house, _, operator) = open();
    let old = house.operator_token();
    let status = |token: &str| Asked::get("/v1/status").by(token).at(operator).status;
    let renewed = house.operator().post("/v1/operator-token/renew", &json!({})).unwrap();
    let new = house.operator_token();
    assert!(!renewed.to_string().contains("cs_operator_") && new != old);
    assert_eq!((status(&old), status(&new)), (401, 200));
}

#[test]
fn what_a_form_could_send_is_not_taken() {
    let (house, _, operator) = open();
    let token = house.operator_token();
    let asked = || Asked::post("/v1/pause", &json!({"agent": "coder"})).by(&token);
    assert_eq!(asked().at(operator).status, 200);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let mut form = asked();
        form.head = form.head.replace("application/json", kind);
        assert_eq!(form.at(operator).refusal(), (415, "not_json"), "{kind}");
    }
    // Before any route is looked for, so that it holds for those that read no body, too.
    let mut nowhere = Asked::post("/v1/nothing", &json!({})).by(&token);
    assert_eq!(nowhere.clone().at(operator).status, 404);
    nowhere.head = nowhere.head.replace("application/json", "text/plain");
    assert_eq!(nowhere.at(operator).refusal(), (415, "not_json"));
    let mut undeclared = asked();
    undeclared.head = undeclared.head.replace("content-type: application/json\r\n", "");
    assert_eq!(undeclared.at(operator).refusal(), (415, "not_json"));
}

#[test]
fn what_is_revoked_is_worth_nothing_at_once_also_on_a_connection_that_is_open() {
    let (house, agent, _) = open();
    let claude = house.token(&json!({"agent": "claude"}));
    house.token(&json!({"agent": "claude", "adapter": true}));
    let mut stream = BufReader::new(connect(agent));
    let mut status = || check(&claude).with("host", &agent.to_string()).on(&mut stream).status;
    assert_eq!(status(), 200);
    let revoked = house.operator().post("/v1/agents/claude/revoke", &json!({})).unwrap();
    assert_eq!(revoked, json!({"agent": "claude", "revoked": ["agent", "adapter"]}));
    assert_eq!(status(), 401);
    assert_eq!(house.operator().get("/v1/agents").unwrap(), json!({"agents": []}));
    let again = house.operator().post("/v1/agents/claude/revoke", &json!({}));
    assert_eq!(refusal(again), (404, "unknown".to_owned()));
}

#[test]
fn who_could_speak_is_in_the_record_and_the_secret_is_not() {
    let house = House::open();
    let token = house.token(&json!({"agent": "claude"}));
    house.operator().post("/v1/agents/claude/revoke", &json!({})).unwrap();
    let events = house.events(Some(1)).unwrap().map(Result::unwrap);
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
fn a_name_is_given_once_and_none_that_means_somebody_else() {
    let house = House::open();
    let add = |body: Value| house.operator().post("/v1/agents", &body);
    house.token(&json!({"agent": "claude"}));
    assert_eq!(refusal(add(json!({"agent": "claude"}))), (409, "conflict".to_owned()));
    house.token(&json!({"agent": "claude", "adapter": true}));
    for reserved in ["uid-0", "uid-1000", "operator", "Operator"] {
        assert_eq!(refusal(add(json!({"agent": reserved}))), (422, "invalid".to_owned()));
    }
    // What reports for whoever comes by the socket.
    house.token(&json!({"agent": "uid-1000", "adapter": true}));
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
        let (status, _) = refusal(add(body.clone()));
        assert!(status == 400 || status == 422, "{body}: {status}");
    }
    let listed = house.operator().get("/v1/agents").unwrap();
    assert_eq!(listed["agents"].as_array().unwrap().len(), 3, "{listed}");
    assert!(!listed.to_string().contains("cs_") && !listed.to_string().contains("hash"));
}

#[test]
fn a_page_that_somebody_led_here_reaches_nothing() {
    let (house, agent, operator) = open();
    let claude = house.token(&json!({"agent": "claude"}));
    let doors = [(agent, "/v1/check", claude), (operator, "/v1/requests", house.operator_token())];
    for (port, path, token) in doors {
        let asked = || Asked::get(path).by(&token);
        let (own, number) = (port.to_string(), port.port());
        for host in [format!("evil.example:{number}"), "evil.example".into(), "127.0.0.1".into()] {
            assert_eq!(asked().with("host", &host).bare(port).refusal(), (403, "wrong_host"));
        }
        let localhost = format!("localhost:{number}");
        assert_ne!(asked().with("host", &localhost).bare(port).status, 403);
        let led = [
            ("origin", "http://evil.example".to_owned()),
            ("origin", "null".to_owned()),
            ("origin", format!("https://{own}")),
            ("sec-fetch-site", "cross-site".to_owned()),
            ("sec-fetch-site", "same-site".to_owned()),
        ];
        for (name, value) in led {
            let answer = asked().with(name, &value).at(port);
            assert_eq!(answer.refusal(), (403, "cross_site"), "{name}: {value}");
        }
        let page = asked().with("origin", &format!("http://{own}"));
        let answer = page.with("sec-fetch-site", "same-origin").at(port);
        assert_ne!(answer.status, 403);
        // Nobody is told that they may read it.
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn every_answer_says_that_it_is_no_page() {
    let (house, agent, operator) = open();
    let answers = [
        Asked::get("/v1/status").by(&house.operator_token()).at(operator),
        Asked::get("/v1/status").at(operator),
        Asked::get("/v1/nothing").by(&house.operator_token()).at(operator),
        Asked::get("/v1/status").bare(operator),
        Asked::post("/v1/check", &json!({})).by("x").at(agent),
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
fn too_much_of_one_is_refused_and_the_others_go_on() {
    let few = Rate { per_second: 1, burst: 3 };
    let rates = Rates { per_credential: few, ..Rates::DEFAULT };
    let (house, agent, _) = opened(&Ports { rates, ..both() });
    let (claude, other) =
        (house.token(&json!({"agent": "claude"})), house.token(&json!({"agent": "other"})));
    let answers: Vec<Answer> = (0..12).map(|_| check(&claude).at(agent)).collect();
    let refused: Vec<&Answer> = answers.iter().filter(|answer| answer.status != 200).collect();
    assert!(answers.iter().take(3).all(|answer| answer.status == 200));
    let last = refused.first().unwrap();
    assert_eq!(last.refusal(), (429, "too_many"));
    assert_eq!(last.header("retry-after"), Some("1"));
    assert_eq!(Asked::get("/v1/operations/x?session=s1").by(&other).at(agent).status, 404);
}

#[test]
fn whoever_guesses_is_slowed_down_and_whoever_knows_is_not() {
    let failures = Rate { per_second: 1, burst: 2 };
    let (house, agent, _) =
        opened(&Ports { rates: Rates { failures, ..Rates::DEFAULT }, ..both() });
    let claude = house.token(&json!({"agent": "claude"}));
    let statuses: Vec<u16> = (0..12).map(|_| check("cs_agent_0").at(agent).status).collect();
    assert!(statuses.starts_with(&[401, 401]) && statuses.contains(&429), "{statuses:?}");
    assert_eq!(check(&claude).at(agent).status, 200);
}

#[test]
fn one_address_cannot_send_without_end() {
    let per_address = Rate { per_second: 1, burst: 2 };
    let rates = Rates { per_address, ..Rates::DEFAULT };
    let (house, agent, operator) = opened(&Ports { rates, ..both() });
    let statuses: Vec<u16> = (0..9).map(|_| Asked::get("/").at(agent).status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    let answer = Asked::get("/v1/status").by(&house.operator_token()).at(operator);
    assert_eq!(answer.status, 200, "the planes share nothing");
}

#[test]
fn a_port_that_was_asked_for_and_is_taken_is_an_error_and_nothing_is_open() {
    let holder = TcpListener::bind((HERE, 0)).unwrap();
    let number = holder.local_addr().unwrap().port();
    let port = |if_taken| Some(Port { address: HERE, number, if_taken });
    let refused = House::on(&Ports { operator: port(IfTaken::Fail), ..both() });
    let Err(error @ ListenError::Port(PortError::Taken(_))) = refused else { panic!() };
    assert!(error.to_string().contains(&number.to_string()) && error.help().contains("--no-http"));
    let house = House::on(&Ports { operator: port(IfTaken::Skip), ..both() }).unwrap();
    let listening = house.listening.as_ref().unwrap();
    assert!(listening.operator.is_none() && listening.agent.is_some());
    house.operator().get("/v1/status").unwrap();
}

#[test]
fn stopping_ends_what_is_held_open() {
    let (mut house, agent, operator) = open();
    let claude = house.token(&json!({"agent": "claude"}));
    let mut idle = BufReader::new(connect(agent));
    check(&claude).with("host", &agent.to_string()).on(&mut idle);
    let mut begun = connect(agent);
    begun.write_all(b"POST /v1/check HTTP/1.1\r\nhost:").unwrap();
    let mut silent = connect(operator);
    let mut stream = connect(operator);
    let events = Asked::get("/v1/events?from=1").by(&house.operator_token());
    let head = events.with("host", &operator.to_string()).head;
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    assert_ne!(stream.read(&mut [0; 64]).unwrap(), 0);
    let mut waiting = BufReader::new(connect(agent));
    let mut asked = write();
    (asked["wait_ms"], asked["args"]) = (json!(200_000), json!({"path": "/srv/b"}));
    let asked = Asked::post("/v1/check", &asked).by(&claude).with("host", &agent.to_string());
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| asked.on(&mut waiting));
        let opened = house.events(Some(1)).unwrap().map(Result::unwrap);
        let mut parked = opened.filter(|event| event.data.kind.word() == "request_opened");
        // The one before, and this one.
        assert!(parked.nth(1).is_some());
        house.stop();
        assert_eq!(answer.join().unwrap().body["status"], "pending");
    });
    for end in [&mut begun, &mut silent, &mut stream, idle.get_mut()] {
        let mut rest = Vec::new();
        let _reset = end.read_to_end(&mut rest);
    }
    assert!(std::net::TcpStream::connect(agent).is_err());
}

/// Where agents are said to be other users, the daemon's own is none.
#[test]
fn where_agents_are_others_our_own_user_is_no_agent() {
    let group = rustix::process::getegid().as_raw();
    let shared = |folder: &std::path::Path| Sockets {
        access: AgentAccess::Group(group),
        ..Sockets::in_folder(folder)
    };
    let house = House::with(&both(), shared).unwrap();
    let agent = house.listening.as_ref().unwrap().agent.unwrap();
    assert_eq!(refusal(house.agent().post("/v1/check", &write())), (403, "forbidden".to_owned()));
    let claude = house.token(&json!({"agent": "claude"}));
    assert_eq!(check(&claude).at(agent).refusal(), (403, "forbidden"));
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(&house.sockets.agent).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o660);
}

/// What never becomes a request is answered like one: with a code, a sentence and a remedy.
#[test]
fn a_head_that_nobody_can_read_is_told_so() {
    let (house, agent, operator) = open();
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
            let answer = read(&mut stream);
            assert_eq!(answer.refusal(), expected, "{}", head.len());
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
            assert_eq!(answer.header("connection"), Some("close"));
        }
        let mut stream = BufReader::new(UnixStream::connect(&house.sockets.agent).unwrap());
        stream.get_mut().write_all(head.as_bytes()).unwrap();
        assert_eq!(read(&mut stream).refusal(), expected, "{}", head.len());
    }
}

#[test]
fn a_head_that_nobody_can_read_does_not_spoil_the_answer_before_it() {
    let (house, agent, _) = open();
    let token = house.token(&json!({"agent": "claude"}));
    let mut stream = BufReader::new(connect(agent));
    assert_eq!(check(&token).with("host", &agent.to_string()).on(&mut stream).status, 200);
    stream.get_mut().write_all(b"nonsense\r\n\r\n").unwrap();
    assert_eq!(read(&mut stream).refusal(), (400, "unreadable"));
}
