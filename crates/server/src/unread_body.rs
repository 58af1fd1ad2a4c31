//! Reads and drops what a refused request still sends.
//!
//! A client that writes its whole body before it reads sees a reset instead of the reply if the
//! server closes the connection with bytes unread. So the rest of a body that no route read is read
//! before the reply, within bounds.

use crate::limits;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderMap;
use axum::http::header::EXPECT;
use hyper::body::{Frame, SizeHint};
use std::future::poll_fn;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::time::timeout;

/// Where a body goes that was dropped before its end.
#[derive(Clone)]
pub(crate) struct UnreadBody {
    left: Arc<Mutex<Option<Body>>>,
    /// Such a client sends its body only after it was told to go on.
    awaits_consent: bool,
}

impl UnreadBody {
    pub(crate) fn new(headers: &HeaderMap) -> Self {
        Self { left: Arc::default(), awaits_consent: headers.contains_key(EXPECT) }
    }

    /// The body, which comes back here if nobody reads it to its end.
    pub(crate) fn watch(&self, body: Body) -> Body {
        if body.is_end_stream() {
            return body;
        }
        let is_started = !self.awaits_consent;
        Body::new(WatchedBody { body, is_started, left: Arc::clone(&self.left) })
    }

    /// Reads the rest of a body that came back.
    #[allow(clippy::disallowed_methods, reason = "how long a connection may take decides no call")]
    pub(crate) async fn drain(&self) {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut body) = left else { return };
        let mut room = limits::MAX_DRAINED_BYTES;
        let drained = async {
            while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
                let length = frame.data_ref().map_or(0, Bytes::len);
                let Some(rest) = room.checked_sub(length) else { return };
                room = rest;
            }
        };
        let _bounded = timeout(limits::DRAIN_TIMEOUT, drained).await;
    }
}

struct WatchedBody {
    body: Body,
    /// Whether the client sends without being asked to, or was asked.
    is_started: bool,
    left: Arc<Mutex<Option<Body>>>,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.is_started = true;
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        if self.is_started && !self.body.is_end_stream() {
            let body = mem::take(&mut self.body);
            *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
        }
    }
}
