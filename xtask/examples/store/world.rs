//! An engine on a store, a session with a grant, and calls of a usual size.

use super::large::FIRST_GRANT;
use super::{BenchResult, Context};
use countersign_core::model::call::CallDraft;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::names::{Action, Agent, SessionKey};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Effect, Surface};
use countersign_engine::{
    CheckResult, Clock, DirectGrant, Engine, Entropy, Permit, SessionOwner, Store,
    UselessGrantPolicy,
};
use countersign_graph::{Format, load_graph};
use serde_json::json;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use xtask::clock::Stopwatch;
use xtask::failure::Failure;

const GRAPH: &str = "
domains:
  mail: {autonomous: [draft], requires_approval: [send], blocked: [wipe]}
";

/// When the clock of an engine starts, in microseconds: an hour after the first grant of the large store,
/// which has all of its grants by then.
pub const CLOCK_START: i64 = FIRST_GRANT + 3_600_000_000;

/// A call that needs a yes.
pub const SEND: &str = "mail.send";
/// A call that the rule alone allows.
pub const DRAFT: &str = "mail.draft";

pub fn engine<S: Store>(store: S) -> BenchResult<Engine<S>> {
    let engine = Engine::new(store, Box::new(StoreClock(Stopwatch::start())), Box::new(Drawn));
    engine.set_surface(Surface::Reachable).context("reaching somebody")?;
    let graph =
        load_graph("graph.yaml", GRAPH.as_bytes(), Format::Yaml).context("the graph")?.graph;
    engine.load_graph(graph).context("loading the graph")?;
    engine.open(|_| Ok(())).context("opening for business")?;
    Ok(engine)
}

pub fn agent() -> BenchResult<Agent> {
    Agent::parse("assistant").context("an agent")
}

pub fn session(number: usize) -> BenchResult<SessionKey> {
    SessionKey::parse(&format!("assistant session-{number:06}")).context("a session")
}

/// A session that is open and may send mails.
pub fn granted<S: Store>(engine: &Engine<S>, number: usize) -> BenchResult<SessionKey> {
    let session = session(number)?;
    let owner = SessionOwner::from_key(session.clone());
    engine.open_session(&owner, None).context("opening a session")?;
    let coverage = Coverage::Action(Action::parse(SEND).context("an action")?);
    let wanted = DirectGrant {
        session: session.clone(),
        coverage,
        scope: Scope::Session,
        ends_at: None,
        confirmation: Confirmation::Plain,
        if_useless: UselessGrantPolicy::Refuse,
    };
    engine.grant_directly(&wanted).context("granting")?;
    Ok(session)
}

/// A call that was never made before, with arguments of about 400 bytes.
pub fn draft(session: &SessionKey, action: &str) -> BenchResult<CallDraft> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let action = Action::parse(action).context("an action")?;
    let mut draft = CallDraft::plain(agent()?, session.clone(), action);
    draft.args = json!({
        "to": ["ana@example.org", "bo@example.org"],
        "subject": format!("Minutes of Monday, part {number}"),
        "body": "The minutes are attached. Corrections by Friday, please, to both of us. \
                 Item four was moved to the next meeting, as Bo asked; nothing else did.",
        "attachments": [{ "name": "minutes.pdf", "bytes": 48_213 }],
        "importance": 0.5,
    });
    draft.target = vec!["ana@example.org".to_owned()];
    Ok(draft)
}

pub fn permit<S: Store>(engine: &Engine<S>, draft: &CallDraft) -> BenchResult<Permit> {
    match engine.check(draft).context("a decision")? {
        CheckResult::Allowed { permit, .. } => Ok(permit),
        other => Err(Failure::new(format!("not permitted: {:?}", other.decision()))),
    }
}

pub fn finish<S: Store>(engine: &Engine<S>, permit: Permit) -> BenchResult<()> {
    // Waited for, so that it is over before the next thing is measured.
    engine.complete(&permit.complete(Effect::Done)).context("finishing").map(drop)
}

/// The bytes that the latest decision added to the ledger, with their hashes.
pub fn bytes_of_a_decision<S: Store>(
    engine: &Engine<S>,
    draft: &CallDraft,
) -> BenchResult<Vec<u8>> {
    let before = engine.read_all_entries().context("the ledger")?.len();
    let permit = permit(engine, draft)?;
    let entries = engine.read_all_entries().context("the ledger")?;
    let mut bytes = Vec::new();
    for entry in entries.iter().skip(before) {
        bytes.extend_from_slice(entry.bytes.as_bytes());
        bytes.extend_from_slice(entry.hash.bytes());
        bytes.extend(entry.content().iter().flat_map(|held| held.text.bytes()));
    }
    finish(engine, permit)?;
    Ok(bytes)
}

/// Starts at the same instant in every process. By the machine's own clock the sessions and grants of
/// the large store, which is kept for months, would have ended.
struct StoreClock(Stopwatch);

impl Clock for StoreClock {
    fn now(&self) -> Time {
        let since = i64::try_from(self.0.elapsed().as_micros()).unwrap_or(i64::MAX);
        Time::from_micros(CLOCK_START.saturating_add(since))
    }
}

struct Drawn;

impl Entropy for Drawn {
    fn bits(&self) -> u64 {
        RandomState::new().hash_one(0)
    }
}
