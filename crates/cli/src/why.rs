//! `countersign why`: a decision explained out of its own record.
//!
//! Every word comes from entries of the ledger: the decision with its reason, and what followed
//! from it. Nothing is decided again, and nobody has to be running.

mod back;
mod find;
mod story;
mod tell;

use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::Page;
use crate::settings::Settings;
use countersign_engine::StoreReader;
use serde_json::Value;

/// Which decision is meant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asks<'a> {
    /// About this, by its id or an end of it.
    Id(&'a str),
    /// The last that somebody had to be asked about.
    LastAsked,
    /// The last that passed without asking.
    LastSkipped,
}

pub(crate) fn why(args: &args::WhyArgs, settings: &Settings) -> Result<Exit, Failure> {
    let record = args.record.to_read(settings)?;
    let asks = match &args.id {
        Some(id) => Asks::Id(id),
        None if args.last_asked => Asks::LastAsked,
        None => Asks::LastSkipped,
    };
    if args.json {
        out::show_json(&json(&*record, asks)?)?;
    } else {
        out::show(&page(&*record, asks)?)?;
    }
    Ok(Exit::Allowed)
}

/// The explanation, for people.
pub(crate) fn page(record: &dyn StoreReader, asks: Asks<'_>) -> Result<Page, Failure> {
    let found = find::find(record, asks)?;
    Ok(tell::page(&story::story(record, &found)?))
}

/// The same, for programs.
pub(crate) fn json(record: &dyn StoreReader, asks: Asks<'_>) -> Result<Value, Failure> {
    let found = find::find(record, asks)?;
    Ok(tell::json(&story::story(record, &found)?))
}
