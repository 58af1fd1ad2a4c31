//! Reads a stream of server-sent events.

use crate::limits;

/// Collects bytes until an event is complete.
#[derive(Default)]
pub(super) struct SseReader {
    line: Vec<u8>,
    data: String,
    has_data: bool,
}

/// An event is longer than a message may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl SseReader {
    /// The data of the events that these bytes complete.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut events = Vec::new();
        for byte in bytes {
            if *byte != b'\n' {
                self.line.push(*byte);
                if self.line.len() + self.data.len() > limits::MESSAGE_BYTES {
                    return Err(TooLong);
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let line = String::from_utf8_lossy(&line);
            events.extend(self.end_line(line.trim_end_matches('\r')));
        }
        Ok(events)
    }

    fn end_line(&mut self, line: &str) -> Option<String> {
        if line.is_empty() {
            let event = std::mem::take(&mut self.data);
            return std::mem::take(&mut self.has_data).then_some(event).filter(|e| !e.is_empty());
        }
        let data = line.strip_prefix("data:")?;
        if self.has_data {
            self.data.push('\n');
        }
        self.has_data = true;
        self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_however_their_bytes_arrive() {
        let text = ": hello\r\n\r\nevent: message\r\nid: 1\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata:x\n\n\n";
        let whole = SseReader::default().read(text.as_bytes()).unwrap();
        assert_eq!(whole, ["{\"a\":\n1}", "x"]);
        let mut reader = SseReader::default();
        let mut pieces = Vec::new();
        for byte in text.as_bytes() {
            pieces.extend(reader.read(&[*byte]).unwrap());
        }
        assert_eq!(pieces, whole);
    }
}
