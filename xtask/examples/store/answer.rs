//! A call is parked on one node and answered on another: how long until it is released, beside a
//! bare UPDATE with NOTIFY, after which the listener reads the row.

use super::Runs;
use super::postgres::{client, cluster};
use super::world::{SEND, draft, engine, session};
use super::{BenchResult, Context};
use ::postgres::Client;
use ::postgres::fallible_iterator::FallibleIterator;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::ids::CallId;
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom};
use countersign_core::model::words::{Choice, Effect};
use countersign_core::state::CallState;
use countersign_engine::{
    AnswerTarget, CheckResult, Engine, Postgres, PostgresSettings, SessionOwner,
};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Scope, park_timeout};
use std::time::Duration;
use xtask::bench::rounds::Variant;
use xtask::bench::store::{Figure, NOTIFIED, RELEASED};
use xtask::clock::Stopwatch;
use xtask::failure::Failure;

/// Time until the waiter has read once and really waits.
const SETTLED: Duration = Duration::from_millis(3);
const PATIENCE: Duration = Duration::from_secs(30);

pub fn run(runs: &mut Runs) -> BenchResult<()> {
    let cluster = cluster()?;
    let node = || {
        let store = Postgres::open(PostgresSettings::new(&cluster.address())).context("a node")?;
        engine(store)
    };
    let (asking, answering) = (node()?, node()?);
    let session = session(0)?;
    let owner = SessionOwner::from_key(session.clone());
    asking.open_session(&owner, None).context("opening a session")?;
    let (sender, woken) = channel();
    asking.add_commit_listener(Arc::new(move |_| sender.send(()).unwrap_or(())));
    let mut writing = client(&cluster)?;
    writing
        .batch_execute(
            "CREATE TABLE bare (id bigint PRIMARY KEY, state text NOT NULL);
             INSERT INTO bare VALUES (1, 'parked'), (2, 'parked')",
        )
        .context("a table")?;
    let listening = client(&cluster)?;
    std::thread::scope(|scope| {
        let bare = listener(scope, listening);
        let waiting = waiter(scope, &asking, &owner, woken);
        let mut variants = [
            Variant::with_own_timer(NOTIFIED, 1, || notified(&mut writing, &bare)),
            Variant::with_own_timer(RELEASED, 1, || {
                released((&asking, &answering), &owner, &waiting)
            }),
        ];
        runs.figure(Figure::Answer, &mut variants).map(drop)
    })
}

/// A thread that is told what to wait for and says how it went.
struct Other<T> {
    ask: Sender<T>,
    /// With a watch that was started when it knew.
    heard: Receiver<BenchResult<Stopwatch>>,
}

impl<T> Other<T> {
    /// Lets it wait, does what it waits for, and says how long that took to arrive.
    fn until(&self, what: T, act: impl FnOnce() -> BenchResult<()>) -> BenchResult<Duration> {
        let gone = || Failure::new("the waiting thread has ended");
        self.ask.send(what).map_err(|_| gone())?;
        park_timeout(SETTLED);
        let watch = Stopwatch::start();
        act()?;
        let arrived = self.heard.recv().map_err(|_| gone())??;
        Ok(watch.elapsed().saturating_sub(arrived.elapsed()))
    }
}

fn waiter<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    asking: &'env Engine<Postgres>,
    owner: &'env SessionOwner,
    woken: Receiver<()>,
) -> Other<CallId> {
    other(scope, move |operation| {
        loop {
            match asking.call_state(operation, owner).context("the state of the call")? {
                Some(CallState::Approved) => return Ok(()),
                Some(CallState::Parked) => woken.recv_timeout(PATIENCE).context("waiting")?,
                other => return Err(Failure::new(format!("the call is {other:?}"))),
            }
        }
    })
}

fn listener<'scope>(scope: &'scope Scope<'scope, '_>, mut client: Client) -> Other<()> {
    let mut listens = false;
    other(scope, move |()| {
        if !listens {
            client.batch_execute("LISTEN bare").context("listening")?;
            listens = true;
        }
        let heard = client.notifications().timeout_iter(PATIENCE).next().context("listening")?;
        heard.ok_or_else(|| Failure::new("nothing was heard"))?;
        let rows = client.query("SELECT state FROM bare WHERE id = 1", &[]).context("the row")?;
        rows.first().map(|_| ()).ok_or_else(|| Failure::new("the row is gone"))
    })
}

fn other<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    mut wait: impl FnMut(T) -> BenchResult<()> + Send + 'scope,
) -> Other<T> {
    let (ask, asked) = channel();
    let (say, heard) = channel();
    scope.spawn(move || {
        while let Ok(what) = asked.recv() {
            let done = wait(what).map(|()| Stopwatch::start());
            if say.send(done).is_err() {
                return;
            }
        }
    });
    Other { ask, heard }
}

fn notified(writing: &mut Client, bare: &Other<()>) -> BenchResult<Duration> {
    bare.until((), || {
        let text = "BEGIN; UPDATE bare SET state = 'approved' WHERE id = 1; NOTIFY bare; COMMIT";
        writing.batch_execute(text).context("the update")
    })
}

fn released(
    (asking, answering): (&Engine<Postgres>, &Engine<Postgres>),
    owner: &SessionOwner,
    waiting: &Other<CallId>,
) -> BenchResult<Duration> {
    let operation = match asking.check(&draft(&owner.session, SEND)?).context("a decision")? {
        CheckResult::Pending { call: operation, .. } => operation,
        other => return Err(Failure::new(format!("not asked: {:?}", other.decision()))),
    };
    let say = AnswerChoices::One(Choice::Once);
    let (note, proof, from) = (String::new(), AnswerProof::KeyPress, AnswerFrom::Embedder);
    let yes = Answer { say, note, proof, lasts: None, covers: None, from };
    let took = waiting.until(operation, || {
        answering.answer(AnswerTarget::Call(operation), &yes).context("answering").map(drop)
    })?;
    match asking.retry(operation, owner).context("redeeming")? {
        CheckResult::Allowed { permit, .. } => {
            asking.complete(&permit.complete(Effect::Done)).context("finishing")?;
        }
        other => return Err(Failure::new(format!("not redeemed: {:?}", other.decision()))),
    }
    Ok(took)
}
