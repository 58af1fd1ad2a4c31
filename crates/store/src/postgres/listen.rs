//! Learns of commits on other nodes: from notifications, or by polling where none can come.

use super::{ChangeFeed, PostgresSettings};
use crate::limits::{LISTEN_INTERVAL, POLL_INTERVAL};
use crate::{StoreError, WakeCallback, spawn_thread};
use postgres::fallible_iterator::FallibleIterator;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

pub(super) struct Listener {
    shared: Arc<ListenerState>,
    thread: Option<JoinHandle<()>>,
}

/// What the listener shares with its thread.
struct ListenerState {
    settings: PostgresSettings,
    callback: Mutex<Option<WakeCallback>>,
    stopping: AtomicBool,
    notifications: AtomicU64,
}

impl Listener {
    pub fn start(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let shared = Arc::new(ListenerState {
            settings: settings.clone(),
            callback: Mutex::new(None),
            stopping: AtomicBool::new(false),
            notifications: AtomicU64::new(0),
        });
        let state = Arc::clone(&shared);
        let thread = spawn_thread("store hints", "starting to listen", move || state.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// How many notifications came, from other nodes and from this one.
    pub fn notifications(&self) -> u64 {
        self.shared.notifications.load(Ordering::SeqCst)
    }

    pub fn set_wake_callback(&self, wake: WakeCallback) {
        if let Ok(mut callback) = self.shared.callback.lock() {
            *callback = Some(wake);
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ended = thread.join();
        }
    }
}

impl ListenerState {
    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    fn run(&self) {
        while !self.is_stopping() {
            match self.settings.change_feed {
                ChangeFeed::Poll => std::thread::park_timeout(POLL_INTERVAL),
                // A lost connection can mean a missed notification: wake, then listen again.
                ChangeFeed::Listen if self.listen().is_none() => {
                    std::thread::park_timeout(POLL_INTERVAL);
                }
                ChangeFeed::Listen => {}
            }
            self.call_back();
        }
    }

    fn call_back(&self) {
        let callback = self.callback.lock().ok().and_then(|callback| callback.clone());
        if let Some(callback) = callback {
            callback();
        }
    }

    /// Listens until the connection is lost or the store closes.
    fn listen(&self) -> Option<()> {
        let config = postgres::Config::from_str(&self.settings.url).ok()?;
        let mut client = config.connect(postgres::NoTls).ok()?;
        client.batch_execute(&format!("LISTEN {}", self.settings.schema)).ok()?;
        self.call_back();
        while !self.is_stopping() {
            let mut notifications = client.notifications();
            let mut waiting = notifications.timeout_iter(LISTEN_INTERVAL);
            match waiting.next() {
                Ok(None) => {}
                Ok(Some(_)) => drop(self.notifications.fetch_add(1, Ordering::SeqCst)),
                Err(_) => return None,
            }
            self.call_back();
        }
        Some(())
    }
}
