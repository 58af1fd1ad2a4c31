//! Checks that the graph is valid, in force, writable by its owner only, and reviewed.

use super::{DoctorArgs, DoctorReport};
use crate::context::SetupContext;
use crate::graph_file::GraphFile;
use countersign_api::StatusResponse;
use countersign_core::model::graph::{Decay, Graph, LastReview};
use countersign_core::model::time::Date;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Returns the graph, if it is valid.
pub(super) fn check_graph(
    report: &mut DoctorReport,
    args: &DoctorArgs,
    folder: &Path,
    context: &SetupContext,
    status: Option<&StatusResponse>,
) -> Option<GraphFile> {
    let file = match args.graph.search(Some(folder), context.graphs.clone()).open() {
        Ok(file) => file,
        Err(failure) => {
            report.add_failure("graph", &failure);
            return None;
        }
    };
    let graph = &file.loaded.graph;
    report.add_ok("graph", format!("{} is valid, {}", file.name, graph.hash.short()));
    match status.map(|status| status.graph) {
        Some(Some(hash)) if hash == graph.hash => {}
        Some(Some(_)) => {
            let text = format!("{} is not the graph in force", file.name);
            let remedy = "see `countersign status`, which says why";
            report.add_warning("graph", text, remedy);
        }
        Some(None) => {
            let text = "the daemon has no graph in force, so nothing is allowed";
            report.add_problem("graph", text, "restart it with a valid graph");
        }
        None => {}
    }
    if let Ok(metadata) = std::fs::metadata(&file.path)
        && metadata.mode() & 0o022 != 0
    {
        let text = format!("other users can write {}", file.name);
        report.add_problem("graph", text, format!("chmod go-w {}", file.name));
    }
    check_review(report, graph, context.now().date());
    Some(file)
}

fn check_review(report: &mut DoctorReport, graph: &Graph, today: Date) {
    let Decay::AfterDays(days) = graph.decay else {
        return report.add_ok("review", "consent does not decay");
    };
    let domains = graph.domains.iter().filter(|(_, domain)| graph.is_decayed(Some(domain), today));
    let decayed: Vec<&str> = domains.map(|(name, _)| name.as_str()).collect();
    if !decayed.is_empty() {
        let text = format!("due: autonomous actions ask in {}", decayed.join(", "));
        return report.add_warning(
            "review",
            text,
            "read the graph, then run `countersign graph review`",
        );
    }
    let dates = graph.domains.iter().map(|(_, domain)| graph.reviewed(Some(domain)));
    let left = dates.filter_map(|reviewed| match reviewed {
        LastReview::On(date) => Some(i64::from(days) - today.days_since(*date)),
        LastReview::Never | LastReview::Unreadable(_) => None,
    });
    match left.min() {
        Some(left) => report.add_ok("review", format!("due in {left} days")),
        None => report.add_ok("review", "no domain is due"),
    }
}
