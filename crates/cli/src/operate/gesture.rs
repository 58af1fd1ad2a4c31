//! `gesture make` records that the operator started something; `gesture close` ends it.

use super::fit_bounds;
use crate::daemon_option::DaemonOption;
use crate::settings::Settings;
use clap::{Args, Subcommand};
use countersign_api::{CloseGestureRequest, GestureRequest};
use countersign_console::{Exit, Failure, Page};
use countersign_core::model::ids::GestureId;
use countersign_core::model::names::{Action, Agent, SessionName, SurfaceName};

impl GestureCommand {
    pub(crate) const EXAMPLES: &str = "\
Examples:
  countersign gesture make --session shop --declares notes.add     covers it for a minute
  countersign gesture make --session shop --agent codex --declares notes.add
                                               also if the session is not open yet
  countersign gesture close t4c1d… --session shop

A gesture says that you started something yourself. Calls that an adapter reports with it go ahead
for the actions that it declares.";
}

#[derive(Subcommand)]
pub(crate) enum GestureCommand {
    /// Record that you started something yourself, and which actions that covers
    #[command(before_help = GestureCommand::EXAMPLES)]
    Make(GestureMakeArgs),
    /// Close a gesture before its minute is over
    #[command(before_help = GestureCommand::EXAMPLES)]
    Close(GestureCloseArgs),
}

#[derive(Args)]
pub(crate) struct GestureMakeArgs {
    /// The session, as NAME or AGENT/NAME
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// The agent of a session that is not open yet
    #[arg(long, value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Option<Agent>,
    /// An action that it covers; can be repeated
    #[arg(long, value_name = "ACTION", required = true)]
    #[arg(value_parser = |text: &str| Action::parse(text))]
    pub(crate) declares: Vec<Action>,
    /// The surface of the gesture; only it can close the gesture
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SurfaceName::parse(text))]
    pub(crate) surface: Option<SurfaceName>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct GestureCloseArgs {
    /// The id that `gesture make` printed
    #[arg(value_parser = parse_gesture)]
    pub(crate) id: GestureId,
    /// The session, as NAME or AGENT/NAME
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// The agent of a session that is not open yet
    #[arg(long, value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Option<Agent>,
    /// The surface that the gesture was made on
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SurfaceName::parse(text))]
    pub(crate) surface: Option<SurfaceName>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

fn parse_gesture(text: &str) -> Result<GestureId, String> {
    GestureId::parse(text).ok_or_else(|| "give the whole id that `gesture make` printed".to_owned())
}

pub(crate) fn gesture(command: &GestureCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        GestureCommand::Make(args) => make(args, settings),
        GestureCommand::Close(args) => close(args, settings),
    }
}

fn make(args: &GestureMakeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let request = GestureRequest {
        session: args.session.clone(),
        agent: args.agent.clone(),
        declares: fit_bounds("list of declared actions", args.declares.clone())?,
        shows: None,
        surface: args.surface.clone(),
    };
    let response = args.daemon.operator(settings)?.report_gesture(&request)?;
    args.daemon.print(&response, || Page::from_line(&response.gesture_id.to_string()))
}

fn close(args: &GestureCloseArgs, settings: &Settings) -> Result<Exit, Failure> {
    let request = CloseGestureRequest {
        session: args.session.clone(),
        agent: args.agent.clone(),
        surface: args.surface.clone(),
    };
    let response = args.daemon.operator(settings)?.close_gesture(args.id, &request)?;
    args.daemon.print(&response, || {
        Page::from_line(match response.closed {
            true => "the gesture is closed",
            false => "the gesture was over already",
        })
    })
}
