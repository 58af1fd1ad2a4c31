//! A server on standard streams: one message is one line.

use super::inbox::{Inbox, SendError};
use crate::carrier::CarrierPort;
use crate::limits;
use crate::locks::lock;
use crate::wire::{Line, Message, find_ids, read_line};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex as AsyncMutex, oneshot};

pub(super) struct StdioChannel {
    input: AsyncMutex<Box<dyn AsyncWrite + Send + Unpin>>,
    stderr_tail: StderrTail,
    /// Dropped with the channel: then nobody uses the server any more.
    _in_use: oneshot::Sender<()>,
}

/// The end of what the server wrote to stderr, where that comes to us.
pub(super) type StderrTail = Arc<Mutex<String>>;

impl StdioChannel {
    /// The receiver learns when the channel is not used any more.
    pub(super) fn new(
        input: impl AsyncWrite + Send + Unpin + 'static,
        stderr_tail: StderrTail,
    ) -> (Self, oneshot::Receiver<()>) {
        let (in_use, unused) = oneshot::channel();
        let input: Box<dyn AsyncWrite + Send + Unpin> = Box::new(input);
        (Self { input: AsyncMutex::new(input), stderr_tail, _in_use: in_use }, unused)
    }

    /// Starts a server at its client, which carries the streams.
    pub(super) async fn start_at_client(
        port: &CarrierPort,
        inbox: Arc<Inbox>,
    ) -> Result<Self, String> {
        let (output, input) = tokio::io::split(port.start().await?);
        let (channel, unused) = Self::new(input, StderrTail::default());
        tokio::spawn(read_messages(output, inbox, unused));
        Ok(channel)
    }

    pub(super) async fn write(&self, mut text: String) -> Result<(), SendError> {
        // A line break inside a message would end it.
        if text.contains('\n') || text.contains('\r') {
            text.retain(|c| c != '\n' && c != '\r');
        }
        text.push('\n');
        let mut input = self.input.lock().await;
        let written = input.write_all(text.as_bytes()).await;
        written.map_err(|_| SendError::Unsure(self.describe_end()))
    }

    pub(super) fn describe_end(&self) -> String {
        let words = lock(&self.stderr_tail);
        match words.trim() {
            "" => "the server has ended".to_owned(),
            words => {
                let line = words.lines().last().unwrap_or_default();
                format!("the server has ended; its last line on stderr: {line}")
            }
        }
    }
}

/// Delivers what a server writes, until it ends or nobody uses it any more.
pub(super) async fn read_messages(
    output: impl AsyncRead + Unpin,
    inbox: Arc<Inbox>,
    mut unused: oneshot::Receiver<()>,
) {
    let mut reader = BufReader::new(output);
    let mut garbage = 0_u32;
    loop {
        let line = tokio::select! {
            line = read_line(&mut reader) => line,
            _ = &mut unused => break,
        };
        match line {
            Ok(Line::Text(text)) => {
                let ids = find_ids(&text).iter().filter_map(|id| id.parse().ok()).collect();
                match Message::parse(text) {
                    Ok(message) => inbox.deliver(message, None).await,
                    Err(why) => {
                        inbox.refuse_responses(ids, &why.to_string());
                        garbage += 1;
                    }
                }
            }
            Ok(Line::NotUtf8) => garbage += 1,
            // Somebody may wait for it. Better that they learn now that it will not come.
            Ok(Line::TooLong | Line::End) | Err(_) => break,
        }
        if garbage > limits::MAX_GARBAGE_LINES {
            break;
        }
    }
    inbox.close();
}
