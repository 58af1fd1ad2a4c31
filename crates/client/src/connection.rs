//! Sends requests to one socket of the daemon, with a new connection for each request.

use crate::ClientError;
use crate::http::ResponseReader;
use crate::limits;
use crate::query::with_query;
use rustix::net::sockopt::socket_peercred;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{self, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How to reach one plane. Which plane it is depends on the socket alone.
#[derive(Clone, Debug)]
pub struct Connection {
    socket: PathBuf,
    timeout: Duration,
    token: Option<String>,
    /// The only user whose daemon may answer.
    user: Option<u32>,
}

/// A connection after an upgrade: bytes in both directions.
pub struct UpgradedStream {
    pub reader: BufReader<UnixStream>,
    pub writer: UnixStream,
}

impl Connection {
    /// `timeout` applies to each response.
    pub fn new(socket: &Path, timeout: Duration) -> Self {
        Self { socket: socket.to_owned(), timeout, token: None, user: None }
    }

    /// Authenticates with a token instead of the user that the kernel reports.
    pub fn with_token(mut self, token: Option<String>) -> Self {
        self.token = token;
        self
    }

    /// Speaks only to a process of this user, as the kernel reports it: the owner of the socket's file
    /// says nothing about who listens.
    pub fn to_user(mut self, user: u32) -> Self {
        self.user = Some(user);
        self
    }

    /// An untyped GET, for tests of the wire.
    pub fn get(&self, path: &str) -> Result<Value, ClientError> {
        self.fetch(path)
    }

    /// An untyped POST, for tests of the wire.
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.send(path, body)
    }

    pub(crate) fn fetch<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.exchange("GET", path, None)
    }

    pub(crate) fn query<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.fetch(&with_query(path, query)?)
    }

    pub(crate) fn send<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_string(body);
        let body = body.map_err(|error| ClientError::Unwritable(error.to_string()))?;
        self.exchange("POST", path, Some(&body))
    }

    fn exchange<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<T, ClientError> {
        let stream = self.connect()?;
        stream.set_read_timeout(Some(self.timeout))?;
        stream.set_write_timeout(Some(self.timeout))?;
        self.write_request(&stream, method, path, body)?;
        let mut response = ResponseReader::open(stream)?;
        let text = response.read_body(limits::MAX_BODY_BYTES)?;
        match (200..300).contains(&response.status) {
            true => serde_json::from_slice(&text)
                .map_err(|error| ClientError::Unreadable(error.to_string())),
            false => Err(ClientError::from_response(response.status, &text)),
        }
    }

    /// Opens a response that is read while it arrives, without a timeout.
    pub(crate) fn open_stream(&self, path: &str) -> Result<ResponseReader, ClientError> {
        let stream = self.connect()?;
        self.write_request(&stream, "GET", path, None)?;
        let mut response = ResponseReader::open(stream)?;
        if response.status != 200 {
            let text = response.read_body(limits::MAX_BODY_BYTES)?;
            return Err(ClientError::from_response(response.status, &text));
        }
        Ok(response)
    }

    /// Starts a request that becomes a stream of another protocol.
    pub fn upgrade(
        &self,
        path: &str,
        protocol: &str,
        body: &impl Serialize,
    ) -> Result<UpgradedStream, ClientError> {
        let body = serde_json::to_string(body);
        let body = body.map_err(|error| ClientError::Unwritable(error.to_string()))?;
        let stream = self.connect()?;
        stream.set_read_timeout(Some(self.timeout))?;
        let headers = format!("connection: upgrade\r\nupgrade: {protocol}\r\n");
        self.write_request_with(&stream, "POST", path, (&headers, Some(&body)))?;
        let mut response = ResponseReader::open(stream)?;
        if response.status != 101 {
            let text = response.read_body(limits::MAX_BODY_BYTES)?;
            return Err(ClientError::from_response(response.status, &text));
        }
        let reader = response.into_reader();
        reader.get_ref().set_read_timeout(None)?;
        let writer = reader.get_ref().try_clone()?;
        Ok(UpgradedStream { reader, writer })
    }

    fn connect(&self) -> Result<UnixStream, ClientError> {
        let stream = UnixStream::connect(&self.socket)
            .map_err(|cause| ClientError::from_connect(&self.socket, cause))?;
        let Some(expected) = self.user else { return Ok(stream) };
        let peer = socket_peercred(&stream).map_err(io::Error::from)?;
        match peer.uid.as_raw() {
            user if user == expected => Ok(stream),
            user => Err(ClientError::ForeignDaemon { socket: self.socket.clone(), user }),
        }
    }

    fn write_request(
        &self,
        stream: &UnixStream,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<(), ClientError> {
        self.write_request_with(stream, method, path, ("connection: close\r\n", body))
    }

    fn write_request_with(
        &self,
        mut stream: &UnixStream,
        method: &str,
        path: &str,
        (headers, body): (&str, Option<&str>),
    ) -> Result<(), ClientError> {
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: countersign\r\n{headers}");
        if let Some(token) = &self.token {
            text.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        if let Some(body) = body {
            let length = body.len();
            text.push_str(&format!(
                "content-type: application/json\r\ncontent-length: {length}\r\n"
            ));
        }
        text.push_str("\r\n");
        text.push_str(body.unwrap_or_default());
        Ok(stream.write_all(text.as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_daemon_of_another_user_hears_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let own = rustix::process::geteuid().as_raw();
        let connect = |user| Connection::new(&path, Duration::from_secs(1)).to_user(user).connect();
        let refused = connect(own + 1).unwrap_err();
        assert!(
            matches!(refused, ClientError::ForeignDaemon { user, .. } if user == own),
            "{refused}"
        );
        let (mut heard, mut bytes) = (listener.accept().unwrap().0, Vec::new());
        assert_eq!(io::Read::read_to_end(&mut heard, &mut bytes).unwrap(), 0);
        assert!(connect(own).is_ok());
    }
}
