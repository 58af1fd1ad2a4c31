//! Checks the daemon, its sockets and their permissions.

use super::DoctorReport;
use crate::limits;
use countersign_api::StatusResponse;
use countersign_client::{ClientError, Connection, OperatorClient};
use countersign_server::{AgentAccess, Sockets};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Returns the status of the daemon, if it answers.
pub(super) fn check_daemon(report: &mut DoctorReport, sockets: &Sockets) -> Option<StatusResponse> {
    let connection = Connection::new(&sockets.operator, limits::DOCTOR_TIMEOUT);
    let status = OperatorClient::new(connection).status();
    check_socket(report, &sockets.operator, 0o077, &status);
    let forbidden = if sockets.access == AgentAccess::OwnUser { 0o077 } else { 0o007 };
    check_socket(report, &sockets.agent, forbidden, &status);
    match status {
        Ok(status) => {
            report_status(report, &status);
            Some(status)
        }
        Err(ClientError::Unreachable { .. }) => {
            report.add_warning("daemon", "it is not running", "run `countersign serve`");
            None
        }
        Err(error) => {
            report.add_problem(
                "daemon",
                error.to_string(),
                "look at the output of `countersign serve`",
            );
            None
        }
    }
}

fn report_status(report: &mut DoctorReport, status: &StatusResponse) {
    let (theirs, ours) = (status.version.as_str(), env!("CARGO_PKG_VERSION"));
    if theirs == ours {
        report.add_ok("daemon", format!("version {theirs} is running"));
    } else {
        let text = format!("version {theirs} is running, but this program is version {ours}");
        report.add_warning("daemon", text, "restart it");
    }
    let (requests, notices) = (status.open_requests, status.open_notices);
    report.add_ok("waiting", format!("{requests} requests, {notices} notices"));
    let paused = status.paused.len();
    if paused > 0 {
        let text = format!("{paused} agents are paused; all their calls are denied");
        report.add_warning(
            "paused",
            text,
            "`countersign status` lists them, `countersign resume` ends it",
        );
    }
}

/// Checks that a socket has none of the `forbidden` mode bits, and that a daemon listens on it.
fn check_socket(
    report: &mut DoctorReport,
    path: &Path,
    forbidden: u32,
    status: &Result<StatusResponse, ClientError>,
) {
    let shown = path.display();
    let Ok(metadata) = std::fs::symlink_metadata(path) else {
        if status.is_ok() {
            report.add_problem("sockets", format!("{shown} does not exist"), "restart the daemon");
        }
        return;
    };
    if !metadata.file_type().is_socket() {
        let text = format!("{shown} is not a socket");
        return report.add_problem("sockets", text, "move it away and restart the daemon");
    }
    if metadata.mode() & forbidden != 0 {
        let text =
            format!("other users can connect to {shown} (mode {:o})", metadata.mode() & 0o777);
        return report.add_problem("sockets", text, "restart the daemon, which sets the mode");
    }
    match UnixStream::connect(path) {
        Ok(_) => report.add_ok("sockets", format!("{shown} accepts connections")),
        Err(_) => {
            let text = format!("{shown} is left over: no daemon listens on it");
            report.add_warning("sockets", text, "`countersign serve` replaces it");
        }
    }
}
