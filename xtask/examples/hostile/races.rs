//! Rows in which several callers do the same at the same time.

use super::acts::{decline_all, grant, revoke};
use super::daemon::Daemon;
use super::world::{GRAPH, WRITE, call, check, list_requests, open_session};
use super::{Site, TrialResult, ends, node_of};
use countersign_client::Connection;
use serde_json::{Value, json};
use std::sync::Barrier;
use xtask::bench::runs::Context;
use xtask::failure::Failure;
use xtask::hostile::{Finding, Verdict};

/// Callers that send at once.
const CALLERS: usize = 8;

/// The trial tried: without the rule, more than one check of a round has to pass.
pub fn find_planted_bug(site: &Site<'_>) -> TrialResult<Finding> {
    let graph = GRAPH.replace("single_destination: true", "single_destination: false");
    let nodes = [site.start_node("one", &graph)?];
    let passed = race_destinations(&nodes, 1)?;
    Ok(Finding {
        tried: "`single-destination` once, with a graph that lacks the rule".to_owned(),
        found: format!("{passed} of {CALLERS} passed, so that the row would fail"),
        verdict: Verdict::from(passed > 1),
    })
}

pub fn single_destination(site: &Site<'_>) -> TrialResult<Finding> {
    let nodes = site.start_nodes()?;
    let (mut rounds, mut wrong) = (0, Vec::new());
    for round in site.extent.rounds(25, 400) {
        rounds = round;
        let passed = race_destinations(&nodes, round)?;
        if passed != 1 {
            wrong.push(passed);
        }
    }
    Ok(Finding {
        tried: format!("{rounds} rounds: {CALLERS} checks at once, one event, {CALLERS} targets"),
        found: match wrong.as_slice() {
            [] => "one passed in each round".to_owned(),
            wrong => format!("not one passed in {} rounds, but {wrong:?}", wrong.len()),
        },
        verdict: Verdict::from(wrong.is_empty()),
    })
}

/// How many of the checks passed.
fn race_destinations(nodes: &[Daemon], round: usize) -> TrialResult<usize> {
    let body = |caller: usize| {
        json!({
            "session": format!("s{round}"), "actions": ["alerts.post"],
            "target": format!("place-{caller}"), "args": {"event": format!("e{round}")},
        })
    };
    let passed = race(nodes, |caller, node| check(&node.agent(), &body(caller)).is_allowed())?;
    decline_all(&ends(nodes)?.0.operator())?;
    Ok(passed.into_iter().filter(|passed| *passed).count())
}

pub fn one_request(site: &Site<'_>) -> TrialResult<Finding> {
    let nodes = site.start_nodes()?;
    let operator = ends(&nodes)?.0.operator();
    let (mut rounds, mut wrong) = (0, Vec::new());
    for round in site.extent.rounds(25, 400) {
        rounds = round;
        let body = call(&format!("s{round}"), WRITE, round);
        let pending = race(&nodes, |_, node| check(&node.agent(), &body).is_pending())?;
        let open = list_requests(&operator)?.len();
        if open != 1 || pending.iter().any(|pending| !pending) {
            wrong.push(open);
        }
        decline_all(&operator)?;
    }
    Ok(Finding {
        tried: format!("{rounds} rounds: {CALLERS} equal checks at once"),
        found: match wrong.as_slice() {
            [] => "one open request in each round".to_owned(),
            wrong => format!("{} rounds are wrong, open requests: {wrong:?}", wrong.len()),
        },
        verdict: Verdict::from(wrong.is_empty()),
    })
}

pub fn two_revocations(site: &Site<'_>) -> TrialResult<Finding> {
    let nodes = site.start_nodes()?;
    let (first, last) = ends(&nodes)?;
    let (mut rounds, mut refused) = (0, 0);
    for round in site.extent.rounds(25, 400) {
        rounds = round;
        let session = format!("s{round}");
        open_session(&first.agent(), &session)?;
        let grant = grant(&first.operator(), &session).context("a grant")?;
        let barrier = Barrier::new(2);
        let revoke = |operator: Connection| {
            barrier.wait();
            revoke(&operator, &grant)
        };
        let answers: [Result<Value, _>; 2] = std::thread::scope(|scope| {
            let other = scope.spawn(|| revoke(last.operator()));
            let own = revoke(first.operator());
            let other = other.join().map_err(|_| Failure::new("a thread panicked"))?;
            TrialResult::Ok([own, other])
        })?;
        refused += answers.iter().filter(|answer| answer.is_err()).count();
    }
    let audit = first.audit()?;
    Ok(Finding {
        tried: format!("{rounds} grants, each revoked twice at once, then verify and replay"),
        found: match &audit {
            Ok(()) => format!("verify and replay agree; {refused} of {} refused", 2 * rounds),
            Err(said) => said.clone(),
        },
        verdict: Verdict::from(audit.is_ok() && refused == 0),
    })
}

/// What each caller got. All begin at once, spread over the nodes.
fn race<T: Send>(
    nodes: &[Daemon],
    run: impl Fn(usize, &Daemon) -> T + Sync,
) -> TrialResult<Vec<T>> {
    let (barrier, run) = (Barrier::new(CALLERS), &run);
    let callers = (0..CALLERS).map(|caller| Ok((caller, node_of(nodes, caller)?)));
    let callers: Vec<_> = callers.collect::<TrialResult<_>>()?;
    std::thread::scope(|scope| {
        let barrier = &barrier;
        let spawn = |(caller, node)| {
            scope.spawn(move || {
                barrier.wait();
                run(caller, node)
            })
        };
        let threads: Vec<_> = callers.into_iter().map(spawn).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, T>| {
            thread.join().map_err(|_| Failure::new("a thread panicked"))
        };
        threads.into_iter().map(join).collect()
    })
}
