//! The graph: whether it can be read, is the one in force, and was looked at lately.

use super::Findings;
use crate::args;
use crate::clock::SystemClock;
use crate::graph_file::GraphFile;
use crate::settings::Settings;
use countersign_api::StatusResponse;
use countersign_core::model::graph::{Decay, Graph, Reviewed};
use countersign_engine::Clock;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where the graph is, if there is one that can be read.
pub(super) fn look(
    findings: &mut Findings,
    args: &args::DoctorArgs,
    (folder, settings): (&Path, &Settings),
    status: Option<&StatusResponse>,
) -> Option<PathBuf> {
    // Where none is found, the daemon uses the one in its folder.
    let own = folder.join("countersign.yaml");
    let given = args.graph.file.clone();
    let given = given.or_else(|| (!settings.has_graph(None) && own.exists()).then_some(own));
    let file = match GraphFile::open(given.as_deref(), settings) {
        Ok(file) => file,
        Err(failure) => {
            findings.failed("graph", &failure);
            return None;
        }
    };
    let graph = &file.loaded.graph;
    findings.fine("graph", format!("{} can be read, {}", file.name, graph.hash.short()));
    match status.map(|status| status.graph) {
        Some(Some(hash)) if hash == graph.hash => {}
        Some(Some(_)) => {
            let text = format!("{} is not the graph in force", file.name);
            let remedy = "name the daemon's with `--graph`, or look at `countersign ls --notices`";
            findings.warn("graph", text, remedy);
        }
        Some(None) => {
            let text = "the daemon has none in force, so that nothing is allowed";
            findings.problem("graph", text, "restart it with a graph that can be read");
        }
        None => {}
    }
    if let Ok(found) = std::fs::metadata(&file.path)
        && found.mode() & 0o022 != 0
    {
        let text = format!("others can write {}", file.name);
        findings.problem("graph", text, format!("chmod go-w {}", file.name));
    }
    review(findings, graph);
    Some(file.path)
}

fn review(findings: &mut Findings, graph: &Graph) {
    let Decay::AfterDays(days) = graph.decay else {
        return findings.fine("review", "permissions of this graph do not fade");
    };
    let today = SystemClock.now().date();
    let domains = graph.domains.iter().filter(|(_, domain)| graph.is_decayed(Some(domain), today));
    let faded: Vec<&str> = domains.map(|(name, _)| name.as_str()).collect();
    if !faded.is_empty() {
        let text = format!("due: what is autonomous in {} is asked", faded.join(", "));
        return findings.warn("review", text, "look through it, then `countersign graph review`");
    }
    let dates = graph.domains.iter().map(|(_, domain)| graph.reviewed(Some(domain)));
    let left = dates.filter_map(|reviewed| match reviewed {
        Reviewed::On(date) => Some(i64::from(days) - today.days_since(*date)),
        Reviewed::Never | Reviewed::Unreadable(_) => None,
    });
    match left.min() {
        Some(left) => findings.fine("review", format!("due in {left} days")),
        None => findings.fine("review", "nothing in it is due"),
    }
}
