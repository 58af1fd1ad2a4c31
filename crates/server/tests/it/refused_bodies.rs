//! A client that writes its whole body before it reads sees the reply to a refused request.

use crate::http::{HttpRequest, connect, read_response};
use crate::test_server::TestServer;
use countersign_server::{Port, Ports, TakenPortPolicy};
use serde_json::json;
use std::io::{BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::net::UnixStream;

/// More than the buffers of two ends hold, and more than any route takes.
fn large(path: &str) -> HttpRequest {
    HttpRequest::post(path, &json!({"session": "s1", "tool": "x".repeat(10 << 20)}))
}

fn open() -> (TestServer, std::net::SocketAddr) {
    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let port = Some(Port { address, number: 0, if_taken: TakenPortPolicy::Fail });
    let server = TestServer::with_ports(&Ports { agent: port, ..Ports::none() }).unwrap();
    let agent = server.running.as_ref().unwrap().agent.unwrap();
    (server, agent)
}

#[test]
fn no_client_sees_a_reset_instead_of_a_refusal() {
    let (server, agent) = open();
    let token = server.issue_token(&json!({"agent": "claude"}));
    for _ in 0..8 {
        // Guesses beyond the first twenty are answered 429.
        let guess = large("/v1/check").token("wrong").send_to(agent).status;
        assert!([401, 429].contains(&guess), "{guess}");
        assert_eq!(large("/v1/nowhere").token(&token).send_to(agent).status, 404);
        assert_eq!(large("/v1/check").token(&token).send_to(agent).status, 413);
        let not_json = large("/v1/check").token(&token);
        let head = not_json.head.replace("application/json", "text/plain");
        assert_eq!(HttpRequest { head, ..not_json }.send_to(agent).status, 415);
    }
}

#[test]
fn nor_does_one_on_a_socket_and_the_connection_can_go_on() {
    let (server, _) = open();
    let mut stream = BufReader::new(UnixStream::connect(&server.sockets.agent).unwrap());
    for _ in 0..10 {
        let refused = large("/v1/nowhere").header("host", "here").send_on(&mut stream);
        assert_eq!(refused.status, 404);
    }
}

/// It would send the body only if it were asked to.
#[test]
fn a_client_that_waits_for_a_go_is_refused_without_its_body() {
    let (_server, agent) = open();
    let mut stream = BufReader::new(connect(agent));
    let asking = large("/v1/check").header("host", &agent.to_string()).token("wrong");
    let head = format!("{}expect: 100-continue\r\n\r\n", asking.head);
    stream.get_mut().write_all(head.as_bytes()).unwrap();
    assert_eq!(read_response(&mut stream).status, 401);
    assert_eq!(stream.read_to_end(&mut Vec::new()).unwrap(), 0);
}
