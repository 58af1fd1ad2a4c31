//! The engine itself: its parts, and how it is set up.

use crate::active_rules::{ActiveRules, deny_paths};
use crate::clock::{Clock, Entropy, SteadyClock};
use crate::commit_listeners::{AffectedSessions, CommitListener, CommitListeners};
use crate::layer_versions::LayerTrust;
use crate::live_calls::LiveCalls;
use crate::revocation_queue::RevocationQueue;
use crate::seen_texts::SeenTexts;
use crate::{EngineError, ReadScope, ScopeKind, Store};
use countersign_commands::RuleSet;
use countersign_core::model::names::NodeName;
use countersign_core::model::narrowed::NarrowingKind;
use countersign_core::model::open_questions::QuestionLimits;
use countersign_core::model::time::Date;
use countersign_core::model::words::{Assurance, Surface};
use countersign_core::state::State;
use countersign_ledger::{Entry, Head};
use countersign_observe::{FileSystem, NoFileSystem};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, RwLock};

pub struct Engine<S> {
    pub(crate) store: S,
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) steady_clock: SteadyClock,
    pub(crate) entropy: Box<dyn Entropy>,
    pub(crate) file_system: Box<dyn FileSystem>,
    /// What `~` means in a path.
    pub(crate) home: Option<String>,
    pub(crate) rules: RwLock<Option<Arc<ActiveRules>>>,
    pub(crate) layer_trust: LayerTrust,
    pub(crate) surface: Mutex<Surface>,
    pub(crate) assurance: Mutex<Assurance>,
    pub(crate) question_limits: QuestionLimits,
    /// Our own files, which no agent may touch.
    pub(crate) protected: Vec<String>,
    /// The same, as rules for command lines.
    pub(crate) protected_rules: RuleSet,
    pub(crate) commit_listeners: Arc<CommitListeners>,
    pub(crate) node: NodeName,
    pub(crate) is_open: AtomicBool,
    pub(crate) pending_revocations: RevocationQueue,
    pub(crate) live_calls: LiveCalls,
    pub(crate) seen_texts: SeenTexts,
    /// The kinds of narrower forms that are used.
    pub(crate) narrowing: Vec<NarrowingKind>,
    /// The day on which this engine last looked for reviews that are due.
    pub(crate) reviews_checked_on: Mutex<Option<Date>>,
}

impl<S: Store> Engine<S> {
    pub fn new(store: S, clock: Box<dyn Clock>, entropy: Box<dyn Entropy>) -> Self {
        let commit_listeners = Arc::new(CommitListeners::default());
        let listeners = Arc::clone(&commit_listeners);
        store.set_wake_callback(Arc::new(move || listeners.notify(&AffectedSessions::All)));
        Self {
            store,
            clock,
            steady_clock: SteadyClock::default(),
            entropy,
            file_system: Box::new(NoFileSystem),
            home: None,
            rules: RwLock::new(None),
            layer_trust: Box::new(|_, _| false),
            surface: Mutex::new(Surface::Gone),
            // The strictest, until it is detected.
            assurance: Mutex::new(Assurance::Separated),
            question_limits: QuestionLimits::default(),
            protected: Vec::new(),
            protected_rules: RuleSet::new(Vec::new()),
            commit_listeners,
            node: NodeName::local().clone(),
            is_open: AtomicBool::new(false),
            pending_revocations: RevocationQueue::default(),
            live_calls: LiveCalls::default(),
            seen_texts: SeenTexts::default(),
            narrowing: NarrowingKind::ALL.to_vec(),
            reviews_checked_on: Mutex::new(None),
        }
    }

    /// Names this node among those that share the record. A node keeps its name across restarts.
    pub fn with_node(mut self, node: NodeName) -> Self {
        self.node = node;
        self
    }

    /// Sets where paths and programs are looked up. Without it no path leads anywhere, and no rule
    /// that needs one allows anything.
    pub fn with_file_system(mut self, file_system: Box<dyn FileSystem>) -> Self {
        self.file_system = file_system;
        self
    }

    /// Sets what `~` means. Without it a path that starts with `~` leads nowhere.
    pub fn with_home(mut self, home: Option<String>) -> Self {
        self.home = home;
        self
    }

    /// The files, sockets and folders that no agent may touch.
    pub fn protected_paths(&self) -> &[String] {
        &self.protected
    }

    /// What `~` means.
    pub fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// Sets the files, sockets and folders that no agent may touch.
    pub fn with_protected_paths(mut self, paths: Vec<String>) -> Self {
        self.protected_rules = deny_paths(&paths);
        self.protected = paths;
        self
    }

    /// Sets which kinds of narrower forms are used, where the one who executes a call runs them.
    pub fn with_narrowing(mut self, kinds: Vec<NarrowingKind>) -> Self {
        self.narrowing = kinds;
        self
    }

    /// Sets how many questions may be open.
    pub fn with_question_limits(mut self, limits: QuestionLimits) -> Self {
        self.question_limits = limits;
        self
    }

    /// Adds a callback for commits.
    pub fn add_commit_listener(&self, listener: CommitListener) {
        self.commit_listeners.add(listener);
    }

    /// The whole state. Large records make this slow: for tests, stories and replays.
    pub fn read_whole_state(&self) -> Result<Arc<State>, EngineError> {
        Ok(self.store.read(&ReadScope::with_kind(ScopeKind::Everything))?.state)
    }

    /// Ledger entries from a position on.
    pub fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, EngineError> {
        Ok(self.store.read_entries(from, limit)?)
    }

    /// The whole ledger. Large records make this slow: for tests and stories.
    pub fn read_all_entries(&self) -> Result<Vec<Entry>, EngineError> {
        self.read_entries(0, usize::MAX)
    }

    /// The end of the ledger.
    pub fn ledger_head(&self) -> Result<Head, EngineError> {
        Ok(self.store.head()?)
    }
}
