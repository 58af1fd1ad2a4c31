//! Runs a case: performs each step as a client of the engine and compares the result with the
//! expectation.

mod agent;
mod env;
mod inspect;
mod operator;
mod proposals;

use crate::case::{Case, CaseStep, StepKind};
use crate::report::CaseFailure;
use countersign_core::decide::explain;
use countersign_core::encoding::json;
use countersign_core::model::change::Change;
use countersign_core::model::decision::Decision;
use countersign_core::model::grant::{Coverage, Scope};
use countersign_engine::{EngineError, Memory, Store};
use countersign_graph::policies::PolicyFile;
use countersign_graph::{
    DocumentNode, Format, LoadedGraph, Problem, Problems, load_graph_with_policies,
    load_inline_graph,
};
use env::StoryEnv;
use operator::Click;

/// The actual result of a step.
pub(crate) struct StepResult {
    /// `allow`, `accepted`, `done`, …
    pub word: String,
    pub decision: Option<Decision>,
    pub cards: Option<Vec<Vec<String>>>,
    pub scope: Option<Scope>,
    pub explanation: Option<String>,
}

impl StepResult {
    fn from_word(word: &str) -> Self {
        Self { word: word.to_owned(), decision: None, cards: None, scope: None, explanation: None }
    }

    fn success() -> Self {
        Self::from_word("done")
    }

    fn refusal() -> Self {
        Self::from_word("refused")
    }

    fn from_decision(decision: Decision) -> Self {
        let word = decision.outcome.word().to_owned();
        Self { word, decision: Some(decision), cards: None, scope: None, explanation: None }
    }
}

/// The vocabulary words that a story used, for coverage tests.
#[derive(Clone, Debug, Default)]
pub struct WordCoverage {
    pub words: std::collections::BTreeSet<String>,
}

/// Runs a case in memory. `given` is the graph for a case that has none.
pub fn run_case(
    case: &Case,
    given: Option<&LoadedGraph>,
) -> Result<Vec<CaseFailure>, Vec<Problem>> {
    run_with_coverage(case, given).map(|(failures, _)| failures)
}

/// Runs a case on an empty store.
pub fn run_case_on(
    case: &Case,
    given: Option<&LoadedGraph>,
    store: Box<dyn Store>,
) -> Result<Vec<CaseFailure>, Vec<Problem>> {
    run_with_coverage_on(case, given, store).map(|(failures, _)| failures)
}

/// Runs a case in memory and also returns the vocabulary words that it used.
pub fn run_with_coverage(
    case: &Case,
    given: Option<&LoadedGraph>,
) -> Result<(Vec<CaseFailure>, WordCoverage), Vec<Problem>> {
    run_with_coverage_on(case, given, Box::new(Memory::empty()))
}

fn run_with_coverage_on(
    case: &Case,
    given: Option<&LoadedGraph>,
    store: Box<dyn Store>,
) -> Result<(Vec<CaseFailure>, WordCoverage), Vec<Problem>> {
    let own_graph = case.graph.as_ref().map(|node| load_own_graph(case, node)).transpose()?;
    let loaded = match (&own_graph, given) {
        (Some(own), _) => own,
        (None, Some(given)) => given,
        (None, None) => {
            let place = countersign_graph::TextSpan::at_offset(0);
            let help = "add `graph:` to the case, or run it with `--graph FILE`";
            return Err(vec![Problem::new(place, "the case has no graph", help)]);
        }
    };
    let mut env =
        StoryEnv::new(case, loaded, store).map_err(|error| vec![engine_problem(&error)])?;
    let mut failures = Vec::new();
    for step in &case.steps {
        match perform_step(&mut env, step) {
            Ok(result) => failures.extend(compare_with_expectation(&env, step, &result)),
            Err(error) => {
                failures.push(build_failure(step, "a decision", &error.to_string(), None))
            }
        }
    }
    if let (Some(last), Some(why)) = (case.steps.last(), inspect::find_replay_difference(&env)) {
        failures.push(build_failure(
            last,
            "the ledger replays to the same state and decisions",
            &why,
            None,
        ));
    }
    let coverage = collect_words(&env, &failures);
    Ok((failures, coverage))
}

/// Loads the graph of the case, with its policies if it has any.
fn load_own_graph(case: &Case, node: &DocumentNode) -> Result<LoadedGraph, Vec<Problem>> {
    let Some(policies) = &case.policies else { return load_inline_graph(node) };
    let read_folder = |folder: &str| {
        let (name, display_path) = ("case.cedar".to_owned(), format!("{folder}/case.cedar"));
        Ok(vec![PolicyFile { name, display_path, bytes: policies.text.clone().into_bytes() }])
    };
    let at_policies = |problem: Problem| Problem { span: policies.span, ..problem };
    let text = json::canonical(&node.to_json()).map_err(|error| {
        vec![Problem::new(node.span, error.to_string(), "move the graph to its own file")]
    })?;
    load_graph_with_policies("graph", text.as_bytes(), Format::Json, &read_folder)
        .map_err(|files| files.iter().flat_map(Problems::list).cloned().map(at_policies).collect())
}

fn engine_problem(error: &EngineError) -> Problem {
    Problem::new(
        countersign_graph::TextSpan::at_offset(0),
        error.to_string(),
        "report this as a bug",
    )
}

fn perform_step(env: &mut StoryEnv, step: &CaseStep) -> Result<StepResult, EngineError> {
    match &step.kind {
        StepKind::Call(call) => agent::make_call(env, step, call),
        StepKind::Finish { name, effect } => agent::finish_call(env, name, *effect),
        StepKind::Retry { name, ending } => agent::retry_call(env, step, name, *ending),
        StepKind::AskAhead(ahead) => agent::ask_ahead(env, step, ahead),
        StepKind::Start { .. } => agent::start_run(env, step),
        StepKind::End { name, how } => agent::end_run(env, name, *how),
        StepKind::Reattach(name) => agent::reattach_run(env, step, name),
        StepKind::Answer { .. } => operator::answer_request(env, step),
        StepKind::Grant { .. } => operator::mint_grant(env, step),
        StepKind::Import { .. } => operator::import_grant(env, step),
        StepKind::Revoke(what) => operator::revoke_grants(env, step, what),
        StepKind::Keep(name) => operator::keep_grants(env, name),
        StepKind::Gesture { name, declares, shows } => {
            operator::make_gesture(env, step, &Click { name, declares, shows: shows.as_deref() })
        }
        StepKind::Load(node) => operator::load_graph(env, node),
        StepKind::Say { .. } => operator::say_turn(env, step),
        StepKind::Plan { .. } => agent::propose_plan(env, step),
        StepKind::Propose(propose) => proposals::submit_proposal(env, step, propose),
        StepKind::Apply(_) | StepKind::Veto(_) | StepKind::Undo(_) => {
            proposals::act_on_proposal(env, step)
        }
        StepKind::Wait(span) => env.advance_clock(*span).map(|()| StepResult::success()),
        StepKind::Write { path, text } => {
            env.file_edits.write(path, text, env.engine.display_time());
            Ok(StepResult::success())
        }
        StepKind::Trust(path) => Ok(match env.trust_layer(path) {
            true => StepResult::success(),
            false => StepResult::refusal(),
        }),
        StepKind::Remove(path) => {
            env.file_edits.remove(path);
            Ok(StepResult::success())
        }
        StepKind::Restart => env.engine.restart().map(|()| StepResult::success()),
        StepKind::Reconcile => {
            let outcome = env.engine.reconcile_runs(&env.step_session(step))?;
            Ok(StepResult::from_word(outcome.word()))
        }
        StepKind::SubAgentOf { session, agent } => {
            agent::join_session(env, step, (session, agent.as_ref()))
        }
        StepKind::Review => env.engine.review_graph().map(|()| StepResult::success()),
        StepKind::Presence(presence) => {
            env.engine.set_presence(*presence).map(|()| StepResult::success())
        }
        StepKind::Surface(surface) => {
            env.engine.set_surface(*surface).map(|()| StepResult::success())
        }
        StepKind::Pause => {
            env.engine.pause_agent(&env.step_agent(step)).map(|()| StepResult::success())
        }
        StepKind::Resume => {
            env.engine.resume_agent(&env.step_agent(step)).map(|_| StepResult::success())
        }
        StepKind::Check { domain, action, confidence, .. } => {
            inspect::check_tier(env, domain, action, *confidence)
        }
        StepKind::Grants(_) => inspect::count_grants(env, step),
        StepKind::Requests(_) => inspect::count_requests(env, step),
        StepKind::Notices(_) => inspect::count_notices(env),
        StepKind::Acknowledge => operator::acknowledge_notices(env),
        StepKind::Deliver { .. } => operator::deliver_requests(env, &step.kind),
        StepKind::Ledger(kinds) => inspect::compare_ledger(env, kinds),
    }
}

/// Compares a result with the step's expectation; one failure per difference.
fn compare_with_expectation(
    env: &StoryEnv,
    step: &CaseStep,
    result: &StepResult,
) -> Vec<CaseFailure> {
    let mut failures = Vec::new();
    let mut add_failure = |expected: String, got: String| {
        failures.push(build_failure(step, &expected, &got, Some(result)));
    };
    if let Some(expected) =
        inspect::expected_result(step).filter(|expected| *expected != result.word)
    {
        add_failure(expected, result.word.clone());
    }
    let decision = result.decision.as_ref();
    if let Some(because) = step.expect.because {
        let reason = decision.map_or("no decision", |decision| decision.reason.word());
        if reason != because.word() {
            add_failure(format!("because {because}"), format!("because {reason}"));
        }
    }
    if let Some(via) = &step.expect.via {
        let names = decision.map_or_else(Vec::new, |decision| env.basis_names(decision));
        if !names.contains(via) {
            add_failure(format!("via {via}"), format!("via {}", or_nothing(&names.join(" + "))));
        }
    }
    if let Some(cards) = &step.expect.cards {
        let got = result.cards.clone().unwrap_or_default();
        if got != *cards {
            add_failure(
                format!("items {}", format_cards(cards)),
                format!("items {}", format_cards(&got)),
            );
        }
    }
    if let Some(scope) = &step.expect.scope_granted {
        let got = result.scope.map_or("nothing", Scope::word);
        if got != scope {
            add_failure(format!("scope_granted {scope}"), format!("scope_granted {got}"));
        }
    }
    for failure in &mut failures {
        failure.line = env.step_line(step);
    }
    failures
}

fn build_failure(
    step: &CaseStep,
    expected: &str,
    got: &str,
    result: Option<&StepResult>,
) -> CaseFailure {
    let decision = result.and_then(|result| result.decision.as_ref());
    let mut reasons = decision.map_or_else(Vec::new, explain::lines);
    reasons.extend(result.and_then(|result| result.explanation.clone()));
    CaseFailure {
        step: step.number,
        line: 0,
        expected: expected.to_owned(),
        got: got.to_owned(),
        reasons,
    }
}

fn format_cards(cards: &[Vec<String>]) -> String {
    let cards: Vec<_> = cards.iter().map(|card| format!("[{}]", card.join(", "))).collect();
    format!("[{}]", cards.join(", "))
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}

/// The words that a story used. A story that failed counts for nothing.
fn collect_words(env: &StoryEnv, failures: &[CaseFailure]) -> WordCoverage {
    let mut coverage = WordCoverage::default();
    if !failures.is_empty() {
        return coverage;
    }
    for change in env.load_changes() {
        coverage.words.insert(format!("entry {}", change.kind()));
        match &change {
            Change::CallDecided { decision, .. } => {
                coverage.words.insert(format!("outcome {}", decision.outcome));
                coverage.words.insert(format!("reason {}", decision.reason));
            }
            Change::GrantMinted { grant } => {
                let scope = grant.scope;
                coverage.words.insert(format!("scope {scope}"));
                coverage.words.insert(format!("source {}", grant.source));
                coverage.words.insert(format!("coverage {}", Coverage::kind(&grant.coverage)));
            }
            Change::RequestAnswered { answered } => {
                coverage.words.extend(answered.items.iter().map(|(_, c)| format!("choice {c}")));
                coverage.words.extend(answered.ending.map(|ending| format!("answer {ending}")));
            }
            Change::CallCompleted { effect, .. } => {
                coverage.words.insert(format!("effect {effect}"));
            }
            Change::RunEnded { how, .. } => {
                coverage.words.insert(format!("run ending {how}"));
            }
            _ => {}
        }
    }
    coverage
}
