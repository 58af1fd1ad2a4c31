//! What the daemon prints when it is ready: its addresses, the graph and the assurance.

use countersign_console::{BOLD, Page, YELLOW};
use countersign_core::model::words::Assurance;
use countersign_server::{Ports, RunningServer, Sockets};
use countersign_setup::AssuranceReport;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

pub(super) struct Greeting<'a> {
    pub(super) sockets: &'a Sockets,
    pub(super) listening: &'a RunningServer,
    pub(super) token: Option<PathBuf>,
    pub(super) assurance: &'a AssuranceReport,
}

impl Greeting<'_> {
    pub(super) fn page(&self, graph: &str) -> Page {
        let Self { sockets, listening, token, assurance } = self;
        let mut page = Page::new();
        let address = |socket: &Path, port: Option<SocketAddr>| match port {
            Some(port) => format!("{} and {}", socket.display(), port_url(port)),
            None => socket.display().to_string(),
        };
        page.styled(BOLD, "ready").text(": agents at ");
        page.text(&address(&sockets.agent, listening.agent)).end();
        page.text("operator at ").text(&address(&sockets.operator, listening.operator)).end();
        if let (Some(token), Some(_)) = (token, listening.operator) {
            page.text("operator's token in ").text(&token.display().to_string()).end();
        }
        page.text("graph ").text(graph).end();
        let style = if assurance.level == Assurance::Shared { YELLOW } else { BOLD };
        page.styled(style, &format!("assurance {}", assurance.level)).text(": ");
        page.text(&assurance.reason).end();
        if listening.operator.is_some() {
            page.text("`countersign open` opens the dashboard in a browser").end();
        }
        page.text("`countersign ls` lists the requests that wait for you; Ctrl-C stops the daemon");
        page.end();
        page
    }
}

/// On other addresses than loopback the server speaks only TLS.
fn port_url(port: SocketAddr) -> String {
    let scheme = if port.ip().is_loopback() { "http" } else { "https" };
    format!("{scheme}://{port}")
}

/// Default ports that another program uses.
pub(super) fn taken_ports_page(ports: &Ports, listening: &RunningServer) -> Page {
    let mut page = Page::new();
    let planes = [
        ("agents", "--agent-port", ports.agent, listening.agent),
        ("the operator", "--operator-port", ports.operator, listening.operator),
    ];
    for (who, flag, wanted, open) in planes {
        if let (Some(port), None) = (wanted, open) {
            let number = port.number;
            page.text(&format!(
                "port {number} is used by another program: {who} can use only the socket; \
                 name another port with `{flag}`, or use no ports with `--no-http`"
            ));
            page.end();
        }
    }
    page
}
