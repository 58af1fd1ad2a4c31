//! What is there to see: whether it runs, what waits, one card, what was granted.

use super::find::meant_id;
use super::{list, put, short, text};
use crate::args::{Ls, Show, Status};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page, RED, YELLOW};
use crate::settings::Settings;
use crate::table::{self, Cell};
use countersign_client::ClientError;
use serde_json::Value;
use std::path::Path;

pub(crate) fn status(args: &Status, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let mut found = client.get("/v1/status")?;
    let review = match client.get("/v1/review") {
        Ok(review) => Some(review),
        // An older daemon does not know.
        Err(ClientError::Refused { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    if args.daemon.json {
        put(&mut found, "review", &review);
        out::show_json(&found)?;
        return Ok(Exit::Allowed);
    }
    let folder = args.daemon.folder(settings)?;
    out::show(&standing(&found, review.as_ref(), (&folder, settings)))?;
    Ok(Exit::Allowed)
}

/// How the daemon is, a fact a line.
fn standing(found: &Value, review: Option<&Value>, (folder, settings): (&Path, &Settings)) -> Page {
    let number = |name: &str| found.get(name).and_then(Value::as_u64).unwrap_or(0);
    let (version, assurance) = (text(found, "/version"), text(found, "/assurance"));
    let mut page = Page::new();
    page.text(&format!("running, version {version}, assurance {assurance}")).end();
    match text(found, "/graph") {
        "" => page.styled(RED, "graph none: nothing is allowed").end(),
        hash => page.text(&format!("graph {hash}")).end(),
    };
    match review.map(|review| review.get("days_left").and_then(Value::as_i64)) {
        Some(Some(1)) => page.text("due for review in 1 day").end(),
        Some(Some(days)) if days > 0 => page.text(&format!("due for review in {days} days")).end(),
        Some(Some(_)) => {
            let what = "due for review: what is due is asked, or carries nothing";
            page.styled(YELLOW, what).text("; see `graph review` and `grants review`").end()
        }
        Some(None) => page.text("nothing is due for review").end(),
        None => &mut page,
    };
    page.text(&format!("{} waiting for an answer", number("open_requests"))).end();
    page.text(&format!("{} notices", number("open_notices"))).end();
    page.text(&format!("you are {}", presence(text(found, "/presence")))).end();
    for agent in list(found, "paused") {
        page.styled(YELLOW, "paused").text(": ").text(agent.as_str().unwrap_or_default()).end();
    }
    page.text(&format!("agents at {}", settings.agent_socket(folder).display())).end();
    page.text(&format!("operator at {}", folder.join("operator.sock").display())).end();
    page.text(cannot(assurance)).end();
    page
}

fn presence(word: &str) -> &str {
    match word {
        "active" => "here",
        "idle" => "idle",
        "away" => "away",
        _ => "here or not: no surface says",
    }
}

/// What stands between an agent and an answer does not reach further than this.
fn cannot(assurance: &str) -> &'static str {
    match assurance {
        "L0" => "it cannot stop a program that runs as your own user and means to go around it",
        "L1" => "it cannot tell whether it was you who answered, only that it was your user",
        "L2" => "it cannot show others that the record was not cut off at its end",
        _ => "it cannot undo what was allowed",
    }
}

pub(crate) fn ls(args: &Ls, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let (path, name) = match args.notices {
        true => ("/v1/notices", "notices"),
        false => ("/v1/requests", "requests"),
    };
    let found = client.list(path, name)?;
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
