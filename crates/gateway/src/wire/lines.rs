//! Lines of bounded length from a byte stream.

use crate::limits;
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// What a stream brought.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Text(String),
    /// Longer than the limit. The rest of it is not read: a line may have no end.
    TooLong,
    NotUtf8,
    End,
}

/// Reads the next line that is not blank. A last line without a line break is incomplete and not returned.
pub(crate) async fn read_line(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Line> {
    loop {
        let mut bytes = Vec::new();
        loop {
            let available = reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(Line::End);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(available.len());
            if bytes.len().saturating_add(taken) > limits::MESSAGE_BYTES {
                return Ok(Line::TooLong);
            }
            bytes.extend_from_slice(available.get(..taken).unwrap_or_default());
            reader.consume(taken.saturating_add(usize::from(end.is_some())));
            if end.is_some() {
                break;
            }
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let text = String::from_utf8(bytes).map(Line::Text);
        return Ok(text.unwrap_or(Line::NotUtf8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::BufReader;

    async fn read_all(bytes: &[u8]) -> Vec<Line> {
        let mut reader = BufReader::with_capacity(16, bytes);
        let mut lines = Vec::new();
        loop {
            match read_line(&mut reader).await.unwrap() {
                Line::End => return lines,
                line => lines.push(line),
            }
        }
    }

    #[tokio::test]
    async fn blank_and_incomplete_lines_are_no_messages() {
        let lines = read_all(b"{}\r\n\n  \n[1]\n{\"cut").await;
        assert_eq!(lines, [Line::Text("{}\r".into()), Line::Text("[1]".into())]);
    }

    /// The stream never ends its line, and never ends.
    #[tokio::test]
    async fn an_endless_line_is_refused_at_the_limit() {
        let mut reader = BufReader::new(tokio::io::repeat(b'x'));
        assert_eq!(read_line(&mut reader).await.unwrap(), Line::TooLong);
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_are_told_apart() {
        assert_eq!(read_all(b"\xff\n{}\n").await, [Line::NotUtf8, Line::Text("{}".into())]);
    }
}
