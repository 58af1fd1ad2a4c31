//! `ledger erase`: erases arguments and texts for good. The ledger still verifies.

use super::args::LedgerEraseArgs;
use super::count_entries;
use crate::record::ReportContext;
use countersign_console::{BOLD, Exit, Failure, Page, YELLOW, out, screen};
use countersign_core::model::names::{SessionKey, SessionName};
use countersign_core::model::time::Time;
use countersign_engine::{Engine, Erasable, Erasure, Store};
use serde_json::{Value, json};

pub(super) fn erase(args: &LedgerEraseArgs, context: ReportContext) -> Result<Exit, Failure> {
    // Opening the store for writing would create a record.
    args.record.open_reader(&context.record)?;
    let store = args.record.open_store(&context.record)?;
    let now = context.now();
    let engine = Engine::new(store, context.clock, context.entropy);
    let what = erasable(args, &engine, now)?;
    let erasure = if args.yes { engine.erase(&what)? } else { engine.preview_erasure(&what)? };
    if args.json {
        out::show_json(&erasure_json(args, &erasure))?;
    } else {
        out::show(&erasure_page(args, &erasure))?;
    }
    Ok(Exit::Allowed)
}

fn erasable<S: Store>(
    args: &LedgerEraseArgs,
    engine: &Engine<S>,
    now: Time,
) -> Result<Erasable, Failure> {
    match (args.call, &args.session, args.before) {
        (Some(call), None, None) => Ok(Erasable::Call(call)),
        (None, Some(session), None) => find_session(engine, session).map(Erasable::Session),
        (None, None, Some(before)) => Ok(Erasable::Before(before.resolve(now, screen::utc_offset))),
        _ => Err(Failure::usage(
            "it is not clear which text to erase",
            "name one of `--call`, `--session` and `--before`",
        )),
    }
}

/// The one session that is meant. A name that nobody uses is refused, so that a slip is noticed.
fn find_session<S: Store>(engine: &Engine<S>, named: &SessionName) -> Result<SessionKey, Failure> {
    let found = engine.find_sessions(named)?;
    match found.as_slice() {
        [session] => Ok(session.clone()),
        [] => {
            let message = format!("there is no session `{named}`");
            Err(Failure::usage(message, "`countersign log` shows the sessions"))
        }
        [..] => {
            let names: Vec<String> = found.iter().map(SessionKey::qualified_name).collect();
            let message = format!("several agents have a session `{named}`: {}", names.join(", "));
            Err(Failure::usage(message, "name the session as AGENT/NAME"))
        }
    }
}

fn erasure_page(args: &LedgerEraseArgs, erasure: &Erasure) -> Page {
    let mut page = Page::new();
    let Erasure { erased, open } = erasure;
    let entries = count_entries(erased.entries.len() as u64);
    let calls = match erased.calls.len() {
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    };
    match (args.yes, erased.entries.is_empty()) {
        (_, true) => page.text("there is nothing to erase").end(),
        (true, false) => {
            let what = format!(": the sealed parts of {entries}, from {calls}");
            page.styled(BOLD, "erased").text(&what).end();
            page.text("the ledger records the erasure; backups and exports still contain the text");
            page.end()
        }
        (false, false) => {
            page.text(&format!("this would erase the sealed parts of {entries}, from {calls}"));
            page.end().text("  ").styled(BOLD, "help");
            page.text(": it cannot be undone; run it again with `--yes`").end()
        }
    };
    for call in open {
        let text = format!(": {call} keeps its text until it has ended");
        page.styled(YELLOW, "still open").text(&text).end();
    }
    page
}

fn erasure_json(args: &LedgerEraseArgs, erasure: &Erasure) -> Value {
    let Erasure { erased, open } = erasure;
    json!({
        "v": 1,
        "result": if args.yes { "erased" } else { "dry_run" },
        "entries": erased.entries,
        "calls": erased.calls,
        "requests": erased.requests,
        "grants": erased.grants,
        "open": open,
    })
}
