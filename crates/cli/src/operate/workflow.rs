//! `workflow`: which workflows ask before they start, what runs, and what a restart left behind.

use super::find::find_run;
use crate::args::{WorkflowAuditArgs, WorkflowCommand, WorkflowReconcileArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ids::short_id;
use crate::out;
use crate::page::{BOLD, GREEN, Page, YELLOW};
use crate::settings::Settings;
use crate::table::{self, TableCell};
use countersign_api::{RunView, StartPolicy, SweepRefusal, WorkflowView, WorkflowsResponse};
use countersign_core::model::names::Action;

pub(crate) fn workflow(command: &WorkflowCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        WorkflowCommand::Audit(args) => audit(args, settings),
        WorkflowCommand::Reconcile(args) => reconcile(args, settings),
    }
}

fn audit(args: &WorkflowAuditArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    if let Some(given) = &args.run {
        let run = client.run(find_run(&client, given)?)?;
        if args.daemon.json {
            out::show_json(&run)?;
        } else {
            out::show(&run_page(&run))?;
        }
        return Ok(Exit::Allowed);
    }
    let found = client.list_workflows()?;
    if args.daemon.json {
        out::show_json(&found)?;
    } else {
        out::show(&audit_page(&found))?;
    }
    Ok(Exit::Allowed)
}

fn audit_page(found: &WorkflowsResponse) -> Page {
    let mut page = Page::new();
    if found.workflows.is_empty() {
        page.text("the graph names no workflow").end();
    } else {
        let rows: Vec<Vec<TableCell>> = found.workflows.iter().map(workflow_row).collect();
        table::draw(&mut page, &["WORKFLOW", "START", "BECAUSE OF", "ACTIONS"], &rows);
    }
    page.end();
    if found.runs.is_empty() {
        page.text("nothing runs").end();
    } else {
        let headings = ["RUN", "WORKFLOW", "SESSION", "AGENT", "STATE", "SINCE", "ENDS UNUSED"];
        let rows: Vec<Vec<TableCell>> = found.runs.iter().map(run_row).collect();
        table::draw(&mut page, &headings, &rows);
    }
    page
}

fn join_actions(actions: &[Action]) -> String {
    actions.iter().map(|action| action.as_str()).collect::<Vec<_>>().join(", ")
}

fn workflow_row(workflow: &WorkflowView) -> Vec<TableCell> {
    let start = match workflow.start {
        StartPolicy::Asks => TableCell::styled(GREEN, "asks"),
        StartPolicy::Bypasses => TableCell::styled(YELLOW, "bypasses: all is low risk"),
    };
    vec![
        TableCell::styled(BOLD, workflow.workflow.as_str()),
        start,
        TableCell::new(workflow.because.as_ref().map_or("", |action| action.as_str())),
        TableCell::new(join_actions(&workflow.actions)),
    ]
}

fn run_row(run: &RunView) -> Vec<TableCell> {
    vec![
        TableCell::styled(BOLD, short_id(&run.id.to_string())),
        TableCell::new(run.workflow.as_str()),
        TableCell::new(run.session.as_str()),
        TableCell::new(run.agent.as_str()),
        TableCell::new(run.state.word()),
        TableCell::new(run.started_at.to_string()),
        TableCell::new(run.idles_out_at.to_string()),
    ]
}

fn run_page(run: &RunView) -> Page {
    let mut page = Page::new();
    page.styled(BOLD, &run.id.to_string()).end();
    for (name, value) in [
        ("workflow", run.workflow.to_string()),
        ("session", run.session.to_string()),
        ("agent", run.agent.to_string()),
        ("actions", join_actions(&run.actions)),
        ("state", run.state.word().to_owned()),
        ("began", run.started_at.to_string()),
        ("last call", run.active_at.to_string()),
        ("ends", format!("{} at the latest if it is not used", run.idles_out_at)),
    ] {
        if !value.is_empty() {
            page.text("  ").styled(BOLD, &format!("{name:<10}")).text(&value).end();
        }
    }
    page.text(&format!("`countersign log --id {}` tells what happened in it", run.id));
    page.end();
    page
}

fn reconcile(args: &WorkflowReconcileArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = args.daemon.operator(settings)?.reconcile(&args.session)?;
    if args.daemon.json {
        out::show_json(&response)?;
        return Ok(Exit::Allowed);
    }
    out::show(&Page::from_line(match response.reason {
        None => "what nobody took up again was ended",
        Some(SweepRefusal::ActiveRunPresent) => "nothing was ended: its runs are in use",
        Some(SweepRefusal::NoBlanket) => "nothing was left behind",
        Some(SweepRefusal::NoSession) => "nothing was ended: there is no such session",
    }))?;
    Ok(Exit::Allowed)
}
