//! `workflow start`, `status`, `cancel`, `end` and `reattach`: an agent's own runs, from a script.

use super::args::{OwnRunArgs, WorkflowStartArgs, WorkflowStatusArgs};
use crate::operate::{add_fields, fit_bounds};
use crate::project::choose_project;
use crate::settings::Settings;
use crate::{exit, watch};
use countersign_api::{
    Millis, OwnRunView, ParkPolicy, RunAction, RunAttendance, RunResponse, StartRunRequest,
    StartStatus, WaitRequest,
};
use countersign_client::{AgentClient, ClientError};
use countersign_console::{BOLD, Exit, Failure, Page, out};
use countersign_core::decide::within_run::WithinRun;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::SessionName;

pub(super) fn start(args: &WorkflowStartArgs, settings: &Settings) -> Result<Exit, Failure> {
    let request = StartRunRequest {
        session: args.session.clone(),
        project: choose_project(args.project.as_deref(), settings)?,
        workflow: args.workflow.clone(),
        gesture: None,
        attendance: match args.headless {
            true => RunAttendance::Headless,
            false => RunAttendance::Attended,
        },
        park: ParkPolicy::Allowed,
        wait_ms: Millis::default(),
    };
    let agent = args.daemon.agent(settings, args.wait)?;
    let response = watch::start_at_terminal(&agent, request, args.wait, &args.daemon, settings)?;
    if args.daemon.json {
        out::show_json(&response)?;
    } else {
        let line = format!("{}: {}", response.status.word(), response.sentence);
        out::eprint(&Page::from_line(&line));
        if !response.note.is_empty() {
            out::eprint(&Page::from_line(&format!("the operator said: {}", response.note)));
        }
        // The script needs the id also to wait or to cancel.
        if matches!(response.status, StartStatus::Started | StartStatus::Pending) {
            out::show(&Page::from_line(&response.run_id.to_string()))?;
        }
    }
    Ok(exit::from_start(&response))
}

pub(super) fn status(args: &WorkflowStatusArgs, settings: &Settings) -> Result<Exit, Failure> {
    let agent = args.daemon.agent(settings, args.wait)?;
    let wait_ms = fit_bounds("time to wait", args.wait.saturating_mul(1000))?;
    let request = WaitRequest { session: args.session.clone(), wait_ms };
    let run = agent.wait_for_run(args.run, &request)?;
    args.daemon.print(&run, || run_page(&run))?;
    Ok(exit::from_run(&run))
}

/// Ends, cancels or reattaches an own run.
pub(super) fn change(
    args: &OwnRunArgs,
    settings: &Settings,
    change: impl Fn(&AgentClient, RunId, &SessionName) -> Result<RunResponse, ClientError>,
) -> Result<Exit, Failure> {
    let agent = args.daemon.agent(settings, 0)?;
    let response = change(&agent, args.run, &args.session)?;
    args.daemon
        .print(&response, || Page::from_line(&format!("the run is {}", response.state.word())))
}

fn run_page(run: &OwnRunView) -> Page {
    let mut page = Page::new();
    page.styled(BOLD, &run.run_id.to_string()).end();
    let time = |time: Option<countersign_api::Timestamp>| {
        time.map(|time| time.to_string()).unwrap_or_default()
    };
    let ended = run.ended.map(|end| format!("{} {}", end.how, time(end.at)));
    let grant = run.grant.map(|grant| {
        let state = if grant.in_force { "in force" } else { "not in force" };
        format!("{}, {state}", grant.grant_id)
    });
    let fields = [
        ("workflow", run.workflow.to_string()),
        ("state", format!("{}: {}", run.state.word(), run.sentence)),
        ("note", run.note.clone()),
        ("step", run.step.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("actions", run.actions.iter().map(describe_action).collect::<Vec<_>>().join(", ")),
        ("grant", grant.unwrap_or_default()),
        ("started", time(run.started_at)),
        ("last call", time(run.active_at)),
        ("ends", time(run.ends_at)),
        ("ended", ended.unwrap_or_default()),
    ];
    add_fields(&mut page, fields);
    page
}

fn describe_action(action: &RunAction) -> String {
    match action.within_run {
        WithinRun::Covered => action.action.to_string(),
        WithinRun::Asks => format!("{} (will still ask)", action.action),
        WithinRun::Denied => format!("{} (the graph denies it)", action.action),
    }
}
