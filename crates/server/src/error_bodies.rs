//! Adds a body to the errors that hyper returns itself.
//!
//! If hyper cannot parse a request head, it writes a response without a body, and this cannot be
//! configured. So this stream recognises such a response in the output and replaces it: every error
//! of the API has a body.

use crate::error::ApiError;
use crate::guard::SECURITY_HEADERS;
use crate::limits;
use std::io::{self, IoSlice, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pub(crate) struct ErrorBodyStream<S> {
    stream: S,
    /// The rest of a replacement that is not sent yet.
    pending: Vec<u8>,
}

impl<S> ErrorBodyStream<S> {
    pub const fn new(stream: S) -> Self {
        Self { stream, pending: Vec::new() }
    }
}

impl<S: AsyncWrite + Unpin> ErrorBodyStream<S> {
    fn send_pending(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.pending.is_empty() {
            match ready!(Pin::new(&mut self.stream).poll_write(cx, &self.pending))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                sent => drop(self.pending.drain(..sent)),
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// The response to send instead, if this is an error without a body.
fn replacement(output: &[u8]) -> Option<Vec<u8>> {
    if output.len() > limits::MAX_BARE_RESPONSE || !output.starts_with(b"HTTP/1.") {
        return None;
    }
    let head = std::str::from_utf8(output).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let (status, is_empty) = (lines.next()?, lines.any(|line| line == "content-length: 0"));
    let error = match status.split(' ').nth(1)? {
        "400" if is_empty => ApiError::bad_head(),
        "414" | "431" if is_empty => ApiError::long_head(),
        _ => return None,
    };
    write_response(error).ok()
}

/// The response that a route would return. It closes the connection.
fn write_response(error: ApiError) -> io::Result<Vec<u8>> {
    let (status, body) = error.into_parts();
    let body = serde_json::to_vec(&body)?;
    let mut text = Vec::with_capacity(2 * limits::MAX_BARE_RESPONSE);
    write!(text, "HTTP/1.1 {status}\r\nconnection: close\r\n")?;
    write!(text, "content-type: application/json\r\ncontent-length: {}\r\n", body.len())?;
    for (name, value) in SECURITY_HEADERS {
        write!(text, "{name}: {value}\r\n")?;
    }
    text.extend_from_slice(b"\r\n");
    text.extend_from_slice(&body);
    Ok(text)
}

impl<S: AsyncRead + Unpin> AsyncRead for ErrorBodyStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ErrorBodyStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        output: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.send_pending(cx))?;
        match replacement(output) {
            Some(text) => {
                self.pending = text;
                Poll::Ready(Ok(output.len()))
            }
            None => Pin::new(&mut self.stream).poll_write(cx, output),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        output: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match output {
            [only] => self.poll_write(cx, only),
            several => {
                ready!(self.send_pending(cx))?;
                Pin::new(&mut self.stream).poll_write_vectored(cx, several)
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_pending(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_pending(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    fn bare_response(status: &str) -> String {
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\ndate: x\r\n\r\n")
    }

    #[test]
    fn only_an_error_without_a_body_is_replaced() {
        for status in ["400 Bad Request", "431 Too Large", "414 URI Too Long"] {
            let text =
                String::from_utf8(replacement(bare_response(status).as_bytes()).unwrap()).unwrap();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{head}");
            assert!(body.contains("remedy"), "{body}");
        }
        let more = format!("{}{{}}", bare_response("400 Bad Request"));
        let body = "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n";
        let event = "data: HTTP/1.1 400 Bad Request content-length: 0\n\n";
        let others = [
            bare_response("200 OK"),
            bare_response("404 Not Found"),
            more,
            body.into(),
            event.into(),
        ];
        for other in others {
            assert_eq!(replacement(other.as_bytes()), None, "{other}");
        }
    }

    #[tokio::test]
    async fn a_replacement_is_sent_completely_in_small_writes() {
        let (mut client, server) = tokio::io::duplex(7);
        let sent = tokio::spawn(async move {
            let mut server = ErrorBodyStream::new(server);
            server.write_all(bare_response("431 Too Large").as_bytes()).await.unwrap();
            server.shutdown().await.unwrap();
        });
        let mut received = Vec::new();
        client.read_to_end(&mut received).await.unwrap();
        sent.await.unwrap();
        assert_eq!(received, replacement(bare_response("431 Too Large").as_bytes()).unwrap());
    }
}
