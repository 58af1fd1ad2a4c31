//! What is there to see: whether it runs, what waits, one card, what was granted.

use super::find::meant_id;
use super::{list, short, text};
use crate::args::{Ls, Show, Status};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page, RED, YELLOW};
use crate::settings::Settings;
use crate::table::{self, Cell};
use serde_json::Value;

pub(crate) fn status(args: &Status, settings: &Settings) -> Result<Exit, Failure> {
    let found = args.daemon.operator(settings)?.get("/v1/status")?;
    if args.daemon.json {
        out::show_json(&found)?;
        return Ok(Exit::Allowed);
    }
    let number = |name: &str| found.get(name).and_then(Value::as_u64).unwrap_or(0);
    let graph = match text(&found, "/graph") {
        "" => "none: nothing is allowed",
        hash => hash,
    };
    let mut page = Page::new();
    page.text(&format!(
        "running, version {}, assurance {}",
        text(&found, "/version"),
        text(&found, "/assurance")
    ))
    .end();
    page.text(&format!("graph {}", graph)).end();
    page.text(&format!("{} waiting for an answer", number("open_requests"))).end();
    page.text(&format!("{} notices", number("open_notices"))).end();
    for agent in list(&found, "paused") {
        page.styled(YELLOW, "paused").text(": ").text(agent.as_str().unwrap_or_default()).end();
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

pub(crate) fn ls(args: &Ls, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let (path, name) = match args.notices {
        true => ("/v1/notices", "notices"),
        false => ("/v1/requests", "requests"),
    };
    let found = client.get(path)?;
    if args.daemon.json {
        out::show_json(&found)?;
        return Ok(Exit::Allowed);
    }
    let all = list(&found, name);
    let mut page = Page::new();
    match (args.notices, all.is_empty()) {
        (true, true) => page.text("nothing to tell").end(),
        (false, true) => page.text("nothing waits for an answer").end(),
        (true, false) => noted(&mut page, all),
        (false, false) => waiting(&mut page, all),
    };
    out::show(&page)?;
    Ok(Exit::Allowed)
}

fn waiting<'p>(page: &'p mut Page, cards: &[Value]) -> &'p mut Page {
    let row = |card: &Value| {
        let risk = text(card, "/risk");
        let cell = match risk {
            "high" | "critical" => Cell::styled(RED, risk),
            "moderate" => Cell::styled(YELLOW, risk),
            _ => Cell::new(risk),
        };
        vec![
            Cell::styled(BOLD, short(text(card, "/request"))),
            cell,
            Cell::new(text(card, "/headline")),
            Cell::new(text(card, "/who/0/lines/0/text")),
            Cell::new(text(card, "/ends_at")),
        ]
    };
    let rows: Vec<Vec<Cell>> = cards.iter().map(row).collect();
    table::draw(page, &["ID", "RISK", "WANTS TO", "AGENT", "UNTIL"], &rows);
    page
}

fn noted<'p>(page: &'p mut Page, notices: &[Value]) -> &'p mut Page {
    let row = |notice: &Value| {
        let count = notice.get("count").and_then(Value::as_u64).unwrap_or(1);
        vec![
            Cell::styled(BOLD, short(text(notice, "/id"))),
            Cell::new(text(notice, "/cause")),
            Cell::new(format!("{count}×")),
            Cell::new(text(notice, "/agent")),
            Cell::new(text(notice, "/text")),
        ]
    };
    let rows: Vec<Vec<Cell>> = notices.iter().map(row).collect();
    table::draw(page, &["ID", "WHY", "TIMES", "AGENT", "WHAT"], &rows);
    page
}

pub(crate) fn show(args: &Show, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let id = meant_id(&client, "request", &args.id)?;
    let found = client.get(&format!("/v1/requests/{id}"))?;
    if args.daemon.json {
        out::show_json(&found)?;
        return Ok(Exit::Allowed);
    }
    let mut page = drawn(found.get("card").unwrap_or(&Value::Null));
    if let Some(ending) = found.pointer("/state/closed").and_then(Value::as_str) {
        page.styled(YELLOW, "over").text(": ").text(ending).end();
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// A card as the daemon drew it, line by line.
pub(crate) fn drawn(card: &Value) -> Page {
    let mut page = Page::new();
    for (at, line) in list(card, "lines").iter().enumerate() {
        let line = line.as_str().unwrap_or_default();
        match at {
            0 => page.styled(RED.bold(), line).end(),
            1 => page.styled(BOLD, line).end(),
            _ => page.text(line).end(),
        };
    }
    page
}
