//! `import confirm` and `import decline`: the operator's answer to what was brought in.

use super::answers::Answers;
use super::terminal::Terminal;
use super::waiting::{open, place};
use crate::args::{ImportConfirmArgs, ImportDeclineArgs};
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page};
use crate::settings::Settings;
use countersign_core::model::ids::RequestId;
use countersign_core::model::imported::Imported;
use countersign_core::model::request::Request;
use countersign_core::model::words::Choice;
use countersign_engine::Clock;

pub(super) fn confirm(args: &ImportConfirmArgs, settings: &Settings) -> Result<Exit, Failure> {
    // Before the record is touched: without anybody to ask there is nothing to do.
    let mut terminal = Terminal::open()?;
    let (state, _) = args.record.to_read(settings)?.snapshot()?;
    let answers = Answers::open(&args.record, settings)?;
    let waiting = open(&state, SystemClock.now());
    let meant: Vec<&(&Request, &Imported)> =
        waiting.iter().filter(|(request, _)| args.id.is_none_or(|id| id == request.id)).collect();
    if let (Some(id), true) = (args.id, meant.is_empty()) {
        return Err(not_open(id));
    }
    let mut left = 0;
    for (request, imported) in meant {
        let word = code(request);
        let reply = terminal.ask(&card(request, imported, &word))?;
        if reply != word {
            left += 1;
            terminal.show(&Page::of("left open"))?;
            continue;
        }
        let choice = request.items.first().and_then(|item| item.choices.first()).copied();
        let said = answers.give(request, choice.unwrap_or(Choice::Decline))?;
        out::show(&Page::of(&format!("{}: {said}", request.id)))?;
    }
    Ok(if left == 0 { Exit::Allowed } else { Exit::Cancelled })
}

pub(super) fn decline(args: &ImportDeclineArgs, settings: &Settings) -> Result<Exit, Failure> {
    let (state, _) = args.record.to_read(settings)?.snapshot()?;
    let waiting = open(&state, SystemClock.now());
    let known = waiting.iter().find(|(request, _)| request.id == args.id);
    let (request, _) = known.ok_or_else(|| not_open(args.id))?;
    let said = Answers::open(&args.record, settings)?.give(request, Choice::Decline)?;
    out::show(&Page::of(&format!("{}: {said}", args.id)))?;
    Ok(Exit::Allowed)
}

fn not_open(id: RequestId) -> Failure {
    Failure::usage(
        format!("`{id}` is nothing that was imported and waits"),
        "`countersign import waiting` lists what does",
    )
}

/// What has to be typed: a yes that fits no other question.
fn code(request: &Request) -> String {
    let digest = request.digest.to_string();
    format!("confirm {}", digest.chars().take(6).collect::<String>())
}

fn card(request: &Request, imported: &Imported, word: &str) -> Page {
    let mut page = Page::new();
    page.end().styled(BOLD, &format!("An old grant from {}: ", imported.origin));
    page.text(&imported.coverage.to_string()).end();
    let ends = imported.ends_at.map_or_else(|| "no end there".to_owned(), |end| end.to_string());
    let risk = request.items.first().map_or("-", |item| item.risk.word());
    for (name, value) in [
        ("agent", request.agent.to_string()),
        ("holds in", place(request, imported)),
        ("scope", imported.scope.to_string()),
        ("carries", format!("up to {risk} risk")),
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
    page.text(&format!("Type `{word}` to confirm it; anything else leaves it open: "));
    page
}
