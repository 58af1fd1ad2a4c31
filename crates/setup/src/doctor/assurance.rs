//! Detects the assurance level, and shows every file and folder that it depends on.

use super::DoctorReport;
use crate::assurance::{DaemonFiles, DecidingChain};
use crate::graph_file::GraphFile;
use countersign_api::StatusResponse;
use countersign_core::model::words::Assurance;
use countersign_observe::{ChainEntry, StatusKind};
use countersign_server::AgentAccess;
use std::collections::BTreeSet;

/// Compares the assurance level that is detected now with the one that the daemon detected.
pub(super) fn check_assurance(
    report: &mut DoctorReport,
    daemon: &DaemonFiles,
    status: Option<&StatusResponse>,
    graph: &GraphFile,
) {
    let access = daemon.sockets.access;
    let files = daemon.clone().with_graph(graph);
    let chains = files.read_chains();
    let assurance = files.detect_assurance(&chains);
    let text = format!("{}: {}", assurance.level, assurance.reason);
    match (assurance.level, access) {
        (Assurance::Separated, _) => report.add_ok("assurance", text),
        (Assurance::Shared, AgentAccess::OwnUser) => {
            let remedy = "run the daemon and the agents as two different users";
            report.add_warning("assurance", text, remedy);
        }
        (Assurance::Shared, AgentAccess::Group(_)) => {
            report.add_warning("assurance", text, "the lines below show every file that counts");
        }
    }
    let detected = status.map(|status| status.assurance.as_str());
    if let Some(detected) = detected.filter(|level| *level != assurance.level.word()) {
        let text = format!("the daemon detected {detected}");
        let remedy = "run this as the daemon's user, with its settings and its graph";
        report.add_warning("assurance", text, remedy);
    }
    // An agent of the same user can write all of them.
    if access != AgentAccess::OwnUser {
        show_chains(report, &chains);
    }
}

/// Every entry once, in the order in which they are followed.
fn show_chains(report: &mut DoctorReport, chains: &[DecidingChain]) {
    let mut shown = BTreeSet::new();
    for DecidingChain { role, path, chain } in chains {
        let chain = match chain {
            Ok(chain) => chain,
            Err(error) => {
                let text = format!("{} cannot be checked: {error}", path.display());
                report.add_problem(role.word(), text, "make it readable for the daemon's user");
                continue;
            }
        };
        for entry in &chain.entries {
            if !shown.insert((entry.path.clone(), format!("{:?}", entry.weakness))) {
                continue;
            }
            let text = describe_entry(entry);
            match entry.explain_weakness() {
                None => report.add_ok(role.word(), text),
                Some((sentence, remedy)) => {
                    report.add_problem(role.word(), format!("{text}: {sentence}"), remedy);
                }
            }
        }
    }
}

fn describe_entry(ChainEntry { path, status, .. }: &ChainEntry) -> String {
    let Some(status) = status else { return format!("{path} does not exist") };
    let kind = match status.kind {
        StatusKind::Folder => "folder",
        StatusKind::Link => "link",
        StatusKind::Other => "file",
    };
    let list = if status.has_access_list { ", with an access list" } else { "" };
    let (uid, gid, mode) = (status.uid, status.gid, status.mode);
    format!("{path} ({kind} of user {uid} and group {gid}, mode {mode:o}{list})")
}
