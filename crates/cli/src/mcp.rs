//! `countersign mcp`: MCP servers behind the gate.
//!
//! `wrap` and `serve` carry bytes between a client and the daemon, which does everything else. Neither
//! opens the record: without a daemon there is no call.

mod added;
mod args;
pub(crate) mod daemon;
mod defaults;
mod offer;
mod pump;
mod test;

pub(crate) use args::McpCommand;

use crate::limits;
use crate::project::find_default_project;
use crate::settings::Settings;
use args::{McpServeArgs, McpWrapArgs};
use countersign_api::paths::percent_encode;
use countersign_console::{Exit, Failure};
use countersign_gateway::{CONNECT_PATH, ConnectRequest, ConnectServer, UPGRADE};
use std::path::Path;

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
    let server = ConnectServer {
        name: name.to_string(),
        command: args.command.clone(),
        environment: defaults::passed_environment(),
        folder: folder.clone(),
    };
    let session = args.session.clone().map_or_else(|| defaults::session_name(&folder), Ok)?;
    let request = ConnectRequest { session, server: Some(server), only: None };
    forward_bytes(&request, args.data.as_deref(), settings)
}

fn serve(args: &McpServeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let folder = defaults::current_folder()?;
    let session = args.session.clone().map_or_else(|| defaults::session_name(&folder), Ok)?;
    forward_bytes(
        &ConnectRequest { session, server: None, only: None },
        args.data.as_deref(),
        settings,
    )
}

/// Connects to the daemon, and carries bytes until one side ends.
fn forward_bytes(
    request: &ConnectRequest,
    data: Option<&Path>,
    settings: &Settings,
) -> Result<Exit, Failure> {
    let connection = daemon::reach_daemon(data, limits::DAEMON_TIMEOUT, settings)?;
    // The daemon is running by now, and whose it is decides whether its clients may name a project.
    let data = data.map_or_else(|| settings.data(), |data| Ok(data.to_owned()))?;
    let path = match find_default_project(&data, settings)? {
        Some(project) => format!("{CONNECT_PATH}?project={}", percent_encode(project.as_str())),
        None => CONNECT_PATH.to_owned(),
    };
    let stream = connection.upgrade(&path, UPGRADE, request)?;
    pump::pump(stream)
}
