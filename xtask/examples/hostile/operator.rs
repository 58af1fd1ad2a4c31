//! The row in which agents keep the daemon busy: the operator is served all the same.

use super::acts::{answer, grant, pause, resume, revoke};
use super::daemon::Daemon;
use super::world::{Checked, GRAPH, READ, WRITE, call, check, open_request, report_done};
use super::{Site, TrialResult, ends};
use countersign_client::{ClientError, Connection};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use xtask::bench::runs::Context;
use xtask::clock::Stopwatch;
use xtask::hostile::{Database, Extent, Finding, Verdict};

const AGENTS: usize = 6;
/// The slowest act of a hundred. A debug build is not held to it.
const GOAL: Duration = Duration::from_millis(250);
/// From its start until a node is ready, under load.
const START: Duration = Duration::from_secs(10);

#[derive(Default)]
struct Load {
    checks: AtomicU64,
    contended: AtomicU64,
    failed: AtomicU64,
    is_over: AtomicBool,
}

#[derive(Default)]
struct Acts {
    took: Vec<Duration>,
    refused: Vec<String>,
}

impl Acts {
    fn time(&mut self, act: impl FnOnce() -> Result<Value, ClientError>) {
        let watch = Stopwatch::start();
        let ended = act();
        self.took.push(watch.elapsed());
        self.refused.extend(ended.err().map(|error| error.to_string()));
    }

    fn percentile(&mut self, percent: usize) -> Duration {
        self.took.sort_unstable();
        let last = self.took.len().saturating_sub(1);
        self.took.get((last * percent).div_ceil(100)).copied().unwrap_or_default()
    }
}

pub fn run(site: &Site<'_>) -> TrialResult<Finding> {
    let nodes = site.start_nodes()?;
    let (first, last) = ends(&nodes)?;
    let load = Load::default();
    let busy = (0..AGENTS).map(|agent| last.add_agent(&busy_name(agent)));
    let busy: Vec<Connection> = busy.collect::<TrialResult<_>>()?;
    let (acts, started) = std::thread::scope(|scope| {
        for (number, agent) in busy.iter().enumerate() {
            let load = &load;
            scope.spawn(move || keep_busy(agent, &busy_name(number), load));
        }
        let ended = act_under_load(site, first).and_then(|acts| Ok((acts, start_another(site)?)));
        load.is_over.store(true, Ordering::SeqCst);
        ended
    })?;
    Ok(report(site, acts, started, &load))
}

fn report(site: &Site<'_>, mut acts: Acts, started: Option<Duration>, load: &Load) -> Finding {
    let number = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
    let (checks, contended) = (number(&load.checks), number(&load.contended));
    let failed = number(&load.failed);
    let (median, slowest) = (acts.percentile(50), acts.percentile(99));
    let refusals = acts.refused.len();
    let example = acts.refused.first().map(|text| format!(" ({text})")).unwrap_or_default();
    let node = started.map(|took| format!("; another node was ready in {} ms", took.as_millis()));
    let is_fast = site.extent == Extent::Short || slowest <= GOAL;
    // A short trial has too few checks for a rate: one of them may fail.
    let is_rare = (contended + failed) * 10_000 <= checks.max(10_000);
    let is_ready = started.is_none_or(|took| took <= START);
    Finding {
        tried: format!("{} answers, pauses and revocations, {AGENTS} agents busy", acts.took.len()),
        found: format!(
            "{refusals} refused{example}; p50 {} ms, p99 {} ms; of {checks} checks {contended} \
             contended, {failed} failed{}",
            median.as_millis(),
            slowest.as_millis(),
            node.unwrap_or_default(),
        ),
        verdict: Verdict::from(refusals == 0 && is_fast && is_rare && is_ready),
    }
}

fn busy_name(agent: usize) -> String {
    format!("busy-{agent}")
}

/// Reads, writes and reports without a break. A session has the name of its agent.
fn keep_busy(agent: &Connection, session: &str, load: &Load) {
    let mut number = 0;
    while !load.is_over.load(Ordering::SeqCst) {
        number += 1;
        // Writing asks the same question every time, unless the operator has just granted it.
        let (action, difference) = if number % 4 == 0 { (WRITE, 0) } else { (READ, number) };
        let checked = check(agent, &call(session, action, difference));
        load.checks.fetch_add(1, Ordering::Relaxed);
        match &checked {
            Checked::Allowed { operation } => {
                // A report that is refused changes nothing that is counted here.
                let _reported = report_done(agent, session, operation);
            }
            checked if checked.is_contended() => {
                load.contended.fetch_add(1, Ordering::Relaxed);
            }
            Checked::Failed(_) => {
                load.failed.fetch_add(1, Ordering::Relaxed);
            }
            Checked::Pending { .. } | Checked::Denied { .. } => {}
        }
    }
}

/// Acts on what the busy agents use, so that both want the same rows.
fn act_under_load(site: &Site<'_>, node: &Daemon) -> TrialResult<Acts> {
    let (operator, asker) = (node.operator(), node.add_agent("asker")?);
    let mut acts = Acts::default();
    for round in site.extent.rounds(20, 400) {
        let card = open_request(&asker, &operator, &call(&format!("asked-{round}"), WRITE, round))?;
        acts.time(|| answer(&operator, &card, "once"));
        let busy = busy_name(round % AGENTS);
        acts.time(|| pause(&operator, &busy));
        resume(&operator, &busy).context("resuming")?;
        let grant = grant(&operator, &busy).context("a grant")?;
        acts.time(|| revoke(&operator, &grant));
    }
    Ok(acts)
}

/// How long another node takes to get ready. A record in SQLite has only one.
fn start_another(site: &Site<'_>) -> TrialResult<Option<Duration>> {
    if site.database == Database::Sqlite {
        return Ok(None);
    }
    let watch = Stopwatch::start();
    site.start_node("another", GRAPH)?;
    Ok(Some(watch.elapsed()))
}
