//! `demo`: a scripted agent against the real daemon, in a folder that is thrown away. A person
//! answers, or with `--auto` nobody has to.

mod agent;
mod auto;
mod stage;

use crate::args::{Demo, Ledger, LedgerVerify};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::page::{BOLD, Page};
use crate::record::{Keeper, RecordOption};
use crate::settings::Settings;
use crate::why::{self, Asks};
use crate::{ledger, out};
use stage::Stage;
use std::io::IsTerminal;
use std::path::Path;

pub(crate) fn demo(args: &Demo, settings: &Settings) -> Result<Exit, Failure> {
    let auto = args.auto || !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal());
    let mut page =
        Page::of("A daemon runs in a temporary folder. Nothing outside of it is touched.");
    if auto && !args.auto {
        page.text("There is no terminal here, so it answers by itself, as with `--auto`.").end();
    }
    out::show(&page)?;
    let mut stage = Stage::set()?;
    let operator = stage.operator();
    std::thread::scope(|scope| {
        let operator = scope.spawn(move || auto::answering(&operator));
        let played = agent::play(&stage);
        stage.end();
        // The stream of events ends with the daemon, and so does whoever reads it.
        let answered = operator.join().unwrap_or(Ok(()));
        played.and(answered)
    })?;
    told(&stage.data(), settings)
}

/// What is left of it: why the last question was asked, and a record that holds together.
fn told(data: &Path, settings: &Settings) -> Result<Exit, Failure> {
    let record = RecordOption { data: Some(data.to_owned()), store: Some(Keeper::Sqlite) };
    heading("And afterwards: `countersign why --last-asked`")?;
    out::show(&why::page(&*record.to_read(settings)?, Asks::LastAsked)?)?;
    heading("`countersign ledger verify`")?;
    let verify = LedgerVerify { file: None, contains: None, record, json: false };
    ledger::run(&Ledger::Verify(verify), settings)
}

fn heading(text: &str) -> Result<(), Failure> {
    let mut page = Page::new();
    page.end().styled(BOLD, text).end();
    out::show(&page)
}
