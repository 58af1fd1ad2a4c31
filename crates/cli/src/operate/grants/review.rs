//! `grants review`: keeps or revokes the project grants that are due for review.

use super::args::GrantsReviewArgs;
use super::{grant_page, list_grants};
use crate::clock::SystemClock;
use crate::limits;
use crate::operate::find_grant;
use crate::settings::Settings;
use countersign_api::{GrantFilter, GrantView, GrantsQuery, OwnerFilter, RevokeRequest};
use countersign_client::OperatorClient;
use countersign_console::{Exit, Failure, GREEN, Page, Tty, YELLOW, out, short_id};
use countersign_core::model::ids::GrantId;
use countersign_core::model::time::Span;
use countersign_engine::Clock;
use serde_json::json;

pub(super) fn review(args: &GrantsReviewArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    if !args.keep.is_empty() || !args.revoke.is_empty() {
        return review_named(args, &client);
    }
    let due = list_due(&client, args.within)?;
    if args.daemon.json {
        out::show_json(&json!({"due": due}))?;
        return Ok(Exit::Allowed);
    }
    if due.is_empty() {
        out::show(&Page::from_line("no project grant is due for review"))?;
        return Ok(Exit::Allowed);
    }
    if args.list {
        due.iter().try_for_each(|grant| out::show(&grant_page(grant)))?;
        return Ok(Exit::Allowed);
    }
    review_at_terminal(&client, &due)
}

/// The grants that are due now or within this many days, the longest due first.
fn list_due(client: &OperatorClient, days: u32) -> Result<Vec<GrantView>, Failure> {
    let until = SystemClock.now() + Span::days(i64::from(days));
    let query = GrantsQuery {
        state: GrantFilter::InForce,
        owner: OwnerFilter::Projects,
        ..GrantsQuery::default()
    };
    let mut due = list_grants(client, query, limits::MAX_REVIEWED_GRANTS)?.grants;
    due.retain(|grant| grant.review_at.is_some_and(|at| at.0 <= until));
    due.sort_by_key(|grant| grant.review_at);
    Ok(due)
}

fn review_named(args: &GrantsReviewArgs, client: &OperatorClient) -> Result<Exit, Failure> {
    // A wrong id must fail before anything is changed.
    let resolve =
        |ids: &[String]| ids.iter().map(|id| find_grant(client, id)).collect::<Result<Vec<_>, _>>();
    let (keep, revoke) = (resolve(&args.keep)?, resolve(&args.revoke)?);
    if let Some(both) = keep.iter().find(|id| revoke.contains(id)) {
        let message = format!("{both} cannot be both kept and revoked");
        return Err(Failure::usage(message, "name it once"));
    }
    for id in &revoke {
        client.revoke(&RevokeRequest::for_grant(*id))?;
    }
    for id in &keep {
        client.keep_grant(*id)?;
    }
    args.daemon.print(&json!({"kept": keep, "revoked": revoke}), || {
        let mut page = Page::new();
        revoke.iter().for_each(|id| add_line(&mut page, ReviewChoice::Revoked, *id));
        keep.iter().for_each(|id| add_line(&mut page, ReviewChoice::Kept, *id));
        page
    })
}

/// The reply must name the grant, so that keys typed earlier cannot answer.
fn review_at_terminal(client: &OperatorClient, due: &[GrantView]) -> Result<Exit, Failure> {
    let mut terminal = Tty::open()?;
    let mut unchanged = 0;
    for grant in due {
        let id = grant.id.to_string();
        let (keep, revoke) =
            (format!("keep {}", short_id(&id)), format!("revoke {}", short_id(&id)));
        let mut page = grant_page(grant);
        page.text(&format!("Type `{keep}` or `{revoke}`; anything else changes nothing: "));
        let reply = terminal.ask(&page)?;
        let mut page = Page::new();
        if reply == keep {
            client.keep_grant(grant.id)?;
            add_line(&mut page, ReviewChoice::Kept, grant.id);
        } else if reply == revoke {
            client.revoke(&RevokeRequest::for_grant(grant.id))?;
            add_line(&mut page, ReviewChoice::Revoked, grant.id);
        } else {
            unchanged += 1;
            page.text("unchanged").end();
        }
        terminal.show(&page)?;
    }
    Ok(if unchanged == 0 { Exit::Allowed } else { Exit::Cancelled })
}

#[derive(Clone, Copy)]
enum ReviewChoice {
    Kept,
    Revoked,
}

fn add_line(page: &mut Page, choice: ReviewChoice, id: GrantId) {
    match choice {
        ReviewChoice::Kept => page.styled(GREEN, "kept"),
        ReviewChoice::Revoked => page.styled(YELLOW, "revoked"),
    };
    page.text(": ").text(&id.to_string()).end();
}
