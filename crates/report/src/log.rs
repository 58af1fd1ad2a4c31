//! `countersign log`: what happened, as a diary of calls, or with `--verbose` entry by entry.
//!
//! See docs/decisions/0126-the-record-as-a-diary.md.

mod diary;

use crate::entries::{ParsedEntry, for_each_entry};
use crate::entry_text::{describe_entry, shorten};
use crate::ledger::{
    EntryFilter, FilterArgs, KnownNames, LocalDay, TimeArg, entry_json, print_entries,
};
use crate::limits::LEDGER_POLL_INTERVAL;
use crate::record::{RecordOption, ReportContext};
use anstyle::Style;
use clap::Args;
use countersign_console::{
    BOLD, DIM, Exit, Failure, GREEN, Interrupt, NONE, Page, RED, WaitResult, YELLOW, out, sanitize,
    screen,
};
use countersign_core::model::change::Change;
use countersign_core::model::time::Span;
use countersign_core::model::words::{Ending, Outcome};
use countersign_engine::StoreReader;
use countersign_terminal::{cut_to_width, text_width, wrap_columns};
use diary::{Diary, DiaryLine, EntryRole, LineState};

/// The width of the column of session names.
const SESSION: usize = 12;
/// The width of the column of times.
const TIME: usize = 15;
/// The width of the column of agents in the diary.
const AGENT: usize = 8;
/// The width of the column that says what became of a call.
const STATE: usize = 9;
/// From this width on, the sentences are a column of their own.
const WIDE: usize = 70;

#[derive(Args)]
#[command(
    about = "Show what happened, one line for each call",
    before_help = "\
Examples:
  countersign log --today
  countersign log --last 20
  countersign log --since yesterday --agent claude
  countersign log --session s1 --since '5 jan 14:30'
  countersign log --verbose                   every entry: questions, deliveries, turns, grants
  countersign log --follow                    new entries, until Ctrl-C
  countersign log --id r3e22a1                everything about one call, request or grant
  countersign log --kind call_decided --json  the same as `ledger query --json`"
)]
pub struct LogArgs {
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// From this time: today, yesterday, monday, 5 jan, 14:30, 2026-01-05, or how long ago (2h, 3 days)
    #[arg(long, value_name = "WHEN", value_parser = TimeArg::parse)]
    pub(crate) since: Option<TimeArg>,
    /// Before this time
    #[arg(long, value_name = "WHEN", value_parser = TimeArg::parse, conflicts_with = "follow")]
    pub(crate) until: Option<TimeArg>,
    /// The same as `--since today`
    #[arg(long, conflicts_with = "since")]
    pub(crate) today: bool,
    /// Every entry of the ledger in a line of its own, with deliveries and turns
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
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
    let today = TimeArg::Local(LocalDay::Back(0), Span::seconds(0));
    let since = args.since.or(args.today.then_some(today));
    let filter = EntryFilter::in_period(&args.filters, since, args.until, context.now());
    let record = args.record.open_reader(&context.record)?;
    // Who names kinds or an object wants to see the entries.
    let is_by_entry = args.verbose
        || args.json
        || args.follow
        || !args.filters.kinds.is_empty()
        || !args.filters.ids.is_empty();
    if !is_by_entry {
        return print_diary(&*record, &filter, args.last);
    }
    let print = |entry: &ParsedEntry| match args.json {
        true => out::show_json(&entry_json(entry)),
        false => out::show(&log_line(entry)),
    };
    let mut interrupt = args.follow.then(Interrupt::listen).transpose()?;
    let wait = || match &mut interrupt {
        Some(interrupt) => interrupt.wait(LEDGER_POLL_INTERVAL),
        None => WaitResult::Interrupted,
    };
    // With `--follow` alone only new entries are printed.
    let last = args.last.or((args.follow && since.is_none()).then_some(0));
    print_entries(&*record, &filter, last, print, wait)?;
    Ok(Exit::Allowed)
}

fn print_diary(
    record: &dyn StoreReader,
    filter: &EntryFilter<'_>,
    last: Option<usize>,
) -> Result<Exit, Failure> {
    let (mut diary, mut known) = (Diary::default(), KnownNames::default());
    for_each_entry(record, |entry| {
        known.add(filter, &entry);
        let role = match filter.matches(&entry) {
            true => EntryRole::MayBegin,
            false => EntryRole::OnlyContinues,
        };
        diary.add(&entry, role);
        Ok(())
    })?;
    known.check(filter)?;
    let mut page = Page::new();
    for (at, group) in diary.into_groups(last).iter().enumerate() {
        if at > 0 {
            page.end();
        }
        add_group(&mut page, group);
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// The session in a line of its own, then its calls.
fn add_group(page: &mut Page, group: &[DiaryLine]) {
    let Some(first) = group.first() else { return };
    let mut day = screen::local_time(first.at).day;
    let parts = match &first.session {
        Some(session) => [
            Some(first.agent.clone()),
            first.project.clone(),
            Some(format!("session {}", session.name())),
            Some(day.clone()),
        ],
        None => [Some("Countersign".to_owned()), None, None, Some(day.clone())],
    };
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    page.styled(BOLD, &parts.join(" · ")).end();
    for line in group {
        let local = screen::local_time(line.at);
        if local.day != day {
            day = local.day;
            page.spaces(2).styled(DIM, &day).end();
        }
        add_line(page, line, &local.clock);
    }
}

/// One line. On a terminal it is cut where the window ends; `why` shows the rest.
fn add_line(page: &mut Page, line: &DiaryLine, clock: &str) {
    let agent = if line.agent.is_empty() { "-" } else { line.agent.as_str() };
    let width = screen::terminal_width(std::io::stdout());
    page.spaces(2).styled(DIM, clock).spaces(2);
    page.text(&format!("{agent:<AGENT$}")).spaces(2);
    if line.state == LineState::Event {
        page.text(&line.what).end();
        return;
    }
    page.styled(state_style(line.state), &format!("{:<STATE$}", line.state.word())).spaces(2);
    let what = shorten(&line.what);
    let used = 2 + 8 + 2 + AGENT.max(agent.len()) + 2 + STATE + 2;
    // The call gets up to half of what is left, the reason the rest.
    let room = width.map(|width| width.saturating_sub(used + 2 + line.id.len() + 2).max(20));
    let what = match room {
        Some(room) if text_width(&what) > room * 3 / 5 => cut_to_width(&what, room * 3 / 5),
        Some(_) | None => what,
    };
    let why = match room {
        Some(room) => cut_to_width(&line.why, room.saturating_sub(text_width(&what)).max(8)),
        None => line.why.clone(),
    };
    page.styled(BOLD, &what).spaces(2).text(&why);
    if !line.id.is_empty() {
        page.spaces(2).styled(DIM, &line.id);
    }
    page.end();
}

const fn state_style(state: LineState) -> Style {
    match state {
        LineState::Allowed | LineState::Event => GREEN,
        LineState::Denied | LineState::Declined | LineState::Failed => RED,
        LineState::Waiting | LineState::Expired | LineState::Cancelled => YELLOW,
    }
}

fn log_line(entry: &ParsedEntry) -> Page {
    let mut page = Page::new();
    let session = entry.about.session.as_ref().map_or("-", |session| session.name());
    let text = describe_entry(entry);
    let style = change_style(&entry.change);
    if let Some(columns) = screen::terminal_width(std::io::stdout()) {
        let local = screen::local_time(entry.at);
        let time = format!(
            "{} {}",
            local.day.split(' ').skip(1).take(2).collect::<Vec<_>>().join(" "),
            local.clock
        );
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
