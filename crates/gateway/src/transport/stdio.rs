//! A client on a stream of lines: standard input and output, carried over the daemon's socket.

use crate::client::ReplySender;
use crate::limits;
use crate::session::ClientSession;
use crate::wire::{Line, Message, error_object, error_response, find_ids, read_line};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

/// Serves one client until it is gone. What is being carried out then is carried out to its end.
pub(crate) async fn serve_lines(
    session: Arc<ClientSession>,
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
) {
    let (reader, mut writer) = tokio::io::split(stream);
    let (sender, mut outgoing) = mpsc::channel::<String>(limits::CLIENT_BUFFER);
    let writing = tokio::spawn(async move {
        while let Some(mut text) = outgoing.recv().await {
            // A line break inside a message would end it.
            text.retain(|c| c != '\n' && c != '\r');
            text.push('\n');
            if writer.write_all(text.as_bytes()).await.is_err() {
                break;
            }
        }
        let _gone = writer.shutdown().await;
    });
    let reply = ReplySender::new(sender);
    session.client.set_outlet(Some(reply.clone()));
    let mut stop = session.calls.shared.host.stop_signal();
    tokio::select! {
        () = read_client(&session, BufReader::new(reader), &reply) => {}
        _ = stop.wait_for(|stopped| *stopped) => {}
    }
    session.close();
    drop((session, reply));
    let _ended = writing.await;
}

async fn read_client(
    session: &Arc<ClientSession>,
    mut reader: BufReader<impl AsyncRead + Unpin>,
    reply: &ReplySender,
) {
    loop {
        let mut ids = Vec::new();
        let messages = match read_line(&mut reader).await {
            Ok(Line::Text(text)) => {
                ids = find_ids(&text).into_iter().map(str::to_owned).collect();
                Message::parse_batch(text).map_err(|error| error.to_string())
            }
            // Where the next message starts is unknown, so the connection ends.
            Ok(Line::TooLong) => {
                let error = error_object(-32700, "the message is too long");
                return reply.send(error_response("null", &error)).await;
            }
            Ok(Line::NotUtf8) => Err("the message is not UTF-8".to_owned()),
            Ok(Line::End) | Err(_) => return,
        };
        match messages {
            Ok(messages) => {
                for message in messages {
                    session.handle(message, reply).await;
                }
            }
            Err(why) => {
                let error = error_object(-32700, &why);
                // A client that named its request learns that this one failed.
                let id = if let [id] = ids.as_slice() { id } else { "null" };
                reply.send(error_response(id, &error)).await;
            }
        }
    }
}
