//! Replays the ledger: decides every recorded decision again, rebuilds the state from the entries,
//! and compares it with the state in the store.

use crate::attempt_session::find_session;
use crate::{Engine, EngineError, Store, StoreError, limits};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::model::change::{Attempt, Change, GraphSource, ReplayFacts};
use countersign_core::model::decision::Decision;
use countersign_core::model::graph::{Graph, LayerRef, LayerStanding};
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::names::SessionKey;
use countersign_core::model::open_questions::{OpenQuestions, QuestionLimits};
use countersign_core::model::rule_results::RuleResults;
use countersign_core::model::time::Time;
use countersign_core::model::words::Assurance;
use countersign_core::state::State;
use countersign_core::steps::retry::retry_call;
use countersign_graph::layer::{LAYER_FILE, apply_layer, parse_layer};
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, load_graph_with_policies};
use countersign_ledger::{Entry, LedgerError};
use countersign_operations::ask_ahead::ask_ahead;
use countersign_operations::propose;
use countersign_operations::start_run::start_run;
use std::collections::{BTreeSet, HashMap};

/// The result of replaying a ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayReport {
    pub entries: u64,
    /// Decisions that came out as recorded.
    pub same: u64,
    /// Entries of decisions that depend on erased words, or on a graph whose source is missing.
    pub not_replayable: Vec<u64>,
    /// Entries of decisions that came out differently.
    pub different: Vec<u64>,
    /// Sessions that still contain something that was erased in the ledger, such as the target of a
    /// decline. Their rows cannot be rebuilt.
    pub partly_erased: Vec<SessionKey>,
    /// The tables of the state that differ from what the ledger gives.
    pub different_tables: Vec<&'static str>,
}

impl ReplayReport {
    pub fn is_consistent(&self) -> bool {
        self.different.is_empty() && self.different_tables.is_empty()
    }
}

impl<S: Store> Engine<S> {
    /// Replays the whole ledger. Nothing is written.
    pub fn replay(&self) -> Result<ReplayReport, EngineError> {
        let mut replay = Replay::new(self.store.key());
        let mut from = 0;
        loop {
            let page = self.store.read_entries(from, limits::ENTRIES_PER_PAGE)?;
            let Some(last) = page.last() else { break };
            from = last.seq + 1;
            let read = page.iter().try_for_each(|entry| replay.add_entry(entry));
            read.map_err(StoreError::from)?;
        }
        let (mut state, mut report) = replay.finish();
        let mut stored = State::clone(&*self.read_whole_state()?);
        for session in &report.partly_erased {
            for state in [&mut state, &mut stored] {
                state.sessions.remove(session);
                state.carried_over.remove(&session.to_agent());
            }
        }
        report.different_tables = state.differs_in(&stored);
        Ok(report)
    }
}

/// Where the number of open questions was not recorded, it decided nothing.
const ROOM_FOR_ALL: QuestionLimits =
    QuestionLimits { per_session: usize::MAX, per_agent: usize::MAX, in_all: usize::MAX };

/// A ledger, as far as it was replayed.
pub struct Replay<'k> {
    state: State,
    graphs: HashMap<Digest, Graph>,
    /// The texts of repositories' rules.
    layers: HashMap<Digest, String>,
    key: Option<&'k Key>,
    /// Sessions that contain something that was erased.
    erased: BTreeSet<SessionKey>,
    report: ReplayReport,
}

/// Whether a decision came out as recorded.
enum ReplayMatch {
    Same,
    Different,
    Unknown,
}

impl<'k> Replay<'k> {
    /// Takes the key of the store that the ledger is from.
    pub fn new(key: Option<&'k Key>) -> Self {
        let (state, erased) = (State::empty(), BTreeSet::new());
        let (graphs, layers) = (HashMap::new(), HashMap::new());
        Self { state, graphs, layers, key, erased, report: ReplayReport::default() }
    }

    /// Adds the next entry. Entries come in order, from the first on.
    pub fn add_entry(&mut self, entry: &Entry) -> Result<(), LedgerError> {
        let (at, change) = entry.change()?;
        self.report.entries += 1;
        match &change {
            Change::GraphLoaded { hash, source } => self.load(*hash, source.as_deref()),
            Change::GraphReviewed { hash } => {
                if let Some(graph) = self.graphs.get_mut(hash) {
                    *graph = graph.reviewed_on(at.date());
                }
            }
            Change::LayerSeen { layer: Some(seen), .. } => {
                self.layers.extend(seen.text.clone().map(|text| (seen.of.hash, text)));
            }
            Change::CallDecided { attempt, decision, ruled, given } => {
                match self.compare(entry, at, (attempt, ruled, given), decision) {
                    ReplayMatch::Same => self.report.same += 1,
                    ReplayMatch::Different => self.report.different.push(entry.seq),
                    ReplayMatch::Unknown => self.report.not_replayable.push(entry.seq),
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

    /// The state that the entries give, and the report.
    pub fn finish(self) -> (State, ReplayReport) {
        let partly_erased = self.erased.into_iter().collect();
        (self.state, ReplayReport { partly_erased, ..self.report })
    }

    /// Loads a recorded graph. One that cannot be read counts as missing.
    fn load(&mut self, hash: Digest, source: Option<&GraphSource>) {
        self.graphs.remove(&hash);
        let graph = source.and_then(load_source).filter(|graph| graph.hash == hash);
        self.graphs.extend(graph.map(|graph| (hash, graph)));
    }

    fn compare(
        &self,
        entry: &Entry,
        at: Time,
        (attempt, ruled, given): (&Attempt, &RuleResults, &ReplayFacts),
        recorded: &Decision,
    ) -> ReplayMatch {
        let graph = self.graphs.get(&given.graph);
        let layered = graph.zip(given.layer).map(|(graph, layer)| self.add_layer(graph, layer));
        let graph = match &layered {
            Some(layered) => layered.as_ref(),
            None => graph,
        };
        if entry.is_erased() || (graph.is_none() && given.graph != Digest::zero()) {
            return ReplayMatch::Unknown;
        }
        let ids = IdGenerator::new(at, 0);
        let facts = Facts {
            now: at,
            ids: &ids,
            graph,
            state: &self.state,
            surface: given.surface,
            // Answers are not given again.
            assurance: Assurance::Separated,
            questions: given.questions.unwrap_or(OpenQuestions::none(ROOM_FOR_ALL)),
            protected: &given.ours,
            ruled,
            key: self.key,
            node: &given.node,
            // The session is open by then.
            place: None,
        };
        match decide_again(&facts, attempt) {
            Some(decision) if decision == *recorded => ReplayMatch::Same,
            // The ledger keeps no unreadable call, so there is nothing to decide.
            None => ReplayMatch::Same,
            Some(_) if self.depends_on_erased(attempt) => ReplayMatch::Unknown,
            Some(_) => ReplayMatch::Different,
        }
    }

    /// The graph with a repository's rules, as the decision had it; none if their text is missing.
    fn add_layer(&self, graph: &Graph, of: LayerRef) -> Option<Graph> {
        match of.standing {
            LayerStanding::Unreadable => Some(graph.with_unreadable_layer("")),
            LayerStanding::Ignored => Some(graph.with_ignored_layer(of.hash, "")),
            LayerStanding::Narrowing | LayerStanding::Trusted => {
                let layer = parse_layer(LAYER_FILE, self.layers.get(&of.hash)?.as_bytes()).ok()?;
                Some(apply_layer(graph, &layer, of.standing))
            }
        }
    }

    fn depends_on_erased(&self, attempt: &Attempt) -> bool {
        let session = find_session(&self.state, attempt);
        session.is_some_and(|session| self.erased.contains(&session))
    }

    fn session_of(&self, change: &Change) -> Option<SessionKey> {
        match change {
            Change::CallDecided { attempt, .. } => find_session(&self.state, attempt),
            Change::RequestOpened { request } => Some(request.session.clone()),
            Change::RequestAnswered { answered } => {
                self.state.requests.get(&answered.request).map(|request| request.session.clone())
            }
            Change::GrantMinted { grant } => Some(grant.made_in.clone()),
            _ => None,
        }
    }
}

fn load_source(source: &GraphSource) -> Option<Graph> {
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

/// None for an unreadable call.
fn decide_again(facts: &Facts, attempt: &Attempt) -> Option<Decision> {
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
            let by = propose::Applier::Submitter { session, agent };
            let (_, changes) = propose::apply_proposal(facts, *proposal, by);
            changes.into_iter().find_map(|change| match change {
                Change::CallDecided { decision, .. } => Some(decision),
                _ => None,
            })
        }
        Attempt::Malformed { .. } => None,
    }
}
