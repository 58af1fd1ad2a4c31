//! HTTP written by hand, so that a test controls every byte.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

pub struct HttpResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl HttpResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The status and the code of an error, which always has a message and a remedy.
    pub fn error(&self) -> (u16, &str) {
        let error = &self.body["error"];
        for part in ["message", "remedy"] {
            assert!(!error[part].as_str().unwrap_or_default().is_empty(), "{}", self.body);
        }
        (self.status, error["code"].as_str().unwrap())
    }
}

/// A request with these headers and this body.
#[derive(Clone)]
pub struct HttpRequest {
    pub head: String,
    pub body: String,
}

impl HttpRequest {
    pub fn get(path: &str) -> Self {
        Self { head: format!("GET {path} HTTP/1.1\r\n"), body: String::new() }
    }

    pub fn post(path: &str, body: &Value) -> Self {
        let body = body.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            body.len()
        );
        Self { head, body }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// Sends it on a new connection to a port, with the port's own host.
    pub fn send_to(self, address: SocketAddr) -> HttpResponse {
        self.header("host", &address.to_string()).send_without_host(address)
    }

    /// The same, with no `Host` header except an explicit one.
    pub fn send_without_host(self, address: SocketAddr) -> HttpResponse {
        let stream = connect(address);
        self.send_on(&mut BufReader::new(stream))
    }

    pub fn send_on<S: Read + Write>(self, stream: &mut BufReader<S>) -> HttpResponse {
        let text = format!("{}\r\n{}", self.head, self.body);
        stream.get_mut().write_all(text.as_bytes()).unwrap();
        stream.get_mut().flush().unwrap();
        read_response(stream)
    }
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

pub fn read_response(stream: &mut impl BufRead) -> HttpResponse {
    let mut line = || {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    let status = line().split(' ').nth(1).unwrap().parse().unwrap();
    let mut headers = Vec::new();
    loop {
        let line = line();
        let Some((name, value)) = line.split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    stream.read_exact(&mut body).unwrap();
    // A page is no JSON.
    let page = || match body.is_empty() {
        true => Value::Null,
        false => Value::String(String::from_utf8_lossy(&body).into_owned()),
    };
    let body = serde_json::from_slice(&body).unwrap_or_else(|_| page());
    HttpResponse { status, headers, body }
}
