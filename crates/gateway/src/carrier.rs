//! Servers that a client runs itself, because the daemon is another user than its agents.
//!
//! The client starts such a server as its own user, and carries the server's standard streams over a
//! connection to the daemon. It opens that connection beforehand: a line on it says that the server is
//! wanted, so that nothing starts before it may. When the connection ends, the server has ended.
//!
//! See docs/decisions/0129-servers-that-the-agents-side-runs.md.

use crate::limits;
use crate::locks::lock;
use countersign_core::model::names::Agent;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use std::sync::{Arc, Mutex, Weak};
use tokio::io::AsyncWriteExt;
use tokio::sync::Notify;
use tokio::time::timeout;

/// The line after which a connection carries the streams of a server that was just started.
pub const START_LINE: &str = "start\n";

/// Standard input and output of a server.
pub(crate) type CarriedStream = TokioIo<Upgraded>;

/// Where a connection of one client waits until its server is wanted.
#[derive(Debug)]
pub struct CarrierPort {
    agent: Agent,
    /// A secret that the client chose, so that no other client of its agent takes its server's place.
    ticket: String,
    waiting: Mutex<WaitingStream>,
    changed: Notify,
}

#[derive(Debug)]
enum WaitingStream {
    None,
    Offered(CarriedStream),
    /// The client has ended, and its server is not started again.
    Closed,
}

impl PartialEq for CarrierPort {
    fn eq(&self, other: &Self) -> bool {
        (&self.agent, &self.ticket) == (&other.agent, &other.ticket)
    }
}

impl Eq for CarrierPort {}

impl CarrierPort {
    /// Keeps a connection until the server is wanted. One is enough; another one is closed.
    pub(crate) fn offer(&self, stream: CarriedStream) {
        let mut waiting = lock(&self.waiting);
        if let WaitingStream::None = *waiting {
            *waiting = WaitingStream::Offered(stream);
            self.changed.notify_one();
        }
    }

    /// Ends the connection that waits, so that its client learns that the server is not wanted any more.
    pub(crate) fn close(&self) {
        *lock(&self.waiting) = WaitingStream::Closed;
        self.changed.notify_one();
    }

    /// Starts the server at its client.
    #[allow(clippy::disallowed_methods, reason = "how long a client may take decides no call")]
    pub(crate) async fn start(&self) -> Result<CarriedStream, String> {
        let started = timeout(limits::CARRIER_TIMEOUT, async {
            loop {
                let mut stream = self.take_offered().await?;
                // One whose client has gone meanwhile is of no use.
                if stream.write_all(START_LINE.as_bytes()).await.is_ok() {
                    return Some(stream);
                }
            }
        });
        let started = started.await.ok().flatten();
        started.ok_or_else(|| "the program that runs the server for its agent is gone".to_owned())
    }

    /// None if the client has ended.
    async fn take_offered(&self) -> Option<CarriedStream> {
        loop {
            {
                let mut waiting = lock(&self.waiting);
                match std::mem::replace(&mut *waiting, WaitingStream::None) {
                    WaitingStream::Offered(stream) => return Some(stream),
                    WaitingStream::Closed => {
                        *waiting = WaitingStream::Closed;
                        return None;
                    }
                    WaitingStream::None => {}
                }
            }
            self.changed.notified().await;
        }
    }
}

/// The ports of all clients that are connected.
#[derive(Default)]
pub(crate) struct CarrierPorts(Mutex<Vec<Weak<CarrierPort>>>);

impl CarrierPorts {
    pub(crate) fn open(&self, agent: &Agent, ticket: String) -> Result<Arc<CarrierPort>, String> {
        if !limits::CARRIER_TICKET_BYTES.contains(&ticket.len()) {
            return Err("the ticket of the carrier is too short or too long".to_owned());
        }
        if self.find(agent, &ticket).is_some() {
            return Err("the ticket of the carrier is in use".to_owned());
        }
        let (waiting, changed) = (Mutex::new(WaitingStream::None), Notify::new());
        let port = Arc::new(CarrierPort { agent: agent.clone(), ticket, waiting, changed });
        let mut ports = lock(&self.0);
        ports.retain(|port| port.strong_count() > 0);
        ports.push(Arc::downgrade(&port));
        Ok(port)
    }

    /// The port of a client that is still connected.
    pub(crate) fn find(&self, agent: &Agent, ticket: &str) -> Option<Arc<CarrierPort>> {
        let ports = lock(&self.0);
        let mut open = ports.iter().filter_map(Weak::upgrade);
        open.find(|port| port.agent == *agent && port.ticket == ticket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_found_by_its_agent_and_secret_while_its_client_is_connected() {
        let ports = CarrierPorts::default();
        let [claude, codex] = ["claude", "codex"].map(|name| Agent::parse(name).unwrap());
        let secret = "0123456789abcdef0123456789abcdef".to_owned();
        let port = ports.open(&claude, secret.clone()).unwrap();
        assert_eq!(ports.find(&claude, &secret), Some(Arc::clone(&port)));
        assert_eq!(ports.find(&codex, &secret), None);
        assert_eq!(ports.find(&claude, "0123456789abcdef0123456789abcdee"), None);
        assert!(ports.open(&claude, secret.clone()).is_err(), "it is in use");
        assert!(ports.open(&codex, "short".to_owned()).is_err());
        drop(port);
        assert_eq!(ports.find(&claude, &secret), None);
        assert!(ports.open(&claude, secret).is_ok());
    }
}
