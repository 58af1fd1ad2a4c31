//! Running a case: each step is something that a client of the engine does, then looked at.

mod agent;
mod look;
mod operator;
mod proposals;
mod world;

use crate::case::{Case, Does, Step};
use crate::report::Failure;
use countersign_core::decide::explain;
use countersign_core::model::change::Change;
use countersign_core::model::decision::Decision;
use countersign_core::model::grant::{Coverage, Scope};
use countersign_engine::{EngineError, Memory, Store};
use countersign_graph::{LoadedGraph, Problem, load_inline_graph};
use world::World;

/// What a step brought, to be compared with what it expects.
pub(crate) struct Seen {
    /// `allow`, `accepted`, `done`, …
    pub word: String,
    pub decision: Option<Decision>,
    pub cards: Option<Vec<Vec<String>>>,
    pub scope: Option<Scope>,
    pub why: Option<String>,
}

impl Seen {
    fn word(word: &str) -> Self {
        Self { word: word.to_owned(), decision: None, cards: None, scope: None, why: None }
    }

    fn done() -> Self {
        Self::word("done")
    }

    fn refused() -> Self {
        Self::word("refused")
    }

    fn decided(decision: Decision) -> Self {
        let word = decision.outcome.word().to_owned();
        Self { word, decision: Some(decision), cards: None, scope: None, why: None }
    }
}

/// What a story touched, for reports about what stories cover.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    pub words: std::collections::BTreeSet<String>,
}

/// Runs a case; the given graph serves a case that has none.
pub fn run(case: &Case, given: Option<&LoadedGraph>) -> Result<Vec<Failure>, Vec<Problem>> {
    trace(case, given).map(|(failures, _)| failures)
}

/// Runs a case on a store, which has to be empty.
pub fn run_on(
    case: &Case,
    given: Option<&LoadedGraph>,
    store: Box<dyn Store>,
) -> Result<Vec<Failure>, Vec<Problem>> {
    trace_on(case, given, store).map(|(failures, _)| failures)
}

/// Runs a case and also says which words of the vocabulary it touched.
pub fn trace(
    case: &Case,
    given: Option<&LoadedGraph>,
) -> Result<(Vec<Failure>, Traced), Vec<Problem>> {
    trace_on(case, given, Box::new(Memory::empty()))
}

fn trace_on(
    case: &Case,
    given: Option<&LoadedGraph>,
    store: Box<dyn Store>,
) -> Result<(Vec<Failure>, Traced), Vec<Problem>> {
    let own = case.graph.as_ref().map(load_inline_graph).transpose()?;
    let loaded = match (&own, given) {
        (Some(own), _) => own,
        (None, Some(given)) => given,
        (None, None) => {
            let place = countersign_graph::Span::at(0);
            let help = "add `graph:` to the case, or run it with `--graph FILE`";
            return Err(vec![Problem::new(place, "the case has no graph", help)]);
        }
    };
    let mut world = World::new(case, loaded, store).map_err(|error| vec![broken(&error)])?;
    let mut failures = Vec::new();
    for step in &case.steps {
        match perform(&mut world, step) {
            Ok(seen) => failures.extend(compare(&world, step, &seen)),
            Err(error) => failures.push(failure(step, "a decision", &error.to_string(), None)),
        }
    }
    if let (Some(last), Some(why)) = (case.steps.last(), look::replay_differs(&world)) {
        failures.push(failure(last, "the ledger replays to the same", &why, None));
    }
    let traced = touched(&world, &failures);
    Ok((failures, traced))
}

fn broken(error: &EngineError) -> Problem {
    Problem::new(countersign_graph::Span::at(0), error.to_string(), "report this as a bug")
}

fn perform(world: &mut World, step: &Step) -> Result<Seen, EngineError> {
    match &step.does {
        Does::Call(call) => agent::call(world, step, call),
        Does::Finish { name, effect } => agent::finish(world, name, *effect),
        Does::Retry { name, effect } => agent::retry(world, step, name, *effect),
        Does::AskAhead(ahead) => agent::ask_ahead(world, step, ahead),
        Does::Start { .. } => agent::start(world, step),
        Does::End { name, how } => agent::end(world, name, *how),
        Does::Reattach(name) => agent::reattach(world, step, name),
        Does::Answer { .. } => operator::answer(world, step),
        Does::Grant { .. } => operator::grant(world, step),
        Does::Import { .. } => operator::import(world, step),
        Does::Revoke(what) => operator::revoke(world, step, what),
        Does::Keep(name) => operator::keep(world, name),
        Does::Gesture { name, declares, shows } => {
            operator::gesture(world, step, name, (declares, shows.as_deref()))
        }
        Does::Load(node) => operator::load(world, node),
        Does::Say { .. } => operator::say(world, step),
        Does::Plan { .. } => agent::plan(world, step),
        Does::Propose(propose) => proposals::propose(world, step, propose),
        Does::Apply(_) | Does::Veto(_) | Does::Undo(_) => proposals::act(world, step),
        Does::Wait(span) => world.wait(*span).map(|()| Seen::done()),
        Does::Restart => world.engine.restart().map(|()| Seen::done()),
        Does::Reconcile => {
            let swept = world.engine.reconcile(&world.session(step))?;
            Ok(Seen::word(swept.word()))
        }
        Does::Review => world.engine.review().map(|()| Seen::done()),
        Does::Presence(presence) => world.engine.presence(*presence).map(|()| Seen::done()),
        Does::Surface(surface) => world.engine.set_surface(*surface).map(|()| Seen::done()),
        Does::Pause => world.engine.pause(&world.agent(step)).map(|()| Seen::done()),
        Does::Resume => world.engine.resume(&world.agent(step)).map(|()| Seen::done()),
        Does::Check { domain, action, confidence, .. } => {
            look::check(world, domain, action, *confidence)
        }
        Does::Grants(_) => look::grants(world, step),
        Does::Requests(_) => look::requests(world, step),
        Does::Notices(_) => look::notices(world),
        Does::Acknowledge => operator::acknowledge(world),
        Does::Deliver { name, how } => operator::deliver(world, name, *how),
        Does::Ledger(kinds) => look::ledger(world, kinds),
    }
}

/// Every expectation of the step that does not hold.
fn compare(world: &World, step: &Step, seen: &Seen) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut differs = |expected: String, got: String| {
        failures.push(failure(step, &expected, &got, Some(seen)));
    };
    if let Some(expected) = look::expected_word(step).filter(|expected| *expected != seen.word) {
        differs(expected, seen.word.clone());
    }
    let decision = seen.decision.as_ref();
    if let Some(because) = step.expect.because {
        let reason = decision.map_or("no decision", |decision| decision.reason.word());
        if reason != because.word() {
            differs(format!("because {because}"), format!("because {reason}"));
        }
    }
    if let Some(via) = &step.expect.via {
        let names = decision.map_or_else(Vec::new, |decision| world.vias(decision));
        if !names.contains(via) {
            differs(format!("via {via}"), format!("via {}", or_nothing(&names.join(" + "))));
        }
    }
    if let Some(cards) = &step.expect.cards {
        let got = seen.cards.clone().unwrap_or_default();
        if got != *cards {
            differs(format!("items {}", shown(cards)), format!("items {}", shown(&got)));
        }
    }
    if let Some(scope) = &step.expect.scope_granted {
        let got = seen.scope.map_or("nothing", Scope::word);
        if got != scope {
            differs(format!("scope_granted {scope}"), format!("scope_granted {got}"));
        }
    }
    for failure in &mut failures {
        failure.line = world.line(step);
    }
    failures
}

fn failure(step: &Step, expected: &str, got: &str, seen: Option<&Seen>) -> Failure {
    let decision = seen.and_then(|seen| seen.decision.as_ref());
    let mut reasons = decision.map_or_else(Vec::new, explain::lines);
    reasons.extend(seen.and_then(|seen| seen.why.clone()));
    Failure {
        step: step.number,
        line: 0,
        expected: expected.to_owned(),
        got: got.to_owned(),
        reasons,
    }
}

fn shown(cards: &[Vec<String>]) -> String {
    let cards: Vec<_> = cards.iter().map(|card| format!("[{}]", card.join(", "))).collect();
    format!("[{}]", cards.join(", "))
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}

fn touched(world: &World, failures: &[Failure]) -> Traced {
    let mut traced = Traced::default();
    if !failures.is_empty() {
        return traced;
    }
    for change in world.changes() {
        traced.words.insert(format!("entry {}", change.kind()));
        match &change {
            Change::CallDecided { decision, .. } => {
                traced.words.insert(format!("outcome {}", decision.outcome));
                traced.words.insert(format!("reason {}", decision.reason));
            }
            Change::GrantMinted { grant } => {
                let scope = grant.scope;
                traced.words.insert(format!("scope {scope}"));
                traced.words.insert(format!("source {}", grant.source));
                traced.words.insert(format!("coverage {}", Coverage::kind(&grant.coverage)));
            }
            Change::RequestAnswered { answered } => {
                traced.words.extend(answered.items.iter().map(|(_, c)| format!("choice {c}")));
                traced.words.extend(answered.ending.map(|ending| format!("answer {ending}")));
            }
            Change::CallCompleted { effect, .. } => {
                traced.words.insert(format!("effect {effect}"));
            }
            Change::RunEnded { how, .. } => {
                traced.words.insert(format!("run ending {how}"));
            }
            _ => {}
        }
    }
    traced
}
