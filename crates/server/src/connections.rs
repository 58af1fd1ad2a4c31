//! Accepts connections and serves HTTP on them, within bounds, until the server stops.
//!
//! One loop serves sockets and ports. A client that is slow or silent occupies one connection for
//! a limited time.

use crate::error_bodies::ErrorBodyStream;
use crate::limits;
use crate::lineage::find_holder;
use crate::peer_user::find_end;
use crate::peers::{Peer, PeerLookup};
use crate::service::PlaneService;
use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

pub(crate) enum PlaneListener {
    Socket(UnixListener),
    Port { listener: TcpListener, tls: Option<TlsAcceptor>, lookup: PeerLookup },
}

enum AcceptedConnection {
    Socket { stream: UnixStream, peer: Peer },
    Port(PortConnection),
}

struct PortConnection {
    stream: TcpStream,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    lookup: PeerLookup,
}

impl PlaneListener {
    async fn accept(&self) -> io::Result<AcceptedConnection> {
        match self {
            Self::Socket(listener) => {
                let (stream, _) = listener.accept().await?;
                let peer = Peer::from_socket(&stream);
                Ok(AcceptedConnection::Socket { stream, peer })
            }
            Self::Port { listener, tls, lookup } => {
                let (stream, address) = listener.accept().await?;
                stream.set_nodelay(true)?;
                let (tls, lookup) = (tls.clone(), *lookup);
                Ok(AcceptedConnection::Port(PortConnection { stream, address, tls, lookup }))
            }
        }
    }
}

/// Connections from which no request was admitted yet, the oldest first. When all places are taken,
/// the oldest of them makes room: silence must not keep others out.
#[derive(Default)]
struct UnadmittedConnections(VecDeque<(AbortHandle, Arc<AtomicBool>)>);

impl UnadmittedConnections {
    fn add(&mut self, task: AbortHandle, is_admitted: Arc<AtomicBool>) {
        self.0.push_back((task, is_admitted));
    }

    /// Forgets those that were admitted or have ended. An old one stays for a limited time, so this
    /// forgets all of them sooner or later.
    fn forget_settled(&mut self, max_connections: usize) {
        let is_settled = |(task, is_admitted): &(AbortHandle, Arc<AtomicBool>)| {
            task.is_finished() || is_admitted.load(Ordering::SeqCst)
        };
        while self.0.front().is_some_and(is_settled) {
            self.0.pop_front();
        }
        if self.0.len() > 2 * max_connections {
            self.0.retain(|connection| !is_settled(connection));
        }
    }

    /// False if there is none.
    fn close_oldest(&mut self) -> bool {
        let oldest = self.0.pop_front();
        oldest.inspect(|(task, _)| task.abort()).is_some()
    }
}

/// Serves until the server stops, then lets open requests finish within a time limit.
#[allow(clippy::disallowed_methods, reason = "a pause after a failed accept decides no call")]
pub(crate) async fn serve(
    listener: PlaneListener,
    max_connections: usize,
    service: PlaneService,
    stop: watch::Receiver<bool>,
) {
    let mut open = JoinSet::new();
    let mut unadmitted = UnadmittedConnections::default();
    // The last accepted connection waits here while every place is taken.
    let mut accepted = None;
    let mut stopped = pin!(wait_for_stop(stop.clone()));
    let service = Arc::new(service);
    loop {
        if let Some(connection) = accepted.take() {
            unadmitted.forget_settled(max_connections);
            if open.len() < max_connections || unadmitted.close_oldest() {
                let is_admitted = Arc::new(AtomicBool::new(false));
                let state = (Arc::clone(&service), Arc::clone(&is_admitted));
                let task = open.spawn(serve_connection(connection, state, stop.clone()));
                unadmitted.add(task, is_admitted);
            } else {
                accepted = Some(connection);
            }
        }
        tokio::select! {
            () = stopped.as_mut() => break,
            Some(_ended) = open.join_next(), if !open.is_empty() => {}
            next = listener.accept(), if accepted.is_none() => match next {
                Ok(connection) => accepted = Some(connection),
                Err(_) => sleep(limits::ACCEPT_BACKOFF).await,
            },
        }
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

/// Also returns if the sender is gone.
async fn wait_for_stop(mut stop: watch::Receiver<bool>) {
    let _gone = stop.wait_for(|stopped| *stopped).await;
}

/// Ten thousand of these futures wait at once. The larger one of a port is boxed, so that a socket
/// connection does not reserve memory for it.
async fn serve_connection(
    connection: AcceptedConnection,
    (service, is_admitted): (Arc<PlaneService>, Arc<AtomicBool>),
    stop: watch::Receiver<bool>,
) {
    match connection {
        AcceptedConnection::Socket { stream, peer } => {
            serve_http(stream, peer, (&service, &is_admitted), wait_for_stop(stop)).await;
        }
        AcceptedConnection::Port(connection) => {
            Box::pin(serve_port_connection(connection, service, is_admitted, stop)).await;
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "how long a connection may take decides no call")]
async fn serve_port_connection(
    connection: PortConnection,
    service: Arc<PlaneService>,
    is_admitted: Arc<AtomicBool>,
    stop: watch::Receiver<bool>,
) {
    let PortConnection { stream, address, tls, lookup } = connection;
    // A look-up reads the kernel's lists, so a connection on which nothing is said gets none.
    let mut first = [0];
    tokio::select! {
        spoken = timeout(limits::HEAD_TIMEOUT, stream.peek(&mut first)) => {
            if !matches!(spoken, Ok(Ok(1..))) {
                return;
            }
        }
        () = wait_for_stop(stop.clone()) => return,
    }
    let peer = look_up_peer(&stream, address, lookup).await;
    let Some(tls) = tls else {
        return serve_http(stream, peer, (&service, &is_admitted), wait_for_stop(stop)).await;
    };
    let handshake = tokio::select! {
        handshake = timeout(limits::TLS_HANDSHAKE_TIMEOUT, tls.accept(stream)) => handshake,
        () = wait_for_stop(stop.clone()) => return,
    };
    if let Ok(Ok(stream)) = handshake {
        serve_http(stream, peer, (&service, &is_admitted), wait_for_stop(stop)).await;
    }
}

async fn look_up_peer(stream: &TcpStream, address: SocketAddr, lookup: PeerLookup) -> Peer {
    let found = match (stream.local_addr(), lookup) {
        (Ok(own), PeerLookup::AddressAndUser) => {
            let found = tokio::task::spawn_blocking(move || {
                let end = find_end(address, own)?;
                let is_ours = end.uid == rustix::process::geteuid().as_raw();
                Some((end.uid, is_ours.then(|| find_holder(end.inode)).flatten()))
            });
            found.await.ok().flatten()
        }
        _ => None,
    };
    let (uid, pid) = (found.map(|(uid, _)| uid), found.and_then(|(_, pid)| pid));
    Peer::Network { address, uid, pid }
}

#[allow(clippy::disallowed_methods, reason = "how long a connection may take decides no call")]
async fn serve_http(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    peer: Peer,
    (service, is_admitted): (&PlaneService, &Arc<AtomicBool>),
    stopped: impl Future<Output = ()>,
) {
    let handler = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
        service.handle(peer, is_admitted, request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD_TIMEOUT)
        .max_headers(limits::MAX_HEADERS)
        .max_buf_size(limits::MAX_HEAD_BYTES);
    let stream = TokioIo::new(ErrorBodyStream::new(stream));
    let mut connection = pin!(http.serve_connection(stream, handler).with_upgrades());
    tokio::select! {
        _ended = connection.as_mut() => return,
        () = stopped => connection.as_mut().graceful_shutdown(),
    }
    let _ended = timeout(limits::SHUTDOWN_TIMEOUT, connection).await;
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test measures")]
mod tests {
    use super::*;
    use crate::admission::{Admission, AllowedUsers};
    use crate::{Credentials, Plane, Rates};
    use axum::Router;
    use axum::routing::get;
    use std::future::pending;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    /// The current user, and a service of the operator's plane with these routes.
    fn operator_service(routes: Router) -> (Peer, PlaneService) {
        let uid = rustix::process::geteuid().as_raw();
        let credentials = Arc::new(Credentials::in_memory());
        let admission =
            Admission::new(Plane::Operator, AllowedUsers::Any, credentials, Rates::DEFAULT);
        (Peer::Local { uid, pid: None }, PlaneService::for_socket(Arc::new(admission), routes))
    }

    /// Sends the bytes. Returns the response, and how long the server kept the connection.
    async fn exchange(request: &[u8]) -> (Vec<u8>, Duration) {
        let (mut client, server) = tokio::io::duplex(1 << 20);
        let (peer, service) = operator_service(Router::new().route("/", get(|| async { "ok" })));
        let started_at = Instant::now();
        let served = tokio::spawn(async move {
            serve_http(server, peer, (&service, &Arc::new(AtomicBool::new(false))), pending()).await
        });
        client.write_all(request).await.unwrap();
        let mut response = Vec::new();
        client.read_to_end(&mut response).await.unwrap();
        served.await.unwrap();
        (response, started_at.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_stops_sending_is_disconnected() {
        let timeout = limits::HEAD_TIMEOUT.as_secs();
        for request in [&b""[..], b"GET / HT", b"GET / HTTP/1.1\r\nhost: x\r\n"] {
            let (response, elapsed) = exchange(request).await;
            assert!(!response.starts_with(b"HTTP/1.1 200"));
            assert_eq!(elapsed.as_secs(), timeout);
        }
        let (response, elapsed) = exchange(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert!(response.starts_with(b"HTTP/1.1 200"));
        assert_eq!(elapsed.as_secs(), timeout, "an idle connection");
    }

    async fn send_get(stream: &mut UnixStream, path: &str) {
        let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
    }

    async fn read_response(stream: &mut UnixStream) {
        let (mut text, mut chunk) = (Vec::new(), [0; 256]);
        while !text.ends_with(b"the end") {
            let length = stream.read(&mut chunk).await.unwrap();
            assert_ne!(length, 0);
            text.extend_from_slice(&chunk[..length]);
        }
    }

    #[tokio::test]
    async fn a_connection_over_the_limit_waits_for_a_free_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = PlaneListener::Socket(UnixListener::bind(&path).unwrap());
        let late_requests = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&late_requests);
        let count = move || {
            counter.fetch_add(1, Ordering::SeqCst);
            async { "the end" }
        };
        let routes =
            Router::new().route("/", get(|| async { "the end" })).route("/late", get(count));
        let (stop, stopped) = watch::channel(false);
        let served = tokio::spawn(serve(listener, 1, operator_service(routes).1, stopped));
        let mut first = UnixStream::connect(&path).await.unwrap();
        send_get(&mut first, "/").await;
        read_response(&mut first).await;
        let mut second = UnixStream::connect(&path).await.unwrap();
        send_get(&mut second, "/late").await;
        for _ in 0..100 {
            send_get(&mut first, "/").await;
            read_response(&mut first).await;
        }
        assert_eq!(late_requests.load(Ordering::SeqCst), 0);
        drop(first);
        read_response(&mut second).await;
        stop.send(true).unwrap();
        served.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_is_too_large_is_refused() {
        let many: String = (0..=limits::MAX_HEADERS).map(|n| format!("x-{n}: y\r\n")).collect();
        let long = format!("x-long: {}\r\n", "y".repeat(4 * limits::MAX_HEAD_BYTES));
        let path = "a".repeat(4 * limits::MAX_HEAD_BYTES);
        for (path, headers) in [("", many), ("", long), (&path, String::new())] {
            let head = format!("GET /{path} HTTP/1.1\r\n{headers}\r\n");
            let (response, _) = exchange(head.as_bytes()).await;
            let text = String::from_utf8(response).unwrap();
            assert!(text.starts_with("HTTP/1.1 431") && text.contains("remedy"), "{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_does_not_finish_is_ended_at_shutdown() {
        let (mut client, server) = tokio::io::duplex(1 << 10);
        let never = get(|| async { pending::<()>().await });
        let (peer, service) = operator_service(Router::new().route("/", never));
        client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let started_at = Instant::now();
        let is_admitted = Arc::new(AtomicBool::new(false));
        serve_http(server, peer, (&service, &is_admitted), sleep(Duration::from_secs(1))).await;
        assert_eq!(started_at.elapsed(), Duration::from_secs(1) + limits::SHUTDOWN_TIMEOUT);
    }
}
