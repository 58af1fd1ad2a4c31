//! `status`, `ls` and `show`: the daemon, what waits, and one card.

use super::find::find_request;
use crate::args::{LsArgs, ShowArgs, StatusArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ids::short_id;
use crate::out;
use crate::page::{BOLD, Page, RED, YELLOW};
use crate::settings::Settings;
use crate::table::{self, TableCell};
use countersign_api::{
    CardView, DueReviewsResponse, NoticeView, NoticesResponse, RequestsResponse, StatusResponse,
};
use countersign_client::ClientError;
use countersign_core::model::request::RequestState;
use countersign_core::model::words::{Presence, Risk};
use serde::Serialize;
use std::path::Path;

/// What the daemon says about itself and about reviews.
#[derive(Serialize)]
struct StatusReport {
    #[serde(flatten)]
    status: StatusResponse,
    /// None if the daemon is too old to know.
    review: Option<DueReviewsResponse>,
}

pub(crate) fn status(args: &StatusArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let status = client.status()?;
    let review = match client.due_reviews() {
        Ok(review) => Some(review),
        Err(ClientError::Refused { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let report = StatusReport { status, review };
    if args.daemon.json {
        out::show_json(&report)?;
    } else {
        let folder = args.daemon.folder(settings)?;
        out::show(&status_page(&report, &folder, settings))?;
    }
    Ok(Exit::Allowed)
}

/// A fact a line.
fn status_page(report: &StatusReport, folder: &Path, settings: &Settings) -> Page {
    let StatusReport { status, review } = report;
    let mut page = Page::new();
    let (version, assurance) = (&status.version, &status.assurance);
    page.text(&format!("running, version {version}, assurance {assurance}")).end();
    match &status.graph {
        None => page.styled(RED, "graph none: nothing is allowed").end(),
        Some(hash) => page.text(&format!("graph {hash}")).end(),
    };
    match review.as_ref().map(|review| review.days_left) {
        Some(Some(1)) => page.text("due for review in 1 day").end(),
        Some(Some(days)) if days > 0 => page.text(&format!("due for review in {days} days")).end(),
        Some(Some(_)) => {
            let what = "due for review: what is due is asked, or carries nothing";
            page.styled(YELLOW, what).text("; see `graph review` and `grants review`").end()
        }
        Some(None) => page.text("nothing is due for review").end(),
        None => &mut page,
    };
    page.text(&format!("{} waiting for an answer", status.open_requests)).end();
    page.text(&format!("{} notices", status.open_notices)).end();
    page.text(&format!("you are {}", describe_presence(status.presence))).end();
    for agent in &status.paused {
        page.styled(YELLOW, "paused").text(": ").text(agent.as_str()).end();
    }
    page.text(&format!("agents at {}", settings.agent_socket(folder).display())).end();
    page.text(&format!("operator at {}", folder.join("operator.sock").display())).end();
    page.text(limit_of(assurance)).end();
    page
}

const fn describe_presence(presence: Presence) -> &'static str {
    match presence {
        Presence::Active => "here",
        Presence::Idle => "idle",
        Presence::Away => "away",
        Presence::Unknown => "here or not: no surface says",
    }
}

/// What a level of assurance does not protect from.
fn limit_of(assurance: &str) -> &'static str {
    match assurance {
        "L0" => "it cannot stop a program that runs as your own user and means to go around it",
        "L1" => "it cannot tell whether it was you who answered, only that it was your user",
        "L2" => "it cannot show others that the record was not cut off at its end",
        _ => "it cannot undo what was allowed",
    }
}

pub(crate) fn ls(args: &LsArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let mut page = Page::new();
    if args.notices {
        let notices = client.list_notices()?;
        if args.daemon.json {
            out::show_json(&NoticesResponse { notices })?;
            return Ok(Exit::Allowed);
        }
        list_notices(&mut page, &notices);
    } else {
        let requests = client.list_requests()?;
        if args.daemon.json {
            out::show_json(&RequestsResponse { requests, next: None })?;
            return Ok(Exit::Allowed);
        }
        list_cards(&mut page, &requests);
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

fn list_cards(page: &mut Page, cards: &[CardView]) {
    if cards.is_empty() {
        page.text("nothing waits for an answer").end();
        return;
    }
    let row = |view: &CardView| {
        let card = &view.card;
        let risk = match card.risk {
            Risk::High | Risk::Critical => TableCell::styled(RED, card.risk.word()),
            Risk::Moderate => TableCell::styled(YELLOW, card.risk.word()),
            Risk::ReadOnly | Risk::Low => TableCell::new(card.risk.word()),
        };
        vec![
            TableCell::styled(BOLD, short_id(&card.request.to_string())),
            risk,
            TableCell::new(card.headline.as_str()),
            TableCell::new(card.agent().unwrap_or_default()),
            TableCell::new(card.ends_at.to_string()),
        ]
    };
    let rows: Vec<Vec<TableCell>> = cards.iter().map(row).collect();
    table::draw(page, &["ID", "RISK", "WANTS TO", "AGENT", "UNTIL"], &rows);
}

fn list_notices(page: &mut Page, notices: &[NoticeView]) {
    if notices.is_empty() {
        page.text("nothing to tell").end();
        return;
    }
    let row = |notice: &NoticeView| {
        vec![
            TableCell::styled(BOLD, short_id(&notice.id.to_string())),
            TableCell::new(notice.cause.word()),
            TableCell::new(format!("{}×", notice.count)),
            TableCell::new(notice.agent.as_ref().map_or("", |agent| agent.as_str())),
            TableCell::new(notice.text.as_str()),
        ]
    };
    let rows: Vec<Vec<TableCell>> = notices.iter().map(row).collect();
    table::draw(page, &["ID", "WHY", "TIMES", "AGENT", "WHAT"], &rows);
}

pub(crate) fn show(args: &ShowArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let found = client.request(find_request(&client, &args.id)?)?;
    if args.daemon.json {
        out::show_json(&found)?;
        return Ok(Exit::Allowed);
    }
    let mut page = card_page(&found.card);
    if let RequestState::Closed(ending) = found.state {
        page.styled(YELLOW, "over").text(": ").text(ending.word()).end();
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// A card as the daemon laid it out, line by line.
pub(crate) fn card_page(card: &CardView) -> Page {
    let mut page = Page::new();
    for (number, line) in card.lines.iter().enumerate() {
        match number {
            0 => page.styled(RED.bold(), line).end(),
            1 => page.styled(BOLD, line).end(),
            _ => page.text(line).end(),
        };
    }
    page
}
