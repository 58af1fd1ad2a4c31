//! `status`, `ls` and `show`: the daemon, the open requests, and one card.

mod args;

pub(crate) use args::{LsArgs, ShowArgs, StatusArgs};

use super::SURFACE;
use super::find::find_request;
use crate::settings::Settings;
use countersign_api::{
    CardView, DueReviewsResponse, GraphFileView, ProblemView, RequestTextQuery, RequestsResponse,
    StatusResponse,
};
use countersign_client::{ClientError, OperatorClient};
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, Page, RED, YELLOW, screen, short_id, short_ids};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::delivery::Extent;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::words::{Assurance, Presence, Risk};
use countersign_terminal::CardLayout;
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
    let folder = args.daemon.folder(settings)?;
    args.daemon.print(&report, || status_page(&report, &folder, settings))
}

fn status_page(report: &StatusReport, folder: &Path, settings: &Settings) -> Page {
    let StatusReport { status, review } = report;
    let mut page = Page::new();
    let (version, assurance) = (&status.version, &status.assurance);
    page.text(&format!("running, version {version}, assurance {assurance}")).end();
    match &status.graph {
        None => page.styled(RED, "no graph is loaded, so nothing is allowed").end(),
        Some(hash) => page.text(&describe_graph(status, *hash)).end(),
    };
    if let Some(change) = status.graph_file.as_ref().and_then(|file| file.change.as_ref()) {
        page.text("  ").text(change).end();
    }
    for problem in &status.problems {
        let ProblemView { about, text, since } = problem;
        page.styled(RED, &format!("problem ({about})")).text(&format!(": {text}; since {since}"));
        page.end();
    }
    if let Some(review) = review {
        match review.days_left {
            None => page.text("no review is ever due").end(),
            Some(1) => page.text("the next review is due in 1 day").end(),
            Some(days) if days > 0 => {
                page.text(&format!("the next review is due in {days} days")).end()
            }
            Some(_) => {
                page.styled(YELLOW, "a review is due");
                page.text(": until you make it, Countersign asks about what is due; ");
                page.text("see `countersign graph review` and `countersign grants review`").end()
            }
        };
    }
    let (requests, notices) = (status.open_requests, status.open_notices);
    page.text(&format!("requests that wait for your answer: {requests}")).end();
    page.text(&format!("open notices: {notices}")).end();
    page.text(describe_presence(status.presence)).end();
    for agent in &status.paused {
        let who = if agent.is_everyone() { "all agents" } else { agent.as_str() };
        page.styled(YELLOW, "paused").text(": ").text(who).end();
    }
    for application in &status.applications {
        page.text("application ").styled(BOLD, application.agent.as_str());
        page.text(&format!(" ({})", application.rights.describe_actions()));
        page.text(": code that shares its process shares its authority").end();
    }
    page.text(&format!("agents at {}", settings.agent_socket(folder).display())).end();
    page.text(&format!("operator at {}", folder.join("operator.sock").display())).end();
    page.text("Countersign cannot ").text(describe_limit(assurance)).end();
    page
}

/// The file, since when this version of it is in force, and its hash.
fn describe_graph(status: &StatusResponse, hash: Digest) -> String {
    match &status.graph_file {
        None => format!("graph {}", hash.short()),
        Some(GraphFileView { path, in_force_since, .. }) => {
            format!("graph {path}, in force since {in_force_since} ({})", hash.short())
        }
    }
}

const fn describe_presence(presence: Presence) -> &'static str {
    match presence {
        Presence::Active => "you are present",
        Presence::Idle => "you are idle",
        Presence::Away => "you are away",
        Presence::Unknown => "your presence is unknown: no surface reports it",
    }
}

/// What Countersign cannot do at a level of assurance.
fn describe_limit(assurance: &str) -> &'static str {
    match Assurance::from_word(assurance) {
        Some(Assurance::Shared) => "stop a program that runs as your own user and bypasses it",
        Some(Assurance::Separated) => "tell whether you answered, only that your user did",
        None => "undo what was allowed",
    }
}

pub(crate) fn ls(args: &LsArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let response = RequestsResponse { requests: client.list_requests()?, next: None };
    args.daemon.print(&response, || requests_page(&response.requests))
}

fn requests_page(cards: &[CardView]) -> Page {
    if cards.is_empty() {
        return Page::from_line("no request waits for an answer");
    }
    let ids: Vec<String> = cards.iter().map(|view| view.card.request.to_string()).collect();
    let row = |(view, id): (&CardView, String)| {
        let card = &view.card;
        let risk = match card.risk {
            Risk::High | Risk::Critical => TableCell::styled(RED, card.risk.word()),
            Risk::Moderate => TableCell::styled(YELLOW, card.risk.word()),
            Risk::ReadOnly | Risk::Low => TableCell::new(card.risk.word()),
        };
        vec![
            TableCell::styled(BOLD, id),
            risk,
            TableCell::new(card.headline.as_str()),
            TableCell::new(card.agent().unwrap_or_default()),
            TableCell::new(screen::display_time(card.ends_at)),
        ]
    };
    let rows: Vec<Vec<TableCell>> = cards.iter().zip(short_ids(&ids)).map(row).collect();
    let mut page = Page::new();
    table::draw(&mut page, &["ID", "RISK", "WANTS TO", "AGENT", "UNTIL"], &rows);
    page
}

pub(crate) fn show(args: &ShowArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let id = find_request(&client, &args.id)?;
    if args.full {
        return show_full(args, &client, id);
    }
    let view = client.request(id)?;
    args.daemon.print(&view, || card_page(&view.card))?;
    report_shown(&client, id, Extent::Card);
    Ok(Exit::Allowed)
}

/// Tells the daemon what was printed. If that fails, a yes at high risk is refused, which says why.
pub(crate) fn report_shown(client: &OperatorClient, id: RequestId, shown: Extent) {
    let Ok(surface) = SurfaceName::parse(SURFACE) else { return };
    let _unsent = client.report_shown(id, &surface, shown);
}

/// Prints each page as it arrives, because all of them may be large.
fn show_full(args: &ShowArgs, client: &OperatorClient, id: RequestId) -> Result<Exit, Failure> {
    let mut query = RequestTextQuery::default();
    loop {
        let text = client.request_text(id, &query)?;
        args.daemon.print(&text, || {
            let mut page = Page::new();
            for line in &text.lines {
                page.text(line).end();
            }
            page
        })?;
        let Some(next) = text.next else {
            report_shown(client, id, Extent::Whole);
            return Ok(Exit::Allowed);
        };
        query.from = next;
    }
}

/// A card, laid out for the terminal, or one fact per line.
pub(crate) fn card_page(card: &CardView) -> Page {
    let mut page = Page::new();
    if let layout @ CardLayout::Compact(_) = screen::card_layout(std::io::stdout()) {
        let id = card.card.request.to_string();
        for line in layout.render(card, short_id(&id)) {
            page.push_styled_line(&line).end();
        }
        return page;
    }
    for (number, line) in card.lines.iter().enumerate() {
        match number {
            0 => page.styled(RED.bold(), line).end(),
            1 => page.styled(BOLD, line).end(),
            _ => page.text(line).end(),
        };
    }
    page
}
