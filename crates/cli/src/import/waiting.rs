//! `import waiting`: imported grants that the operator has not answered yet.

use super::args::ImportWaitingArgs;
use crate::clock::SystemClock;
use crate::settings::Settings;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, Page, out};
use countersign_core::model::grant::Scope;
use countersign_core::model::imported::ImportedGrant;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::time::Time;
use countersign_core::state::State;
use countersign_engine::Clock;
use serde_json::{Value, json};

pub(super) fn waiting(args: &ImportWaitingArgs, settings: &Settings) -> Result<Exit, Failure> {
    let (state, _) = args.record.open_reader(&settings.record())?.snapshot()?;
    let open = open_imports(&state, SystemClock.now());
    if args.json {
        let rows: Vec<Value> =
            open.iter().map(|(request, imported)| to_json(request, imported)).collect();
        out::show_json(&json!({"v": 1, "waiting": rows}))?;
    } else {
        out::show(&draw(&open))?;
    }
    Ok(Exit::Allowed)
}

/// The open requests about imported grants, the oldest first.
pub(super) fn open_imports(state: &State, now: Time) -> Vec<(&Request, &ImportedGrant)> {
    let mut open: Vec<(&Request, &ImportedGrant)> = state
        .requests
        .values()
        .filter(|request| request.is_open(now))
        .filter_map(|request| match &request.subject {
            Subject::Imported(imported) => Some((request, &**imported)),
            Subject::Calls(_)
            | Subject::Ahead(_)
            | Subject::Start(_)
            | Subject::Standing(_)
            | Subject::Slash(_)
            | Subject::Proposal(_) => None,
        })
        .collect();
    open.sort_by_key(|(request, _)| (request.opened_at, request.id));
    open
}

fn draw(open: &[(&Request, &ImportedGrant)]) -> Page {
    if open.is_empty() {
        return Page::from_line("no imported grant waits for confirmation");
    }
    let mut page = Page::new();
    let cells = |(request, imported): &(&Request, &ImportedGrant)| {
        vec![
            TableCell::styled(BOLD, request.id.to_string()),
            TableCell::new(imported.origin.word()),
            TableCell::new(request.agent.as_str()),
            TableCell::new(describe_location(request, imported)),
            TableCell::new(imported.coverage.to_string()),
            TableCell::new(request.ends_at.to_string()),
        ]
    };
    let rows: Vec<Vec<TableCell>> = open.iter().map(cells).collect();
    let headings = ["ID", "FROM", "AGENT", "IN", "COVERS", "OPEN UNTIL"];
    table::draw(&mut page, &headings, &rows);
    page
}

/// The project or session of the grant.
pub(super) fn describe_location(request: &Request, imported: &ImportedGrant) -> String {
    match (&request.project, imported.scope) {
        (Some(project), Scope::Project) => format!("project {project}"),
        _ => format!("session {}", request.session.name()),
    }
}

fn to_json(request: &Request, imported: &ImportedGrant) -> Value {
    json!({
        "id": request.id,
        "origin": imported.origin,
        "key": imported.key,
        "words": imported.words,
        "agent": request.agent,
        "session": request.session.name(),
        "project": request.project,
        "covers": imported.coverage.to_string(),
        "scope": imported.scope,
        "given_at": imported.given_at.to_string(),
        "ends_at": imported.ends_at.map(|end| end.to_string()),
        "open_until": request.ends_at.to_string(),
        "digest": request.digest.short(),
    })
}
