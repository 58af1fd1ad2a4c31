//! `import waiting`: what was brought in and nobody has answered yet.

use crate::args::ImportWaitingArgs;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page};
use crate::settings::Settings;
use crate::table::{self, Cell};
use countersign_core::model::imported::Imported;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::time::Time;
use countersign_core::state::State;
use countersign_engine::Clock;
use serde_json::{Value, json};

pub(super) fn waiting(args: &ImportWaitingArgs, settings: &Settings) -> Result<Exit, Failure> {
    let (state, _) = args.record.to_read(settings)?.snapshot()?;
    let open = open(&state, SystemClock.now());
    if args.json {
        let rows: Vec<Value> = open.iter().map(|(request, old)| json_of(request, old)).collect();
        out::show_json(&json!({"v": 1, "waiting": rows}))?;
    } else {
        out::show(&page(&open))?;
    }
    Ok(Exit::Allowed)
}

/// The questions about old grants that can still be answered, the oldest first.
pub(super) fn open(state: &State, now: Time) -> Vec<(&Request, &Imported)> {
    let mut open: Vec<(&Request, &Imported)> = state
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

fn page(open: &[(&Request, &Imported)]) -> Page {
    if open.is_empty() {
        return Page::of("nothing waits to be confirmed");
    }
    let mut page = Page::new();
    let cells = |(request, imported): &(&Request, &Imported)| {
        vec![
            Cell::styled(BOLD, request.id.to_string()),
            Cell::new(imported.origin.word()),
            Cell::new(request.agent.as_str()),
            Cell::new(place(request, imported)),
            Cell::new(imported.coverage.to_string()),
            Cell::new(request.ends_at.to_string()),
        ]
    };
    let rows: Vec<Vec<Cell>> = open.iter().map(cells).collect();
    let headings = ["ID", "FROM", "AGENT", "HOLDS IN", "COVERS", "OPEN UNTIL"];
    table::draw(&mut page, &headings, &rows);
    page
}

/// Where it would hold.
pub(super) fn place(request: &Request, imported: &Imported) -> String {
    match (&request.project, imported.scope) {
        (Some(project), countersign_core::model::grant::Scope::Project) => {
            format!("project {project}")
        }
        _ => format!("session {}", request.session),
    }
}

fn json_of(request: &Request, imported: &Imported) -> Value {
    json!({
        "id": request.id,
        "origin": imported.origin,
        "key": imported.key,
        "words": imported.words,
        "agent": request.agent,
        "session": request.session,
        "project": request.project,
        "covers": imported.coverage.to_string(),
        "scope": imported.scope,
        "given_at": imported.given_at.to_string(),
        "ends_at": imported.ends_at.map(|end| end.to_string()),
        "open_until": request.ends_at.to_string(),
        "digest": request.digest.short(),
    })
}
