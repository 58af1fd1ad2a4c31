//! The daemon, its sockets, and who can reach them.

use super::Findings;
use crate::limits;
use crate::settings::Settings;
use countersign_api::StatusResponse;
use countersign_client::{ClientError, Connection, OperatorClient};
use countersign_core::model::words::Assurance;
use countersign_server::{AgentAccess, AssuranceReport};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The daemon's status, if one answers.
pub(super) fn look(
    findings: &mut Findings,
    folder: &Path,
    settings: &Settings,
) -> Option<StatusResponse> {
    let sockets = match settings.sockets(folder) {
        Ok(sockets) => sockets,
        Err(failure) => {
            findings.failed("sockets", &failure);
            return None;
        }
    };
    let connection = Connection::new(&sockets.operator, limits::DOCTOR_TIMEOUT);
    let answered = OperatorClient::new(connection).status();
    let runs = answered.is_ok();
    socket(findings, &sockets.operator, (0o077, runs));
    let closed = if sockets.access == AgentAccess::OwnUser { 0o077 } else { 0o007 };
    socket(findings, &sockets.agent, (closed, runs));
    match answered {
        Ok(status) => {
            version(findings, &status);
            Some(status)
        }
        Err(ClientError::Unreachable { .. }) => {
            findings.warn("daemon", "none runs here", "start one with: countersign serve");
            None
        }
        Err(error) => {
            findings.problem("daemon", error.to_string(), "look at what `countersign serve` says");
            None
        }
    }
}

fn version(findings: &mut Findings, status: &StatusResponse) {
    let (theirs, ours) = (status.version.as_str(), env!("CARGO_PKG_VERSION"));
    if theirs == ours {
        findings.fine("daemon", format!("it runs, version {theirs}"));
    } else {
        let text = format!("it runs version {theirs}, and this program is {ours}");
        findings.warn("daemon", text, "restart it");
    }
    let (requests, notices) = (status.open_requests, status.open_notices);
    findings.fine("waiting", format!("{requests} for an answer, {notices} notices"));
    let paused = status.paused.len();
    if paused > 0 {
        let text = format!("{paused} agents are paused, and all they ask is denied");
        findings.warn("paused", text, "`countersign status` names them, `resume` lets them go on");
    }
}

/// Who can reach a socket, and whether a daemon listens on it.
fn socket(findings: &mut Findings, path: &Path, (closed, runs): (u32, bool)) {
    let shown = path.display();
    let Ok(found) = std::fs::symlink_metadata(path) else {
        if runs {
            findings.problem("sockets", format!("{shown} is gone"), "restart the daemon");
        }
        return;
    };
    if !found.file_type().is_socket() {
        let text = format!("{shown} is no socket");
        return findings.problem("sockets", text, "move it away, and restart the daemon");
    }
    if found.mode() & closed != 0 {
        let text = format!("{shown} is open to others (mode {:o})", found.mode() & 0o777);
        return findings.problem("sockets", text, "restart the daemon, which closes it");
    }
    match UnixStream::connect(path) {
        Ok(_) => findings.fine("sockets", format!("{shown} answers")),
        Err(_) => {
            let text = format!("{shown} was left over: nobody is behind it");
            findings.warn("sockets", text, "`countersign serve` takes its place");
        }
    }
}

/// The level of assurance, as found here and as the daemon reports it.
pub(super) fn assurance(
    findings: &mut Findings,
    folder: &Path,
    (settings, status): (&Settings, Option<&StatusResponse>),
    graph: Option<&Path>,
) {
    let (Ok(sockets), Some(graph)) = (settings.sockets(folder), graph) else { return };
    let footing = AssuranceReport::detect(folder, graph, &sockets);
    let text = format!("{}: {}", footing.level, footing.reason);
    match footing.level {
        Assurance::Shared => {
            let remedy = "run the daemon as a user of its own, and agents as another";
            findings.warn("assurance", text, remedy);
        }
        _ => findings.fine("assurance", text),
    }
    let found = status.map(|status| status.assurance.as_str());
    if let Some(found) = found.filter(|found| *found != footing.level.word()) {
        let text = format!("the daemon found {found} when it started");
        findings.warn("assurance", text, "restart it, so that it looks again");
    }
}
