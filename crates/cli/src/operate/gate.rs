//! `gate`: checks a call for a script; the exit code is the outcome.

use super::fit_bounds;
use crate::args::GateArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::Page;
use crate::settings::Settings;
use crate::watch;
use countersign_api::CheckRequest;
use countersign_core::encoding::json;

pub(crate) fn gate(args: &GateArgs, settings: &Settings) -> Result<Exit, Failure> {
    let arguments = json::parse(args.args.as_bytes()).map_err(|error| {
        Failure::usage(format!("the arguments cannot be read: {error}"), "write one JSON object")
    })?;
    let request = CheckRequest {
        actions: fit_bounds("list of actions", args.actions.clone())?,
        args: arguments,
        target: fit_bounds("list of targets", args.targets.clone())?,
        reason: fit_bounds("reason", args.reason.clone())?,
        tool: args.tool.clone(),
        ..CheckRequest::new(args.session.clone())
    };
    let agent = args.daemon.agent(settings, args.wait)?;
    let response = watch::check_at_terminal(&agent, request, args.wait, &args.daemon, settings)?;
    if args.daemon.json {
        out::show_json(&response)?;
    } else {
        // Stdout belongs to the script.
        out::eprint(&Page::from_line(&format!("{}: {}", response.outcome, response.sentence)));
    }
    Ok(Exit::from_check(&response))
}
