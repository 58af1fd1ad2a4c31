//! The part of HTTP/1.1 that the daemon uses: bodies with a length, in chunks, or up to the end of
//! the connection.

use crate::ClientError;
use crate::limits::{MAX_HEADERS, MAX_LINE_BYTES};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;

/// A response whose head is read and whose body is not.
pub(crate) struct ResponseReader {
    pub status: u16,
    reader: BufReader<UnixStream>,
    body: BodyLength,
}

enum BodyLength {
    /// This many bytes are left.
    Bytes(usize),
    /// Chunks; this many bytes of the current one are left.
    Chunks(usize),
    /// Until the connection ends.
    Open,
    Done,
}

impl ResponseReader {
    /// Reads the head.
    pub fn open(stream: UnixStream) -> Result<Self, ClientError> {
        let mut reader = BufReader::new(stream);
        let first = read_head_line(&mut reader)?;
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| unreadable("the status is missing"))?;
        let mut body = BodyLength::Open;
        for _ in 0..MAX_HEADERS {
            let line = read_head_line(&mut reader)?;
            if line.is_empty() {
                return Ok(Self { status, reader, body });
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            match (name.to_ascii_lowercase().as_str(), value.trim()) {
                ("content-length", value) => {
                    let length = value
                        .parse()
                        .map_err(|_| unreadable("the content length is not a number"))?;
                    body = BodyLength::Bytes(length);
                }
                ("transfer-encoding", "chunked") => body = BodyLength::Chunks(0),
                _ => {}
            }
        }
        Err(unreadable("too many headers"))
    }

    /// What follows the head of a response that upgrades the connection.
    pub fn into_reader(self) -> BufReader<UnixStream> {
        self.reader
    }

    /// A second handle on the connection, to shut it down from another thread.
    pub fn clone_stream(&self) -> std::io::Result<UnixStream> {
        self.reader.get_ref().try_clone()
    }

    /// The whole body, at most this many bytes.
    pub fn read_body(&mut self, max: usize) -> Result<Vec<u8>, ClientError> {
        let mut body = Vec::new();
        let mut buffer = [0; 8192];
        loop {
            let count = self.read(&mut buffer)?;
            if count == 0 {
                return Ok(body);
            }
            body.extend_from_slice(buffer.get(..count).unwrap_or_default());
            if body.len() > max {
                return Err(unreadable("the body is too large"));
            }
        }
    }

    /// The next line of the body, without its end. None at the end of the body.
    pub fn read_line(&mut self) -> Result<Option<String>, ClientError> {
        let mut line = Vec::new();
        let mut byte = [0];
        loop {
            if self.read(&mut byte)? == 0 {
                return if line.is_empty() { Ok(None) } else { Ok(Some(into_text(line)?)) };
            }
            match byte {
                [b'\n'] => return Ok(Some(into_text(line)?)),
                [b'\r'] => {}
                [other] => line.push(other),
            }
            if line.len() as u64 > MAX_LINE_BYTES {
                return Err(unreadable("a line is too long"));
            }
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ClientError> {
        loop {
            let max = match self.body {
                BodyLength::Done | BodyLength::Bytes(0) => return Ok(0),
                BodyLength::Chunks(0) => {
                    self.body = self.read_chunk_size()?;
                    continue;
                }
                BodyLength::Bytes(left) | BodyLength::Chunks(left) => left.min(buffer.len()),
                BodyLength::Open => buffer.len(),
            };
            let part = buffer.get_mut(..max).unwrap_or_default();
            let count = self.reader.read(part)?;
            match &mut self.body {
                BodyLength::Bytes(left) => *left -= count,
                BodyLength::Chunks(left) => {
                    *left -= count;
                    if *left == 0 {
                        read_head_line(&mut self.reader)?;
                    }
                }
                BodyLength::Open | BodyLength::Done => {}
            }
            if count == 0 && !matches!(self.body, BodyLength::Open) {
                return Err(unreadable("the connection ended within the body"));
            }
            return Ok(count);
        }
    }

    fn read_chunk_size(&mut self) -> Result<BodyLength, ClientError> {
        let line = read_head_line(&mut self.reader)?;
        let size = usize::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16);
        match size.map_err(|_| unreadable("the chunk size is not a number"))? {
            0 => Ok(BodyLength::Done),
            size => Ok(BodyLength::Chunks(size)),
        }
    }
}

fn read_head_line(reader: &mut BufReader<UnixStream>) -> Result<String, ClientError> {
    let mut line = Vec::new();
    reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(unreadable("the connection ended"));
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    into_text(line)
}

fn into_text(bytes: Vec<u8>) -> Result<String, ClientError> {
    String::from_utf8(bytes).map_err(|_| unreadable("the text is not UTF-8"))
}

fn unreadable(message: &str) -> ClientError {
    ClientError::Unreadable(message.to_owned())
}
