//! What grants can and cannot do: no more than they were shown with, and never less than nothing.

use super::acting::pick;
use super::tales::tale;
use super::worlds::World;
use super::{Held, holds};
use countersign_core::call::Call;
use countersign_core::change::Change;
use countersign_core::command::Command;
use countersign_core::decision::{Basis, Decision};
use countersign_core::grant::{Confirmation, Coverage, Grant, Scope, Source};
use countersign_core::graph::Graph;
use countersign_core::ledger::replay;
use countersign_core::settle::{Holder, give};
use countersign_core::state::State;
use countersign_core::words::{Outcome, Reason, Risk};
use proptest::prelude::*;
use proptest::sample::select;

/// Denials that stand in for an ask: a grant may lift what made it ask.
const FOR_AN_ASK: [Reason; 2] = [Reason::NoOperator, Reason::TooManyAsks];

/// Any live grant, given now, that names something of one of the recurring calls.
#[derive(Clone, Debug)]
struct Gift {
    to: usize,
    kind: u8,
    part: usize,
    scope: Scope,
    shown: Risk,
    confirmation: Confirmation,
}

fn gift() -> impl Strategy<Value = Gift> {
    let what = (0..4usize, 0..7u8, 0..3usize);
    let confirmation = select(vec![Confirmation::Plain, Confirmation::Confirmed]);
    (what, select(Scope::ALL), select(Risk::ALL), confirmation).prop_map(
        |((to, kind, part), scope, shown, confirmation)| Gift {
            to,
            kind,
            part,
            scope,
            shown,
            confirmation,
        },
    )
}

fn covered(gift: &Gift, graph: &Graph, call: &Call) -> Coverage {
    let parts: Vec<_> = call.parts().map(|(action, _)| action.clone()).collect();
    let action = pick(&parts, gift.part).unwrap();
    let ruled = graph.rule(&action).map_or(&[][..], |rule| &rule.categories);
    let categories: Vec<_> = ruled.iter().chain(&call.given).cloned().collect();
    let coverage = match gift.kind {
        0 => pick(&categories, gift.part).map(Coverage::Category),
        1 | 2 => match &call.command {
            Some(Command::Plain { argv, cwd }) => {
                Some(Coverage::Command { argv: argv.clone(), cwd: cwd.clone(), action: None })
            }
            _ => None,
        },
        3 => call.run.map(|run| Coverage::Run { run, carries: parts, beyond: Vec::new() }),
        4 => Some(Coverage::Step { action: action.clone(), commands: Vec::new() }),
        5 => Some(Coverage::Digest { digest: call.digest, action: action.clone() }),
        _ => Some(Coverage::Everything),
    };
    coverage.unwrap_or(Coverage::Action(action))
}

/// The state with one grant more.
fn with_gift(world: &World, gift: &Gift) -> State {
    let (mut state, graph) = ((*world.state()).clone(), world.graph());
    let Some(call) = pick(&world.probes(), gift.to) else { return state };
    let mut grant = world.knowing(&world.state(), &graph, |facts| {
        let project = call.project.as_ref();
        let holder = Holder { session: &call.session, agent: &call.agent, project };
        let terms = (gift.scope, None, gift.confirmation);
        give(facts, &holder, covered(gift, &graph, &call), terms).0
    });
    grant.shown = gift.shown;
    grant.run = call.run.filter(|_| grant.scope == Scope::Run);
    state.apply(world.engine.now(), &Change::GrantMinted { grant: Box::new(grant) });
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
