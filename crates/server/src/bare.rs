//! Gives a body to what hyper answers by itself.
//!
//! A head that cannot be read never becomes a request, and what hyper answers to it is a status
//! without a word. It cannot be told otherwise, so that this answer is known by its form on its
//! way out and another one is sent: nothing of ours is an error without a body.

use crate::fault::Fault;
use crate::guard::HEADERS;
use std::io::{self, IoSlice, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// No answer without a word is longer.
const LONGEST: usize = 512;

/// A connection whose bare errors get a body.
pub(crate) struct Bodied<S> {
    stream: S,
    /// What is still to be sent in the place of an answer without a body.
    instead: Vec<u8>,
}

impl<S> Bodied<S> {
    pub const fn new(stream: S) -> Self {
        Self { stream, instead: Vec::new() }
    }
}

impl<S: AsyncWrite + Unpin> Bodied<S> {
    fn drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.instead.is_empty() {
            match ready!(Pin::new(&mut self.stream).poll_write(cx, &self.instead))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                sent => drop(self.instead.drain(..sent)),
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// What is sent in the place of this, if it is an error without a body.
fn instead(sent: &[u8]) -> Option<Vec<u8>> {
    if sent.len() > LONGEST || !sent.starts_with(b"HTTP/1.") {
        return None;
    }
    let head = std::str::from_utf8(sent).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let (status, is_empty) = (lines.next()?, lines.any(|line| line == "content-length: 0"));
    let fault = match status.split(' ').nth(1)? {
        "400" if is_empty => Fault::no_head(),
        "414" | "431" if is_empty => Fault::long_head(),
        _ => return None,
    };
    written(fault).ok()
}

/// The same answer that a route would give, and the last one on its connection.
fn written(fault: Fault) -> io::Result<Vec<u8>> {
    let (status, wrong) = fault.told();
    let body = serde_json::to_vec(&wrong)?;
    let mut text = Vec::with_capacity(2 * LONGEST);
    write!(text, "HTTP/1.1 {status}\r\nconnection: close\r\n")?;
    write!(text, "content-type: application/json\r\ncontent-length: {}\r\n", body.len())?;
    for (name, value) in HEADERS {
        write!(text, "{name}: {value}\r\n")?;
    }
    text.extend_from_slice(b"\r\n");
    text.extend_from_slice(&body);
    Ok(text)
}

impl<S: AsyncRead + Unpin> AsyncRead for Bodied<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bodied<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        sent: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.drain(cx))?;
        match instead(sent) {
            Some(text) => {
                self.instead = text;
                Poll::Ready(Ok(sent.len()))
            }
            None => Pin::new(&mut self.stream).poll_write(cx, sent),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        sent: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match sent {
            [only] => self.poll_write(cx, only),
            several => {
                ready!(self.drain(cx))?;
                Pin::new(&mut self.stream).poll_write_vectored(cx, several)
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.drain(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.drain(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    fn bare(status: &str) -> String {
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\ndate: x\r\n\r\n")
    }

    #[test]
    fn only_an_error_without_a_body_is_replaced() {
        for status in ["400 Bad Request", "431 Too Large", "414 URI Too Long"] {
            let text = String::from_utf8(instead(bare(status).as_bytes()).unwrap()).unwrap();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{head}");
            assert!(body.contains("remedy"), "{body}");
        }
        let more = format!("{}{{}}", bare("400 Bad Request"));
        let body = "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n";
        let event = "data: HTTP/1.1 400 Bad Request content-length: 0\n\n";
        let others = [bare("200 OK"), bare("404 Not Found"), more, body.into(), event.into()];
        for other in others {
            assert_eq!(instead(other.as_bytes()), None, "{other}");
        }
    }

    #[tokio::test]
    async fn it_is_sent_whole_however_little_fits_at_once() {
        let (mut client, server) = tokio::io::duplex(7);
        let sent = tokio::spawn(async move {
            let mut server = Bodied::new(server);
            server.write_all(bare("431 Too Large").as_bytes()).await.unwrap();
            server.shutdown().await.unwrap();
        });
        let mut heard = Vec::new();
        client.read_to_end(&mut heard).await.unwrap();
        sent.await.unwrap();
        assert_eq!(heard, instead(bare("431 Too Large").as_bytes()).unwrap());
    }
}
