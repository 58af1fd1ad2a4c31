//! `workflow`: which workflows ask before they start, what runs, and what a restart left behind.

use super::find::meant_id;
use super::{list, text};
use crate::args::{Workflow, WorkflowAudit, WorkflowReconcile};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ids::short;
use crate::out;
use crate::page::{BOLD, GREEN, Page, YELLOW};
use crate::settings::Settings;
use crate::table::{self, Cell};
use serde_json::{Value, json};

pub(crate) fn workflow(command: &Workflow, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        Workflow::Audit(args) => audit(args, settings),
        Workflow::Reconcile(args) => reconcile(args, settings),
    }
}

fn audit(args: &WorkflowAudit, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    if let Some(given) = &args.run {
        let id = meant_id(&client, "run", given)?;
        let run = client.get(&format!("/v1/runs/{id}"))?;
        if args.daemon.json {
            out::show_json(&run)?;
        } else {
            out::show(&one(&run))?;
        }
        return Ok(Exit::Allowed);
    }
    let found = client.get("/v1/workflows")?;
    if args.daemon.json {
        out::show_json(&found)?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    let (workflows, runs) = (list(&found, "workflows"), list(&found, "runs"));
    if workflows.is_empty() {
        page.text("the graph names no workflow").end();
    } else {
        let rows: Vec<Vec<Cell>> = workflows.iter().map(declared).collect();
        table::draw(&mut page, &["WORKFLOW", "START", "BECAUSE OF", "ACTIONS"], &rows);
    }
    page.end();
    if runs.is_empty() {
        page.text("nothing runs").end();
    } else {
        let headings = ["RUN", "WORKFLOW", "SESSION", "AGENT", "STATE", "SINCE", "ENDS UNUSED"];
        let rows: Vec<Vec<Cell>> = runs.iter().map(running).collect();
        table::draw(&mut page, &headings, &rows);
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

fn actions(value: &Value) -> String {
    list(value, "actions").iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
}

fn declared(workflow: &Value) -> Vec<Cell> {
    let start = match text(workflow, "/start") {
        "asks" => Cell::styled(GREEN, "asks"),
        "bypasses" => Cell::styled(YELLOW, "bypasses: all is low risk"),
        other => Cell::new(other),
    };
    vec![
        Cell::styled(BOLD, text(workflow, "/workflow")),
        start,
        Cell::new(text(workflow, "/because")),
        Cell::new(actions(workflow)),
    ]
}

fn running(run: &Value) -> Vec<Cell> {
    vec![
        Cell::styled(BOLD, short(text(run, "/id"))),
        Cell::new(text(run, "/workflow")),
        Cell::new(text(run, "/session")),
        Cell::new(text(run, "/agent")),
        Cell::new(text(run, "/state")),
        Cell::new(text(run, "/started_at")),
        Cell::new(text(run, "/idles_out_at")),
    ]
}

fn one(run: &Value) -> Page {
    let mut page = Page::new();
    page.styled(BOLD, text(run, "/id")).end();
    for (name, value) in [
        ("workflow", text(run, "/workflow").to_owned()),
        ("session", text(run, "/session").to_owned()),
        ("agent", text(run, "/agent").to_owned()),
        ("actions", actions(run)),
        ("state", text(run, "/state").to_owned()),
        ("began", text(run, "/started_at").to_owned()),
        ("last call", text(run, "/active_at").to_owned()),
        ("ends", format!("{} at the latest if it is not used", text(run, "/idles_out_at"))),
    ] {
        if !value.is_empty() {
            page.text("  ").styled(BOLD, &format!("{name:<10}")).text(&value).end();
        }
    }
    page.text(&format!("`countersign log --id {}` tells what happened in it", text(run, "/id")));
    page.end();
    page
}

fn reconcile(args: &WorkflowReconcile, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let said = client.post("/v1/workflows/reconcile", &json!({"session": args.session}))?;
    if args.daemon.json {
        out::show_json(&said)?;
        return Ok(Exit::Allowed);
    }
    out::show(&Page::of(match (super::is_true(&said, "swept"), text(&said, "/reason")) {
        (true, _) => "what nobody took up again was ended",
        (false, "active_run_present") => "nothing was ended: its runs are in use",
        (false, "no_blanket") => "nothing was left behind",
        (false, _) => "nothing was ended: there is no such session",
    }))?;
    Ok(Exit::Allowed)
}
