//! `ledger query`: the entries that are about something.

use super::filter::Filter;
use super::line::{json_line, line};
use super::{Seen, each};
use crate::args::LedgerQueryArgs;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::settings::Settings;
use countersign_engine::Clock;
use std::collections::VecDeque;

pub(super) fn query(args: &LedgerQueryArgs, settings: &Settings) -> Result<Exit, Failure> {
    let now = SystemClock.now();
    let since = args.since.map(|when| when.before(now));
    let until = args.until.map(|when| when.before(now));
    let filter = Filter::new(&args.filters, since, until);
    let form = if args.json { Form::Json } else { Form::Lines };
    let record = args.record.to_read(settings)?;
    let mut last: VecDeque<Seen> = VecDeque::new();
    each(&*record, |seen| {
        if !filter.takes(&seen) {
            return Ok(());
        }
        let Some(most) = args.last else { return form.print(&seen) };
        last.push_back(seen);
        if last.len() > most {
            last.pop_front();
        }
        Ok(())
    })?;
    last.iter().try_for_each(|seen| form.print(seen))?;
    Ok(Exit::Allowed)
}

/// How entries are printed.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Lines,
    Json,
}

impl Form {
    pub(super) fn print(self, seen: &Seen) -> Result<(), Failure> {
        match self {
            Self::Lines => out::show(&line(seen)),
            Self::Json => out::show_json(&json_line(seen)),
        }
    }
}
