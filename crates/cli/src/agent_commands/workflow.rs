//! `workflow audit` lists workflows and runs; `workflow reconcile` ends runs that a restart left behind.
//! What an agent does with its own runs is in `own_runs`.

mod args;
mod own_runs;

pub(crate) use args::WorkflowCommand;

use crate::operate::{add_fields, find_run};
use crate::settings::Settings;
use args::{WorkflowAuditArgs, WorkflowReconcileArgs};
use countersign_api::{
    RunStatus, RunView, StartPolicy, SweepRefusal, WorkflowView, WorkflowsResponse,
};
use countersign_client::AgentClient;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, GREEN, Page, YELLOW, short_id};
use countersign_report::join_actions;

pub(crate) fn workflow(command: &WorkflowCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        WorkflowCommand::Audit(args) => audit(args, settings),
        WorkflowCommand::Reconcile(args) => reconcile(args, settings),
        WorkflowCommand::Start(args) => own_runs::start(args, settings),
        WorkflowCommand::Status(args) => own_runs::status(args, settings),
        WorkflowCommand::End(args) => own_runs::change(args, settings, AgentClient::end_run),
        WorkflowCommand::Cancel(args) => own_runs::change(args, settings, AgentClient::cancel_run),
        WorkflowCommand::Reattach(args) => {
            own_runs::change(args, settings, AgentClient::reattach_run)
        }
    }
}

fn audit(args: &WorkflowAuditArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    if let Some(given) = &args.run {
        let run = client.run(find_run(&client, given)?)?;
        return args.daemon.print(&run, || run_page(&run));
    }
    let response = client.list_workflows()?;
    args.daemon.print(&response, || audit_page(&response))
}

fn audit_page(response: &WorkflowsResponse) -> Page {
    let mut page = Page::new();
    if response.workflows.is_empty() {
        page.text("the graph names no workflow").end();
    } else {
        let rows: Vec<Vec<TableCell>> = response.workflows.iter().map(workflow_row).collect();
        table::draw(&mut page, &["WORKFLOW", "START", "BECAUSE OF", "ACTIONS"], &rows);
    }
    page.end();
    if response.runs.is_empty() {
        page.text("no run is active").end();
    } else {
        let headings =
            ["RUN", "WORKFLOW", "SESSION", "AGENT", "STATE", "STARTED", "ENDS IF UNUSED"];
        let rows: Vec<Vec<TableCell>> = response.runs.iter().map(run_row).collect();
        table::draw(&mut page, &headings, &rows);
    }
    page
}

fn workflow_row(workflow: &WorkflowView) -> Vec<TableCell> {
    let start = match workflow.start {
        StartPolicy::Asks => TableCell::styled(GREEN, "asks"),
        StartPolicy::Bypasses => TableCell::styled(YELLOW, "does not ask: low risk"),
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
        TableCell::new(run.ends_at.to_string()),
    ]
}

fn describe_end(state: RunStatus) -> &'static str {
    match state {
        RunStatus::Live => "if no call comes before",
        RunStatus::Suspended => "if its agent does not take it up before",
        RunStatus::Pending
        | RunStatus::Declined
        | RunStatus::Cancelled
        | RunStatus::Expired
        | RunStatus::Ended => "at the latest",
    }
}

fn describe_run_end(run: &RunView) -> String {
    match run.ended {
        Some(end) => {
            let at = end.at.map(|at| format!(" at {at}")).unwrap_or_default();
            format!("it has ended{at}: {}", end.how)
        }
        None => format!("{}, {}", run.ends_at, describe_end(run.state)),
    }
}

fn run_page(run: &RunView) -> Page {
    let mut page = Page::new();
    page.styled(BOLD, &run.id.to_string()).end();
    let fields = [
        ("workflow", run.workflow.to_string()),
        ("session", run.session.to_string()),
        ("agent", run.agent.to_string()),
        ("actions", join_actions(&run.actions)),
        ("state", run.state.word().to_owned()),
        ("step", run.step.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("grant", run.grant.map(|grant| grant.to_string()).unwrap_or_default()),
        ("started", run.started_at.to_string()),
        ("last call", run.active_at.to_string()),
        ("ends", describe_run_end(run)),
    ];
    add_fields(&mut page, fields);
    page.text(&format!("`countersign log --id {}` shows what happened in it", run.id));
    page.end();
    page
}

fn reconcile(args: &WorkflowReconcileArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = args.daemon.operator(settings)?.reconcile(&args.session)?;
    args.daemon.print(&response, || {
        Page::from_line(match response.reason {
            None => "Countersign ended the runs that no agent continued",
            Some(SweepRefusal::ActiveRunPresent) => "nothing was ended: the runs are in use",
            Some(SweepRefusal::NoBlanket) => "there was nothing to end",
            Some(SweepRefusal::NoSession) => "nothing was ended: there is no such session",
        })
    })
}
