//! `ledger erase`: arguments and words leave the record for good; the ledger still verifies.

use super::count;
use crate::args::LedgerEraseArgs;
use crate::clock::{SystemClock, SystemEntropy};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page, YELLOW};
use crate::settings::Settings;
use countersign_engine::{Clock, Engine, Erasable, Erasure};
use serde_json::{Value, json};

pub(super) fn erase(args: &LedgerEraseArgs, settings: &Settings) -> Result<Exit, Failure> {
    let what = meant(args)?;
    // Nothing is made where nothing is.
    args.record.to_read(settings)?;
    let store = args.record.to_write(settings)?;
    let engine = Engine::new(store, Box::new(SystemClock), Box::new(SystemEntropy));
    let erasure = if args.yes { engine.erase(&what)? } else { engine.erasable(&what)? };
    if args.json {
        out::show_json(&form(args, &erasure))?;
    } else {
        out::show(&page(args, &erasure))?;
    }
    Ok(Exit::Allowed)
}

fn meant(args: &LedgerEraseArgs) -> Result<Erasable, Failure> {
    match (args.call, &args.session, args.before) {
        (Some(call), None, None) => Ok(Erasable::Call(call)),
        (None, Some(session), None) => Ok(Erasable::Session(session.clone())),
        (None, None, Some(before)) => Ok(Erasable::Before(before.before(SystemClock.now()))),
        _ => Err(Failure::usage(
            "it is not clear whose words are to go",
            "name one of `--call`, `--session` and `--before`",
        )),
    }
}

fn page(args: &LedgerEraseArgs, erasure: &Erasure) -> Page {
    let mut page = Page::new();
    let Erasure { erased, open } = erasure;
    let entries = count(erased.entries.len() as u64);
    let calls = match erased.calls.len() {
        1 => "1 call".to_owned(),
        many => format!("{many} calls"),
    };
    match (args.yes, erased.entries.is_empty()) {
        (_, true) => page.text("there is nothing to erase").end(),
        (true, false) => {
            page.styled(BOLD, "erased")
                .text(&format!(": what {entries} kept apart, of {calls}"))
                .end();
            page.text("the ledger says so itself; backups and exports keep what they have").end()
        }
        (false, false) => {
            page.text(&format!("this would erase what {entries} keep apart, of {calls}")).end();
            page.text("  ").styled(BOLD, "help").text(": it cannot be undone; ");
            page.text("run it again with `--yes`").end()
        }
    };
    for call in open {
        page.styled(YELLOW, "still open")
            .text(&format!(": {call} keeps its words until it is over"));
        page.end();
    }
    page
}

fn form(args: &LedgerEraseArgs, erasure: &Erasure) -> Value {
    let words = |ids: Vec<String>| ids;
    let Erasure { erased, open } = erasure;
    json!({
        "v": 1,
        "result": if args.yes { "erased" } else { "dry_run" },
        "entries": erased.entries,
        "calls": words(erased.calls.iter().map(ToString::to_string).collect()),
        "requests": words(erased.requests.iter().map(ToString::to_string).collect()),
        "grants": words(erased.grants.iter().map(ToString::to_string).collect()),
        "open": words(open.iter().map(ToString::to_string).collect()),
    })
}
