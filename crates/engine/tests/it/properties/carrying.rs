//! What grants can and cannot do: no more than they were shown with, and never less than nothing.

use super::calls::COMMANDS;
use super::graphs::{action, an_action, category};
use super::steps::tale;
use super::worlds::{World, agent, session};
use super::{Held, holds};
use countersign_core::change::Change;
use countersign_core::decision::{Basis, Decision};
use countersign_core::grant::{Confirmation, Coverage, Grant, Scope, Source};
use countersign_core::ledger::replay;
use countersign_core::settle::{Holder, give};
use countersign_core::state::State;
use countersign_core::words::{Outcome, Reason, Risk};
use proptest::prelude::*;
use proptest::sample::select;

/// Denials that stand in for an ask: a grant may lift what made it ask.
const FOR_AN_ASK: [Reason; 2] = [Reason::NoOperator, Reason::TooManyAsks];

/// Any live grant to the first session, given now.
#[derive(Clone, Debug)]
struct Gift {
    kind: u8,
    action: usize,
    category: usize,
    scope: Scope,
    shown: Risk,
    confirmed: bool,
}

fn gift() -> impl Strategy<Value = Gift> {
    let what = (0..7u8, an_action(), 0..6usize);
    (what, select(Scope::ALL), select(Risk::ALL), any::<bool>()).prop_map(
        |((kind, action, category), scope, shown, confirmed)| Gift {
            kind,
            action,
            category,
            scope,
            shown,
            confirmed,
        },
    )
}

/// The state with one grant more, as nothing but its own coverage would have it.
fn with_gift(world: &World, gift: &Gift) -> State {
    let (mut state, graph) = ((*world.state()).clone(), world.graph());
    let (session, agent) = (session(0), agent(0));
    let project = state.sessions[&session].project.clone();
    let now = world.engine.now();
    let run = world.runs.last().copied();
    let coverage = match gift.kind {
        0 => Coverage::Action(action(gift.action)),
        1 => Coverage::Category(category(gift.category)),
        2 => {
            let argv = COMMANDS[gift.category % 2].split(' ').map(str::to_owned).collect();
            Coverage::Command { argv, cwd: None, action: None }
        }
        3 => match run {
            Some(run) => Coverage::Run { run, carries: vec![action(gift.action)], beyond: vec![] },
            None => Coverage::Everything,
        },
        4 => Coverage::Step { action: action(gift.action), commands: Vec::new() },
        5 => {
            let digest = world.probes().first().map(|call| call.digest);
            digest.map_or(Coverage::Everything, |digest| Coverage::Digest {
                digest,
                action: action(gift.action),
            })
        }
        _ => Coverage::Everything,
    };
    let confirmation = if gift.confirmed { Confirmation::Confirmed } else { Confirmation::Plain };
    let mut grant = world.knowing(&world.state(), &graph, |facts| {
        let holder = Holder { session: &session, agent: &agent, project: project.as_ref() };
        give(facts, &holder, coverage.clone(), (gift.scope, None, confirmation)).0
    });
    grant.shown = gift.shown;
    grant.run = run.filter(|_| grant.scope == Scope::Run);
    state.apply(now, &Change::GrantMinted { grant: Box::new(grant) });
    state
}

#[test]
fn one_grant_more_never_makes_stricter_and_never_lifts_a_denial() {
    super::try_on(&(tale(), gift()), 384, |(tale, gift)| {
        let world = World::after(&tale);
        let (state, graph) = (world.state(), world.graph());
        let richer = with_gift(&world, &gift);
        for call in world.probes() {
            let before = world.decided((&state, &graph), &call);
            let after = world.decided((&richer, &graph), &call);
            prop_assert!(after.outcome <= before.outcome, "{before:?}\nbecame\n{after:?}");
            if before.outcome == Outcome::Deny && !FOR_AN_ASK.contains(&before.reason) {
                prop_assert_eq!((after.outcome, after.reason), (before.outcome, before.reason));
            }
        }
        Ok(())
    });
}

/// The table of ceilings, written down a second time.
fn ceiling(grant: &Grant) -> Risk {
    let derived = matches!(grant.source, Source::Plan | Source::Import | Source::Run);
    match (&grant.coverage, grant.scope) {
        (Coverage::Digest { .. }, Scope::Once) => Risk::Critical,
        (Coverage::Run { .. } | Coverage::Everything | Coverage::Step { .. }, _) => Risk::Moderate,
        (_, Scope::Run) => Risk::Moderate,
        (_, Scope::Project) if grant.confirmation == Confirmation::Plain => Risk::Moderate,
        _ if derived => Risk::Moderate,
        _ => Risk::High,
    }
}

fn carries_no_more_than_shown(state: &State, decision: &Decision) -> Held {
    for verdict in &decision.verdicts {
        let Basis::Grants(ids) = &verdict.basis else { continue };
        prop_assert!(!ids.is_empty(), "{verdict:?}");
        for grant in ids.iter().map(|id| state.grants.get(*id).unwrap()) {
            let most = grant.shown.min(ceiling(grant));
            prop_assert!(verdict.risk <= most, "{verdict:?} rests on {grant:?}");
        }
    }
    Ok(())
}

#[test]
fn no_grant_carries_above_the_risk_it_was_shown_with() {
    super::try_on(&(tale(), gift()), 256, |(tale, gift)| {
        let world = World::after(&tale);
        let (entries, graph) = (world.engine.entries().unwrap(), world.graph());
        let state = replay(&entries).unwrap();
        for entry in &entries {
            if let (_, Change::CallDecided { decision, .. }) = entry.change().unwrap() {
                carries_no_more_than_shown(&state, &decision)?;
            }
        }
        let richer = with_gift(&world, &gift);
        for call in world.probes() {
            let decision = world.decided((&richer, &graph), &call);
            carries_no_more_than_shown(&richer, &decision)?;
        }
        Ok(())
    });
}

#[test]
fn a_grant_is_nobody_elses() {
    holds(&(tale(), gift()), |(tale, gift)| {
        let world = World::after(&tale);
        let richer = with_gift(&world, &gift);
        let graph = world.graph();
        for call in world.probes() {
            let decision = world.decided((&richer, &graph), &call);
            for grant in decision.grants().map(|id| richer.grants.get(id).unwrap()) {
                prop_assert_eq!(&grant.agent, &call.agent);
            }
        }
        Ok(())
    });
}
