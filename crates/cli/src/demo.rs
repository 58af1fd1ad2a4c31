//! `demo`: a scripted agent against the real daemon, in a temporary folder. A person answers, or
//! with `--auto` the demo answers itself.

mod agent;
mod auto;
mod stage;
mod voice;

use crate::args::{DemoArgs, LedgerCommand, LedgerVerifyArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::page::{BOLD, Page};
use crate::record::{Keeper, RecordOption};
use crate::settings::Settings;
use crate::watch::Wires;
use crate::why::{self, Asks};
use crate::{ledger, out, watch};
use stage::Stage;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use voice::Voice;

pub(crate) fn demo(args: &DemoArgs, settings: &Settings) -> Result<Exit, Failure> {
    let auto = args.auto || !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal());
    let mut page =
        Page::from_line("A daemon runs in a temporary folder. Nothing outside of it is touched.");
    if auto && !args.auto {
        page.text("There is no terminal here, so it answers by itself, as with `--auto`.").end();
    }
    out::show(&page)?;
    let stage = Stage::set()?;
    if auto {
        play_unattended(&stage)?
    } else {
        play_attended(&stage, settings)?
    }
    stage.end();
    show_aftermath(&stage.data(), settings)
}

/// The demo answers itself.
fn play_unattended(stage: &Stage) -> Result<(), Failure> {
    let operator = stage.operator();
    std::thread::scope(|scope| {
        let operator = scope.spawn(move || auto::answer_all(&operator));
        let played = agent::play(stage, &Voice::Printed);
        stage.end();
        // The event stream ends with the daemon, and so does the thread that reads it.
        let answered = operator.join().unwrap_or_else(|_| Err(broken_off()));
        played.and(answered)
    })
}

/// A person answers what the agent asks, as with `countersign watch`.
fn play_attended(stage: &Stage, settings: &Settings) -> Result<(), Failure> {
    let wires = Wires::new()?;
    wires.listen_for_signals()?;
    let ended = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        let bell = wires.bell();
        let agent = scope.spawn(move || {
            let played = agent::play(stage, &Voice::Beside(bell.clone()));
            ended.store(true, Ordering::SeqCst);
            bell.end();
            played
        });
        let attended = watch::attend(settings, stage.operator(), &wires);
        // If the person leaves before the agent has ended, the daemon stops: no call is allowed then.
        let left = !ended.load(Ordering::SeqCst);
        if left {
            stage.end();
        }
        let played = agent.join().unwrap_or_else(|_| Err(broken_off()));
        if left { attended } else { attended.and(played) }
    })
}

/// Shows why the last question was asked, and verifies the record.
fn show_aftermath(data: &Path, settings: &Settings) -> Result<Exit, Failure> {
    let record = RecordOption { data: Some(data.to_owned()), store: Some(Keeper::Sqlite) };
    heading("And afterwards: `countersign why --last-asked`")?;
    out::show(&why::page(&*record.to_read(settings)?, Asks::LastAsked)?)?;
    heading("`countersign ledger verify`")?;
    let verify = LedgerVerifyArgs { file: None, contains: None, record, json: false };
    ledger::run(&LedgerCommand::Verify(verify), settings)
}

fn broken_off() -> Failure {
    Failure::new("the demonstration broke off", "run it again; nothing outside of it was touched")
}

fn heading(text: &str) -> Result<(), Failure> {
    let mut page = Page::new();
    page.end().styled(BOLD, text).end();
    out::show(&page)
}
