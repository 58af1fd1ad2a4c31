//! `countersign mcp`: MCP servers behind the gate.
//!
//! `wrap` and `serve` carry bytes between a client and the daemon, which does everything else. Neither
//! opens the record: without a daemon there is no call. Where the daemon is another user, `wrap` also runs
//! the server for it.

mod added;
mod args;
mod carrier;
mod defaults;
mod offer;
mod pump;
mod test;

pub(crate) use args::McpCommand;

use crate::daemon_start::reach_daemon;
use crate::limits;
use crate::project::{find_default_project, is_own_daemon};
use crate::settings::Settings;
use args::{McpServeArgs, McpWrapArgs};
use carrier::ServerCarrier;
use countersign_api::paths::percent_encode;
use countersign_client::{Connection, UpgradedStream};
use countersign_console::{Exit, Failure};
use countersign_gateway::{CONNECT_PATH, ConnectRequest, ConnectServer, UPGRADE};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

pub(crate) fn run(command: &McpCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        McpCommand::Wrap(args) => wrap(args, settings),
        McpCommand::Serve(args) => serve(args, settings),
        McpCommand::Add(args) => added::add(args, settings),
        McpCommand::Ls(args) => added::list(args, settings),
        McpCommand::Rm(args) => added::remove(args, settings),
        McpCommand::Test(args) => test::test(args, settings),
    }
}

fn wrap(args: &McpWrapArgs, settings: &Settings) -> Result<Exit, Failure> {
    let folder = defaults::current_folder()?;
    let name = match &args.name {
        Some(name) => name.clone(),
        None => defaults::server_name(&args.command)?,
    };
    let session = args.session.clone().map_or_else(|| defaults::session_name(&folder), Ok)?;
    let daemon = ReachedDaemon::find(args.data.as_deref(), settings)?;
    let carrier = match daemon.owner {
        DaemonOwner::OurUser => None,
        DaemonOwner::OtherUser => Some(ServerCarrier::new(&daemon.connection, &args.command)?),
    };
    let environment = match carrier {
        None => defaults::passed_environment(),
        // The server gets it from us, and it is nobody else's business.
        Some(_) => BTreeMap::new(),
    };
    let server = ConnectServer {
        name: name.to_string(),
        command: args.command.clone(),
        environment,
        folder: folder.clone(),
        carrier: carrier.as_ref().map(|carrier| carrier.ticket.clone()),
    };
    let request = ConnectRequest { session, server: Some(server), only: None };
    let stream = daemon.open_stream(&request, settings)?;
    let carrying = carrier.map(|carrier| std::thread::spawn(move || carrier.run()));
    let ended = pump::pump(stream);
    // Calls that the client has not waited for are carried out to their end.
    let _ended = carrying.map(JoinHandle::join);
    ended
}

fn serve(args: &McpServeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let folder = defaults::current_folder()?;
    let session = args.session.clone().map_or_else(|| defaults::session_name(&folder), Ok)?;
    let daemon = ReachedDaemon::find(args.data.as_deref(), settings)?;
    let request = ConnectRequest { session, server: None, only: None };
    pump::pump(daemon.open_stream(&request, settings)?)
}

/// A daemon that runs.
struct ReachedDaemon {
    connection: Connection,
    data: PathBuf,
    owner: DaemonOwner,
}

/// Whose the daemon is, as the file of its socket says.
enum DaemonOwner {
    OurUser,
    OtherUser,
}

impl ReachedDaemon {
    fn find(data: Option<&Path>, settings: &Settings) -> Result<Self, Failure> {
        let connection = reach_daemon(data, limits::DAEMON_TIMEOUT, settings)?;
        let data = data.map_or_else(|| settings.data(), |data| Ok(data.to_owned()))?;
        let owner = match is_own_daemon(&data, settings) {
            true => DaemonOwner::OurUser,
            false => DaemonOwner::OtherUser,
        };
        Ok(Self { connection, data, owner })
    }

    /// Connects to the gateway.
    fn open_stream(
        &self,
        request: &ConnectRequest,
        settings: &Settings,
    ) -> Result<UpgradedStream, Failure> {
        let path = match find_default_project(&self.data, settings)? {
            Some(project) => format!("{CONNECT_PATH}?project={}", percent_encode(project.as_str())),
            None => CONNECT_PATH.to_owned(),
        };
        Ok(self.connection.upgrade(&path, UPGRADE, request)?)
    }
}
