//! As much of HTTP/1.1 as the daemon speaks: a length, or chunks, or the end of the connection.

use crate::ClientError;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;

/// Longest line of a head or of an event.
const LINE: u64 = 4 << 20;
const HEADERS: usize = 64;

/// An answer while it is read.
pub(crate) struct Reading {
    pub status: u16,
    reader: BufReader<UnixStream>,
    length: Length,
}

enum Length {
    /// So many bytes are left.
    Bytes(usize),
    /// Chunks, of which the current one has so many bytes left.
    Chunks(usize),
    /// Until the connection ends.
    Open,
    Done,
}

impl Reading {
    pub fn begin(stream: UnixStream) -> Result<Self, ClientError> {
        let mut reader = BufReader::new(stream);
        let first = head_line(&mut reader)?;
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| ClientError::Unreadable("no status".to_owned()))?;
        let mut length = Length::Open;
        for _ in 0..HEADERS {
            let line = head_line(&mut reader)?;
            if line.is_empty() {
                return Ok(Self { status, reader, length });
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            match (name.to_ascii_lowercase().as_str(), value.trim()) {
                ("content-length", value) => {
                    let many = value.parse().map_err(|_| unreadable("the length"))?;
                    length = Length::Bytes(many);
                }
                ("transfer-encoding", "chunked") => length = Length::Chunks(0),
                _ => {}
            }
        }
        Err(unreadable("more headers than anybody sends"))
    }

    /// The connection, to be ended by somebody else.
    pub fn stream(&self) -> std::io::Result<UnixStream> {
        self.reader.get_ref().try_clone()
    }

    /// The rest of the answer, which must not be longer than this.
    pub fn rest(&mut self, most: usize) -> Result<Vec<u8>, ClientError> {
        let mut all = Vec::new();
        let mut some = [0; 8192];
        loop {
            let many = self.read(&mut some)?;
            if many == 0 {
                return Ok(all);
            }
            all.extend_from_slice(some.get(..many).unwrap_or_default());
            if all.len() > most {
                return Err(unreadable("it is too long"));
            }
        }
    }

    /// The next line of the body, without its end; none when it is over.
    pub fn line(&mut self) -> Result<Option<String>, ClientError> {
        let mut line = Vec::new();
        let mut byte = [0];
        loop {
            if self.read(&mut byte)? == 0 {
                return if line.is_empty() { Ok(None) } else { Ok(Some(text(line)?)) };
            }
            match byte {
                [b'\n'] => return Ok(Some(text(line)?)),
                [b'\r'] => {}
                [other] => line.push(other),
            }
            if line.len() as u64 > LINE {
                return Err(unreadable("a line is too long"));
            }
        }
    }

    fn read(&mut self, into: &mut [u8]) -> Result<usize, ClientError> {
        loop {
            let most = match self.length {
                Length::Done | Length::Bytes(0) => return Ok(0),
                Length::Chunks(0) => {
                    self.length = self.next_chunk()?;
                    continue;
                }
                Length::Bytes(left) | Length::Chunks(left) => left.min(into.len()),
                Length::Open => into.len(),
            };
            let some = into.get_mut(..most).unwrap_or_default();
            let many = self.reader.read(some)?;
            match &mut self.length {
                Length::Bytes(left) => *left -= many,
                Length::Chunks(left) => {
                    *left -= many;
                    if *left == 0 {
                        head_line(&mut self.reader)?;
                    }
                }
                Length::Open | Length::Done => {}
            }
            if many == 0 && !matches!(self.length, Length::Open) {
                return Err(unreadable("it ends before its end"));
            }
            return Ok(many);
        }
    }

    fn next_chunk(&mut self) -> Result<Length, ClientError> {
        let line = head_line(&mut self.reader)?;
        let size = usize::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16);
        match size.map_err(|_| unreadable("the size of a chunk"))? {
            0 => Ok(Length::Done),
            size => Ok(Length::Chunks(size)),
        }
    }
}

fn head_line(reader: &mut BufReader<UnixStream>) -> Result<String, ClientError> {
    let mut line = Vec::new();
    reader.by_ref().take(LINE).read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(unreadable("the connection ended"));
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    text(line)
}

fn text(bytes: Vec<u8>) -> Result<String, ClientError> {
    String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8"))
}

fn unreadable(what: &str) -> ClientError {
    ClientError::Unreadable(what.to_owned())
}
