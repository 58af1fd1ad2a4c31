//! The row in which the daemon is killed under load: nothing that it acknowledged may be lost.

use super::acts::{Act, answer, decline_all, grant, introduce, pause, revoke};
use super::daemon::Daemon;
use super::world::{Checked, READ, WRITE, call, check, open_request, text};
use super::{PATIENCE, Site, TrialResult, ends, node_of};
use countersign_client::Connection;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use xtask::bench::runs::Context;
use xtask::failure::Failure;
use xtask::hostile::{Finding, Verdict};

/// Agents that check while the operator acts.
const AGENTS: usize = 3;
/// Acknowledged acts before the kill; each round has one more than the last, and begins again.
const MOST_ACTS: usize = 9;

pub fn run(site: &Site<'_>) -> TrialResult<Finding> {
    let mut nodes = site.start_nodes()?;
    let (mut rounds, mut all, mut lost, mut said) = (0, Vec::new(), Vec::new(), None);
    for round in site.extent.rounds(4, 40) {
        rounds = round;
        let acts = load_and_kill(&mut nodes, round)?;
        let (first, _) = ends(&nodes)?;
        // Beside another node, or while nobody else has it.
        said = said.or(first.audit()?.err());
        if let Some(first) = nodes.first_mut() {
            first.restart()?;
        }
        lost.extend(find_lost(&nodes, &acts)?);
        decline_all(&ends(&nodes)?.0.operator())?;
        all.extend(acts);
    }
    // A later kill must not take an earlier act away either.
    lost.extend(find_lost(&nodes, &all)?);
    let first = lost.first().map(|act| format!(", such as {act:?}")).unwrap_or_default();
    let said_or = said.as_deref().unwrap_or("verify and replay agree");
    Ok(Finding {
        tried: format!("{rounds} kills under load; {} acknowledged acts and calls", all.len()),
        found: format!("{} lost{first}; {said_or}", lost.len()),
        verdict: Verdict::from(lost.is_empty() && said.is_none()),
    })
}

fn find_lost(nodes: &[Daemon], acts: &[Act]) -> TrialResult<Vec<Act>> {
    let (first, _) = ends(nodes)?;
    let (agent, operator) = (first.agent(), first.operator());
    let mut lost = Vec::new();
    for act in acts {
        if !act.is_in_force(&agent, &operator)? {
            lost.push(act.clone());
        }
    }
    Ok(lost)
}

/// Kills the first node once enough was acknowledged, and returns all that was.
fn load_and_kill(nodes: &mut [Daemon], round: usize) -> TrialResult<Vec<Act>> {
    let (first, _) = ends(nodes)?;
    let (operator, asker) = (first.operator(), first.agent());
    let agents = (0..AGENTS).map(|agent| Ok(node_of(nodes, agent)?.agent()));
    let agents: Vec<Connection> = agents.collect::<TrialResult<_>>()?;
    let killed = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (sender, acknowledged) = channel();
        for (number, agent) in agents.iter().enumerate() {
            let (sender, killed) = (sender.clone(), &killed);
            let session = format!("load-{round}-{number}");
            scope.spawn(move || check_on(agent, &session, killed, &sender));
        }
        let (operator, asker) = (&operator, &asker);
        scope.spawn(move || act_on(operator, asker, round, &sender));
        let collected = collect_acts(&acknowledged, 1 + round % MOST_ACTS);
        let kill = match nodes.first_mut() {
            Some(first) => first.kill(),
            None => Ok(()),
        };
        killed.store(true, Ordering::SeqCst);
        kill?;
        let mut acts = collected?;
        // The operator ends with the error that the kill is for it.
        acts.extend(acknowledged.into_iter().filter_map(Result::ok));
        Ok(acts)
    })
}

/// What was acknowledged; an error if the operator cannot act any more.
type Acknowledged = TrialResult<Act>;

/// Until this many acts of the operator have been acknowledged.
fn collect_acts(acknowledged: &Receiver<Acknowledged>, wanted: usize) -> TrialResult<Vec<Act>> {
    let (mut acts, mut operators) = (Vec::new(), 0);
    while operators < wanted {
        let act = acknowledged.recv_timeout(PATIENCE).context("waiting for an act")??;
        operators += usize::from(!matches!(act, Act::Passed { .. }));
        acts.push(act);
    }
    Ok(acts)
}

fn check_on(agent: &Connection, session: &str, killed: &AtomicBool, to: &Sender<Acknowledged>) {
    let mut number = 0;
    while !killed.load(Ordering::SeqCst) {
        number += 1;
        match check(agent, &call(session, READ, number)) {
            Checked::Allowed { operation } => {
                let _unheard = to.send(Ok(Act::Passed { session: session.to_owned(), operation }));
            }
            _ => std::thread::yield_now(),
        }
    }
}

/// Acts until the first error, which is the kill.
fn act_on(operator: &Connection, asker: &Connection, round: usize, to: &Sender<Acknowledged>) {
    for number in 0.. {
        let session = format!("acts-{round}-{number}");
        if let Err(failure) = act_once(operator, asker, &session, to) {
            let _unheard = to.send(Err(failure));
            return;
        }
    }
}

fn act_once(
    operator: &Connection,
    asker: &Connection,
    session: &str,
    to: &Sender<Acknowledged>,
) -> TrialResult<()> {
    let send = |act| to.send(Ok(act)).map_err(|_| Failure::new("nobody listens any more"));
    let card = open_request(asker, operator, &call(session, WRITE, 1))?;
    answer(operator, &card, "once").context("an answer")?;
    send(Act::Answered { request: text(&card, "request") })?;
    let agent = format!("paused-{session}");
    introduce(operator, &agent).context("a new agent")?;
    pause(operator, &agent).context("a pause")?;
    send(Act::Paused { agent })?;
    let kept = grant(operator, session).context("a grant")?;
    send(Act::Granted { grant: kept })?;
    let revoked = grant(operator, session).context("a grant")?;
    revoke(operator, &revoked).context("a revocation")?;
    send(Act::Revoked { grant: revoked })
}
