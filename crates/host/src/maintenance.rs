//! Regular work: sweep what has expired, and load changed rules.

use crate::health::ProblemKind;
use crate::{Host, limits};
use countersign_core::model::notice::Cause;
use countersign_core::model::words::Assurance;
use countersign_engine::EngineError;
use countersign_graph::LoadedGraph;
use std::mem::take;

/// What has changed on the disk since the last look.
#[derive(Default)]
pub struct RulesChange {
    pub graph: GraphChange,
    pub assurance: Option<AssuranceChange>,
}

/// What became of the graph and its policies since they were last read.
#[derive(Clone, Default)]
pub enum GraphChange {
    #[default]
    Unchanged,
    /// The operator is told what became looser or stricter.
    Changed { loaded: Box<LoadedGraph>, summary: String },
    /// The last valid graph stays in force, and the operator is alerted of the reason.
    Refused(String),
    /// The file is again the version in force.
    Restored(Box<LoadedGraph>),
}

/// Another assurance level than before.
#[derive(Clone)]
pub struct AssuranceChange {
    pub level: Assurance,
    /// Why the level is lower; the operator is alerted.
    pub alert: Option<String>,
}

impl Host {
    /// Sweeps at intervals, for as long as it is polled. `report_error` gets a line for each failure.
    #[allow(clippy::disallowed_methods, reason = "a poll interval decides no call")]
    pub async fn sweep_regularly(&self, report_error: impl Fn(String)) {
        loop {
            tokio::time::sleep(limits::SWEEP_INTERVAL).await;
            if let Err(error) = self.run(|engine| engine.sweep()).await {
                report_error(format!("expired requests and grants could not be recorded: {error}"));
            }
        }
    }

    /// Carries out what `look` finds, for as long as it is polled. A change that the store did not
    /// take is tried again. `report_error` gets a line for each failure.
    #[allow(clippy::disallowed_methods, reason = "a poll interval decides no call")]
    pub async fn follow_rules(
        &self,
        mut look: impl FnMut() -> RulesChange,
        report_error: impl Fn(String),
    ) {
        let mut pending = RulesChange::default();
        loop {
            tokio::time::sleep(limits::RULES_POLL_INTERVAL).await;
            let found = look();
            let is_news =
                found.assurance.is_some() || !matches!(found.graph, GraphChange::Unchanged);
            pending = pending.replace_with(found);
            let failed = self.carry_out(&mut pending).await;
            if let (Err(error), true) = (failed, is_news) {
                report_error(format!("the last valid graph stays in force: {error}"));
            }
        }
    }

    /// Leaves in `pending` what the store did not take.
    async fn carry_out(&self, pending: &mut RulesChange) -> Result<(), EngineError> {
        if let Some(AssuranceChange { level, alert }) = pending.assurance.clone() {
            self.run(move |engine| {
                engine.record_assurance(level)?;
                match alert {
                    Some(alert) => engine.alert_assurance_lowered(&alert),
                    None => engine.end_notices(Cause::AssuranceLowered),
                }
            })
            .await?;
            pending.assurance = None;
        }
        let done = match pending.graph.clone() {
            GraphChange::Unchanged => return Ok(()),
            GraphChange::Changed { loaded, summary } => self.put_in_force(*loaded, summary).await,
            GraphChange::Refused(why) => {
                self.report_problem(ProblemKind::Graph, Some(why.clone()));
                self.run(move |engine| engine.alert_graph_refused(&why)).await
            }
            GraphChange::Restored(loaded) => {
                let what = "the graph file is again the version that was in force";
                self.put_in_force(*loaded, what.to_owned()).await
            }
        };
        // The graph itself was refused, and the operator alerted: nothing is left to do.
        if matches!(done, Ok(()) | Err(EngineError::Setup(_))) {
            pending.graph = GraphChange::Unchanged;
        }
        done
    }
}

impl Host {
    async fn put_in_force(&self, loaded: LoadedGraph, summary: String) -> Result<(), EngineError> {
        let text = summary.clone();
        let done = self.run(move |engine| {
            engine.load_graph(loaded)?;
            engine.report_graph_changed(&text)
        });
        let done = done.await;
        match &done {
            Ok(()) => {
                self.health.note_graph_change(summary, self.engine.display_time());
                self.report_problem(ProblemKind::Graph, None);
            }
            Err(error) => self.report_problem(ProblemKind::Graph, Some(error.to_string())),
        }
        done
    }
}

impl RulesChange {
    fn replace_with(mut self, newer: Self) -> Self {
        if !matches!(newer.graph, GraphChange::Unchanged) {
            self.graph = newer.graph;
        }
        self.assurance = newer.assurance.or(take(&mut self.assurance));
        self
    }
}
