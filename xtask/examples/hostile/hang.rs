//! The row in which the database hangs: its connections stay open and nothing comes.

use super::daemon::Daemon;
use super::world::{Checked, READ, WRITE, call, check};
use super::{PATIENCE, Site, TrialResult, ends};
use serde_json::json;
use std::time::Duration;
use xtask::clock::Stopwatch;
use xtask::failure::Failure;
use xtask::hostile::{Finding, Verdict};

/// Every request must have an answer by then.
const LIMIT: Duration = Duration::from_secs(5);

#[derive(Default)]
struct Answers {
    requests: usize,
    slowest: Duration,
    /// What was acknowledged or allowed although nothing can have been recorded.
    wrong: Vec<String>,
}

pub fn run(site: &Site<'_>) -> TrialResult<Finding> {
    let nodes = site.start_nodes()?;
    for node in &nodes {
        expect_allowed(node)?;
    }
    let (mut times, mut answers, mut recovery) = (0, Answers::default(), Duration::ZERO);
    for round in site.extent.rounds(1, 5) {
        times = round;
        let suspended = site.suspend_database()?;
        ask_everything(&nodes, round, &mut answers)?;
        drop(suspended);
        let watch = Stopwatch::start();
        for node in &nodes {
            while expect_allowed(node).is_err() && watch.elapsed() < PATIENCE {
                std::thread::yield_now();
            }
            expect_allowed(node)?;
        }
        recovery = recovery.max(watch.elapsed());
    }
    let audit = ends(&nodes)?.0.audit()?;
    let Answers { requests, slowest, wrong } = &answers;
    let said = audit.as_ref().err().map_or("verify and replay agree", String::as_str);
    let example = wrong.first().map(|what| format!(" ({what})")).unwrap_or_default();
    Ok(Finding {
        tried: format!("{times} hangs, {requests} requests to {} nodes", nodes.len()),
        found: format!(
            "slowest refusal {} ms; {} said yes{example}; well again after {} ms; {said}",
            slowest.as_millis(),
            wrong.len(),
            recovery.as_millis()
        ),
        verdict: Verdict::from(*slowest <= LIMIT && wrong.is_empty() && audit.is_ok()),
    })
}

fn expect_allowed(node: &Daemon) -> TrialResult<()> {
    match check(&node.agent(), &call("calm", READ, 1)) {
        Checked::Allowed { .. } => Ok(()),
        other => Err(Failure::new(format!("a node does not allow what it should: {other}"))),
    }
}

/// Every kind of request to every node at once.
fn ask_everything(nodes: &[Daemon], round: usize, answers: &mut Answers) -> TrialResult<()> {
    let acts = [
        ("/v1/pause", json!({"agent": "nobody"})),
        ("/v1/revoke", json!({"session": "nobodys"})),
        ("/v1/grants", json!({"session": "calm", "action": WRITE, "seconds": 60})),
    ];
    let reads = ["/v1/requests", "/v1/grants", "/v1/status"];
    let ended = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for node in nodes {
            for action in [READ, WRITE] {
                threads.push(scope.spawn(move || {
                    let watch = Stopwatch::start();
                    let checked = check(&node.agent(), &call("calm", action, 100 + round));
                    let is_no = matches!(checked, Checked::Denied { .. } | Checked::Failed(_));
                    (watch.elapsed(), action, is_no)
                }));
            }
            for (path, body) in &acts {
                threads.push(scope.spawn(move || {
                    let watch = Stopwatch::start();
                    let is_no = node.operator().post(path, body).is_err();
                    (watch.elapsed(), *path, is_no)
                }));
            }
            for path in reads {
                threads.push(scope.spawn(move || {
                    let watch = Stopwatch::start();
                    // What is read changes nothing, whether it is refused or known.
                    let _read = node.operator().get(path);
                    (watch.elapsed(), path, true)
                }));
            }
        }
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.collect::<Result<Vec<_>, _>>().map_err(|_| Failure::new("a thread panicked"))
    })?;
    for (took, what, is_no) in ended {
        answers.requests += 1;
        answers.slowest = answers.slowest.max(took);
        if !is_no {
            answers.wrong.push(what.to_owned());
        }
    }
    Ok(())
}
