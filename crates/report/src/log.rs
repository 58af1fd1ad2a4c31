//! `countersign log`: prints what happened, one sentence for each ledger entry.

use crate::entries::ParsedEntry;
use crate::entry_text::describe_entry;
use crate::ledger::{EntryFilter, FilterArgs, TimeArg, entry_json, print_entries};
use crate::limits::LEDGER_POLL_INTERVAL;
use crate::record::{RecordOption, ReportContext};
use anstyle::Style;
use clap::Args;
use countersign_console::{
    BOLD, DIM, Exit, Failure, GREEN, Interrupt, NONE, Page, RED, WaitResult, YELLOW, out, sanitize,
    screen,
};
use countersign_core::model::change::Change;
use countersign_core::model::words::{Ending, Outcome};
use countersign_terminal::wrap_columns;

/// The width of the column of session names.
const SESSION: usize = 12;
/// The width of the column of times.
const TIME: usize = 11;
/// From this width on, the sentences are a column of their own.
const WIDE: usize = 70;

#[derive(Args)]
#[command(
    about = "Show what happened, one line for each entry of the ledger",
    before_help = "\
Examples:
  countersign log --last 20
  countersign log --follow                    new entries, until Ctrl-C
  countersign log --follow --last 20
  countersign log --session s1 --since 2h
  countersign log --id r3e22a1                everything about one call, request or grant
  countersign log --kind call_decided --json  the same as `ledger query --json`"
)]
pub struct LogArgs {
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// From this time: a date, a time (2026-01-05T09:00:00Z) or a duration before now (2h, 30d)
    #[arg(long, value_name = "WHEN", value_parser = TimeArg::parse)]
    pub(crate) since: Option<TimeArg>,
    /// Before this time
    #[arg(long, value_name = "WHEN", value_parser = TimeArg::parse, conflicts_with = "follow")]
    pub(crate) until: Option<TimeArg>,
    /// Only the last so many of them
    #[arg(long, value_name = "COUNT")]
    pub(crate) last: Option<usize>,
    /// Show new entries until Ctrl-C; existing entries only with `--since` or `--last`
    #[arg(long, short = 'f')]
    pub follow: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object per entry
    #[arg(long)]
    pub json: bool,
}

pub fn log(args: &LogArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let filter = EntryFilter::in_period(&args.filters, args.since, args.until, context.now());
    let print = |entry: &ParsedEntry| match args.json {
        true => out::show_json(&entry_json(entry)),
        false => out::show(&log_line(entry)),
    };
    let record = args.record.open_reader(&context.record)?;
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
