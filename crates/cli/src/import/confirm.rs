//! `import confirm` and `import decline`: the operator's answers to imported grants.

use super::answers::AnswerRoute;
use super::args::{ImportConfirmArgs, ImportDeclineArgs};
use super::waiting::{describe_location, open_imports};
use crate::clock::SystemClock;
use crate::settings::Settings;
use countersign_card::required_text;
use countersign_console::{BOLD, Exit, Failure, Page, Tty, out};
use countersign_core::model::ids::RequestId;
use countersign_core::model::imported::ImportedGrant;
use countersign_core::model::request::Request;
use countersign_core::model::words::Choice;
use countersign_engine::Clock;

pub(super) fn confirm(args: &ImportConfirmArgs, settings: &Settings) -> Result<Exit, Failure> {
    // First, so that without a terminal the record is not opened.
    let mut tty = Tty::open()?;
    let (state, _) = args.record.open_reader(&settings.record())?.snapshot()?;
    let route = AnswerRoute::open(&args.record, settings)?;
    let waiting = open_imports(&state, SystemClock.now());
    let chosen: Vec<&(&Request, &ImportedGrant)> =
        waiting.iter().filter(|(request, _)| args.id.is_none_or(|id| id == request.id)).collect();
    if let (Some(id), true) = (args.id, chosen.is_empty()) {
        return Err(not_open(id));
    }
    let mut left = 0;
    for (request, imported) in chosen {
        let confirmation = confirmation_text(request);
        let reply = tty.ask(&draw_card(request, imported, &confirmation))?;
        if reply != confirmation {
            left += 1;
            tty.show(&Page::from_line("left open"))?;
            continue;
        }
        let choice = request.items.first().and_then(|item| item.choices.first()).copied();
        let result = route.answer(request, choice.unwrap_or(Choice::Decline))?;
        out::show(&Page::from_line(&format!("{}: {result}", request.id)))?;
    }
    Ok(if left == 0 { Exit::Allowed } else { Exit::Cancelled })
}

pub(super) fn decline(args: &ImportDeclineArgs, settings: &Settings) -> Result<Exit, Failure> {
    let (state, _) = args.record.open_reader(&settings.record())?.snapshot()?;
    let waiting = open_imports(&state, SystemClock.now());
    let found = waiting.iter().find(|(request, _)| request.id == args.id);
    let (request, _) = found.ok_or_else(|| not_open(args.id))?;
    let route = AnswerRoute::open(&args.record, settings)?;
    let result = route.answer(request, Choice::Decline)?;
    out::show(&Page::from_line(&format!("{}: {result}", args.id)))?;
    Ok(Exit::Allowed)
}

fn not_open(id: RequestId) -> Failure {
    Failure::usage(
        format!("no imported grant waits as `{id}`"),
        "`countersign import waiting` lists those that do",
    )
}

/// What the operator types: it names what the grant covers.
fn confirmation_text(request: &Request) -> String {
    format!("confirm {}", required_text(None, request, None).text)
}

fn draw_card(request: &Request, imported: &ImportedGrant, confirmation: &str) -> Page {
    let mut page = Page::new();
    page.end().styled(BOLD, &format!("A grant from {}: ", imported.origin));
    page.text(&imported.coverage.to_string()).end();
    let ends = imported.ends_at.map_or_else(|| "never".to_owned(), |end| end.to_string());
    let risk = request.items.first().map_or("-", |item| item.risk.word());
    for (name, value) in [
        ("agent", request.agent.to_string()),
        ("in", describe_location(request, imported)),
        ("scope", imported.scope.to_string()),
        ("risk", format!("up to {risk}")),
        ("given", imported.given_at.to_string()),
        ("ends", ends),
        ("key", imported.key.clone()),
        ("words", imported.words.clone()),
        ("digest", request.digest.short()),
    ] {
        if !value.is_empty() {
            page.text(&format!("  {name:<9}")).text(&value).end();
        }
    }
    page.text(&format!("Type `{confirmation}` to confirm it; anything else leaves it open: "));
    page
}
