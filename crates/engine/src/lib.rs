//! The engine: the one place where facts, decision and store meet.
//!
//! It gathers facts in one read, lets `core` decide, and commits what follows in one conditional
//! write. If something moved meanwhile it decides again, three times at most. It asks nobody and
//! executes nothing: a `Permit` is what lets somebody else execute.

mod check;
mod clock;
mod conversation;
mod erase;
mod granting;
mod importing;
mod late;
pub mod limits;
mod operator;
mod outcome;
mod own;
mod principals;
mod repeats;
mod replay;
mod report;
mod rules;
mod runs;
mod serve;
mod soon;
mod telling;
mod unwritten;
mod wait;

pub use check::{Checked, Permit, Reported};
pub use clock::{Clock, Entropy};
pub use countersign_store::{
    ChangeFeed, DatabaseClock, GrantOwnerFilter, GrantPage, GrantQuery, GrantStatusFilter, Memory,
    ObjectKind, PendingCommit, Postgres, PostgresReader, PostgresSettings, ReadScope, RowKey,
    ScopeKind, Snapshot, Sqlite, SqliteReader, Store, StoreError, StoreReader, WakeCallback,
};
pub use erase::{Erasable, Erasure};
pub use granting::Giving;
pub use late::Untold;
pub use operator::Asks;
pub use outcome::EngineError;
pub use own::{Kept, Moved, Records, Speaking};
pub use repeats::{Condition, Executed, Executor, Health};
pub use replay::{Replay, Replayed};
pub use report::Taken;
pub use runs::Audited;
pub use serve::Opening;
pub use soon::{Soon, Writes};
pub use wait::{Told, Waited, Whose};

use crate::clock::Steady;
use crate::late::Completions;
use crate::rules::InForce;
use crate::unwritten::Unwritten;
use crate::wait::{Bells, Reached};
use countersign_commands::RuleSet;
use countersign_core::decide::facts::Facts;
use countersign_core::ledger::{Entry, Head};
use countersign_core::model::change::Change;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::Fresh;
use countersign_core::model::names::NodeName;
use countersign_core::model::ruled;
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::Surface;
use countersign_core::state::State;
use countersign_observe::{FileSystem, NoFileSystem};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};

pub struct Engine<S> {
    store: S,
    clock: Box<dyn Clock>,
    entropy: Box<dyn Entropy>,
    disk: Box<dyn FileSystem>,
    /// What `~` stands for in a path.
    home: Option<String>,
    in_force: RwLock<Option<Arc<InForce>>>,
    surface: Mutex<Surface>,
    /// Our own files, which no agent may touch.
    protected: Vec<String>,
    /// The same, ready to be held against command lines.
    ours: RuleSet,
    bells: Bells,
    node: NodeName,
    steady: Steady,
    /// Whether anything is decided yet.
    open: AtomicBool,
    completions: Completions,
    unwritten: Unwritten,
}

impl<S: Store> Engine<S> {
    pub fn new(store: S, clock: Box<dyn Clock>, entropy: Box<dyn Entropy>) -> Self {
        let (in_force, surface) = (RwLock::new(None), Mutex::new(Surface::Gone));
        let (disk, protected, ours) =
            (Box::new(NoFileSystem), Vec::new(), RuleSet::new(Vec::new()));
        let bells = Bells::default();
        let ringing = Arc::clone(&bells.news);
        store.set_wake_callback(Arc::new(move || ringing.ring(Whose::Anybodys)));
        Self {
            store,
            clock,
            entropy,
            disk,
            home: None,
            in_force,
            surface,
            protected,
            ours,
            bells,
            node: NodeName::local().clone(),
            steady: Steady::default(),
            open: AtomicBool::new(false),
            completions: Completions::default(),
            unwritten: Unwritten::default(),
        }
    }

    /// Says which of the nodes that share a record this is. The name has to stay the same from one
    /// life of the node to the next.
    pub fn named(mut self, node: NodeName) -> Self {
        self.node = node;
        self
    }

    /// Says where paths and programs are looked up. Until then nothing leads anywhere, and no rule
    /// that needs to know allows anything.
    pub fn look_at(mut self, disk: Box<dyn FileSystem>) -> Self {
        self.disk = disk;
        self
    }

    /// Says what `~` stands for. Until then a path that begins with it leads nowhere.
    pub fn at_home(mut self, home: Option<String>) -> Self {
        self.home = home;
        self
    }

    /// Puts files, sockets and folders out of every agent's reach.
    pub fn protect(mut self, paths: Vec<String>) -> Self {
        self.ours = rules::denied(&paths);
        self.protected = paths;
        self
    }

    /// One read, one pure step, one conditional write.
    fn transact<T>(
        &self,
        need: &ReadScope,
        step: impl Fn(&Facts) -> (T, Vec<Change>),
    ) -> Result<T, EngineError> {
        self.transact_under(need, |facts, _| step(facts))
    }

    /// The same, with the rules of the graph that the facts hold.
    fn transact_under<T>(
        &self,
        need: &ReadScope,
        step: impl Fn(&Facts, Option<&InForce>) -> (T, Vec<Change>),
    ) -> Result<T, EngineError> {
        self.is_open()?;
        self.write_what_waits()?;
        self.transact_before(need, step)
    }

    fn is_open(&self) -> Result<(), EngineError> {
        let open = self.open.load(Ordering::SeqCst);
        open.then_some(()).ok_or(EngineError::Closed)
    }

    /// The same, also before the engine is open for business.
    fn transact_before<T>(
        &self,
        need: &ReadScope,
        step: impl Fn(&Facts, Option<&InForce>) -> (T, Vec<Change>),
    ) -> Result<T, EngineError> {
        self.catch_up(need)?;
        self.transact_now(need, step)
    }

    /// The same, whatever is still on its way to the disk.
    fn transact_now<T>(
        &self,
        need: &ReadScope,
        step: impl Fn(&Facts, Option<&InForce>) -> (T, Vec<Change>),
    ) -> Result<T, EngineError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (now, answer, changes, reached) = self.look_under(need, |facts, in_force| {
                let (answer, changes) = step(facts, in_force);
                let reached = Reached::by(&changes, need, facts);
                (facts.now, answer, changes, reached)
            })?;
            if changes.is_empty() {
                return Ok(answer);
            }
            if attempts < limits::ATTEMPTS && self.passed(now)? > limits::STALE {
                continue;
            }
            match self.store.commit(need, now, changes) {
                Ok(()) => {
                    self.bells.ring(reached.as_ref());
                    return Ok(answer);
                }
                Err(StoreError::Conflict(conflict)) if attempts >= limits::ATTEMPTS => {
                    return Err(EngineError::Contended(conflict));
                }
                Err(StoreError::Conflict(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// One read and one pure step.
    fn look<T>(&self, need: &ReadScope, step: impl Fn(&Facts) -> T) -> Result<T, EngineError> {
        self.look_under(need, |facts, _| step(facts))
    }

    fn look_under<T>(
        &self,
        need: &ReadScope,
        step: impl Fn(&Facts, Option<&InForce>) -> T,
    ) -> Result<T, EngineError> {
        self.look_into(&self.store.read(need)?, step)
    }

    fn look_into<T>(
        &self,
        slice: &Snapshot,
        step: impl Fn(&Facts, Option<&InForce>) -> T,
    ) -> Result<T, EngineError> {
        let now = self.held(slice)?;
        let in_force = self.in_force()?;
        let fresh = Fresh::new(now, self.entropy.bits());
        let facts = Facts {
            now,
            fresh: &fresh,
            graph: in_force.as_deref().map(|in_force| &*in_force.graph),
            state: &slice.state,
            surface: self.surface()?,
            protected: &self.protected,
            ruled: &ruled::NOTHING,
            key: self.store.key(),
            node: &self.node,
        };
        Ok(step(&facts, in_force.as_deref()))
    }

    pub fn graph(&self) -> Result<Option<Arc<Graph>>, EngineError> {
        Ok(self.in_force()?.map(|in_force| in_force.graph.clone()))
    }

    fn in_force(&self) -> Result<Option<Arc<InForce>>, EngineError> {
        self.in_force.read().map(|held| held.clone()).map_err(|_| EngineError::Damaged)
    }

    fn surface(&self) -> Result<Surface, EngineError> {
        self.surface.lock().map(|surface| *surface).map_err(|_| EngineError::Damaged)
    }

    pub fn state(&self) -> Result<Arc<State>, EngineError> {
        let all = ReadScope::with_kind(ScopeKind::Everything);
        self.catch_up(&all)?;
        Ok(self.store.read(&all)?.state)
    }

    /// Entries from a place on, so many at most.
    pub fn page(&self, from: u64, most: usize) -> Result<Vec<Entry>, EngineError> {
        Ok(self.store.read_entries(from, most)?)
    }

    /// Where the ledger ends now.
    pub fn head(&self) -> Result<Head, EngineError> {
        Ok(self.store.head()?)
    }

    pub fn entries(&self) -> Result<Vec<Entry>, EngineError> {
        self.catch_up(&ReadScope::with_kind(ScopeKind::Everything))?;
        Ok(self.store.read_entries(0, usize::MAX)?)
    }

    /// The time by which something would be decided now.
    pub fn moment(&self) -> Result<Time, EngineError> {
        let slice = self.store.read(&ReadScope::globals())?;
        self.held(&slice)
    }

    /// The same, for whoever only shows it.
    pub fn now(&self) -> Time {
        self.moment().unwrap_or_else(|_| self.clock.now())
    }

    fn held(&self, slice: &Snapshot) -> Result<Time, EngineError> {
        let said = slice.now.unwrap_or_else(|| self.clock.now());
        self.steady.hold(&*self.clock, (said, slice.last_commit_at))
    }

    /// How long ago something was decided, as far as this machine can tell.
    fn passed(&self, since: Time) -> Result<Span, EngineError> {
        let now = self.steady.hold(&*self.clock, (since, since))?;
        Ok(Span::micros(now.micros().saturating_sub(since.micros())))
    }
}
