//! Where a grant does not reach: places that are kept apart, and programs that nobody pinned.

use super::carrying::{Gift, enriched, gift};
use super::graphs::{action, an_action};
use super::tales::tale;
use super::worlds::World;
use super::{Held, try_on};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{Call, Part};
use countersign_core::model::change::Change;
use countersign_core::model::decision::{Basis, Decision, Verdict};
use countersign_core::model::grant::{Confirmation, Coverage, Holder, Scope};
use countersign_core::model::place::{Findings, PinnedProgram, Place};
use countersign_core::model::rule_results::{CommandRuleResult, RuleResults};
use countersign_core::model::run_file::{RunFile, RunFileContent, RunFileSighting, SightingCause};
use countersign_core::model::words::{Outcome, Reason};
use countersign_core::state::State;
use countersign_core::steps::settle::create_direct_grant;
use proptest::prelude::*;
use proptest::sample::select;
use std::cell::Cell;
use std::collections::BTreeMap;

const KEPT_APART: [Place; 3] = [Place::Secret, Place::WriteGuarded, Place::WriteOutside];

fn decide_ruled(world: &World, state: &State, ruled: &RuleResults, call: &Call) -> Decision {
    world.knowing(state, &world.graph(), |facts| decide(&Facts { ruled, ..*facts }, call))
}

/// Whether the place lets this pass: a click does, and a grant whose card showed the place.
fn is_shown(state: &State, place: Place, verdict: &Verdict) -> bool {
    match &verdict.basis {
        Basis::Grants(ids) => {
            ids.iter().all(|id| state.grants.get(*id).unwrap().places.contains(&place))
        }
        _ => verdict.reason == Reason::Gesture,
    }
}

fn reaches_no_place(world: &World, gift: &Gift, place: Place) -> Held {
    let finding = Findings { paths: vec![vec![place]], ..Findings::default() };
    let allowed =
        CommandRuleResult::Allowed { rules: vec!["allow *".to_owned()], programs: Vec::new() };
    let ruled =
        RuleResults { findings: vec![finding], command: Some(allowed), ..RuleResults::default() };
    for (state, decided) in enriched(world, gift) {
        for (call, _) in decided {
            let decision = decide_ruled(world, &state, &ruled, &call);
            let performed = decision.verdicts.iter().filter(|one| one.part == Part::Named);
            for verdict in performed.filter(|one| one.outcome < Outcome::Ask) {
                prop_assert!(is_shown(&state, place, verdict), "{place}: {verdict:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn no_grant_for_an_ordinary_action_lets_a_call_at_a_place_kept_apart_pass() {
    try_on(&(tale(), gift(), select(&KEPT_APART[..])), 96, |(tale, gift, place)| {
        reaches_no_place(&World::after(&tale), &gift, place)
    });
}

fn program(hash: &str) -> PinnedProgram {
    PinnedProgram { path: "/opt/tool".to_owned(), hash: hash.to_owned() }
}

/// The state with a pin in the session of a call.
fn with_pin(world: &World, call: &Call, pinned: &PinnedProgram) -> State {
    let state = world.state();
    let grant = world.knowing(&state, &world.graph(), |facts| {
        let holder = Holder { session: &call.session, agent: &call.agent, project: None };
        let terms = (Scope::Session, None, Confirmation::Plain);
        create_direct_grant(facts, &holder, Coverage::Program(pinned.clone()), terms).0
    });
    let mut state = (*state).clone();
    state.apply(world.engine.display_time(), &Change::GrantMinted { grant: Box::new(grant) });
    state
}

/// A line of one class that rules allow, with these programs.
fn line(class: usize, programs: Vec<PinnedProgram>) -> RuleResults {
    let finding = Findings { class: Some(action(class)), ..Findings::default() };
    let allowed =
        CommandRuleResult::Allowed { rules: vec!["allow *".to_owned()], programs: Vec::new() };
    RuleResults {
        findings: vec![finding],
        command: Some(allowed),
        programs,
        ..RuleResults::default()
    }
}

/// Whether a grant of the exact call decides an action. Nobody can pin a program that cannot be read, so
/// that such a grant does not ask for it.
fn rests_on_exact_call(state: &State, decision: &Decision) -> bool {
    let coverage = |id| &state.grants.get(id).unwrap().coverage;
    decision.grants().any(|id| matches!(coverage(id), Coverage::Digest { .. }))
}

#[test]
fn a_pin_lets_only_lines_pass_whose_programs_are_all_pinned() {
    let opened = Cell::new(0usize);
    try_on(&(tale(), an_action()), 128, |(tale, class)| {
        let world = World::after(&tale);
        let state = world.state();
        let same = |ruled: &RuleResults, pinned: &State, call: &Call| -> Held {
            let before = decide_ruled(&world, &state, ruled, call);
            prop_assert_eq!(decide_ruled(&world, pinned, ruled, call), before);
            Ok(())
        };
        for call in world.probes() {
            let pinned = with_pin(&world, &call, &program("aa"));
            for others in [vec![], vec!["bb"], vec!["aa", "bb"], vec![""]] {
                let programs = others.into_iter().map(program).collect();
                same(&line(class, programs), &pinned, &call)?;
            }
            let unreadable = line(class, vec![program("aa"), program("")]);
            let now = decide_ruled(&world, &pinned, &unreadable, &call);
            if now.outcome < decide_ruled(&world, &state, &unreadable, &call).outcome {
                prop_assert!(rests_on_exact_call(&pinned, &now), "{now:?}");
            }
            let replaceable = line(class, vec![program("aa")]);
            let now = decide_ruled(&world, &pinned, &replaceable, &call);
            prop_assert_eq!(&now, &decide_ruled(&world, &state, &line(class, vec![]), &call));
            let before = decide_ruled(&world, &state, &replaceable, &call);
            opened.set(opened.get() + usize::from(now.outcome < before.outcome));
        }
        Ok(())
    });
    assert!(opened.get() > 0, "no pin ever mattered");
}

/// The state after the session of a call has seen a file with this content.
fn with_file(world: &World, call: &Call, content: &RunFileContent) -> State {
    let mut state = (*world.state()).clone();
    let at = world.engine.display_time();
    let files = BTreeMap::from([("/w/Makefile".to_owned(), content.clone())]);
    let seen = Box::new(RunFileSighting { cause: SightingCause::Answer, at, files });
    let session = call.session.clone();
    state.apply(at, &Change::RunFilesSeen { session, seen });
    state
}

#[test]
fn only_a_click_carries_a_line_whose_file_is_not_the_one_that_was_seen() {
    let held = Cell::new(0usize);
    try_on(&(tale(), an_action()), 128, |(tale, class)| {
        let world = World::after(&tale);
        let [old, new] = ["aa", "bb"].map(|hash| RunFileContent::Hash(hash.to_owned()));
        for call in world.probes() {
            let mut changed = line(class, vec![]);
            changed.run_files = vec![RunFile {
                path: "/w/Makefile".to_owned(),
                content: new.clone(),
                changed_at: None,
                difference: String::new(),
            }];
            let state = with_file(&world, &call, &old);
            if state.open_session(&call.session, world.engine.display_time()).is_none() {
                continue;
            }
            let now = decide_ruled(&world, &state, &changed, &call);
            let passes = now.outcome <= Outcome::Notify;
            let named = now.verdicts.iter().filter(|verdict| verdict.part == Part::Named);
            let mut named = named.map(|verdict| verdict.reason);
            prop_assert!(!passes || named.all(|reason| reason == Reason::Gesture), "{now:?}");
            held.set(held.get() + usize::from(now.reason == Reason::ChangedBeforeRun));
            let after_yes = with_file(&world, &call, &new);
            let plain = decide_ruled(&world, &after_yes, &line(class, vec![]), &call);
            prop_assert_eq!(decide_ruled(&world, &after_yes, &changed, &call), plain);
        }
        Ok(())
    });
    assert!(held.get() > 0);
}
