//! HTTP for agents and for the operator.
//!
//! The two planes share only the host. Agents can ask, wait and report; only the operator's plane
//! answers. Each plane has its own socket, where the kernel tells who connects, and its own port,
//! where a caller sends a token.

mod admission;
mod agent;
mod agent_tokens;
mod application_processes;
mod application_routes;
mod claimed_project;
mod command_windows;
mod connections;
mod convert;
mod credentials;
mod dashboard;
mod descriptors;
mod error;
mod error_bodies;
mod events;
mod extract;
mod guard;
pub mod limits;
mod lineage;
mod listen;
mod notice_views;
mod openapi;
mod operator;
mod peer_user;
mod peers;
mod plane;
mod ports;
mod rate_limit;
mod routes;
mod service;
mod unread_body;

pub use credentials::{CredentialError, Credentials};
pub use error::ApiError;
pub use limits::Rate;
pub use listen::{AgentAccess, ListenError, PlaneRuntimes, RunningServer, Sockets};
pub use peers::{Caller, CallerKind, Peer};
pub use plane::Plane;
pub use ports::{
    Certificate, DEFAULT_AGENT_PORT, DEFAULT_OPERATOR_PORT, Port, PortError, Ports, Rates,
    TakenPortPolicy,
};

use application_processes::ApplicationProcesses;
use axum::Router;
use command_windows::CommandWindows;
use countersign_core::model::graph::Graph;
use countersign_core::model::time::Time;
use countersign_engine::EngineError;
use countersign_host::{Host, HostEngine};
use dashboard::Dashboard;
use std::sync::{Arc, PoisonError, RwLock};

/// The state that all routes share.
pub struct Daemon {
    host: Arc<Host>,
    credentials: Arc<Credentials>,
    agent_routes: RwLock<AgentRoutes>,
    /// Of the programs whose hooks ask here.
    commands: CommandWindows,
    dashboard: Dashboard,
    /// The processes of applications that carry out calls.
    application_processes: Arc<ApplicationProcesses>,
}

/// Routes that another crate adds to the agents' plane. Their requests carry as extensions: the agent's
/// name, its principal, and the project that `?project=` names, if the caller may name it. They are not
/// in the OpenAPI document.
#[derive(Clone, Default)]
pub struct AgentRoutes {
    /// Only on the socket.
    pub socket: Router,
    /// On the socket and on the port.
    pub everywhere: Router,
}

impl Daemon {
    /// Takes a host whose engine is open, and the credentials that were issued.
    pub fn new(host: Arc<Host>, credentials: Credentials) -> Arc<Self> {
        let credentials = Arc::new(credentials);
        let (agent_routes, commands) = (RwLock::default(), CommandWindows::default());
        let (application_processes, dashboard) =
            (Arc::default(), Dashboard::new(&host, &credentials));
        Arc::new(Self {
            host,
            credentials,
            agent_routes,
            commands,
            application_processes,
            dashboard,
        })
    }

    /// Adds routes to the agents' plane. Before the daemon listens.
    pub fn add_agent_routes(&self, routes: AgentRoutes) {
        *self.agent_routes.write().unwrap_or_else(PoisonError::into_inner) = routes;
    }

    /// Runs something that may wait for the disk.
    async fn run<T: Send + 'static>(
        &self,
        step: impl FnOnce(&HostEngine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, ApiError> {
        Ok(self.host.run(step).await?)
    }

    fn graph(&self) -> Result<Option<Arc<Graph>>, ApiError> {
        Ok(self.host.graph()?)
    }

    /// Reads the store's clock, which may be far away.
    async fn display_time(&self) -> Result<Time, ApiError> {
        self.run(|engine| Ok(engine.display_time())).await
    }
}
