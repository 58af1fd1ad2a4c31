//! A connection with a thread of its own, so that its user can stop waiting for the database.
//!
//! A database that hangs does not close its connections, and a query cannot be interrupted from
//! outside. So the query runs on the connection's thread, and the caller waits with a timeout. After
//! a timeout the thread is left to itself, and the next caller gets a new connection.

use super::PostgresSettings;
use super::database::PostgresDatabase;
use crate::limits::RECONNECT_PAUSE;
use crate::{StoreError, lock, spawn_thread};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, SendError, Sender, channel, sync_channel};
use std::time::{Duration, Instant};

/// Gets the database, or the reason why it cannot be reached.
type Query = Box<dyn FnOnce(Result<&mut PostgresDatabase, StoreError>) + Send>;

pub(super) struct PostgresConnection {
    settings: PostgresSettings,
    thread: Mutex<ThreadState>,
}

enum ThreadState {
    Running(Sender<Query>),
    /// No answer came in time. Until then callers are refused at once.
    GivenUp {
        until: Instant,
    },
}

impl PostgresConnection {
    pub fn open(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let thread = Mutex::new(ThreadState::Running(start_thread(settings)?));
        Ok(Self { settings: settings.clone(), thread })
    }

    /// Runs a query and waits for its result, but not longer than the timeout.
    pub fn run<T: Send + 'static>(
        &self,
        timeout: Duration,
        query: impl FnOnce(&mut PostgresDatabase) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, result) = sync_channel(1);
        self.send(Box::new(move |database| {
            // A caller that stopped waiting has been told so.
            let _received = sender.send(database.and_then(query));
        }))?;
        match result.recv_timeout(timeout) {
            Ok(result) => result,
            Err(RecvTimeoutError::Disconnected) => Err(connection_lost()),
            Err(RecvTimeoutError::Timeout) => {
                self.give_up()?;
                Err(no_answer())
            }
        }
    }

    #[allow(clippy::disallowed_methods, reason = "a pause between two tries decides no call")]
    fn send(&self, query: Query) -> Result<(), StoreError> {
        let mut thread = lock(&self.thread)?;
        let refused = match &*thread {
            ThreadState::Running(queries) => match queries.send(query) {
                Ok(()) => return Ok(()),
                // The thread has ended: it could not connect.
                Err(SendError(query)) => query,
            },
            ThreadState::GivenUp { until } if Instant::now() < *until => return Err(no_answer()),
            ThreadState::GivenUp { .. } => query,
        };
        let queries = start_thread(&self.settings)?;
        let _sent = queries.send(refused);
        *thread = ThreadState::Running(queries);
        Ok(())
    }

    #[allow(clippy::disallowed_methods, reason = "a pause between two tries decides no call")]
    fn give_up(&self) -> Result<(), StoreError> {
        *lock(&self.thread)? = ThreadState::GivenUp { until: Instant::now() + RECONNECT_PAUSE };
        Ok(())
    }
}

fn connection_lost() -> StoreError {
    StoreError::unavailable("asking the database", &"the connection was lost")
}

fn no_answer() -> StoreError {
    StoreError::unavailable("asking the database", &"it does not answer")
}

/// The thread ends with its sender, or if it cannot connect.
fn start_thread(settings: &PostgresSettings) -> Result<Sender<Query>, StoreError> {
    let (sender, queries) = channel::<Query>();
    let settings = settings.clone();
    spawn_thread(
        "store connection",
        "starting a connection",
        move || match PostgresDatabase::open(&settings) {
            Ok(mut database) => queries.into_iter().for_each(|query| query(Ok(&mut database))),
            Err(error) => queries.try_iter().for_each(|query| query(Err(error.clone()))),
        },
    )?;
    Ok(sender)
}
