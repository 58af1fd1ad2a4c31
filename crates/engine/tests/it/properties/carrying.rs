//! What grants can and cannot do: no more than they were shown with, and never less than nothing.

use super::acting::pick;
use super::tales::tale;
use super::worlds::World;
use super::{Held, holds};
use countersign_core::model::call::Call;
use countersign_core::model::change::Change;
use countersign_core::model::command::Command;
use countersign_core::model::decision::{Basis, Decision};
use countersign_core::model::grant::Holder;
use countersign_core::model::grant::{Confirmation, Coverage, CoverageKind, Grant, Scope, Source};
use countersign_core::model::graph::Graph;
use countersign_core::model::words::{Outcome, Reason, Risk};
use countersign_core::state::State;
use countersign_core::steps::settle::create_direct_grant;
use countersign_ledger::replay;
use proptest::prelude::*;
use proptest::sample::select;

/// Denials that stand in for an ask: a grant may lift what made it ask.
const FOR_AN_ASK: [Reason; 2] = [Reason::NoOperator, Reason::TooManyAsks];

/// A live grant, given now. What it names is tried out, call by call and kind by kind.
#[derive(Clone, Debug)]
pub(super) struct Gift {
    part: usize,
    scope: Scope,
    shown: Risk,
    confirmation: Confirmation,
}

pub(super) fn gift() -> impl Strategy<Value = Gift> {
    let confirmation = select(vec![Confirmation::Plain, Confirmation::Confirmed]);
    (0..3usize, select(Scope::ALL), select(Risk::ALL), confirmation)
        .prop_map(|(part, scope, shown, confirmation)| Gift { part, scope, shown, confirmation })
}

/// One thing of a call that a grant could name.
fn covered(gift: &Gift, kind: CoverageKind, (graph, call): (&Graph, &Call)) -> Coverage {
    let parts: Vec<_> = call.parts().map(|(action, _)| action.clone()).collect();
    let action = pick(&parts, gift.part).unwrap();
    let ruled = graph.rule(&action).map_or(&[][..], |rule| &rule.categories);
    let categories: Vec<_> = ruled.iter().chain(&call.given).cloned().collect();
    let coverage = match kind {
        CoverageKind::Category => pick(&categories, gift.part).map(Coverage::Category),
        CoverageKind::Command => match &call.command {
            Some(Command::Plain { argv, cwd }) => {
                Some(Coverage::Command { argv: argv.clone(), cwd: cwd.clone(), action: None })
            }
            _ => None,
        },
        CoverageKind::Run => {
            call.run.map(|run| Coverage::Run { run, carries: parts, beyond: Vec::new() })
        }
        CoverageKind::Step => Some(Coverage::Step { action: action.clone(), commands: Vec::new() }),
        CoverageKind::Digest => {
            Some(Coverage::Digest { digest: call.digest, action: action.clone() })
        }
        CoverageKind::Everything => Some(Coverage::Everything),
        CoverageKind::Head => {
            Some(Coverage::Head { words: vec!["git".to_owned()], action: action.clone() })
        }
        CoverageKind::Action | CoverageKind::Class | CoverageKind::Program => None,
    };
    coverage.unwrap_or(Coverage::Action(action))
}

/// The state with one grant more, for each thing that it could name.
fn with_gift(world: &World, gift: &Gift) -> Vec<State> {
    let (state, graph) = (world.state(), world.graph());
    let probes = world.probes();
    let mut richer = Vec::new();
    for (call, kind) in
        probes.iter().flat_map(|call| CoverageKind::ALL.iter().map(move |kind| (call, *kind)))
    {
        let mut grant = world.knowing(&state, &graph, |facts| {
            let project = call.project.as_ref();
            let holder = Holder { session: &call.session, agent: &call.agent, project };
            let terms = (gift.scope, None, gift.confirmation);
            create_direct_grant(facts, &holder, covered(gift, kind, (&graph, call)), terms).0
        });
        grant.shown = gift.shown;
        grant.run = call.run.filter(|_| grant.scope == Scope::Run);
        let mut state = (*state).clone();
        state.apply(world.engine.display_time(), &Change::GrantMinted { grant: Box::new(grant) });
        richer.push(state);
    }
    richer
}

/// What would be decided about each recurring call, with each grant more.
pub(super) fn enriched(world: &World, gift: &Gift) -> Vec<(State, Vec<(Call, Decision)>)> {
    let graph = world.graph();
    let decide = |state: State| {
        let decided = world.probes().into_iter().map(|call| {
            let decision = world.decided((&state, &graph), &call);
            (call, decision)
        });
        let decided = decided.collect();
        (state, decided)
    };
    with_gift(world, gift).into_iter().map(decide).collect()
}

#[test]
fn one_grant_more_never_makes_stricter_and_never_lifts_a_denial() {
    holds(&(tale(), gift()), |(tale, gift)| {
        let world = World::after(&tale);
        let (state, graph) = (world.state(), world.graph());
        for (call, after) in enriched(&world, &gift).into_iter().flat_map(|(_, decided)| decided) {
            let before = world.decided((&state, &graph), &call);
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
    holds(&(tale(), gift()), |(tale, gift)| {
        let world = World::after(&tale);
        let entries = world.engine.read_all_entries().unwrap();
        let state = replay(&entries).unwrap();
        for entry in &entries {
            if let (_, Change::CallDecided { decision, .. }) = entry.change().unwrap() {
                carries_no_more_than_shown(&state, &decision)?;
            }
        }
        for (state, decided) in enriched(&world, &gift) {
            decided.iter().try_for_each(|(_, one)| carries_no_more_than_shown(&state, one))?;
        }
        Ok(())
    });
}

#[test]
fn a_grant_serves_only_the_agent_it_was_given_to() {
    holds(&(tale(), gift()), |(tale, gift)| {
        let world = World::after(&tale);
        for (state, decided) in enriched(&world, &gift) {
            for (call, decision) in decided {
                for grant in decision.grants().map(|id| state.grants.get(id).unwrap()) {
                    prop_assert_eq!(&grant.agent, &call.agent);
                }
            }
        }
        Ok(())
    });
}
