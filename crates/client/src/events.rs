//! Reads the operator's event stream (server-sent events).

use crate::ClientError;
use crate::http::ResponseReader;
use countersign_api::LedgerEvent;
use std::io;
use std::os::unix::net::UnixStream;

/// One entry of the ledger, and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub seq: u64,
    pub data: LedgerEvent,
}

/// Ends when the daemon ends or the stream is closed.
pub struct Events {
    response: ResponseReader,
    position: Option<u64>,
}

impl Events {
    pub(crate) fn new(response: ResponseReader) -> Self {
        Self { response, position: None }
    }

    /// A handle that closes the stream from another thread.
    pub fn closer(&self) -> io::Result<StreamCloser> {
        self.response.clone_stream().map(StreamCloser)
    }

    /// The last position that the daemon sent. The stream starts with the position before its first
    /// event.
    pub fn last_position(&self) -> Option<u64> {
        self.position
    }

    /// None when the stream has ended.
    fn read_event(&mut self) -> Result<Option<Event>, ClientError> {
        let (mut seq, mut data) = (None, None);
        while let Some(line) = self.response.read_line()? {
            if line.is_empty() {
                self.position = seq.or(self.position);
                if let (Some(seq), Some(data)) = (seq, data.take()) {
                    return Ok(Some(Event { seq, data }));
                }
                // Only a position, or a comment that keeps the connection alive.
                seq = None;
                continue;
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "id" => seq = value.parse().ok(),
                "data" => {
                    let parsed: Result<LedgerEvent, _> = serde_json::from_str(value);
                    let error =
                        |error: serde_json::Error| ClientError::Unreadable(error.to_string());
                    data = Some(parsed.map_err(error)?);
                }
                // The kind is in the data as well.
                _ => {}
            }
        }
        Ok(None)
    }
}

impl Iterator for Events {
    type Item = Result<Event, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_event().transpose()
    }
}

/// Closes a stream of events from another thread.
#[derive(Debug)]
pub struct StreamCloser(UnixStream);

impl StreamCloser {
    pub fn close(&self) {
        // This fails only if the stream has ended.
        let _ended = self.0.shutdown(std::net::Shutdown::Both);
    }
}
