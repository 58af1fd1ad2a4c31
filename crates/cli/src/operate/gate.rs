//! `gate`: a script asks, on the agents' socket, and the exit code is the answer.

use super::{put, text};
use crate::args::Gate;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::Page;
use crate::settings::Settings;
use crate::watch;
use countersign_client::Client;
use countersign_core::encoding::json as strict;
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) fn gate(args: &Gate, settings: &Settings) -> Result<Exit, Failure> {
    let given = strict::parse(args.args.as_bytes()).map_err(|error| {
        Failure::usage(format!("the arguments cannot be read: {error}"), "write one JSON object")
    })?;
    let mut body = json!({
        "session": args.session, "actions": args.actions, "args": given,
        "target": args.targets, "reason": args.reason,
    });
    if let Some(tool) = &args.tool {
        put(&mut body, "tool", tool);
    }
    let socket = settings.agent_socket(&args.daemon.folder(settings)?);
    let patience = Duration::from_secs(args.wait + 10);
    let agent = Client::at(&socket, patience).by(settings.token()?);
    let said = watch::checked(&agent, body, (&args.daemon, args.wait), settings)?;
    if args.daemon.json {
        out::show_json(&said)?;
    } else {
        // What comes on stdout belongs to the script.
        let sentence = text(&said, "/sentence");
        out::tell(&Page::of(&format!("{}: {sentence}", text(&said, "/outcome"))));
    }
    Ok(decided_exit(&said))
}

/// Only what is clearly a yes is one.
pub(crate) fn decided_exit(said: &Value) -> Exit {
    match (text(said, "/status"), text(said, "/reason")) {
        ("allowed" | "already_done", _) => Exit::Allowed,
        ("pending", _) => Exit::Pending,
        ("denied", "declined_before") => Exit::Declined,
        ("denied", "expired") => Exit::Expired,
        ("denied", "no_operator") => Exit::NoOperator,
        _ => Exit::Blocked,
    }
}
