//! Opens the sockets and ports of both planes.
//!
//! The planes share nothing: each has its own routes, its own admission and its own runtime.

use crate::admission::{Admission, AllowedUsers};
use crate::connections::{PlaneListener, serve};
use crate::dashboard::{DashboardService, OriginState};
use crate::descriptors::ConnectionLimits;
use crate::error::ApiError;
use crate::guard::OriginGuard;
use crate::peers::{Caller, Peer};
use crate::ports::{OpenPort, Port, PortError, Ports, Rates, TwinPort, open_port, open_twin};
use crate::service::PlaneService;
use crate::{Daemon, Plane};
use axum::Router;
use axum::extract::{Query, Request};
use axum::middleware::map_request;
use countersign_core::model::names::Project;
use rustix::fs::Gid;
use serde::Deserialize;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// What a request to an added route can name.
#[derive(Deserialize)]
struct ProjectQuery {
    project: Option<Project>,
}

/// The sockets of the planes.
#[derive(Clone, Debug)]
pub struct Sockets {
    pub agent: PathBuf,
    pub operator: PathBuf,
    /// Who may connect to the agents' socket. Only the own user may connect to the operator's.
    pub access: AgentAccess,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentAccess {
    /// The daemon's own user.
    OwnUser,
    /// A group of other users.
    Group(u32),
}

impl Sockets {
    pub fn in_folder(folder: &Path) -> Self {
        let (agent, operator) = (folder.join("agent.sock"), folder.join("operator.sock"));
        Self { agent, operator, access: AgentAccess::OwnUser }
    }
}

/// One runtime per plane, so that many agents or a slow disk do not delay the operator.
pub struct PlaneRuntimes {
    pub agents: Handle,
    pub operator: Handle,
}

impl PlaneRuntimes {
    fn runtime(&self, plane: Plane) -> &Handle {
        match plane {
            Plane::Agent => &self.agents,
            Plane::Operator => &self.operator,
        }
    }
}

/// Where a request comes in.
#[derive(Clone, Copy)]
enum RequestSource {
    Socket,
    Port,
}

/// Both planes while they accept connections.
pub struct RunningServer {
    daemon: Arc<Daemon>,
    sockets: Sockets,
    listeners: Vec<JoinHandle<()>>,
    /// The addresses of the ports that are open.
    pub agent: Option<SocketAddr>,
    pub operator: Option<SocketAddr>,
}

#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("a socket cannot be opened: {0}")]
    Socket(#[from] io::Error),
    #[error(transparent)]
    Port(#[from] PortError),
}

impl ListenError {
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Socket(_) => "check the folder and the sockets in it",
            Self::Port(error) => error.help(),
        }
    }
}

impl Daemon {
    /// Accepts connections on both sockets and on the ports. If one of them cannot be opened, none
    /// is.
    pub fn listen_on(
        self: &Arc<Self>,
        sockets: Sockets,
        ports: &Ports,
        runtimes: &PlaneRuntimes,
    ) -> Result<RunningServer, ListenError> {
        let agent_port = open_port_on(&runtimes.agents, ports.agent, ports)?;
        let operator_port = open_port_on(&runtimes.operator, ports.operator, ports)?;
        let agent_socket = bind_socket(&sockets.agent, sockets.access, &runtimes.agents)?;
        let own_user = AgentAccess::OwnUser;
        let operator_socket = bind_socket(&sockets.operator, own_user, &runtimes.operator)?;
        let users = match sockets.access {
            AgentAccess::OwnUser => AllowedUsers::Any,
            AgentAccess::Group(_) => AllowedUsers::OthersOnly,
        };
        let twin = open_twin_on(&runtimes.operator, operator_port.as_ref());
        if let Some(port) = &operator_port {
            let origin = OriginState::of_port(port, &twin, &ports.names);
            *self.dashboard.origin.write().unwrap_or_else(PoisonError::into_inner) = origin;
        }
        let agents = self.admission(Plane::Agent, users, ports.rates);
        let operator = self.admission(Plane::Operator, AllowedUsers::Any, ports.rates);
        let mut server = RunningServer {
            daemon: Arc::clone(self),
            sockets,
            listeners: Vec::new(),
            agent: agent_port.as_ref().map(|port| port.address),
            operator: operator_port.as_ref().map(|port| port.address),
        };
        if let TwinPort::Open(port) = twin {
            server.listeners.push(self.serve_port(port, Arc::clone(&operator), runtimes));
        }
        let planes =
            [(agent_socket, agent_port, agents), (operator_socket, operator_port, operator)];
        for (socket, port, admission) in planes {
            server.listeners.push(self.serve_socket(socket, &admission, runtimes));
            server.listeners.extend(port.map(|port| self.serve_port(port, admission, runtimes)));
        }
        Ok(server)
    }

    fn admission(&self, plane: Plane, users: AllowedUsers, rates: Rates) -> Arc<Admission> {
        Arc::new(Admission::new(plane, users, Arc::clone(&self.credentials), rates))
    }

    fn serve_socket(
        self: &Arc<Self>,
        listener: UnixListener,
        admission: &Arc<Admission>,
        runtimes: &PlaneRuntimes,
    ) -> JoinHandle<()> {
        let plane = admission.plane();
        let routes = self.routes(plane, RequestSource::Socket);
        let service = PlaneService::for_socket(Arc::clone(admission), routes);
        let service = service.with_record(&self.host);
        self.serve(PlaneListener::Socket(listener), service, (plane, runtimes))
    }

    fn serve_port(
        self: &Arc<Self>,
        port: OpenPort,
        admission: Arc<Admission>,
        runtimes: &PlaneRuntimes,
    ) -> JoinHandle<()> {
        let plane = admission.plane();
        let (guard, lookup) = (OriginGuard::new(&port), admission.peer_lookup());
        let OpenPort { listener, tls, .. } = port;
        let routes = self.routes(plane, RequestSource::Port);
        let service = PlaneService::for_port(admission, guard, routes).with_record(&self.host);
        let service = match plane {
            Plane::Operator => service.with_dashboard(DashboardService::new(self)),
            Plane::Agent => service,
        };
        let listener = PlaneListener::Port { listener, tls, lookup };
        self.serve(listener, service, (plane, runtimes))
    }

    fn routes(self: &Arc<Self>, plane: Plane, entrance: RequestSource) -> Router {
        let routes = plane.api().router;
        routes
            .fallback(|| async { ApiError::no_route() })
            .method_not_allowed_fallback(|| async { ApiError::no_method() })
            .with_state(Arc::clone(self))
            .merge(self.added_routes(plane, entrance))
    }

    /// The routes that other crates added. Their requests say who the caller is, and for which project
    /// it may act.
    fn added_routes(self: &Arc<Self>, plane: Plane, entrance: RequestSource) -> Router {
        let added = self.agent_routes.read().unwrap_or_else(PoisonError::into_inner).clone();
        let added = match (plane, entrance) {
            (Plane::Operator, _) => return Router::new(),
            (Plane::Agent, RequestSource::Socket) => added.everywhere.merge(added.socket),
            (Plane::Agent, RequestSource::Port) => added.everywhere,
        };
        let daemon = Arc::clone(self);
        added.layer(map_request(move |request: Request| {
            let daemon = Arc::clone(&daemon);
            async move { daemon.describe_caller(request).await }
        }))
    }

    /// Adds the agent's name, whose credential it was, and the project that the query names.
    async fn describe_caller(&self, mut request: Request) -> Result<Request, ApiError> {
        let caller = request.extensions().get::<Caller>().cloned();
        let peer = request.extensions().get::<Peer>().copied();
        let (Some(caller), Some(peer)) = (caller, peer) else { return Ok(request) };
        let query = Query::<ProjectQuery>::try_from_uri(request.uri());
        let Query(ProjectQuery { project }) = query.map_err(ApiError::unreadable)?;
        self.check_project(&caller, peer, project.as_ref()).await?;
        let extensions = request.extensions_mut();
        extensions.insert(caller.kind.principal());
        extensions.insert(caller.agent);
        if let Some(project) = project {
            extensions.insert(project);
        }
        Ok(request)
    }

    fn serve(
        &self,
        listener: PlaneListener,
        service: PlaneService,
        (plane, runtimes): (Plane, &PlaneRuntimes),
    ) -> JoinHandle<()> {
        let limits = ConnectionLimits::of_process().plane(plane);
        let max_connections = match &listener {
            PlaneListener::Socket(_) => limits.socket,
            PlaneListener::Port { .. } => limits.port,
        };
        runtimes.runtime(plane).spawn(serve(
            listener,
            max_connections,
            service,
            self.host.stop_signal(),
        ))
    }
}

fn open_twin_on(runtime: &Handle, port: Option<&OpenPort>) -> TwinPort {
    let _entered = runtime.enter();
    open_twin(port)
}

fn open_port_on(
    runtime: &Handle,
    port: Option<Port>,
    ports: &Ports,
) -> Result<Option<OpenPort>, PortError> {
    let _entered = runtime.enter();
    port.map_or(Ok(None), |port| open_port(port, ports))
}

impl RunningServer {
    /// Stops gracefully: open requests are answered, and waiting calls get `pending`.
    pub async fn stop(self) {
        self.daemon.host.stop();
        for listener in self.listeners {
            let _ended = listener.await;
        }
        for socket in [&self.sockets.agent, &self.sockets.operator] {
            let _gone = fs::remove_file(socket);
        }
    }
}

/// Replaces a socket that another process left behind, and nothing else.
fn bind_socket(path: &Path, access: AgentAccess, runtime: &Handle) -> io::Result<UnixListener> {
    let _entered = runtime.enter();
    if let Ok(metadata) = fs::symlink_metadata(path) {
        if !metadata.file_type().is_socket() {
            let message = format!("`{}` is not a socket; remove it", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    let mode = match access {
        AgentAccess::OwnUser => 0o600,
        AgentAccess::Group(group) => {
            // Nobody else can connect until the group is set.
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
            rustix::fs::chown(path, None, Some(Gid::from_raw(group)))?;
            0o660
        }
    };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    Ok(listener)
}
