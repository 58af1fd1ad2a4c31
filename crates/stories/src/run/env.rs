//! The environment of one story: an engine on an empty store, a clock that only `wait` moves, and
//! the names that the story defined.

use crate::case::{AheadStep, Case, CaseStep, StepKind};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::Change;
use countersign_core::model::decision::{Basis, Decision};
use countersign_core::model::grant::{Coverage, Grant, Source};
use countersign_core::model::ids::{CallId, GestureId, GrantId, ProposalId, RequestId, RunId};
use countersign_core::model::names::{Agent, NameError, Project, SessionKey, SessionName};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::Surface;
use countersign_engine::{
    AnswerTarget, Clock, Engine, EngineError, Entropy, Permit, SessionOwner, Store,
};
use countersign_graph::LoadedGraph;
use countersign_graph::layer::parse_layer;
use countersign_observe::{EditedFileSystem, FakeFileSystem, FileEdits};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct StoryEnv {
    pub engine: Engine<Box<dyn Store>>,
    clock: StoryClock,
    /// What the story wrote and removed.
    pub file_edits: FileEdits,
    /// The rules of repositories that the operator has accepted: file and content.
    trusted_layers: TrustedLayers,
    pub names: BTreeMap<String, NamedEntry>,
    /// The project of each session, known in advance from the whole case.
    projects: BTreeMap<SessionKey, Option<Project>>,
    step_lines: BTreeMap<usize, usize>,
    default_session: SessionName,
    pub default_agent: Agent,
}

type TrustedLayers = Arc<Mutex<BTreeSet<(String, Digest)>>>;

/// Countersign's own folders in a story.
const PROTECTED_FOLDERS: [&str; 3] =
    ["/etc/countersign", "/var/lib/countersign", "/run/countersign"];

/// The home folder of the operator in a story.
const HOME_FOLDER: &str = "/home/operator";

/// A named thing and who made it.
pub(crate) struct NamedEntry {
    pub owner: SessionOwner,
    pub thing: NamedThing,
}

impl NamedEntry {
    /// The session and agent of a step about this thing: those that made it, unless the step names
    /// others.
    pub fn owner_in(&self, step: &CaseStep) -> SessionOwner {
        let SessionOwner { session, agent } = &self.owner;
        let agent = step.agent.as_ref().unwrap_or(agent).clone();
        let name = step.session.clone().unwrap_or_else(|| session.to_name());
        SessionOwner { session: SessionKey::new(&agent, &name), agent }
    }
}

pub(crate) enum NamedThing {
    Call { id: Option<CallId>, permit: Option<Permit> },
    Ahead(Option<RequestId>),
    Run(RunId),
    Grant(Option<GrantId>),
    Gesture(GestureId),
    Plan,
    Proposal(ProposalId),
}

#[derive(Clone)]
struct StoryClock(Arc<AtomicI64>);

impl Clock for StoryClock {
    fn now(&self) -> Time {
        Time::from_micros(self.0.load(Ordering::SeqCst))
    }
}

/// Counts instead of drawing random bits, so that a story has the same ids in every run.
struct CountingEntropy(AtomicU64);

impl Entropy for CountingEntropy {
    fn bits(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

impl StoryEnv {
    pub fn new(
        case: &Case,
        loaded: &LoadedGraph,
        store: Box<dyn Store>,
    ) -> Result<Self, EngineError> {
        let clock = StoryClock(Arc::new(AtomicI64::new(case.starts_at.micros())));
        let entropy = CountingEntropy(AtomicU64::new(1));
        let (empty, file_edits) = (FakeFileSystem::without_links(), FileEdits::default());
        let below = case.files.iter().fold(empty, |files, path| files.with_file(path, ""));
        let files = EditedFileSystem::new(Box::new(below), file_edits.clone());
        let trusted_layers = TrustedLayers::default();
        let known = Arc::clone(&trusted_layers);
        let engine = Engine::new(store, Box::new(clock.clone()), Box::new(entropy))
            .with_protected_paths(PROTECTED_FOLDERS.map(str::to_owned).to_vec())
            .with_file_system(Box::new(files))
            .with_layer_trust(Box::new(move |path, content| {
                let known = known.lock().unwrap_or_else(PoisonError::into_inner);
                known.contains(&(path.to_owned(), *content))
            }))
            .with_home(Some(HOME_FOLDER.to_owned()));
        engine.set_surface(Surface::Reachable)?;
        engine.load_graph(loaded.clone())?;
        engine.open(|_| Ok(()))?;
        let name = |error: NameError| EngineError::Setup(error.to_string());
        let default_session = SessionName::parse("s1").map_err(name)?;
        let default_agent = Agent::parse("agent-1").map_err(name)?;
        let mut env = Self {
            engine,
            clock,
            file_edits,
            trusted_layers,
            names: BTreeMap::new(),
            projects: BTreeMap::new(),
            step_lines: BTreeMap::new(),
            default_session,
            default_agent,
        };
        env.projects = env.find_projects(case);
        env.step_lines = case.step_lines.clone();
        Ok(env)
    }

    /// A session's project is the last one named up to and including the session's first call.
    fn find_projects(&self, case: &Case) -> BTreeMap<SessionKey, Option<Project>> {
        let mut projects: BTreeMap<SessionKey, Option<Project>> = BTreeMap::new();
        let mut has_called: Vec<SessionKey> = Vec::new();
        for step in case.steps.iter().filter(|step| acts_in_session(step)) {
            let session = self.step_session(step);
            let project = projects.entry(session.clone()).or_insert(None);
            if has_called.contains(&session) {
                continue;
            }
            if let Some(named) = &step.project {
                *project = Some(named.clone());
            }
            if matches!(step.kind, StepKind::Call(_)) {
                has_called.push(session);
            }
        }
        projects
    }

    /// Opens the step's session, if it is not open yet.
    pub fn open_session(&self, step: &CaseStep) -> Result<SessionOwner, EngineError> {
        let owner = self.session_owner(step);
        let project = self.projects.get(&owner.session).and_then(Option::as_ref);
        self.engine.open_session(&owner, project)?;
        Ok(owner)
    }

    /// Accepts the rules of a repository as they are now. False if the file is missing or invalid.
    pub fn trust_layer(&self, path: &str) -> bool {
        let text = self.file_edits.read(path);
        let layer = text.and_then(|text| parse_layer(path, text.as_bytes()).ok());
        let Some(layer) = layer else { return false };
        let mut known = self.trusted_layers.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert((path.to_owned(), layer.hash))
    }

    /// The session of the step, with the agent that owns it.
    pub fn session_owner(&self, step: &CaseStep) -> SessionOwner {
        SessionOwner { session: self.step_session(step), agent: self.step_agent(step) }
    }

    pub fn step_session(&self, step: &CaseStep) -> SessionKey {
        SessionKey::new(&self.step_agent(step), self.step_name(step))
    }

    fn step_name<'a>(&'a self, step: &'a CaseStep) -> &'a SessionName {
        step.session.as_ref().unwrap_or(&self.default_session)
    }

    /// Steps without an agent are about `agent-1`, whoever used the session's name before.
    pub fn step_agent(&self, step: &CaseStep) -> Agent {
        step.agent.as_ref().unwrap_or(&self.default_agent).clone()
    }

    pub fn advance_clock(&self, span: Span) -> Result<(), EngineError> {
        let later = self.engine.display_time() + span;
        self.clock.0.store(later.micros(), Ordering::SeqCst);
        self.engine.sweep()
    }

    pub fn store_name(&mut self, name: Option<&String>, owner: SessionOwner, thing: NamedThing) {
        if let Some(name) = name {
            self.names.insert(name.clone(), NamedEntry { owner, thing });
        }
    }

    pub fn step_line(&self, step: &CaseStep) -> usize {
        self.step_lines.get(&step.number).copied().unwrap_or(0)
    }

    /// The story's names of the grants, gestures and calls that a decision is based on.
    pub fn basis_names(&self, decision: &Decision) -> Vec<String> {
        let mut bases: Vec<&Basis> = decision.verdicts.iter().map(|v| &v.basis).collect();
        bases.push(&decision.basis);
        let named = self
            .names
            .iter()
            .filter(|(_, named)| bases.iter().any(|basis| self.is_basis(named, basis)));
        named.map(|(name, _)| name.clone()).collect()
    }

    fn is_basis(&self, named: &NamedEntry, basis: &Basis) -> bool {
        match (basis, &named.thing) {
            (Basis::Grants(ids), _) => self.find_grants(named).iter().any(|id| ids.contains(id)),
            (Basis::Gesture(id), NamedThing::Gesture(own)) => id == own,
            (Basis::Parent(id), NamedThing::Call { id: Some(own), .. }) => id == own,
            (_, _) => false,
        }
    }

    /// The requests that a name refers to.
    pub fn find_requests(&self, named: &NamedEntry) -> Vec<RequestId> {
        let Ok(state) = self.engine.read_whole_state() else { return Vec::new() };
        match &named.thing {
            NamedThing::Call { id: Some(id), .. } => {
                state.calls.get(id).map_or_else(Vec::new, |record| record.requests.clone())
            }
            NamedThing::Ahead(request) => request.iter().copied().collect(),
            NamedThing::Run(run) => state
                .requests
                .values()
                .filter(|request| is_start_of(request, *run))
                .map(|request| request.id)
                .collect(),
            NamedThing::Call { id: None, .. }
            | NamedThing::Grant(_)
            | NamedThing::Gesture(_)
            | NamedThing::Plan
            | NamedThing::Proposal(_) => Vec::new(),
        }
    }

    /// The grants that a name refers to: minted under the name, or by the answer to its request.
    pub fn find_grants(&self, named: &NamedEntry) -> Vec<GrantId> {
        let Ok(state) = self.engine.read_whole_state() else { return Vec::new() };
        let requests = self.find_requests(named);
        let is_named = |grant: &&Grant| match &named.thing {
            NamedThing::Grant(own) => *own == Some(grant.id),
            NamedThing::Plan => {
                grant.source == Source::Plan && grant.made_in == named.owner.session
            }
            NamedThing::Run(run) if matches!(&grant.coverage, Coverage::Run { run: own, .. } if own == run) => {
                true
            }
            _ => grant.request.is_some_and(|request| requests.contains(&request)),
        };
        state.grants.iter().filter(is_named).map(|grant| grant.id).collect()
    }

    /// The last request about a proposal.
    pub fn proposal_request(&self, id: ProposalId) -> Option<AnswerTarget> {
        let state = self.engine.read_whole_state().ok()?;
        state.proposals.get(&id)?.request.map(AnswerTarget::Request)
    }

    pub fn load_changes(&self) -> Vec<Change> {
        let entries = self.engine.read_all_entries().unwrap_or_default();
        entries.iter().filter_map(|entry| entry.change().ok()).map(|(_, change)| change).collect()
    }
}

fn is_start_of(request: &countersign_core::model::request::Request, run: RunId) -> bool {
    use countersign_core::model::request::Subject;
    matches!(&request.subject, Subject::Start(start) if start.run == run)
}

/// Whether an agent, or an operator on its behalf, acts in a session by this step.
fn acts_in_session(step: &CaseStep) -> bool {
    matches!(
        step.kind,
        StepKind::Call(_)
            | StepKind::Plan { .. }
            | StepKind::Propose(_)
            | StepKind::AskAhead(_)
            | StepKind::Start { .. }
            | StepKind::Grant { .. }
            | StepKind::SubAgentOf { .. }
            | StepKind::Import { .. }
    )
}

impl AheadStep {
    pub(crate) fn to_ahead(&self) -> countersign_core::model::request::AskAhead {
        countersign_core::model::request::AskAhead {
            text: self.text.clone(),
            category: self.category.clone(),
            scope: self.scope,
            reason: self.reason.clone(),
            fallback: self.fallback.clone(),
        }
    }
}
