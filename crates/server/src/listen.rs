//! The doors: a socket for agents and one for the operator, and a port for each if that is wanted.
//! The planes share nothing: each has its own routes, its own doorkeeper and its own thread.

use crate::admit::{Doorkeeper, Users};
use crate::doorway::Doorway;
use crate::fault::Fault;
use crate::guard::Names;
use crate::ports::{self, Door, Port, PortError, Ports, Rates};
use crate::serving::{Listener, serve};
use crate::{Daemon, Plane};
use axum::Router;
use rustix::fs::Gid;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// Where the planes are reached on this machine.
#[derive(Clone, Debug)]
pub struct Sockets {
    pub agent: PathBuf,
    pub operator: PathBuf,
    /// Whom the agents' socket is open to. The operator's is open to nobody else.
    pub reach: Reach,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The daemon's own user.
    Own,
    /// A group of users, to which the daemon's own does not count.
    Group(u32),
}

impl Sockets {
    pub fn in_folder(folder: &Path) -> Self {
        let (agent, operator) = (folder.join("agent.sock"), folder.join("operator.sock"));
        Self { agent, operator, reach: Reach::Own }
    }
}

/// Which thread serves which plane: agents that are many, or one that waits for the disk, hold up
/// nobody on the operator's.
pub struct Threads {
    pub agents: Handle,
    pub operator: Handle,
}

impl Threads {
    fn of(&self, plane: Plane) -> &Handle {
        match plane {
            Plane::Agent => &self.agents,
            Plane::Operator => &self.operator,
        }
    }
}

/// Both planes, taking connections.
pub struct Listening {
    daemon: Arc<Daemon>,
    sockets: Sockets,
    planes: Vec<JoinHandle<()>>,
    /// Where the ports are, if they are open.
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
            Self::Socket(_) => "look at the folder and its sockets",
            Self::Port(error) => error.help(),
        }
    }
}

impl Daemon {
    /// Takes connections on both sockets, and on ports. If one of those cannot be had, nothing is
    /// open.
    pub fn listen_on(
        self: &Arc<Self>,
        sockets: Sockets,
        ports: &Ports,
        threads: &Threads,
    ) -> Result<Listening, ListenError> {
        let agent = door(ports.agent, ports, &threads.agents)?;
        let operator = door(ports.operator, ports, &threads.operator)?;
        let keepers = self.doorkeepers(&sockets, ports.rates);
        let mut listening = self.on_sockets(sockets, &keepers, threads)?;
        let [agents, operators] = keepers;
        listening.agent = agent.as_ref().map(|door| door.address);
        listening.operator = operator.as_ref().map(|door| door.address);
        let open = [(agent, agents), (operator, operators)];
        for (door, keeper) in open.into_iter().filter_map(|(door, keeper)| Some((door?, keeper))) {
            listening.planes.push(self.on_port(door, keeper, threads));
        }
        Ok(listening)
    }

    fn doorkeepers(&self, sockets: &Sockets, rates: Rates) -> [Arc<Doorkeeper>; 2] {
        let users = match sockets.reach {
            Reach::Own => Users::Any,
            Reach::Group(_) => Users::Others,
        };
        [(Plane::Agent, users), (Plane::Operator, Users::Any)].map(|(plane, users)| {
            Arc::new(Doorkeeper::new(plane, users, Arc::clone(&self.credentials), rates))
        })
    }

    fn on_sockets(
        self: &Arc<Self>,
        sockets: Sockets,
        [agents, operators]: &[Arc<Doorkeeper>; 2],
        threads: &Threads,
    ) -> io::Result<Listening> {
        let agent = bind(&sockets.agent, sockets.reach, &threads.agents)?;
        let operator = bind(&sockets.operator, Reach::Own, &threads.operator)?;
        let planes = vec![
            self.on_socket(Listener::Socket(agent), agents, threads),
            self.on_socket(Listener::Socket(operator), operators, threads),
        ];
        let daemon = Arc::clone(self);
        Ok(Listening { daemon, sockets, planes, agent: None, operator: None })
    }

    fn on_socket(
        self: &Arc<Self>,
        listener: Listener,
        keeper: &Arc<Doorkeeper>,
        threads: &Threads,
    ) -> JoinHandle<()> {
        let (thread, routes) = (threads.of(keeper.plane()), self.routes(keeper.plane()));
        self.serve(listener, Doorway::on_socket(Arc::clone(keeper), routes), thread)
    }

    fn on_port(
        self: &Arc<Self>,
        door: Door,
        keeper: Arc<Doorkeeper>,
        threads: &Threads,
    ) -> JoinHandle<()> {
        let (names, routes) = (Names::of(&door), self.routes(keeper.plane()));
        let thread = threads.of(keeper.plane());
        let Door { listener, tls, .. } = door;
        let listener = Listener::Port { listener, tls, sees: keeper.sees() };
        self.serve(listener, Doorway::on_port(keeper, names, routes), thread)
    }

    fn routes(self: &Arc<Self>, plane: Plane) -> Router {
        typed(plane.api().router).with_state(Arc::clone(self))
    }

    fn serve(&self, listener: Listener, doorway: Doorway, thread: &Handle) -> JoinHandle<()> {
        let room = listener.room();
        thread.spawn(serve(listener, room, doorway, self.host.stop_signal()))
    }
}

fn door(port: Option<Port>, ports: &Ports, thread: &Handle) -> Result<Option<Door>, PortError> {
    let _there = thread.enter();
    port.map_or(Ok(None), |port| ports::open(port, ports))
}

impl Listening {
    /// Ends gracefully: what is being answered is answered, what waits hears `pending`.
    pub async fn stop(self) {
        self.daemon.host.stop();
        for plane in self.planes {
            let _ended = plane.await;
        }
        for socket in [&self.sockets.agent, &self.sockets.operator] {
            let _gone = fs::remove_file(socket);
        }
    }
}

/// What both planes have in common: every answer is a typed one.
fn typed(routes: Router<Arc<Daemon>>) -> Router<Arc<Daemon>> {
    routes
        .fallback(|| async { Fault::no_route() })
        .method_not_allowed_fallback(|| async { Fault::no_method() })
}

/// A socket that another process left behind is replaced; anything else in its place is not.
fn bind(path: &Path, reach: Reach, thread: &Handle) -> io::Result<UnixListener> {
    let _there = thread.enter();
    if let Ok(found) = fs::symlink_metadata(path) {
        if !found.file_type().is_socket() {
            let what = format!("`{}` is no socket; remove it", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
        }
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    let mode = match reach {
        Reach::Own => 0o600,
        Reach::Group(group) => {
            // Closed while it changes hands.
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
            rustix::fs::chown(path, None, Some(Gid::from_raw(group)))?;
            0o660
        }
    };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    Ok(listener)
}
