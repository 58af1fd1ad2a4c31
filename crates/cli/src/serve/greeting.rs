//! What the daemon says when it is ready: where everybody is met, and what that is worth.

use crate::graph_file::GraphFile;
use crate::page::{BOLD, Page, YELLOW};
use countersign_core::model::words::Assurance;
use countersign_server::{AssuranceReport, Ports, RunningServer, Sockets};
use std::net::SocketAddr;
use std::path::Path;

pub(super) fn greeting(
    sockets: &Sockets,
    listening: &RunningServer,
    (token, file): (Option<&Path>, &GraphFile),
    footing: AssuranceReport,
) -> Page {
    let mut page = Page::new();
    let door = |socket: &Path, port: Option<SocketAddr>| match port {
        Some(port) => format!("{} and {}", socket.display(), address(port)),
        None => socket.display().to_string(),
    };
    page.styled(BOLD, "ready").text(": agents at ");
    page.text(&door(&sockets.agent, listening.agent)).end();
    page.text("operator at ").text(&door(&sockets.operator, listening.operator)).end();
    if let (Some(token), Some(_)) = (token, listening.operator) {
        page.text("operator's token in ").text(&token.display().to_string()).end();
    }
    page.text("graph ").text(&file.name).end();
    let style = if footing.level == Assurance::Shared { YELLOW } else { BOLD };
    page.styled(style, &format!("assurance {}", footing.level)).text(": ").text(footing.reason);
    page.end();
    page.text("`countersign ls` shows what waits for you; Ctrl-C ends this").end();
    page
}

/// Beyond this machine there is only TLS.
fn address(port: SocketAddr) -> String {
    let scheme = if port.ip().is_loopback() { "http" } else { "https" };
    format!("{scheme}://{port}")
}

/// Ports that were not asked for by number, and that somebody else has.
pub(super) fn without(ports: &Ports, listening: &RunningServer) -> Page {
    let mut page = Page::new();
    let doors = [
        ("agents", "--agent-port", ports.agent, listening.agent),
        ("the operator", "--operator-port", ports.operator, listening.operator),
    ];
    for (who, flag, wanted, open) in doors {
        if let (Some(port), None) = (wanted, open) {
            let number = port.number;
            page.text(&format!(
                "port {number} is taken by another program: {who} can use the socket alone; \
                 name another with `{flag}`, or leave it with `--no-http`"
            ));
            page.end();
        }
    }
    page
}
