//! The daemon: agents on one side, the operator on the other, the engine between them.
//!
//! The planes share nothing but the engine. Agents can ask, wait and report; only the operator's
//! plane answers. Each has doors of its own: on a socket whoever connects is who the kernel says, on
//! a port whose token it shows.

mod admission;
mod agent;
mod agent_tokens;
mod assurance;
mod connections;
mod convert;
mod credentials;
mod error;
mod error_bodies;
mod events;
mod extract;
mod guard;
pub mod limits;
mod listen;
mod openapi;
mod operator;
mod peers;
mod ports;
mod present;
mod rate_limit;
mod routes;
mod service;
mod steps;
mod waiting;
mod whose;

pub use assurance::AssuranceReport;
pub use credentials::{CredentialError, Credentials};
pub use error::ApiError;
pub use listen::{AgentAccess, ListenError, PlaneRuntimes, RunningServer, Sockets};
pub use peers::{Caller, CallerKind, Peer};
pub use ports::{
    Certificate, DEFAULT_AGENT_PORT, DEFAULT_OPERATOR_PORT, IfTaken, Port, PortError, Ports, Rates,
};
pub use rate_limit::Rate;
pub use routes::Plane;

use crate::steps::Busy;
use crate::waiting::Waiting;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionName;
use countersign_core::model::time::Time;
use countersign_core::model::words::Surface;
use countersign_core::state::CallState;
use countersign_engine::{Engine, EngineError, Store, Whose};
use countersign_graph::LoadedGraph;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// Whatever can be answered rings, here and from other nodes; should something not, whoever waits
/// looks anyway.
const LOOK_ANYWAY: Duration = Duration::from_secs(60);

type TheEngine = Engine<Box<dyn Store>>;

/// Whether there is anybody who could be asked at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attended {
    Yes,
    /// Nobody: what would ask is denied.
    Headless,
}

pub struct Daemon {
    engine: Arc<TheEngine>,
    attended: Attended,
    assurance: &'static str,
    credentials: Arc<Credentials>,
    waiting: Arc<Waiting>,
    /// The ledger has grown.
    grown: watch::Receiver<u64>,
    stop: watch::Sender<bool>,
    /// Surfaces that are shown what comes.
    surfaces: Arc<Mutex<usize>>,
    busy: Busy,
    present: Arc<present::Present>,
}

/// A surface that is shown what comes, as long as this lives.
struct Watching {
    surfaces: Arc<Mutex<usize>>,
    engine: Arc<TheEngine>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        let Ok(mut surfaces) = self.surfaces.lock() else { return };
        *surfaces = surfaces.saturating_sub(1);
        if *surfaces == 0 {
            // An engine that cannot note it decides nothing more in any case.
            let _damaged = self.engine.set_surface(Surface::Gone);
        }
    }
}

impl Daemon {
    /// Takes an engine that is open for business, and the credentials that were given out.
    pub fn with(
        engine: TheEngine,
        attended: Attended,
        assurance: &'static str,
        credentials: Credentials,
    ) -> Arc<Self> {
        let (waiting, (growing, grown)) = (Arc::new(Waiting::default()), watch::channel(0_u64));
        let (waking, growing) = (Arc::clone(&waiting), Arc::new(growing));
        let grow = move || growing.send_modify(|rung| *rung = rung.wrapping_add(1));
        engine.tell_of_entries(Arc::new(grow.clone()));
        engine.tell(Arc::new(move |whose| {
            waking.wake(whose);
            // Another node may have written, too.
            if whose == Whose::Anybodys {
                grow();
            }
        }));
        let (stop, _) = watch::channel(false);
        let surfaces = Arc::new(Mutex::new(0));
        Arc::new(Self {
            engine: Arc::new(engine),
            attended,
            assurance,
            credentials: Arc::new(credentials),
            waiting,
            grown,
            stop,
            surfaces,
            busy: Busy::default(),
            present: Arc::default(),
        })
    }

    /// Waits until a call is answered, without holding a thread.
    #[allow(clippy::disallowed_methods, reason = "how long a client waits decides no call")]
    async fn waited(
        self: &Arc<Self>,
        operation: CallId,
        session: &SessionName,
        caller: &Caller,
        limit: Duration,
    ) -> Result<Option<CallState>, ApiError> {
        let waiter = self.waiting.join(session);
        let until = tokio::time::Instant::now() + limit;
        loop {
            // Before looking, so that nothing is missed between that and waiting.
            let heard = waiter.bell().notified();
            let (session, agent) = (session.clone(), caller.agent.clone());
            let look = self.run(move |engine| engine.operation(operation, &session, &agent));
            let found = look.await?;
            let left = until.saturating_duration_since(tokio::time::Instant::now());
            if found != Some(CallState::Parked) || left.is_zero() {
                return Ok(found);
            }
            tokio::select! {
                () = heard => {}
                () = tokio::time::sleep(left.min(LOOK_ANYWAY)) => {}
                () = self.stopped() => return Ok(found),
            }
        }
    }

    /// Somebody looks at what comes from now on: notices can be shown.
    fn watching(&self) -> Result<Watching, ApiError> {
        let mut surfaces = self.surfaces.lock().map_err(|_| EngineError::Damaged)?;
        *surfaces += 1;
        self.engine.set_surface(Surface::Reachable)?;
        let (surfaces, engine) = (Arc::clone(&self.surfaces), Arc::clone(&self.engine));
        Ok(Watching { surfaces, engine })
    }

    /// Writes down what time has ended.
    pub async fn sweep(self: &Arc<Self>) -> Result<(), EngineError> {
        self.step(|engine| engine.sweep()).await
    }

    /// Puts a graph in force.
    pub async fn load(self: &Arc<Self>, loaded: LoadedGraph) -> Result<(), EngineError> {
        self.step(move |engine| engine.load_from(loaded.graph, loaded.policies, loaded.source))
            .await
    }

    /// Alerts the operator that a changed graph was not loaded.
    pub async fn refused(self: &Arc<Self>, why: &'static str) -> Result<(), EngineError> {
        self.step(move |engine| engine.graph_refused(why)).await
    }

    fn graph(&self) -> Result<Option<Arc<Graph>>, ApiError> {
        Ok(self.engine.graph()?)
    }

    fn now(&self) -> Time {
        self.engine.now()
    }

    fn headless(&self) -> bool {
        self.attended == Attended::Headless
    }

    fn assurance(&self) -> &'static str {
        self.assurance
    }

    fn grown(&self) -> watch::Receiver<u64> {
        self.grown.clone()
    }

    /// Lets what is held open end, and takes nothing new.
    pub fn stop(&self) {
        let _nobody = self.stop.send(true);
    }

    async fn stopped(&self) {
        let mut stop = self.stop.subscribe();
        // The sender lives as long as this does.
        let _gone = stop.wait_for(|stop| *stop).await;
    }
}
