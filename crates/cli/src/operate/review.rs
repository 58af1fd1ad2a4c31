//! `grants review`: what projects were granted and is due, kept or taken back one by one.

use super::find::meant_id;
use super::grants::{pages, told};
use super::text;
use crate::args::GrantsReview;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ids::short;
use crate::import::Terminal;
use crate::out;
use crate::page::{GREEN, Page, YELLOW};
use crate::settings::Settings;
use countersign_client::Client;
use countersign_core::model::time::{Span, Time};
use countersign_engine::Clock;
use serde_json::{Value, json};

/// Nobody reviews more in one go.
const MOST: u64 = 10_000;

pub(super) fn review(args: &GrantsReview, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    if !args.keep.is_empty() || !args.revoke.is_empty() {
        return by_name(args, &client);
    }
    let due = due(&client, args.within)?;
    if args.daemon.json {
        out::show_json(&json!({"due": due}))?;
        return Ok(Exit::Allowed);
    }
    if due.is_empty() {
        out::show(&Page::of("no grant of a project is due for review"))?;
        return Ok(Exit::Allowed);
    }
    if args.list {
        let pages = due.iter().map(told);
        pages.into_iter().try_for_each(|page| out::show(&page))?;
        return Ok(Exit::Allowed);
    }
    one_by_one(&client, &due)
}

/// What is due, or falls due within so many days; the longest due first.
fn due(client: &Client, within: u32) -> Result<Vec<Value>, Failure> {
    let until = SystemClock.now() + Span::days(i64::from(within));
    let (all, _) = pages(client, "state=in_force&owner=projects", MOST)?;
    let at = |grant: &Value| Time::parse(text(grant, "/review_at"));
    let mut due: Vec<Value> =
        all.into_iter().filter(|grant| at(grant).is_some_and(|at| at <= until)).collect();
    due.sort_by_key(|grant| at(grant));
    Ok(due)
}

fn by_name(args: &GrantsReview, client: &Client) -> Result<Exit, Failure> {
    // All of them are found before anything is done to one.
    let whole = |ids: &[String]| {
        ids.iter().map(|id| meant_id(client, "grant", id)).collect::<Result<Vec<_>, _>>()
    };
    let (keep, revoke) = (whole(&args.keep)?, whole(&args.revoke)?);
    if let Some(both) = keep.iter().find(|id| revoke.contains(id)) {
        let message = format!("{both} cannot be kept and taken back");
        return Err(Failure::usage(message, "name it once"));
    }
    for id in &revoke {
        client.post("/v1/revoke", &json!({"grant": id}))?;
    }
    for id in &keep {
        client.post(&format!("/v1/grants/{id}/keep"), &json!({}))?;
    }
    if args.daemon.json {
        out::show_json(&json!({"kept": keep, "revoked": revoke}))?;
    } else {
        let mut page = Page::new();
        revoke.iter().for_each(|id| said(&mut page, Done::Revoked, id));
        keep.iter().for_each(|id| said(&mut page, Done::Kept, id));
        out::show(&page)?;
    }
    Ok(Exit::Allowed)
}

/// What is typed names the grant, so that nothing that was typed before can be meant.
fn one_by_one(client: &Client, due: &[Value]) -> Result<Exit, Failure> {
    let mut terminal = Terminal::open()?;
    let mut left = 0;
    for grant in due {
        let id = text(grant, "/id");
        let (keep, revoke) = (format!("keep {}", short(id)), format!("revoke {}", short(id)));
        let mut page = told(grant);
        page.text(&format!("Type `{keep}` or `{revoke}`; anything else leaves it as it is: "));
        let reply = terminal.ask(&page)?;
        let mut page = Page::new();
        if reply == keep {
            client.post(&format!("/v1/grants/{id}/keep"), &json!({}))?;
            said(&mut page, Done::Kept, id);
        } else if reply == revoke {
            client.post("/v1/revoke", &json!({"grant": id}))?;
            said(&mut page, Done::Revoked, id);
        } else {
            left += 1;
            page.text("left as it is").end();
        }
        terminal.show(&page)?;
    }
    Ok(if left == 0 { Exit::Allowed } else { Exit::Cancelled })
}

#[derive(Clone, Copy)]
enum Done {
    Kept,
    Revoked,
}

fn said(page: &mut Page, done: Done, id: &str) {
    match done {
        Done::Kept => page.styled(GREEN, "kept"),
        Done::Revoked => page.styled(YELLOW, "revoked"),
    };
    page.text(": ").text(id).end();
}
