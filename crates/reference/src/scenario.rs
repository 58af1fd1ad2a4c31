//! Random scenarios: a graph, a state and a time, together with the calls attempted in it.
//!
//! Scenarios are small and use few names, so that grants, declines and records match the attempted
//! calls. Times are at the end of a grant, run or request, or one microsecond before or after it.

mod boundaries;
mod findings;
mod graphs;
mod history;
mod names;
mod random_calls;
mod rare_states;
mod rulings;
mod targeted_calls;

use crate::rng::Rng;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::{CallId, IdGenerator};
use countersign_core::model::names::{Agent, SessionKey};
use countersign_core::model::open_questions::{OpenQuestions, QuestionLimits};
use countersign_core::model::rule_results::RuleResults;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Assurance, Presence, Surface};
use countersign_core::state::State;
use countersign_core::steps::resolve::resolve_call;

#[derive(Clone, Debug)]
pub struct Scenario {
    pub now: Time,
    pub graph: Option<Graph>,
    pub state: State,
    pub surface: Surface,
    pub questions: OpenQuestions,
    pub protected: Vec<String>,
    /// What policies and command rules say about every attempt, and what was found about it. During
    /// the history: about the step at hand.
    pub ruled: RuleResults,
}

/// A call that is decided in a scenario.
#[derive(Clone, Debug)]
pub enum ScenarioCall {
    New(Box<Call>),
    Retry { id: CallId, session: SessionKey, agent: Agent },
}

const STARTS_AT: &str = "2026-01-05T09:00:00Z";

/// Several, because generating a scenario costs more than deciding a call.
const ATTEMPTS_PER_SCENARIO: usize = 16;

impl Scenario {
    pub fn facts<'a>(&'a self, ids: &'a IdGenerator) -> Facts<'a> {
        Facts {
            now: self.now,
            ids,
            graph: self.graph.as_ref(),
            state: &self.state,
            surface: self.surface,
            assurance: Assurance::Separated,
            questions: self.questions,
            protected: &self.protected,
            ruled: &self.ruled,
            key: None,
            node: countersign_core::model::names::NodeName::local(),
            place: None,
        }
    }
}

/// A scenario with a history, and attempts in it; none if one of the fixed names is invalid.
pub fn generate_scenario(rng: &mut Rng) -> Option<(Scenario, Vec<ScenarioCall>)> {
    let mut scenario = Scenario {
        now: Time::parse(STARTS_AT)?,
        graph: Some(graphs::generate_graph(rng)?),
        state: State::empty(),
        surface: Surface::Reachable,
        questions: OpenQuestions::none(QuestionLimits::default()),
        protected: vec!["/var/ours".to_owned()],
        ruled: RuleResults::default(),
    };
    history::open_sessions(&mut scenario)?;
    for _ in 0..4 + rng.below(14) {
        history::perform_random_step(&mut scenario, rng)?;
    }
    set_final_conditions(&mut scenario, rng)?;
    let attempts =
        (0..ATTEMPTS_PER_SCENARIO).filter_map(|_| generate_attempt(&scenario, rng)).collect();
    Some((scenario, attempts))
}

/// Sets what holds at the time of the decision, independent of the history.
fn set_final_conditions(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    for _ in 0..rng.below(4) {
        rare_states::alter_state(scenario, rng)?;
    }
    if rng.chance(70) {
        boundaries::advance_clock(scenario, rng);
    }
    if rng.chance(60) {
        let (now, presence) = (scenario.now, Presence::Idle);
        scenario
            .state
            .apply(now, &countersign_core::model::change::Change::PresenceChanged { presence });
    }
    match rng.below(100) {
        0..25 => scenario.ruled = rulings::generate_rulings(rng)?,
        25..60 => scenario.ruled = RuleResults::default(),
        _ => findings::fit_findings_to_grant(scenario, rng)?,
    }
    scenario.ruled.run_files.clear();
    if rng.chance(15) {
        findings::set_random_run_files(scenario, rng)?;
    }
    if rng.chance(12) {
        scenario.surface = Surface::Gone;
    }
    if rng.chance(6) {
        let (of_agent, more) = (rng.below(4), rng.below(4));
        let allowed = QuestionLimits { per_session: rng.below(3), per_agent: 3, in_all: 5 };
        scenario.questions = OpenQuestions { of_agent, in_all: of_agent + more, allowed };
    }
    if rng.chance(15) {
        scenario.graph = Some(graphs::generate_graph(rng)?);
    }
    if rng.chance(1) {
        scenario.graph = None;
    }
    Some(())
}

fn generate_attempt(scenario: &Scenario, rng: &mut Rng) -> Option<ScenarioCall> {
    if rng.chance(33)
        && let Some(retry) = generate_retry(scenario, rng)
    {
        return Some(retry);
    }
    let ids = IdGenerator::new(scenario.now, rng.next_u64());
    let draft = match rng.below(10) {
        0..3 => random_calls::draft_repeated_call(scenario, rng),
        3..9 => targeted_calls::draft_targeted_call(scenario, rng),
        _ => None,
    };
    let draft = draft.or_else(|| random_calls::draft_random_call(scenario, rng))?;
    let call = resolve_call(&scenario.facts(&ids), draft).ok()?;
    Some(ScenarioCall::New(Box::new(call)))
}

fn generate_retry(scenario: &Scenario, rng: &mut Rng) -> Option<ScenarioCall> {
    let mut ids: Vec<CallId> = scenario.state.calls.keys().copied().collect();
    ids.sort_unstable();
    let id = *rng.pick(&ids)?;
    let call = &scenario.state.calls.get(&id)?.call;
    let (mut session, mut agent) = (call.session.clone(), call.agent.clone());
    if rng.chance(3) {
        session = names::pick_session(rng)?.0;
    }
    if rng.chance(3) {
        agent = names::pick_agent(rng)?;
    }
    Some(ScenarioCall::Retry { id, session, agent })
}
