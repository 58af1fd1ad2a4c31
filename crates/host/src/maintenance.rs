//! Regular work: sweep what has expired, and reload a changed graph.

use crate::{Host, limits};
use countersign_graph::LoadedGraph;

/// What became of the graph's file since it was last read.
pub enum GraphChange {
    Unchanged,
    Changed(Box<LoadedGraph>),
    /// The last valid graph stays in force, and the operator is alerted.
    Invalid,
}

impl Host {
    /// Sweeps and reloads the graph at intervals, for as long as it is polled. `report_error` gets
    /// a line for each failure.
    #[allow(clippy::disallowed_methods, reason = "a poll interval decides no call")]
    pub async fn maintain(
        &self,
        mut read_graph: impl FnMut() -> GraphChange,
        report_error: impl Fn(String),
    ) {
        loop {
            tokio::time::sleep(limits::MAINTENANCE_INTERVAL).await;
            if let Err(error) = self.run(|engine| engine.sweep()).await {
                report_error(format!("expired requests and grants could not be recorded: {error}"));
            }
            let reloaded = match read_graph() {
                GraphChange::Unchanged => Ok(()),
                GraphChange::Changed(loaded) => {
                    self.run(move |engine| engine.load_graph(*loaded)).await
                }
                GraphChange::Invalid => {
                    let why = "the changed graph is invalid";
                    self.run(move |engine| engine.alert_graph_refused(why)).await
                }
            };
            if let Err(error) = reloaded {
                report_error(format!("the last valid graph stays in force: {error}"));
            }
        }
    }
}
