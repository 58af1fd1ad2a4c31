//! Takes connections and speaks HTTP on them, within bounds, until it is told to stop.
//!
//! One loop for sockets and ports. A client that is slow to say what it wants, or says nothing,
//! holds a place for a while and nothing more.

use crate::bare::Bodied;
use crate::doorway::Doorway;
use crate::limits;
use crate::peers::Peer;
use crate::whose::owner;
use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

/// A process that is out of descriptors gets some back when others end.
const OUT_OF_BREATH: Duration = Duration::from_millis(100);

/// Where connections come from.
pub(crate) enum Listener {
    Socket(UnixListener),
    Port { listener: TcpListener, tls: Option<TlsAcceptor>, sees: Sees },
}

/// What is found out about whoever comes by a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    Addresses,
    /// Also whose program it is, where it runs on this machine.
    Users,
}

enum Stream {
    Socket(UnixStream),
    Port(TcpStream, Option<TlsAcceptor>, Sees),
}

impl Listener {
    async fn accept(&self) -> io::Result<(Stream, Peer)> {
        match self {
            Self::Socket(listener) => {
                let (stream, _) = listener.accept().await?;
                let peer = Peer::on_socket(&stream);
                Ok((Stream::Socket(stream), peer))
            }
            Self::Port { listener, tls, sees } => {
                let (stream, address) = listener.accept().await?;
                stream.set_nodelay(true)?;
                let peer = Peer::Network { address, uid: None };
                Ok((Stream::Port(stream, tls.clone(), *sees), peer))
            }
        }
    }

    /// Connections that it holds at most.
    pub const fn room(&self) -> usize {
        match self {
            Self::Socket(_) => limits::ON_A_SOCKET,
            Self::Port { .. } => limits::ON_A_PORT,
        }
    }
}

/// Serves until it is stopped; then what is being answered is answered, if that does not take
/// too long.
#[allow(clippy::disallowed_methods, reason = "a pause after a failed accept decides no call")]
pub(crate) async fn serve(
    listener: Listener,
    room: usize,
    doorway: Doorway,
    stop: watch::Receiver<bool>,
) {
    let mut open = JoinSet::new();
    let mut ends = pin!(stopped(stop.clone()));
    let doorway = Arc::new(doorway);
    loop {
        tokio::select! {
            () = ends.as_mut() => break,
            Some(_ended) = open.join_next(), if !open.is_empty() => {}
            accepted = listener.accept(), if open.len() < room => match accepted {
                Ok((stream, peer)) => {
                    open.spawn(connection(stream, peer, Arc::clone(&doorway), stop.clone()));
                }
                Err(_) => sleep(OUT_OF_BREATH).await,
            },
        }
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

/// A daemon that is gone has stopped, too.
async fn stopped(mut stop: watch::Receiver<bool>) {
    let _gone = stop.wait_for(|stopped| *stopped).await;
}

/// Ten thousand of them wait at once, so that each holds what its own kind needs and no more.
async fn connection(
    stream: Stream,
    peer: Peer,
    doorway: Arc<Doorway>,
    stop: watch::Receiver<bool>,
) {
    match stream {
        Stream::Socket(stream) => speak((stream, peer), &doorway, stopped(stop)).await,
        Stream::Port(stream, tls, sees) => {
            Box::pin(on_port((stream, peer), (tls, sees), doorway, stop)).await;
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "how long a connection may take decides no call")]
async fn on_port(
    (stream, peer): (TcpStream, Peer),
    (tls, sees): (Option<TlsAcceptor>, Sees),
    doorway: Arc<Doorway>,
    stop: watch::Receiver<bool>,
) {
    let peer = looked_at(&stream, peer, sees).await;
    let Some(tls) = tls else {
        return speak((stream, peer), &doorway, stopped(stop)).await;
    };
    let greeted = tokio::select! {
        greeted = timeout(limits::HANDSHAKE, tls.accept(stream)) => greeted,
        () = stopped(stop.clone()) => return,
    };
    if let Ok(Ok(stream)) = greeted {
        speak((stream, peer), &doorway, stopped(stop)).await;
    }
}

/// Whose program it is, if that is wanted; else nobody's.
async fn looked_at(stream: &TcpStream, peer: Peer, sees: Sees) -> Peer {
    match (peer, stream.local_addr(), sees) {
        (Peer::Network { address, .. }, Ok(ours), Sees::Users) => {
            let found = tokio::task::spawn_blocking(move || owner(address, ours)).await;
            Peer::Network { address, uid: found.ok().flatten() }
        }
        (peer, _, _) => peer,
    }
}

#[allow(clippy::disallowed_methods, reason = "how long a connection may take decides no call")]
async fn speak(
    (stream, peer): (impl AsyncRead + AsyncWrite + Unpin, Peer),
    doorway: &Doorway,
    stopped: impl Future<Output = ()>,
) {
    let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
        doorway.answer(peer, request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD)
        .max_headers(limits::HEADERS)
        .max_buf_size(limits::HEAD_BYTES);
    let mut connection = pin!(http.serve_connection(TokioIo::new(Bodied::new(stream)), service));
    tokio::select! {
        _ended = connection.as_mut() => return,
        () = stopped => connection.as_mut().graceful_shutdown(),
    }
    let _ended = timeout(limits::GOODBYE, connection).await;
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test measures")]
mod tests {
    use super::*;
    use crate::admit::{Doorkeeper, Users};
    use crate::{Credentials, Plane, Rates};
    use axum::Router;
    use axum::routing::get;
    use std::future::pending;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    /// Whoever runs this, at a door of the operator's.
    fn door(routes: Router) -> (Peer, Doorway) {
        let uid = rustix::process::geteuid().as_raw();
        let (credentials, rates) = (Arc::new(Credentials::forgotten()), Rates::USUAL);
        let keeper = Doorkeeper::new(Plane::Operator, Users::Any, credentials, rates);
        (Peer::Local { uid }, Doorway::on_socket(Arc::new(keeper), routes))
    }

    async fn held(sent: &[u8]) -> (Vec<u8>, Duration) {
        let (mut client, server) = tokio::io::duplex(1 << 20);
        let (peer, doorway) = door(Router::new().route("/", get(|| async { "here" })));
        let before = Instant::now();
        let served = tokio::spawn(async move { speak((server, peer), &doorway, pending()).await });
        client.write_all(sent).await.unwrap();
        let mut heard = Vec::new();
        client.read_to_end(&mut heard).await.unwrap();
        served.await.unwrap();
        (heard, before.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_begins_and_does_not_go_on_is_let_go() {
        for sent in [&b""[..], b"GET / HT", b"GET / HTTP/1.1\r\nhost: x\r\n"] {
            let (heard, after) = held(sent).await;
            assert!(!heard.starts_with(b"HTTP/1.1 200"));
            assert_eq!(after.as_secs(), limits::HEAD.as_secs());
        }
        let (heard, after) = held(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert!(heard.starts_with(b"HTTP/1.1 200"));
        assert_eq!(after.as_secs(), limits::HEAD.as_secs(), "idle for so long");
    }

    /// Says it on a connection, and waits for the end of the answer.
    async fn says(stream: &mut UnixStream, path: &str) {
        let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
    }

    async fn heard(stream: &mut UnixStream) {
        let (mut text, mut some) = (Vec::new(), [0; 256]);
        while !text.ends_with(b"here") {
            let many = stream.read(&mut some).await.unwrap();
            assert_ne!(many, 0);
            text.extend_from_slice(&some[..many]);
        }
    }

    #[tokio::test]
    async fn whoever_finds_no_room_waits_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = Listener::Socket(UnixListener::bind(&path).unwrap());
        let late = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&late);
        let count = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            async { "here" }
        };
        let routes = Router::new().route("/", get(|| async { "here" })).route("/late", get(count));
        let (stop, stopped) = watch::channel(false);
        let served = tokio::spawn(serve(listener, 1, door(routes).1, stopped));
        let mut first = UnixStream::connect(&path).await.unwrap();
        says(&mut first, "/").await;
        heard(&mut first).await;
        let mut second = UnixStream::connect(&path).await.unwrap();
        says(&mut second, "/late").await;
        for _ in 0..100 {
            says(&mut first, "/").await;
            heard(&mut first).await;
        }
        assert_eq!(late.load(Ordering::SeqCst), 0);
        drop(first);
        heard(&mut second).await;
        stop.send(true).unwrap();
        served.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_without_end_is_not_read() {
        let many: String = (0..=limits::HEADERS).map(|n| format!("x-{n}: y\r\n")).collect();
        let long = format!("x-long: {}\r\n", "y".repeat(4 * limits::HEAD_BYTES));
        let address = "a".repeat(4 * limits::HEAD_BYTES);
        for (address, headers) in [("", many), ("", long), (&address, String::new())] {
            let head = format!("GET /{address} HTTP/1.1\r\n{headers}\r\n");
            let (heard, _) = held(head.as_bytes()).await;
            let heard = String::from_utf8(heard).unwrap();
            assert!(heard.starts_with("HTTP/1.1 431") && heard.contains("remedy"), "{heard}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_end_by_itself_is_ended() {
        let (mut client, server) = tokio::io::duplex(1 << 10);
        let never = get(|| async { pending::<()>().await });
        let (peer, doorway) = door(Router::new().route("/", never));
        client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let before = Instant::now();
        speak((server, peer), &doorway, sleep(Duration::from_secs(1))).await;
        assert_eq!(before.elapsed(), Duration::from_secs(1) + limits::GOODBYE);
    }
}
