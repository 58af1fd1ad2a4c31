//! Agents that hold every connection they can get, and an operator who acts meanwhile.

use crate::desk::{Desk, first_id};
use crate::doors::{Daemon, get};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

/// Few enough that a test can use all of them.
const DESCRIPTORS: usize = 256;

/// What agents get of 256 descriptors, as decision record 0037 divides them: 64 are the daemon's, a
/// quarter of the rest is the operator's, and a quarter of what remains is for the agents' port.
const SOCKET_PLACES: usize = 108;
const PORT_PLACES: usize = 36;

/// Connections beyond the limit. All of them together would need more descriptors than there are.
const MORE_THAN_ALL: usize = 200;

trait Stream: Read + Write {
    fn answer_at_once(&mut self) -> Result<usize, ErrorKind>;
}

impl Stream for UnixStream {
    fn answer_at_once(&mut self) -> Result<usize, ErrorKind> {
        self.set_nonblocking(true).unwrap();
        self.read(&mut [0; 64]).map_err(|error| error.kind())
    }
}

impl Stream for TcpStream {
    fn answer_at_once(&mut self) -> Result<usize, ErrorKind> {
        self.set_nonblocking(true).unwrap();
        self.read(&mut [0; 64]).map_err(|error| error.kind())
    }
}

/// One door of the agents' plane: how it is entered, and as whom.
struct Door<'a> {
    connect: &'a dyn Fn() -> Box<dyn Stream>,
    host: &'a str,
    token: &'a str,
}

impl Door<'_> {
    fn send_check(&self, stream: &mut dyn Stream, action: &str, wait_ms: u32) {
        let body = format!(r#"{{"session":"s1","actions":["{action}"],"wait_ms":{wait_ms}}}"#);
        let head = format!(
            "POST /v1/check HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.host,
            self.token,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    }

    /// Connections that the daemon serves: each got an answer, and waits for another one.
    fn hold_connections(&self, count: usize) -> Vec<Box<dyn Stream>> {
        let hold = |_| {
            let mut stream = (self.connect)();
            self.send_check(&mut *stream, "email.read", 0);
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            assert_eq!(&start, b"HTTP/1.1 200");
            self.send_check(&mut *stream, "email.send", 300_000);
            stream
        };
        (0..count).map(hold).collect()
    }

    /// Connections for which there is no place.
    fn queue_connections(&self, count: usize) -> Vec<Box<dyn Stream>> {
        let queue = |_| {
            let mut stream = (self.connect)();
            self.send_check(&mut *stream, "email.read", 0);
            stream
        };
        (0..count).map(queue).collect()
    }
}

#[test]
fn the_operator_is_served_while_agents_hold_every_connection() {
    let desk = Desk::new().with_max_descriptors(DESCRIPTORS);
    let daemon = Daemon::on(desk, &["--agent-port", "0", "--operator-port", "0"]);
    let token = daemon.token(&["coder"]);
    let (agents, operator) = (daemon.ports()[0], daemon.ports()[1]);
    let gate = ["gate", "--session", "s1", "--action", "email.delete", "--target", "letter"];
    assert_eq!(daemon.desk.code(&gate), 8);
    let socket = daemon.desk.path("data/agent.sock");
    let to_socket = || Box::new(UnixStream::connect(&socket).unwrap()) as Box<dyn Stream>;
    let to_port = || Box::new(TcpStream::connect(agents).unwrap()) as Box<dyn Stream>;
    let at_socket = Door { connect: &to_socket, host: "x", token: &token };
    let at_port = Door { connect: &to_port, host: agents, token: &token };
    let held = (at_socket.hold_connections(SOCKET_PLACES), at_port.hold_connections(PORT_PLACES));
    let mut queued = at_socket.queue_connections(MORE_THAN_ALL);
    queued.extend(at_port.queue_connections(MORE_THAN_ALL));

    let status = daemon.desk.run(&["status"]);
    assert!(status.ends_with("exit: 0"), "{status}");
    let listed = daemon.desk.run(&["ls", "--json"]);
    let request = listed
        .lines()
        .find(|line| line.contains("letter"))
        .and_then(|line| first_id(line, 'r'))
        .unwrap_or_else(|| panic!("{listed}"));
    let approved = daemon.desk.run(&["approve", &request, "--once"]);
    assert!(approved.ends_with("exit: 0"), "{approved}");
    let paused = daemon.desk.run(&["pause", "coder"]);
    assert!(paused.ends_with("exit: 0"), "{paused}");
    let operator_token = daemon.desk.text("data/operator.token");
    assert_eq!(get(operator, "/v1/status", operator_token.trim_end()), "200");

    let answered: Vec<_> = queued.iter_mut().map(|stream| stream.answer_at_once()).collect();
    assert!(answered.iter().all(|answer| *answer == Err(ErrorKind::WouldBlock)), "{answered:?}");
    drop(held);
}
