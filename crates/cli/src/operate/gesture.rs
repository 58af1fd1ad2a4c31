//! `gesture make` records that the operator started something; `gesture close` ends it.

use super::fit_bounds;
use crate::args::{GestureCloseArgs, GestureCommand, GestureMakeArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::page::Page;
use crate::settings::Settings;
use countersign_api::{CloseGestureRequest, GestureRequest};

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
    let (session, surface) = (args.session.clone(), args.surface.clone());
    let request = CloseGestureRequest { session, surface };
    let response = args.daemon.operator(settings)?.close_gesture(args.id, &request)?;
    args.daemon.print(&response, || {
        Page::from_line(match response.closed {
            true => "the gesture is closed",
            false => "the gesture was over already",
        })
    })
}
