//! `ask`: asks ahead of a call for a script; the exit code is the answer.

use super::fit_bounds;
use super::project::choose_project;
use crate::args::AskArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page};
use crate::settings::Settings;
use crate::watch;
use countersign_api::{
    AheadStatus, AskAheadRequest, AskAheadResponse, Millis, ParkPolicy, WaitRequest,
};
use countersign_core::model::ids::RequestId;

pub(crate) fn ask(args: &AskArgs, settings: &Settings) -> Result<Exit, Failure> {
    if let Some(id) = args.withdraw {
        let response = args.daemon.agent(settings, 0)?.cancel_question(id, &args.session)?;
        return args.daemon.print(&response, || Page::from_line("the question is withdrawn"));
    }
    let agent = args.daemon.agent(settings, args.wait)?;
    let response = match args.id {
        Some(id) => agent.wait_for_question(id, &wait_request(args)?)?,
        None => {
            let request = build_request(args, settings)?;
            watch::ask_ahead_at_terminal(&agent, request, args.wait, &args.daemon, settings)?
        }
    };
    if args.daemon.json {
        out::show_json(&response)?;
    } else {
        show_response(args, &response);
    }
    Ok(Exit::from_ahead(&response))
}

fn build_request(args: &AskArgs, settings: &Settings) -> Result<AskAheadRequest, Failure> {
    let action = args.action.clone().unwrap_or_default();
    Ok(AskAheadRequest {
        session: args.session.clone(),
        project: choose_project(args.project.as_deref(), settings)?,
        action: fit_bounds("action", action)?,
        reasoning: fit_bounds("reasoning", args.reasoning.clone())?,
        fallback: fit_bounds("fallback", args.fallback.clone())?,
        scope: args.scope,
        category: args.category.clone(),
        park: ParkPolicy::Allowed,
        wait_ms: Millis::default(),
    })
}

fn wait_request(args: &AskArgs) -> Result<WaitRequest, Failure> {
    let wait_ms = fit_bounds("time to wait", args.wait.saturating_mul(1000))?;
    Ok(WaitRequest { session: args.session.clone(), wait_ms })
}

/// On stderr: stdout belongs to the script.
fn show_response(args: &AskArgs, response: &AskAheadResponse) {
    let scope = response.scope_granted.map(|scope| format!(" ({})", scope.word()));
    let status = response.status.word();
    let line = format!("{status}{}: {}", scope.unwrap_or_default(), response.sentence);
    out::eprint(&Page::from_line(&line));
    if !response.operator_note.is_empty() {
        out::eprint(&Page::from_line(&format!("the operator said: {}", response.operator_note)));
    }
    if let (AheadStatus::Pending, Some(request)) = (response.status, response.request_id) {
        out::eprint(&describe_waiting(args, request));
    }
}

fn describe_waiting(args: &AskArgs, request: RequestId) -> Page {
    let data = args.daemon.data.as_ref();
    let data = data.map(|data| format!(" --data {}", data.display())).unwrap_or_default();
    let mut page = Page::new();
    page.text("it waits as ").styled(BOLD, &request.to_string());
    page.text(&format!(
        "; read the answer with `countersign ask --session {}{data} --id {request}`",
        args.session
    ));
    page.end();
    page
}
