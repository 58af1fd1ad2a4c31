//! The host: one engine, and everything that waits for it.

use crate::HostEngine;
use crate::health::{GraphFileState, Health, HealthReport, ProblemKind};
use crate::presence::SurfacePresence;
use crate::program_calls::ProgramCalls;
use crate::seal::Seal;
use crate::step_counter::StepCounter;
use crate::waiters::Waiters;
use countersign_core::encoding::digest::Key;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::request::Attendance;
use countersign_core::model::words::{Assurance, Presence, Surface};
use countersign_engine::{AffectedSessions, EngineError};
use std::sync::{Arc, Mutex, OnceLock};
use tokio::sync::watch;

pub struct Host {
    pub(crate) engine: Arc<HostEngine>,
    /// A headless host denies what would ask.
    attendance: Attendance,
    pub(crate) waiters: Arc<Waiters>,
    /// Changes whenever the ledger may have grown.
    ledger_growth: watch::Receiver<u64>,
    stop: watch::Sender<bool>,
    /// How many surfaces follow the event stream.
    surface_count: Arc<Mutex<usize>>,
    presence: Arc<SurfacePresence>,
    pub(crate) steps: StepCounter,
    pub(crate) health: Arc<Health>,
    program_calls: ProgramCalls,
    seal: OnceLock<Arc<Seal>>,
}

/// A surface that follows the event stream, as long as this lives.
pub struct SurfaceGuard {
    surface_count: Arc<Mutex<usize>>,
    engine: Arc<HostEngine>,
}

impl Drop for SurfaceGuard {
    fn drop(&mut self) {
        let Ok(mut count) = self.surface_count.lock() else { return };
        *count = count.saturating_sub(1);
        if *count == 0 {
            // An engine that cannot note this decides nothing any more.
            let _damaged = self.engine.set_surface(Surface::Gone);
        }
    }
}

impl Host {
    /// Takes an engine that is open.
    pub fn new(engine: HostEngine, attendance: Attendance) -> Arc<Self> {
        let waiters = Arc::new(Waiters::default());
        let (growth, ledger_growth) = watch::channel(0_u64);
        let woken = Arc::clone(&waiters);
        let health = Arc::<Health>::default();
        let watched = Arc::clone(&health);
        engine.add_commit_listener(Arc::new(move |affected: &AffectedSessions| {
            growth.send_modify(|count| *count = count.wrapping_add(1));
            woken.wake(affected);
            watched.note_write();
        }));
        let (stop, _) = watch::channel(false);
        Arc::new(Self {
            engine: Arc::new(engine),
            attendance,
            waiters,
            ledger_growth,
            stop,
            surface_count: Arc::default(),
            presence: Arc::default(),
            steps: StepCounter::default(),
            health,
            program_calls: ProgramCalls::default(),
            seal: OnceLock::new(),
        })
    }

    /// The graph file in force, and what is wrong right now.
    pub fn health(&self) -> HealthReport {
        self.health.report()
    }

    /// Notes the file of the graph that was loaded at the start.
    pub fn set_graph_file(&self, path: String) {
        let since = self.engine.display_time();
        self.health.set_graph_file(GraphFileState { path, since, change: None });
    }

    /// Notes that something is wrong, or with `None` that it is right again.
    pub fn report_problem(&self, kind: ProblemKind, text: Option<String>) {
        match text {
            Some(text) => self.health.set_problem(kind, text, self.engine.display_time()),
            None => self.health.clear_problem(kind),
        }
    }

    /// How far agents are separated from Countersign.
    pub fn assurance(&self) -> Assurance {
        self.engine.assurance()
    }

    /// What the programs of coding agents call their calls.
    pub fn program_calls(&self) -> &ProgramCalls {
        &self.program_calls
    }

    /// Whether a surface follows the event stream.
    pub fn has_surface(&self) -> bool {
        self.surface_count.lock().is_ok_and(|count| *count > 0)
    }

    /// Counts one more surface that follows the event stream: notices can be shown.
    pub fn attach_surface(&self) -> Result<SurfaceGuard, EngineError> {
        let mut count = self.surface_count.lock().map_err(|_| EngineError::Damaged)?;
        *count += 1;
        self.engine.set_surface(Surface::Reachable)?;
        let (surface_count, engine) = (Arc::clone(&self.surface_count), Arc::clone(&self.engine));
        Ok(SurfaceGuard { surface_count, engine })
    }

    /// A named surface starts to follow the event stream. Its presence is unknown until it reports.
    pub fn join_presence(&self, surface: &SurfaceName) -> Result<(), EngineError> {
        self.presence.join(surface)
    }

    /// Records what a surface reports, and returns the presence over all surfaces; none if this
    /// surface does not follow the event stream.
    pub async fn report_presence(
        &self,
        surface: SurfaceName,
        presence: Presence,
    ) -> Result<Option<Presence>, EngineError> {
        let surfaces = Arc::clone(&self.presence);
        self.run(move |engine| surfaces.report(engine, &surface, presence)).await
    }

    /// Ends a surface's presence with its last event stream. A stopping host records nothing: the
    /// next one knows nobody's presence anyway.
    pub async fn leave_presence(&self, surface: SurfaceName) {
        if *self.stop.borrow() {
            return;
        }
        let surfaces = Arc::clone(&self.presence);
        // An engine that cannot note this decides nothing any more.
        let _damaged = self.run(move |engine| surfaces.leave(engine, &surface)).await;
    }

    pub fn graph(&self) -> Result<Option<Arc<Graph>>, EngineError> {
        self.engine.graph()
    }

    /// A key that all nodes on this record have. None for a record in memory.
    pub fn derive_key(&self, purpose: &str) -> Option<Key> {
        self.engine.derive_key(purpose)
    }

    /// What makes and checks the tokens of this record.
    pub fn seal(&self) -> Result<Arc<Seal>, String> {
        if let Some(seal) = self.seal.get() {
            return Ok(Arc::clone(seal));
        }
        let seal = Seal::new(self.derive_key("mcp tokens"))?;
        Ok(Arc::clone(self.seal.get_or_init(|| Arc::new(seal))))
    }

    /// Whether several nodes can use the record.
    pub fn shares_record(&self) -> bool {
        self.engine.shares_record()
    }

    pub fn attendance(&self) -> Attendance {
        self.attendance
    }

    /// Changes whenever the ledger may have grown.
    pub fn ledger_growth(&self) -> watch::Receiver<u64> {
        self.ledger_growth.clone()
    }

    /// Ends everything that waits.
    pub fn stop(&self) {
        let _nobody = self.stop.send(true);
    }

    /// Turns true when the host stops.
    pub fn stop_signal(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }

    pub async fn wait_until_stopped(&self) {
        let mut stop = self.stop_signal();
        // The sender lives as long as the host.
        let _gone = stop.wait_for(|stop| *stop).await;
    }
}
