//! The world of one story: an engine on an empty store, a clock that moves only by `wait`, and
//! the names that the story gave.

use crate::case::{AheadStep, Case, Does, Step};
use countersign_core::model::change::Change;
use countersign_core::model::decision::{Basis, Decision};
use countersign_core::model::grant::{Coverage, Grant, Source};
use countersign_core::model::ids::{CallId, GestureId, GrantId, ProposalId, RequestId, RunId};
use countersign_core::model::names::{Agent, NameError, Project, SessionName};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::Surface;
use countersign_engine::disk::Paper;
use countersign_engine::{Asks, Clock, Engine, EngineError, Entropy, Permit, Store};
use countersign_graph::LoadedGraph;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

pub(crate) struct World {
    pub engine: Engine<Box<dyn Store>>,
    clock: StoryClock,
    pub names: BTreeMap<String, Named>,
    /// Who each session belongs to, and its project: by its first call.
    owners: BTreeMap<SessionName, (Agent, Option<Project>)>,
    lines: BTreeMap<usize, usize>,
    default_session: SessionName,
    default_agent: Agent,
}

/// Where our own files are in a story.
const OURS: [&str; 3] = ["/etc/countersign", "/var/lib/countersign", "/run/countersign"];

/// What `~` stands for in a story.
const HOME: &str = "/home/operator";

/// What a name of the story stands for.
pub(crate) struct Named {
    pub session: SessionName,
    pub agent: Agent,
    pub thing: Thing,
}

pub(crate) enum Thing {
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

/// Counts instead of drawing, so that a story's ids are the same every time.
struct Counting(AtomicU64);

impl Entropy for Counting {
    fn bits(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

impl World {
    pub fn new(
        case: &Case,
        loaded: &LoadedGraph,
        store: Box<dyn Store>,
    ) -> Result<Self, EngineError> {
        let clock = StoryClock(Arc::new(AtomicI64::new(case.starts.micros())));
        let entropy = Counting(AtomicU64::new(1));
        let engine = Engine::new(store, Box::new(clock.clone()), Box::new(entropy))
            .protect(OURS.map(str::to_owned).to_vec())
            .look_at(Box::new(Paper::blank()))
            .at_home(Some(HOME.to_owned()));
        engine.set_surface(Surface::Reachable)?;
        let (graph, policies) = (loaded.graph.clone(), loaded.policies.clone());
        engine.load_from(graph, policies, loaded.source.clone())?;
        engine.serve(|_| Ok(()))?;
        let name = |error: NameError| EngineError::Setup(error.to_string());
        let default_session = SessionName::parse("s1").map_err(name)?;
        let default_agent = Agent::parse("agent-1").map_err(name)?;
        let mut world = Self {
            engine,
            clock,
            names: BTreeMap::new(),
            owners: BTreeMap::new(),
            lines: BTreeMap::new(),
            default_session,
            default_agent,
        };
        world.owners = world.owners_of(case);
        world.lines = case.lines.clone();
        Ok(world)
    }

    /// A session belongs to the agent that first acts in it. Its project is that of its first
    /// call, or what an earlier step of it names.
    fn owners_of(&self, case: &Case) -> BTreeMap<SessionName, (Agent, Option<Project>)> {
        let mut owners: BTreeMap<SessionName, (Agent, Option<Project>)> = BTreeMap::new();
        let mut called: Vec<SessionName> = Vec::new();
        for step in case.steps.iter().filter(|step| acts_in_session(step)) {
            let session = self.session(step);
            let agent = self.agent(step);
            let (_, project) = owners.entry(session.clone()).or_insert((agent, None));
            if called.contains(&session) {
                continue;
            }
            if let Some(named) = &step.project {
                *project = Some(named.clone());
            }
            if matches!(step.does, Does::Call(_)) {
                called.push(session);
            }
        }
        owners
    }

    /// Opens the step's session, if this is the first that is heard of it.
    pub fn open(&self, step: &Step) -> Result<(SessionName, Agent), EngineError> {
        let (session, agent) = (self.session(step), self.agent(step));
        let (owner, project) = self
            .owners
            .get(&session)
            .map_or((&agent, None), |(owner, project)| (owner, project.as_ref()));
        self.engine.open(&session, owner, project)?;
        Ok((session, agent))
    }

    pub fn session(&self, step: &Step) -> SessionName {
        step.session.clone().unwrap_or_else(|| self.default_session.clone())
    }

    pub fn agent(&self, step: &Step) -> Agent {
        step.agent.clone().unwrap_or_else(|| self.default_agent.clone())
    }

    pub fn wait(&self, span: Span) -> Result<(), EngineError> {
        let later = self.engine.now() + span;
        self.clock.0.store(later.micros(), Ordering::SeqCst);
        self.engine.sweep()
    }

    pub fn name(
        &mut self,
        name: Option<&String>,
        (session, agent): (SessionName, Agent),
        thing: Thing,
    ) {
        if let Some(name) = name {
            self.names.insert(name.clone(), Named { session, agent, thing });
        }
    }

    pub fn line(&self, step: &Step) -> usize {
        self.lines.get(&step.number).copied().unwrap_or(0)
    }

    /// The names of everything that a decision rests on.
    pub fn vias(&self, decision: &Decision) -> Vec<String> {
        let mut bases: Vec<&Basis> = decision.verdicts.iter().map(|v| &v.basis).collect();
        bases.push(&decision.basis);
        let named = self
            .names
            .iter()
            .filter(|(_, named)| bases.iter().any(|basis| self.is_basis(named, basis)));
        named.map(|(name, _)| name.clone()).collect()
    }

    fn is_basis(&self, named: &Named, basis: &Basis) -> bool {
        match (basis, &named.thing) {
            (Basis::Grants(ids), _) => self.grants_of(named).iter().any(|id| ids.contains(id)),
            (Basis::Gesture(id), Thing::Gesture(own)) => id == own,
            (Basis::Parent(id), Thing::Call { id: Some(own), .. }) => id == own,
            (_, _) => false,
        }
    }

    /// The questions that a name stands for.
    pub fn requests_of(&self, named: &Named) -> Vec<RequestId> {
        let Ok(state) = self.engine.state() else { return Vec::new() };
        match &named.thing {
            Thing::Call { id: Some(id), .. } => {
                state.calls.get(id).map_or_else(Vec::new, |record| record.requests.clone())
            }
            Thing::Ahead(request) => request.iter().copied().collect(),
            Thing::Run(run) => state
                .requests
                .values()
                .filter(|request| starts(request, *run))
                .map(|request| request.id)
                .collect(),
            Thing::Call { id: None, .. }
            | Thing::Grant(_)
            | Thing::Gesture(_)
            | Thing::Plan
            | Thing::Proposal(_) => Vec::new(),
        }
    }

    /// The grants that a name stands for: given under it, or minted by its answer.
    pub fn grants_of(&self, named: &Named) -> Vec<GrantId> {
        let Ok(state) = self.engine.state() else { return Vec::new() };
        let requests = self.requests_of(named);
        let is_named = |grant: &&Grant| match &named.thing {
            Thing::Grant(own) => *own == Some(grant.id),
            Thing::Plan => grant.source == Source::Plan && grant.made_in == named.session,
            Thing::Run(run) if matches!(&grant.coverage, Coverage::Run { run: own, .. } if own == run) => {
                true
            }
            _ => grant.request.is_some_and(|request| requests.contains(&request)),
        };
        state.grants.iter().filter(is_named).map(|grant| grant.id).collect()
    }

    /// The question that is open about a proposal, or was last.
    pub fn proposal_request(&self, id: ProposalId) -> Option<Asks> {
        let state = self.engine.state().ok()?;
        state.proposals.get(&id)?.request.map(Asks::Request)
    }

    pub fn changes(&self) -> Vec<Change> {
        let entries = self.engine.entries().unwrap_or_default();
        entries.iter().filter_map(|entry| entry.change().ok()).map(|(_, change)| change).collect()
    }
}

fn starts(request: &countersign_core::model::request::Request, run: RunId) -> bool {
    use countersign_core::model::request::Subject;
    matches!(&request.subject, Subject::Start(start) if start.run == run)
}

/// Steps by which an agent, or an operator on its behalf, does something in a session.
fn acts_in_session(step: &Step) -> bool {
    matches!(
        step.does,
        Does::Call(_)
            | Does::Plan { .. }
            | Does::Propose(_)
            | Does::AskAhead(_)
            | Does::Start { .. }
            | Does::Grant { .. }
            | Does::Import { .. }
    )
}

impl AheadStep {
    pub(crate) fn to_ahead(&self) -> countersign_core::model::request::Ahead {
        countersign_core::model::request::Ahead {
            text: self.text.clone(),
            category: self.category.clone(),
            scope: self.scope,
            reason: self.reason.clone(),
            fallback: self.fallback.clone(),
        }
    }
}
