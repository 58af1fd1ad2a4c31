//! Decides calls one after the other on an engine of its own.

use crate::edits::apply_edits;
use crate::limits::{MAX_ANSWERS, TIME_BETWEEN_CALLS};
use crate::{OperatorModel, SimulatedCall};
use countersign_card::{Card, CardContext, build_card};
use countersign_core::decide::explain;
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::decision::Decision;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{
    Action, Agent, NameError, Project, SessionKey, SessionName, Tool,
};
use countersign_core::model::narrowed::NarrowingSupport;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Effect, Outcome, Reason, Risk, Surface};
use countersign_engine::{
    AnswerTarget, CheckResult, Clock, Engine, EngineError, Entropy, LayerTrust, Memory,
    SessionOwner,
};
use countersign_graph::LoadedGraph;
use countersign_observe::{EditedFileSystem, FileEdits, FileSystem};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// What a simulation decides by.
pub struct SimulationSetup {
    pub graph: LoadedGraph,
    pub file_system: Box<dyn FileSystem>,
    pub home: Option<String>,
    /// Countersign's own files, which no agent may touch.
    pub protected_paths: Vec<String>,
    /// Which versions of repositories' rules the operator has accepted.
    pub layer_trust: LayerTrust,
    /// The time at which the first call is made.
    pub starts_at: Time,
    pub operator: OperatorModel,
}

/// How one call was decided, before anybody answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SimulatedDecision {
    pub session: String,
    pub tool: String,
    pub outcome: Outcome,
    pub reason: Reason,
    /// The actions that the call was decided as.
    pub actions: Vec<Action>,
    pub risk: Risk,
    /// The headline of the card, or of what would have been on one.
    pub headline: String,
    /// Why, in one sentence.
    pub sentence: String,
    /// How often the call asked: again, if what was answered was not enough.
    pub prompts: usize,
    /// How many cards were shown.
    pub cards: usize,
    /// For a command line that asks: why no rule or class covers its commands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncovered: Vec<String>,
}

pub struct Simulation {
    engine: Engine<Arc<Memory>>,
    record: Arc<Memory>,
    /// The record before the first session.
    empty: Memory,
    graph: Arc<Graph>,
    clock: StepClock,
    operator: OperatorModel,
    /// The workspace of the session that is decided. Its first call says which, or that there is none.
    project: Option<Option<Project>>,
    /// What the calls of the session changed.
    file_edits: FileEdits,
}

/// Moves a little with each call.
#[derive(Clone)]
struct StepClock(Arc<AtomicI64>);

impl Clock for StepClock {
    fn now(&self) -> Time {
        Time::from_micros(self.0.load(Ordering::Relaxed))
    }
}

/// Counts, so that a simulation has the same ids in every run.
struct Counter(AtomicU64);

impl Entropy for Counter {
    fn bits(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

impl Simulation {
    pub fn new(setup: SimulationSetup) -> Result<Self, EngineError> {
        let clock = StepClock(Arc::new(AtomicI64::new(setup.starts_at.micros())));
        let graph = Arc::new(setup.graph.graph.clone());
        let entropy = Counter(AtomicU64::new(1));
        let record = Arc::new(Memory::empty());
        let file_edits = FileEdits::default();
        let files = EditedFileSystem::new(setup.file_system, file_edits.clone());
        let engine = Engine::new(Arc::clone(&record), Box::new(clock.clone()), Box::new(entropy))
            .with_file_system(Box::new(files))
            .with_home(setup.home)
            .with_layer_trust(setup.layer_trust)
            .with_protected_paths(setup.protected_paths);
        engine.load_graph(setup.graph)?;
        engine.open(|_| Ok(()))?;
        engine.set_surface(Surface::Reachable)?;
        let empty = record.duplicate()?;
        let (operator, project) = (setup.operator, None);
        Ok(Self { engine, record, empty, graph, clock, operator, project, file_edits })
    }

    /// Decides the calls, and lets the operator model answer those that ask. The results are in the
    /// order of the calls; `on_decided` is told how many there are.
    ///
    /// Session by session, in the order of their first calls. Each begins with the grants that earlier
    /// ones left to its project, such as the content of a program that a person has seen. Nothing else
    /// of an earlier session counts for a later one, so it is dropped: with it, each call would cost
    /// more than the one before.
    pub fn decide_all(
        &mut self,
        calls: &[SimulatedCall],
        mut on_decided: impl FnMut(usize),
    ) -> Result<Vec<Result<SimulatedDecision, EngineError>>, EngineError> {
        let mut by_session: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (number, call) in calls.iter().enumerate() {
            by_session.entry((&call.agent, &call.session)).or_default().push(number);
        }
        let mut sessions: Vec<Vec<usize>> = by_session.into_values().collect();
        sessions.sort_unstable();
        let mut decided = BTreeMap::new();
        for numbers in sessions {
            self.record.replace_all_but_project_grants(&self.empty)?;
            self.project = None;
            self.file_edits.clear();
            for number in numbers {
                let Some(call) = calls.get(number) else { continue };
                decided.insert(number, self.decide(call));
                on_decided(decided.len());
            }
        }
        Ok(decided.into_values().collect())
    }

    fn decide(&mut self, call: &SimulatedCall) -> Result<SimulatedDecision, EngineError> {
        self.clock.0.fetch_add(TIME_BETWEEN_CALLS, Ordering::Relaxed);
        // A daemon refuses a call without a name for its tool, and the calls around it go on.
        let draft = match self.build_draft(call) {
            _ if !call.tool.is_string() => return Ok(refuse(call, "its tool is no text")),
            Ok(draft) => draft,
            Err(error) => return Ok(refuse(call, &error.to_string())),
        };
        let owner = SessionOwner { session: draft.session.clone(), agent: draft.agent.clone() };
        let mut result = self.engine.check(&draft)?;
        let mut decided = describe(call, result.decision());
        for _ in 0..MAX_ANSWERS {
            let CheckResult::Pending { call, .. } = result else { break };
            let cards = self.read_cards(call)?;
            if decided.prompts == 0 {
                decided.uncovered = self.explain_line(&draft)?;
                if let Some(card) = cards.first() {
                    decided.headline = card.headline.as_str().to_owned();
                }
            }
            decided.prompts += 1;
            decided.cards += cards.len();
            let Some(next) = self.answer(call, &owner, &cards)? else { return Ok(decided) };
            result = next;
        }
        match result {
            CheckResult::Allowed { permit, .. } => {
                self.engine.complete(&permit.complete(Effect::Done))?;
                self.carry_out(&draft);
            }
            CheckResult::Pending { call, .. } => {
                self.engine.cancel(call, &owner)?;
            }
            CheckResult::AlreadyDone { .. } | CheckResult::Denied { .. } => {}
        }
        Ok(decided)
    }

    /// Why no class covers the command line of a call that asks.
    fn explain_line(&self, draft: &CallDraft) -> Result<Vec<String>, EngineError> {
        let mapping = draft.tool.as_ref().and_then(|tool| self.graph.tool(tool.as_str()));
        let pointer = mapping.and_then(|mapping| mapping.command.as_deref());
        let line = pointer.and_then(|pointer| draft.args.pointer(pointer)?.as_str());
        let Some(line) = line else { return Ok(Vec::new()) };
        let project = draft.project.as_ref().map(|project| project.as_str());
        let found = self.engine.explain_uncovered(line, project, draft.cwd.as_deref())?;
        let describe = |one: countersign_engine::UncoveredCommand| match one.program.as_str() {
            "" => one.why,
            program => format!("{program}: {}", one.why),
        };
        Ok(found.into_iter().map(describe).collect())
    }

    fn build_draft(&mut self, call: &SimulatedCall) -> Result<CallDraft, NameError> {
        let (agent, name) = (Agent::parse(&call.agent)?, SessionName::parse(&call.session)?);
        let tool = Tool::parse(call.tool.as_str().unwrap_or_default())?;
        let actions = self.graph.actions_for_tool(&tool, &call.args)?;
        let session = SessionKey::new(&agent, &name);
        let first = actions.first().cloned().map_or_else(|| Action::parse("mcp.call"), Ok)?;
        let mut draft = CallDraft::plain(agent, session, first);
        draft.actions = actions;
        draft.tool = Some(tool);
        draft.args = call.args.clone();
        draft.cwd = call.cwd.clone();
        draft.parking = Parking::Allowed;
        draft.narrowing = NarrowingSupport::Accepted;
        if self.project.is_none() {
            let folder = call.project.as_ref().or(call.cwd.as_ref());
            self.project = Some(folder.map(|folder| Project::parse(folder)).transpose()?);
        }
        draft.project = self.project.clone().flatten();
        Ok(draft)
    }

    /// The cards of a call that asks.
    fn read_cards(&self, call: CallId) -> Result<Vec<Card>, EngineError> {
        let state = self.engine.read_call(call)?;
        let requests: Vec<RequestId> =
            state.calls.get(&call).map_or_else(Vec::new, |record| record.requests.to_vec());
        let state = self.engine.read_cards(&requests)?;
        let now = self.clock.now();
        let context = CardContext { graph: Some(&self.graph), state: &state, now };
        let open = requests.iter().filter_map(|id| state.requests.get(id));
        let open = open.filter(|request| request.is_open(now));
        Ok(open.map(|request| build_card(context, request)).collect())
    }

    /// Answers the cards, and decides the call again. A question that nobody answers is withdrawn, so
    /// that it does not count against the limit of open questions.
    fn answer(
        &self,
        call: CallId,
        owner: &SessionOwner,
        cards: &[Card],
    ) -> Result<Option<CheckResult>, EngineError> {
        for card in cards {
            let Some(answer) = self.operator.answer(card) else {
                self.engine.cancel(call, owner)?;
                return Ok(None);
            };
            self.engine.answer(AnswerTarget::Request(card.request), &answer)?;
        }
        self.engine.retry(call, owner).map(Some)
    }

    /// Remembers what an allowed call would have changed.
    fn carry_out(&self, draft: &CallDraft) {
        apply_edits(&self.file_edits, &draft.args, draft.cwd.as_deref(), self.clock.now());
    }
}

/// The row of a call that no program could make: a name in it is none.
fn refuse(call: &SimulatedCall, why: &str) -> SimulatedDecision {
    SimulatedDecision {
        session: call.session.clone(),
        tool: call.show_tool(),
        outcome: Outcome::Deny,
        reason: Reason::Malformed,
        actions: Vec::new(),
        risk: Risk::High,
        headline: String::new(),
        sentence: format!("the call is malformed: {why}"),
        prompts: 0,
        cards: 0,
        uncovered: Vec::new(),
    }
}

fn describe(call: &SimulatedCall, decision: &Decision) -> SimulatedDecision {
    SimulatedDecision {
        session: call.session.clone(),
        tool: call.show_tool(),
        outcome: decision.outcome,
        reason: decision.reason,
        actions: decision.verdicts.iter().map(|verdict| verdict.action.clone()).collect(),
        risk: decision.verdicts.iter().map(|verdict| verdict.risk).max().unwrap_or(Risk::High),
        headline: String::new(),
        sentence: explain::sentence(decision),
        prompts: 0,
        cards: 0,
        uncovered: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_graph::{Format, load_graph};
    use countersign_observe::NoFileSystem;
    use serde_json::json;

    const GRAPH: &str = "\
domains:
  mail:
    autonomous: [read]
    requires_approval: [draft]
    blocked: []
tools:
  Read: {actions: [mail.read]}
  Draft: {actions: [mail.draft]}
";

    fn simulation() -> Simulation {
        let setup = SimulationSetup {
            graph: load_graph("g.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap(),
            file_system: Box::new(NoFileSystem),
            home: None,
            protected_paths: Vec::new(),
            layer_trust: Box::new(|_, _| false),
            starts_at: Time::from_micros(0),
            operator: OperatorModel::Careful,
        };
        Simulation::new(setup).unwrap()
    }

    fn call(session: &str, tool: &str) -> SimulatedCall {
        let line = json!({"session": session, "tool": tool});
        serde_json::from_value(line).unwrap()
    }

    /// How many rows the state has, and the ledger entries behind them.
    fn count_records(simulation: &Simulation) -> (usize, u64) {
        let state = simulation.engine.read_whole_state().unwrap();
        let rows = state.sessions.len() + state.calls.len() + state.requests.count();
        (rows + state.grants.iter().count(), simulation.engine.ledger_head().unwrap().next)
    }

    #[test]
    fn a_call_reads_no_more_records_after_a_hundred_sessions_than_after_one() {
        let sessions = |count: u32| -> Vec<SimulatedCall> {
            let tools = ["Draft", "Read", "Draft"];
            let calls = |session: u32| tools.map(|tool| call(&format!("s{session:03}"), tool));
            (0..count).flat_map(calls).collect()
        };
        let records = [1, 100].map(|count| {
            let mut simulation = simulation();
            assert_eq!(
                simulation.decide_all(&sessions(count), |_| {}).unwrap().len(),
                3 * count as usize
            );
            count_records(&simulation)
        });
        assert_eq!(records[0], records[1]);
    }

    #[test]
    fn a_malformed_tool_gets_a_row_that_says_so_and_the_next_call_is_decided() {
        let long = "x".repeat(10_000);
        let names = [json!(""), json!("a b"), json!(long), json!(5), json!({"a": 1}), json!(null)];
        let mut calls: Vec<SimulatedCall> = names
            .into_iter()
            .map(|tool| serde_json::from_value(json!({"session": "a", "tool": tool})).unwrap())
            .collect();
        calls.push(serde_json::from_value(json!({"session": "a"})).unwrap());
        calls.push(call("a", "Read"));
        let decided = simulation().decide_all(&calls, |_| {}).unwrap();
        let rows: Vec<SimulatedDecision> = decided.into_iter().map(Result::unwrap).collect();
        let (last, refused) = rows.split_last().unwrap();
        for row in refused {
            assert_eq!((row.outcome, row.reason), (Outcome::Deny, Reason::Malformed), "{row:?}");
            assert!(row.sentence.starts_with("the call is malformed: "), "{row:?}");
            assert!(row.tool.len() < 200 && row.prompts == 0, "{row:?}");
        }
        assert_eq!(last.outcome, Outcome::Allow);
    }

    #[test]
    fn sessions_that_take_turns_keep_their_order_and_their_grants() {
        let calls = [call("b", "Draft"), call("a", "Draft"), call("b", "Draft"), call("a", "Read")];
        let decided = simulation().decide_all(&calls, |_| {}).unwrap();
        let found: Vec<_> = decided
            .into_iter()
            .map(|decided| decided.map(|decided| (decided.session, decided.outcome)).unwrap())
            .collect();
        let expected = [Outcome::Ask, Outcome::Ask, Outcome::Allow, Outcome::Allow];
        let sessions = ["b", "a", "b", "a"].map(str::to_owned);
        assert_eq!(found, sessions.into_iter().zip(expected).collect::<Vec<_>>());
    }
}
