//! The sockets: one for agents, one for the operator, each in a folder that only its owner enters.

use crate::fault::Fault;
use crate::peers::{Caller, Peer, Principal};
use crate::{Daemon, Plane};
use axum::Router;
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::serve::IncomingStream;
use countersign_core::limits::ARGUMENT_BYTES;
use countersign_core::names::Agent;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;
use tower_http::catch_panic::CatchPanicLayer;

/// Where the planes are reached.
#[derive(Clone, Debug)]
pub struct Sockets {
    pub agent: PathBuf,
    pub operator: PathBuf,
}

impl Sockets {
    pub fn in_folder(folder: &Path) -> Self {
        Self { agent: folder.join("agent.sock"), operator: folder.join("operator.sock") }
    }
}

/// Both planes, taking connections.
pub struct Listening {
    daemon: Arc<Daemon>,
    sockets: Sockets,
    planes: [JoinHandle<io::Result<()>>; 2],
}

impl Connected<IncomingStream<'_, UnixListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, UnixListener>) -> Self {
        peer(stream.io())
    }
}

/// A peer that the kernel says nothing about is nobody's.
fn peer(stream: &UnixStream) -> Peer {
    match stream.peer_cred() {
        Ok(found) => Peer { uid: found.uid(), pid: found.pid() },
        Err(_) => Peer { uid: u32::MAX, pid: None },
    }
}

impl Daemon {
    /// Takes connections on both sockets.
    pub fn listen(self: &Arc<Self>, sockets: Sockets) -> io::Result<Listening> {
        let agent =
            plane(Plane::Agent.api().router).layer(from_fn(as_agent)).with_state(Arc::clone(self));
        let operator = plane(Plane::Operator.api().router)
            .layer(from_fn(as_operator))
            .with_state(Arc::clone(self));
        let planes = [
            self.serve(bind(&sockets.agent)?, agent),
            self.serve(bind(&sockets.operator)?, operator),
        ];
        Ok(Listening { daemon: Arc::clone(self), sockets, planes })
    }

    fn serve(
        self: &Arc<Self>,
        listener: UnixListener,
        routes: Router,
    ) -> JoinHandle<io::Result<()>> {
        let daemon = Arc::clone(self);
        let service = routes.into_make_service_with_connect_info::<Peer>();
        tokio::spawn(async move {
            let stopped = async move { daemon.stopped().await };
            axum::serve(listener, service).with_graceful_shutdown(stopped).await
        })
    }
}

impl Listening {
    /// Ends gracefully: what is being answered is answered, what waits hears `pending`.
    pub async fn stop(self) {
        self.daemon.stop();
        for plane in self.planes {
            let _ended = plane.await;
        }
        for socket in [&self.sockets.agent, &self.sockets.operator] {
            let _gone = fs::remove_file(socket);
        }
    }
}

/// What both planes have in common: nothing panics through, nothing is read without end, and
/// every answer is a typed one.
fn plane(routes: Router<Arc<Daemon>>) -> Router<Arc<Daemon>> {
    routes
        .fallback(|| async { Fault::no_route() })
        .method_not_allowed_fallback(|| async { Fault::no_method() })
        .layer(DefaultBodyLimit::max(ARGUMENT_BYTES))
        .layer(CatchPanicLayer::custom(|_| {
            let error = countersign_engine::EngineError::Damaged;
            Fault::from(error).into_response()
        }))
}

/// On the agents' socket everybody is an agent, by the name of the user that runs it.
async fn as_agent(
    ConnectInfo(peer): ConnectInfo<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    match Agent::parse(&format!("uid-{}", peer.uid)) {
        Ok(agent) => {
            request.extensions_mut().insert(Caller { agent, kind: Principal::Agent });
            next.run(request).await
        }
        Err(error) => Fault::unreadable(error).into_response(),
    }
}

/// Only the user that the daemon runs as is the operator; root is everybody.
async fn as_operator(
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let own = rustix::process::geteuid().as_raw();
    if peer.uid != own && peer.uid != 0 {
        let fault = Fault::forbidden("this is the operator's socket", "use the agents' one");
        return fault.into_response();
    }
    next.run(request).await
}

/// A socket that another process left behind is replaced; anything else in its place is not.
fn bind(path: &Path) -> io::Result<UnixListener> {
    if let Ok(found) = fs::symlink_metadata(path) {
        if !found.file_type().is_socket() {
            let what = format!("`{}` is no socket; remove it", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
        }
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}
