//! A client on a stream of lines: standard input and output, carried over the daemon's socket.

use crate::client_identity::ClientIdentity;
use crate::gateway::Gateway;
use crate::limits;
use crate::relay::{Front, Relay, Reply, unreadable};
use crate::spec::ServerSpec;
use crate::wire::Message;
use crate::wire::lines::{Line, read_line};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

impl Gateway {
    /// Serves one client that has one server, until the client is gone. What is being carried out
    /// then is carried out to its end.
    pub async fn serve_single(
        self: &Arc<Self>,
        client: ClientIdentity,
        server: ServerSpec,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) {
        let relay = Relay::new(Arc::clone(self), client, Front::Single, vec![server]);
        self.serve_lines(relay, stream).await;
    }

    /// Serves one client that has several servers and our own tools.
    pub async fn serve_many(
        self: &Arc<Self>,
        client: ClientIdentity,
        servers: Vec<ServerSpec>,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) {
        let relay = Relay::new(Arc::clone(self), client, Front::Many, servers);
        self.serve_lines(relay, stream).await;
    }

    pub(crate) async fn serve_lines(
        &self,
        relay: Arc<Relay>,
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
        let reply = Reply::new(sender);
        relay.set_outlet(Some(reply.clone()));
        let mut stop = self.host.stop_signal();
        tokio::select! {
            () = read_client(&relay, BufReader::new(reader), &reply) => {}
            _ = stop.wait_for(|stopped| *stopped) => {}
        }
        relay.close();
        drop((relay, reply));
        let _ended = writing.await;
    }
}

async fn read_client(
    relay: &Arc<Relay>,
    mut reader: BufReader<impl AsyncRead + Unpin>,
    reply: &Reply,
) {
    loop {
        let messages = match read_line(&mut reader).await {
            Ok(Line::Text(text)) => Message::parse_batch(text).map_err(|error| error.to_string()),
            Ok(Line::TooLong) => Err("the message is too long".to_owned()),
            Ok(Line::NotUtf8) => Err("the message is not UTF-8".to_owned()),
            Ok(Line::End) | Err(_) => return,
        };
        match messages {
            Ok(messages) => {
                for message in messages {
                    relay.handle(message, reply).await;
                }
            }
            Err(why) => reply.send(unreadable(&why)).await,
        }
    }
}
