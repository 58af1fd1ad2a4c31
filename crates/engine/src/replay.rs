//! The ledger, decided again: every entry is read back, every decision made anew from what the
//! ledger gives, and what it all amounts to is held against the state in the store.

use crate::{Engine, EngineError, ReadScope, ScopeKind, Store, StoreError};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::ledger::{Entry, LedgerError};
use countersign_core::model::change::{Attempt, Change, Given, GraphSource};
use countersign_core::model::decision::Decision;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::Fresh;
use countersign_core::model::names::SessionName;
use countersign_core::model::ruled::Ruled;
use countersign_core::model::time::Time;
use countersign_core::state::State;
use countersign_core::steps::ask_ahead::ask_ahead;
use countersign_core::steps::propose;
use countersign_core::steps::retry::retry_call;
use countersign_core::steps::start_run::start_run;
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, load_graph_with_policies};
use std::collections::{BTreeSet, HashMap};

/// Entries that are read at once.
const PAGE: usize = 1000;

/// What replaying the ledger came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    pub entries: u64,
    /// Decisions that came out as they were recorded.
    pub same: u64,
    /// Entries of decisions that rest on what was erased, or on a graph that was not kept.
    pub not_replayable: Vec<u64>,
    /// Entries of decisions that came out differently.
    pub different: Vec<u64>,
    /// Sessions that still hold something, such as the target of a decline, which was erased in the
    /// ledger: their rows cannot be built anew.
    pub blurred: Vec<SessionName>,
    /// The parts of the state that are not what the ledger amounts to.
    pub state: Vec<&'static str>,
}

impl Replayed {
    pub fn holds(&self) -> bool {
        self.different.is_empty() && self.state.is_empty()
    }
}

impl<S: Store> Engine<S> {
    /// Replays the whole ledger. Nothing is written.
    pub fn replay(&self) -> Result<Replayed, EngineError> {
        // Nothing that this engine has promised may come in between ledger and state.
        self.catch_up(&ReadScope::with_kind(ScopeKind::Everything))?;
        let mut replay = Replay::new(self.store.key());
        let mut from = 0;
        loop {
            let page = self.store.read_entries(from, PAGE)?;
            let Some(last) = page.last() else { break };
            from = last.seq + 1;
            let read = page.iter().try_for_each(|entry| replay.entry(entry));
            read.map_err(StoreError::from)?;
        }
        let (mut state, mut replayed) = replay.finish();
        let mut stored = State::clone(&*self.state()?);
        for session in &replayed.blurred {
            state.sessions.remove(session);
            stored.sessions.remove(session);
        }
        replayed.state = state.differs_in(&stored);
        Ok(replayed)
    }
}

/// The ledger as far as it was replayed.
pub struct Replay<'k> {
    state: State,
    graphs: HashMap<Digest, Graph>,
    key: Option<&'k Key>,
    /// Sessions that hold something which was erased.
    erased: BTreeSet<SessionName>,
    replayed: Replayed,
}

/// What deciding again came to.
enum Again {
    Same,
    Different,
    Unknown,
}

impl<'k> Replay<'k> {
    /// With the key of the store that the ledger is from.
    pub fn new(key: Option<&'k Key>) -> Self {
        let (state, graphs, erased) = (State::empty(), HashMap::new(), BTreeSet::new());
        Self { state, graphs, key, erased, replayed: Replayed::default() }
    }

    /// Entries come in their order, from the first on.
    pub fn entry(&mut self, entry: &Entry) -> Result<(), LedgerError> {
        let (at, change) = entry.change()?;
        self.replayed.entries += 1;
        match &change {
            Change::GraphLoaded { hash, source } => self.load(*hash, source.as_deref()),
            Change::GraphReviewed { hash } => {
                if let Some(graph) = self.graphs.get_mut(hash) {
                    *graph = graph.reviewed_on(at.date());
                }
            }
            Change::CallDecided { attempt, decision, ruled, given } => {
                match self.again(entry, at, (attempt, ruled, given), decision) {
                    Again::Same => self.replayed.same += 1,
                    Again::Different => self.replayed.different.push(entry.seq),
                    Again::Unknown => self.replayed.not_replayable.push(entry.seq),
                }
            }
            _ => {}
        }
        if entry.is_erased() {
            self.erased.extend(self.session_of(&change));
        }
        self.state.apply(at, &change);
        Ok(())
    }

    /// The state that the entries amount to, and what deciding again came to.
    pub fn finish(self) -> (State, Replayed) {
        let blurred = self.erased.into_iter().collect();
        (self.state, Replayed { blurred, ..self.replayed })
    }

    /// A graph that cannot be read back counts as not kept.
    fn load(&mut self, hash: Digest, source: Option<&GraphSource>) {
        self.graphs.remove(&hash);
        let graph = source.and_then(read_again).filter(|graph| graph.hash == hash);
        self.graphs.extend(graph.map(|graph| (hash, graph)));
    }

    fn again(
        &self,
        entry: &Entry,
        at: Time,
        (attempt, ruled, given): (&Attempt, &Ruled, &Given),
        recorded: &Decision,
    ) -> Again {
        let graph = self.graphs.get(&given.graph);
        if entry.is_erased() || (graph.is_none() && given.graph != Digest::zero()) {
            return Again::Unknown;
        }
        let fresh = Fresh::new(at, 0);
        let facts = Facts {
            now: at,
            fresh: &fresh,
            graph,
            state: &self.state,
            surface: given.surface,
            protected: &given.ours,
            ruled,
            key: self.key,
            node: &given.node,
        };
        match decided_again(&facts, attempt) {
            Some(decision) if decision == *recorded => Again::Same,
            // What could not be read as a call is not kept, so that there is nothing to decide.
            None => Again::Same,
            Some(_) if self.rests_on_erased(attempt) => Again::Unknown,
            Some(_) => Again::Different,
        }
    }

    fn rests_on_erased(&self, attempt: &Attempt) -> bool {
        let session = session_of_attempt(&self.state, attempt);
        session.is_some_and(|session| self.erased.contains(&session))
    }

    fn session_of(&self, change: &Change) -> Option<SessionName> {
        match change {
            Change::CallDecided { attempt, .. } => session_of_attempt(&self.state, attempt),
            Change::RequestOpened { request } => Some(request.session.clone()),
            Change::RequestAnswered { answered } => {
                self.state.requests.get(&answered.request).map(|request| request.session.clone())
            }
            Change::GrantMinted { grant } => Some(grant.made_in.clone()),
            _ => None,
        }
    }
}

fn read_again(source: &GraphSource) -> Option<Graph> {
    let files = || {
        let file = |(name, text): &(String, String)| PolicyFile {
            name: name.clone(),
            display_path: name.clone(),
            bytes: text.clone().into_bytes(),
        };
        source.rules.iter().map(file).collect()
    };
    let format = Format::from_path(&source.name)?;
    load_graph_with_policies(&source.name, source.text.as_bytes(), format, &|_| Ok(files()))
        .ok()
        .map(|loaded| loaded.graph)
}

/// None for what was no call.
fn decided_again(facts: &Facts, attempt: &Attempt) -> Option<Decision> {
    match attempt {
        Attempt::First(call) => Some(decide(facts, call)),
        Attempt::Retry(id) => {
            let call = &facts.state.calls.get(id)?.call;
            Some(retry_call(facts, *id, &call.session, &call.agent))
        }
        Attempt::Start { draft, .. } => Some(start_run(facts, draft).decision),
        Attempt::Ahead { draft, .. } => Some(ask_ahead(facts, draft).decision),
        Attempt::Proposal { draft, .. } => Some(propose::propose(facts, draft).decision),
        Attempt::Apply { session, agent, proposal } => {
            let (_, changes) = propose::apply_proposal(facts, *proposal, session, agent);
            changes.into_iter().find_map(|change| match change {
                Change::CallDecided { decision, .. } => Some(decision),
                _ => None,
            })
        }
        Attempt::Malformed { .. } => None,
    }
}

/// A call that was erased rests on nothing any more, so that its session counts.
fn session_of_attempt(state: &State, attempt: &Attempt) -> Option<SessionName> {
    match attempt {
        Attempt::First(call) => Some(call.session.clone()),
        Attempt::Retry(id) => state.calls.get(id).map(|record| record.call.session.clone()),
        Attempt::Start { draft, .. } => Some(draft.session.clone()),
        Attempt::Ahead { draft, .. } => Some(draft.session.clone()),
        Attempt::Proposal { draft, .. } => Some(draft.session.clone()),
        Attempt::Apply { session, .. } | Attempt::Malformed { session, .. } => {
            Some(session.clone())
        }
    }
}
