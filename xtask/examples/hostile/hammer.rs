//! Rows in which agents check without a break while the operator takes a permission away.

use super::acts::{decline_all, grant, pause as pause_agent, resume, revoke as revoke_grant};
use super::daemon::Daemon;
use super::world::{READ, WRITE, call, check, open_session};
use super::{PATIENCE, Site, TrialResult, ends};
use countersign_client::Connection;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use xtask::bench::runs::Context;
use xtask::failure::Failure;
use xtask::hostile::{Finding, Verdict};

/// Agents that check at the same time.
const AGENTS: usize = 6;
/// Checks of each round that begin after the operator was told that it is over.
const LATE: usize = 12;

/// A check with the stages at its begin and at its end. In stage `2n` round n is permitted; in stage
/// `2n + 1` the operator knows that it is not.
struct SeenCheck {
    stages: (usize, usize),
    is_allowed: bool,
    is_contended: bool,
    /// Why it did not pass.
    refusal: String,
}

#[derive(Default)]
struct Tally {
    rounds: usize,
    late: usize,
    passed_late: usize,
    contended: usize,
}

/// What is taken away, and given back, in each round.
trait Permission {
    const ACTION: &'static str;
    fn give(&mut self, session: &str) -> TrialResult<()>;
    fn take_away(&mut self) -> TrialResult<()>;
}

struct Revocations {
    agent: Connection,
    operator: Connection,
    grant: String,
}

impl Permission for Revocations {
    const ACTION: &'static str = WRITE;

    fn give(&mut self, session: &str) -> TrialResult<()> {
        // Questions of the last round.
        decline_all(&self.operator)?;
        open_session(&self.agent, session)?;
        self.grant = grant(&self.operator, session).context("a grant")?;
        Ok(())
    }

    fn take_away(&mut self) -> TrialResult<()> {
        revoke_grant(&self.operator, &self.grant).context("a revocation").map(drop)
    }
}

struct Pauses {
    operator: Connection,
    is_paused: bool,
}

const HAMMER: &str = "hammer";

impl Permission for Pauses {
    const ACTION: &'static str = READ;

    fn give(&mut self, _session: &str) -> TrialResult<()> {
        if std::mem::take(&mut self.is_paused) {
            resume(&self.operator, HAMMER).context("resuming")?;
        }
        Ok(())
    }

    fn take_away(&mut self) -> TrialResult<()> {
        self.is_paused = true;
        pause_agent(&self.operator, HAMMER).context("a pause").map(drop)
    }
}

pub fn pause(site: &Site<'_>) -> TrialResult<Finding> {
    let nodes = site.start_nodes()?;
    let pauses = Pauses { operator: ends(&nodes)?.0.operator(), is_paused: false };
    let agent = ends(&nodes)?.1.add_agent(HAMMER)?;
    let tally = hammer(site, &agent, pauses)?;
    report(&nodes, &tally, "pauses")
}

pub fn revoke(site: &Site<'_>) -> TrialResult<Finding> {
    let nodes = site.start_nodes()?;
    let (operator, agent) = (ends(&nodes)?.0.operator(), ends(&nodes)?.1.add_agent(HAMMER)?);
    let revocations = Revocations { agent: agent.clone(), operator, grant: String::new() };
    let tally = hammer(site, &agent, revocations)?;
    report(&nodes, &tally, "revocations")
}

fn report(nodes: &[Daemon], tally: &Tally, what: &str) -> TrialResult<Finding> {
    let Tally { rounds, late, passed_late, contended } = tally;
    let audit = ends(nodes)?.0.audit()?;
    let said = audit.as_ref().err().map_or("verify and replay agree", String::as_str);
    let where_ = if nodes.len() > 1 { "on another node" } else { "on the same node" };
    Ok(Finding {
        tried: format!("{rounds} {what} while {AGENTS} agents check {where_}; {late} checks after"),
        found: format!("{passed_late} passed after it; {contended} contended; {said}"),
        verdict: Verdict::from(*passed_late == 0 && audit.is_ok()),
    })
}

fn hammer(
    site: &Site<'_>,
    agent: &Connection,
    mut permission: impl Permission,
) -> TrialResult<Tally> {
    let (stage, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (sender, seen) = channel();
        for _ in 0..AGENTS {
            let (agent, sender, stage, is_over) = (agent.clone(), sender.clone(), &stage, &is_over);
            let action = action_of(&permission);
            scope.spawn(move || check_on(&agent, action, (stage, is_over), &sender));
        }
        drop(sender);
        let tally = take_away_often(site, &mut permission, &stage, &seen);
        is_over.store(true, Ordering::SeqCst);
        tally
    })
}

fn action_of<P: Permission>(_: &P) -> &'static str {
    P::ACTION
}

/// Checks in the session of the round until all is over.
fn check_on(
    agent: &Connection,
    action: &str,
    (stage, is_over): (&AtomicUsize, &AtomicBool),
    seen: &Sender<SeenCheck>,
) {
    while !is_over.load(Ordering::SeqCst) {
        let begun = stage.load(Ordering::SeqCst);
        // The same call every time, so that it asks at most one question.
        let checked = check(agent, &call(&session(begun / 2), action, 0));
        let ended = stage.load(Ordering::SeqCst);
        let (is_allowed, is_contended) = (checked.is_allowed(), checked.is_contended());
        let refusal = format!("{checked}");
        let stages = (begun, ended);
        let _unheard = seen.send(SeenCheck { stages, is_allowed, is_contended, refusal });
    }
}

fn session(round: usize) -> String {
    format!("{HAMMER}-{round}")
}

fn take_away_often(
    site: &Site<'_>,
    permission: &mut impl Permission,
    stage: &AtomicUsize,
    seen: &Receiver<SeenCheck>,
) -> TrialResult<Tally> {
    let mut tally = Tally::default();
    let next = |tally: &mut Tally| -> TrialResult<SeenCheck> {
        let check = seen.recv_timeout(PATIENCE).context("waiting for a check")?;
        tally.contended += usize::from(check.is_contended);
        Ok(check)
    };
    for round in site.extent.rounds(15, 300) {
        tally.rounds = round;
        permission.give(&session(round))?;
        stage.store(2 * round, Ordering::SeqCst);
        // It counts only if it was permitted before.
        let mut waited = 0;
        loop {
            let check = next(&mut tally)?;
            if check.is_allowed && check.stages.0 == 2 * round {
                break;
            }
            waited += 1;
            if waited > 1_000 {
                let last = check.refusal;
                return Err(Failure::new(format!("a permitted check does not pass: {last}")));
            }
        }
        permission.take_away()?;
        stage.store(2 * round + 1, Ordering::SeqCst);
        let mut late = 0;
        while late < LATE {
            let check = next(&mut tally)?;
            if check.stages == (2 * round + 1, 2 * round + 1) {
                late += 1;
                tally.passed_late += usize::from(check.is_allowed);
            }
        }
        tally.late += late;
    }
    Ok(tally)
}
