//! `countersign log`: prints what happened, one sentence for each ledger entry.

use crate::args::LogArgs;
use crate::entry_text::describe_entry;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{Interrupt, WaitResult};
use crate::ledger::{EntryFilter, ParsedEntry, entry_json, print_entries};
use crate::limits::LEDGER_POLL_INTERVAL;
use crate::out;
use crate::page::{BOLD, DIM, GREEN, NONE, Page, RED, YELLOW};
use crate::sanitize::sanitize;
use crate::screen;
use crate::settings::Settings;
use anstyle::Style;
use countersign_core::model::change::Change;
use countersign_core::model::words::{Ending, Outcome};
use countersign_terminal::wrap_columns;

/// The width of the column of session names.
const SESSION: usize = 12;
/// The width of the column of times.
const TIME: usize = 11;
/// From this width on, the sentences are a column of their own.
const WIDE: usize = 70;

pub(crate) fn log(args: &LogArgs, settings: &Settings) -> Result<Exit, Failure> {
    let filter = EntryFilter::in_period(&args.filters, args.since, args.until);
    let print = |entry: &ParsedEntry| match args.json {
        true => out::show_json(&entry_json(entry)),
        false => out::show(&log_line(entry)),
    };
    let record = args.record.open_reader(settings)?;
    let mut interrupt = args.follow.then(Interrupt::listen).transpose()?;
    let wait = || match &mut interrupt {
        Some(interrupt) => interrupt.wait(LEDGER_POLL_INTERVAL),
        None => WaitResult::Interrupted,
    };
    // With `--follow` alone only new entries are printed.
    let last = args.last.or((args.follow && args.since.is_none()).then_some(0));
    print_entries(&*record, &filter, last, print, wait)?;
    Ok(Exit::Allowed)
}

fn log_line(entry: &ParsedEntry) -> Page {
    let mut page = Page::new();
    let session = entry.about.session.as_ref().map_or("-", |session| session.name());
    let text = describe_entry(entry);
    let style = change_style(&entry.change);
    if let Some(columns) = screen::terminal_width(std::io::stdout()) {
        let time = screen::display_time(entry.at);
        let start = format!("{time:<TIME$}  {session:<SESSION$}  ");
        let line = format!("{} {}", text.sentence, text.id_list());
        // Only what stands in the first line has a column of its own.
        let indent = " ".repeat(if columns >= WIDE { TIME + SESSION + 4 } else { 4 });
        for line in wrap_columns(&sanitize(&start), &indent, &sanitize(&line), columns) {
            page.styled(style, line.trim_end()).end();
        }
        return page;
    }
    page.styled(DIM, &entry.at.to_string()).text("  ");
    page.styled(BOLD, &format!("{session:<SESSION$}")).text("  ");
    page.styled(style, &text.sentence);
    if !text.ids.is_empty() {
        page.text(" ").styled(DIM, &text.id_list());
    }
    page.end();
    page
}

/// Colours what a reader should not miss.
fn change_style(change: &Change) -> Style {
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
