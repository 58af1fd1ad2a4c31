//! `countersign log`: what happened, in plain words. It reads the ledger, as `ledger query` does.

use crate::args::LogArgs;
use crate::clock::SystemClock;
use crate::entry_text::describe_entry;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{Interrupt, Waited};
use crate::ledger::{EVERY, Filter, Seen, json_line, pages};
use crate::out;
use crate::page::{BOLD, DIM, GREEN, NONE, Page, RED, YELLOW};
use crate::settings::Settings;
use anstyle::Style;
use countersign_core::ledger::about::Whose;
use countersign_core::model::change::Change;
use countersign_core::model::words::{Ending, Outcome};
use countersign_engine::Clock;
use std::collections::VecDeque;

/// The width of a session's name, so that sentences stand below each other.
const SESSION: usize = 12;

pub(crate) fn log(args: &LogArgs, settings: &Settings) -> Result<Exit, Failure> {
    let now = SystemClock.now();
    let since = args.since.map(|when| when.before(now));
    let until = args.until.map(|when| when.before(now));
    let filter = Filter::new(&args.filters, since, until);
    let print = |seen: &Seen| match args.json {
        true => out::show_json(&json_line(seen)),
        false => out::show(&line(seen)),
    };
    let record = args.record.to_read(settings)?;
    let mut interrupt = args.follow.then(Interrupt::listen).transpose()?;
    // Who follows wants what comes, unless something else is named too.
    let most = args.last.or((args.follow && since.is_none()).then_some(0));
    let (mut whose, mut last) = (Whose::default(), VecDeque::new());
    let mut next = pages(&*record, 1..=u64::MAX, |entry| {
        let seen = Seen::of(entry, &mut whose)?;
        match most {
            _ if !filter.takes(&seen) => return Ok(()),
            None => return print(&seen),
            Some(most) => {
                last.push_back(seen);
                last.drain(..last.len().saturating_sub(most));
            }
        }
        Ok(())
    })?;
    last.iter().try_for_each(print)?;
    while interrupt.as_mut().is_some_and(|interrupt| interrupt.wait(EVERY) == Waited::InVain) {
        next = pages(&*record, next..=u64::MAX, |entry| {
            let seen = Seen::of(entry, &mut whose)?;
            if filter.takes(&seen) { print(&seen) } else { Ok(()) }
        })?;
    }
    Ok(Exit::Allowed)
}

fn line(seen: &Seen) -> Page {
    let mut page = Page::new();
    let session = seen.about.session.as_ref().map_or("-", |session| session.as_str());
    let text = describe_entry(seen);
    page.styled(DIM, &seen.at.to_string()).text("  ");
    page.styled(BOLD, &format!("{session:<SESSION$}")).text("  ");
    page.styled(style(&seen.change), &text.sentence);
    if !text.ids.is_empty() {
        page.text(" ").styled(DIM, &text.id_list());
    }
    page.end();
    page
}

/// What somebody who looks over it should not miss.
fn style(change: &Change) -> Style {
    match change {
        Change::CallDecided { decision, .. } => match decision.outcome {
            Outcome::Allow | Outcome::Notify => NONE,
            Outcome::Ask => YELLOW,
            Outcome::Deny => RED,
        },
        Change::RequestAnswered { answered } => match answered.ending {
            Some(Ending::Approved) => GREEN,
            Some(Ending::Declined) => RED,
            Some(Ending::Cancelled | Ending::Expired) | None => YELLOW,
        },
        Change::NoticeRaised { .. } | Change::AgentPaused { .. } => YELLOW,
        _ => NONE,
    }
}
