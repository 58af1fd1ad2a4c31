//! The daemon: agents on one side, the operator on the other, the engine between them.
//!
//! The planes share nothing but the engine. Agents can ask, wait and report; only the operator's
//! plane answers. Each has doors of its own: on a socket whoever connects is who the kernel says, on
//! a port whose token it shows.

mod admit;
mod agent;
mod api;
mod assurance;
mod bare;
mod body;
mod convert;
mod credentials;
mod doorway;
mod enrol;
mod events;
mod fault;
mod guard;
pub mod limits;
mod listen;
mod openapi;
mod operator;
mod peers;
mod ports;
mod rate;
mod serving;
mod whose;

pub use api::Plane;
pub use assurance::Footing;
pub use credentials::{CredentialError, Credentials};
pub use fault::Fault;
pub use listen::{ListenError, Listening, Reach, Sockets, Threads};
pub use peers::{Caller, Peer, Principal};
pub use ports::{AGENTS, Certificate, IfTaken, OPERATOR, Port, PortError, Ports, Rates};
pub use rate::Rate;

use countersign_core::model::graph::Graph;
use countersign_core::model::time::Time;
use countersign_engine::EngineError;
use countersign_host::{Host, HostEngine};
use std::sync::Arc;

/// The state that all routes share.
pub struct Daemon {
    host: Arc<Host>,
    assurance: &'static str,
    credentials: Arc<Credentials>,
}

impl Daemon {
    /// Takes a host whose engine is open, and the credentials that were issued.
    pub fn new(host: Arc<Host>, assurance: &'static str, credentials: Credentials) -> Arc<Self> {
        Arc::new(Self { host, assurance, credentials: Arc::new(credentials) })
    }

    /// Runs something that may wait for the disk.
    async fn run<T: Send + 'static>(
        &self,
        step: impl FnOnce(&HostEngine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Fault> {
        Ok(self.host.run(step).await?)
    }

    fn graph(&self) -> Result<Option<Arc<Graph>>, Fault> {
        Ok(self.host.graph()?)
    }

    fn now(&self) -> Time {
        self.host.display_time()
    }
}
