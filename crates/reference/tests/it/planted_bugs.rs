//! Shows that the comparison finds planted bugs: the second implementation gets an altered scenario,
//! in which it decides like an implementation that forgot a rule.

use countersign_core::model::grant::{GrantState, Owner};
use countersign_core::model::graph::AskingRule;
use countersign_core::model::names::Agent;
use countersign_core::model::time::Time;
use countersign_core::model::words::Risk;
use countersign_core::state::Mode;
use countersign_reference::compare::decide_both;
use countersign_reference::rng::Rng;
use countersign_reference::scenario::{self, Scenario, ScenarioCall};

/// Rare rules decide few cases. The search stops at the first difference.
const SCENARIOS: u64 = 4_500;

fn generate_scenarios() -> impl Iterator<Item = (Scenario, Vec<ScenarioCall>)> {
    (0..SCENARIOS).filter_map(|seed| scenario::generate_scenario(&mut Rng::new(seed)))
}

/// Whether the altered scenario decides a case differently.
pub(crate) fn finds_difference(alter: impl Fn(&mut Scenario)) -> bool {
    generate_scenarios().any(|(scenario, attempts)| {
        let mut altered = scenario.clone();
        alter(&mut altered);
        let differs = |attempt: &ScenarioCall| {
            decide_both(&scenario, attempt).0 != decide_both(&altered, attempt).1
        };
        attempts.iter().any(differs)
    })
}

/// The same, where the attempt is altered too.
pub(crate) fn finds_difference_in_case(alter: impl Fn(&mut Scenario, &mut ScenarioCall)) -> bool {
    generate_scenarios().any(|(scenario, attempts)| {
        attempts.iter().any(|attempt| {
            let (mut altered, mut other) = (scenario.clone(), attempt.clone());
            alter(&mut altered, &mut other);
            decide_both(&scenario, attempt).0 != decide_both(&altered, &other).1
        })
    })
}

#[test]
fn an_unaltered_scenario_shows_no_difference() {
    assert!(!finds_difference(|_| {}));
}

#[test]
fn a_clock_off_by_one_microsecond_is_found() {
    assert!(finds_difference(|scenario| {
        scenario.now = Time::from_micros(scenario.now.micros() + 1);
    }));
}

#[test]
fn a_missing_risk_ceiling_is_found() {
    assert!(finds_difference(|scenario| {
        scenario.state.grants.iter_mut().for_each(|grant| grant.shown = Risk::Critical);
    }));
}

#[test]
fn a_grant_used_for_another_agent_is_found() {
    let swap = |scenario: &mut Scenario| {
        let bert = Agent::parse("bert").unwrap();
        scenario.state.grants.iter_mut().for_each(|grant| grant.agent = bert.clone());
    };
    assert!(finds_difference(swap));
}

#[test]
fn a_reused_once_grant_is_found() {
    let renew = |scenario: &mut Scenario| {
        for grant in scenario.state.grants.iter_mut().filter(|g| g.state == GrantState::Spent) {
            grant.state = GrantState::Live;
        }
    };
    assert!(finds_difference(renew));
}

#[test]
fn an_ignored_dry_run_or_stop_is_found() {
    let forget = |scenario: &mut Scenario| {
        let sessions = scenario.state.sessions.values_mut();
        sessions.for_each(|session| session.restraints.mode = Mode::Normal);
    };
    assert!(finds_difference(forget));
}

#[test]
fn an_ended_session_that_counts_as_open_is_found() {
    let reopen = |scenario: &mut Scenario| {
        for session in scenario.state.sessions.values_mut() {
            session.ended_at = None;
            session.active_at = scenario.now;
        }
    };
    assert!(finds_difference(reopen));
}

#[test]
fn restraints_that_an_agent_sheds_by_ending_a_session_are_found() {
    let shed = |scenario: &mut Scenario| {
        let agents: Vec<_> = scenario.state.carried_over.keys().cloned().collect();
        agents.iter().for_each(|agent| drop(scenario.state.carried_over.remove(agent)));
    };
    assert!(finds_difference(shed));
}

#[test]
fn an_ignored_always_ask_rule_is_found() {
    let relax = |scenario: &mut Scenario| {
        let rules = scenario.graph.iter_mut().flat_map(|graph| graph.rules.values_mut());
        rules.for_each(|rule| rule.asking = AskingRule::ByTier);
    };
    assert!(finds_difference(relax));
}

#[test]
fn a_project_grant_limited_to_its_session_is_found() {
    let move_in = |scenario: &mut Scenario| {
        let mut moved = countersign_core::state::grants::Grants::empty();
        for grant in scenario.state.grants.iter() {
            let mut grant = grant.clone();
            grant.owner = Owner::Session(grant.made_in.clone());
            moved.insert(grant);
        }
        scenario.state.grants = moved;
    };
    assert!(finds_difference(move_in));
}
