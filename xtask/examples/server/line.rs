//! A connection that is kept: one request, one answer, and again.

use super::{BenchResult, Context};
use std::path::Path;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use xtask::failure::Failure;

pub struct Line {
    stream: UnixStream,
    read: Vec<u8>,
}

impl Line {
    pub async fn to(socket: &Path) -> BenchResult<Self> {
        let stream = UnixStream::connect(socket).await.context("connecting")?;
        Ok(Self { stream, read: Vec::with_capacity(2048) })
    }

    pub async fn send(&mut self, request: &[u8]) -> BenchResult<()> {
        self.stream.write_all(request).await.context("sending")
    }

    /// Sends a request and reads its whole answer, which has to be a good one.
    pub async fn ask(&mut self, request: &[u8]) -> BenchResult<&str> {
        self.send(request).await?;
        self.answer().await
    }

    pub async fn answer(&mut self) -> BenchResult<&str> {
        self.read.clear();
        let (head, length) = loop {
            if let Some(found) = self.head()? {
                break found;
            }
            self.more().await?;
        };
        while self.read.len() < head + length {
            self.more().await?;
        }
        let body = self.read.get(head..head + length).unwrap_or_default();
        std::str::from_utf8(body).context("an answer")
    }

    /// Reads until something that is waited for is there.
    pub async fn until(&mut self, text: &str) -> BenchResult<()> {
        while !String::from_utf8_lossy(&self.read).contains(text) {
            self.more().await?;
        }
        Ok(())
    }

    /// Reads until so many lines have begun like this, and forgets them.
    pub async fn lines(&mut self, begin: &str, many: usize) -> BenchResult<()> {
        let mut seen = 0;
        while seen < many {
            self.more().await?;
            let whole = self.read.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let text: Vec<u8> = self.read.drain(..whole).collect();
            let text = String::from_utf8_lossy(&text);
            seen += text.lines().filter(|line| line.starts_with(begin)).count();
        }
        Ok(())
    }

    async fn more(&mut self) -> BenchResult<()> {
        match self.stream.read_buf(&mut self.read).await.context("reading")? {
            0 => Err(Failure::new("the connection was closed")),
            _ => Ok(()),
        }
    }

    /// Where the body begins, and how long it is.
    fn head(&self) -> BenchResult<Option<(usize, usize)>> {
        let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Ok(None);
        };
        let head = String::from_utf8_lossy(self.read.get(..end).unwrap_or_default());
        if !head.starts_with("HTTP/1.1 200") {
            let all = String::from_utf8_lossy(&self.read);
            return Err(Failure::new(format!("refused: {all}")));
        }
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        length
            .map(|length| Some((end + 4, length)))
            .ok_or_else(|| Failure::new("an answer without its length"))
    }
}

/// The text of a field, looked up as bytes: nothing is parsed while time is taken.
pub fn field<'a>(answer: &'a str, name: &str) -> BenchResult<&'a str> {
    let begin = format!("\"{name}\":\"");
    let rest = answer.split_once(begin.as_str()).map(|(_, rest)| rest);
    rest.and_then(|rest| rest.split('"').next())
        .ok_or_else(|| Failure::new(format!("no `{name}` in {answer}")))
}
