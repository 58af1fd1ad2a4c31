//! Hints from other nodes: a notification, or the passing of time where none can come.

use super::{Hints, PostgresSettings};
use crate::{StoreError, Wake};
use postgres::fallible_iterator::FallibleIterator;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// A notification can be lost with its connection, so that somebody looks anyway.
const LOOK_ANYWAY: Duration = Duration::from_millis(500);
/// Without notifications somebody looks as often as a person notices.
const POLL: Duration = Duration::from_millis(200);

pub(super) struct Listener {
    wake: Arc<Mutex<Option<Wake>>>,
    ends: Arc<AtomicBool>,
    /// Notifications so far.
    heard: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    pub fn start(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let (wake, ends) = (Arc::new(Mutex::new(None)), Arc::new(AtomicBool::new(false)));
        let heard = Arc::new(AtomicU64::new(0));
        let hearing = Hearing {
            settings: settings.clone(),
            wake: Arc::clone(&wake),
            ends: Arc::clone(&ends),
            heard: Arc::clone(&heard),
        };
        let thread = std::thread::Builder::new()
            .name("store hints".to_owned())
            .spawn(move || hearing.run())
            .map_err(|error| StoreError::Unavailable {
                what: "starting to listen".to_owned(),
                cause: error.to_string(),
            })?;
        Ok(Self { wake, ends, heard, thread: Some(thread) })
    }

    /// How often another node, or this one, has said that something changed.
    pub fn heard(&self) -> u64 {
        self.heard.load(Ordering::SeqCst)
    }

    pub fn wake(&self, wake: Wake) {
        if let Ok(mut held) = self.wake.lock() {
            *held = Some(wake);
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ended = thread.join();
        }
    }
}

struct Hearing {
    settings: PostgresSettings,
    wake: Arc<Mutex<Option<Wake>>>,
    ends: Arc<AtomicBool>,
    heard: Arc<AtomicU64>,
}

impl Hearing {
    fn run(&self) {
        while !self.ends.load(Ordering::SeqCst) {
            match self.settings.hints {
                Hints::Poll => std::thread::park_timeout(POLL),
                // A lost connection is a missed notification: look, then listen again.
                Hints::Listen if self.listen().is_none() => std::thread::park_timeout(POLL),
                Hints::Listen => {}
            }
            self.call();
        }
    }

    fn call(&self) {
        let wake = self.wake.lock().ok().and_then(|held| held.clone());
        if let Some(wake) = wake {
            wake();
        }
    }

    /// Listens until the connection is lost or this ends.
    fn listen(&self) -> Option<()> {
        let config = postgres::Config::from_str(&self.settings.url).ok()?;
        let mut client = config.connect(postgres::NoTls).ok()?;
        client.batch_execute(&format!("LISTEN {}", self.settings.schema)).ok()?;
        self.call();
        while !self.ends.load(Ordering::SeqCst) {
            let mut heard = client.notifications();
            let mut waiting = heard.timeout_iter(LOOK_ANYWAY);
            match waiting.next() {
                Ok(None) => {}
                Ok(Some(_)) => drop(self.heard.fetch_add(1, Ordering::SeqCst)),
                Err(_) => return None,
            }
            self.call();
        }
        Some(())
    }
}
