//! `countersign why`: explains a decision from the ledger. No daemon is needed.
//!
//! Every fact comes from recorded entries: the decision with its reason, and what followed from it.
//! Nothing is decided again.

mod find;
mod history;
mod render;
mod search;

use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::Page;
use crate::settings::Settings;
use countersign_engine::StoreReader;
use history::DecisionHistory;

/// The decision that is explained.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DecisionQuery<'a> {
    /// About an object with this id, or with an id that begins or ends like this.
    Id(&'a str),
    LastAsked,
    /// The last one that passed without asking.
    LastSkipped,
}

pub(crate) fn why(args: &args::WhyArgs, settings: &Settings) -> Result<Exit, Failure> {
    let record = args.record.open_reader(settings)?;
    let query = match &args.id {
        Some(id) => DecisionQuery::Id(id),
        None if args.last_asked => DecisionQuery::LastAsked,
        None => DecisionQuery::LastSkipped,
    };
    if args.json {
        out::show_json(&render::explanation_json(&load_history(&*record, query)?))?;
    } else {
        out::show(&explain(&*record, query)?)?;
    }
    Ok(Exit::Allowed)
}

pub(crate) fn explain(record: &dyn StoreReader, query: DecisionQuery<'_>) -> Result<Page, Failure> {
    Ok(render::explanation_page(&load_history(record, query)?))
}

fn load_history(
    record: &dyn StoreReader,
    query: DecisionQuery<'_>,
) -> Result<DecisionHistory, Failure> {
    DecisionHistory::load(record, &find::find_decision(record, query)?)
}
