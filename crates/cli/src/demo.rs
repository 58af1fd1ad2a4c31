//! `demo`: runs a scripted agent against a real daemon in a temporary folder. A person answers, or the
//! demo itself with `--auto`.

mod agent;
mod auto_answer;
mod output;
mod setup;

use crate::limits;
use crate::settings::Settings;
use crate::watch::{InputQueue, WatchDisplay, watch_requests};
use clap::Args;
use countersign_console::{Exit, Failure, Interrupt, Page, WaitResult, out};
use countersign_report::{
    DecisionQuery, LedgerCommand, LedgerVerifyArgs, RecordOption, StoreChoice, explain_decision,
    ledger,
};
use output::DemoOutput;
use setup::DemoSetup;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to do after the demo.
const NEXT_STEPS: &str = "\
To use it: `countersign init` guards the coding agents on this machine; it shows every change before
it asks. `countersign watch` in a second terminal shows you what they ask.";

#[derive(Args)]
#[command(
    about = "Watch a demonstration with a scripted agent and the real daemon",
    before_help = "\
Examples:
  countersign demo           you answer the requests
  countersign demo --auto    the answers are scripted too

It uses a temporary folder, and no account, no model and no network. The agent reads, edits, and
tries to push and to pay; you are asked about what matters. At the end you see the reason for the
last request and the verified ledger."
)]
pub(crate) struct DemoArgs {
    /// Answer automatically
    #[arg(long)]
    pub(crate) auto: bool,
}

/// Leaving early, with Ctrl-C or a closed pipe, is no error.
pub(crate) fn demo(args: &DemoArgs, settings: &Settings) -> Result<Exit, Failure> {
    match run_demo(args, settings) {
        Err(Failure::OutputClosed) => Ok(Exit::Allowed),
        result => result,
    }
}

fn run_demo(args: &DemoArgs, settings: &Settings) -> Result<Exit, Failure> {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let mut page = Page::from_line(
        "A daemon runs in a temporary folder. The demo changes nothing outside of it.",
    );
    if !args.auto && !is_terminal {
        page.text("There is no terminal here, so the demo answers itself, as with `--auto`.").end();
    }
    out::show(&page)?;
    let setup = DemoSetup::create()?;
    let ending = if args.auto || !is_terminal {
        run_unattended(&setup)?
    } else {
        run_attended(&setup, settings)?;
        DemoEnding::Finished
    };
    setup.stop_daemon();
    if ending == DemoEnding::Interrupted {
        out::show(&Page::from_line("stopped"))?;
    } else {
        show_record(&setup.data(), settings)?;
    }
    let mut page = Page::new();
    page.end();
    for line in NEXT_STEPS.lines() {
        page.text(line).end();
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DemoEnding {
    Finished,
    Interrupted,
}

/// The demo answers itself.
fn run_unattended(setup: &DemoSetup) -> Result<DemoEnding, Failure> {
    let operator = setup.operator();
    let mut interrupt = Interrupt::listen()?;
    let is_over = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Ctrl-C stops the daemon, and with it the agent and the one who answers it in the demo.
        let interrupted = scope.spawn(move || {
            while !is_over.load(Ordering::SeqCst) {
                if interrupt.wait(limits::DEMO_INTERRUPT_POLL) == WaitResult::Interrupted {
                    setup.stop_daemon();
                    return true;
                }
            }
            false
        });
        let operator = scope.spawn(move || auto_answer::answer_all(&operator));
        let agent_result = agent::run_agent(setup, &DemoOutput::Stdout);
        // The event stream ends with the daemon, and so does the thread that reads it.
        setup.stop_daemon();
        let operator_result = operator.join().unwrap_or_else(|_| Err(thread_failure()));
        is_over.store(true, Ordering::SeqCst);
        if interrupted.join().unwrap_or(false) {
            return Ok(DemoEnding::Interrupted);
        }
        agent_result.and(operator_result).map(|()| DemoEnding::Finished)
    })
}

/// A person answers the agent's requests, as with `countersign watch`.
fn run_attended(setup: &DemoSetup, settings: &Settings) -> Result<(), Failure> {
    let queue = InputQueue::new()?;
    queue.listen_for_signals()?;
    let is_finished = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        let sender = queue.sender();
        let agent = scope.spawn(move || {
            let result = agent::run_agent(setup, &DemoOutput::Terminal(sender.clone()));
            is_finished.store(true, Ordering::SeqCst);
            sender.send_end();
            result
        });
        let watch_result = watch_requests(settings, setup.operator(), &queue, WatchDisplay::Lines);
        // If the person quits before the agent has finished, no further call may be allowed.
        let has_quit = !is_finished.load(Ordering::SeqCst);
        if has_quit {
            setup.stop_daemon();
        }
        let agent_result = agent.join().unwrap_or_else(|_| Err(thread_failure()));
        if has_quit { watch_result } else { watch_result.and(agent_result) }
    })
}

/// Explains the last request, and verifies the ledger.
fn show_record(data: &Path, settings: &Settings) -> Result<Exit, Failure> {
    let record = RecordOption { data: Some(data.to_owned()), store: Some(StoreChoice::Sqlite) };
    let output = DemoOutput::Stdout;
    output.print_heading("Afterwards: `countersign why --last-asked`")?;
    out::show(&explain_decision(
        &*record.open_reader(&settings.record())?,
        DecisionQuery::LastAsked,
    )?)?;
    output.print_heading("`countersign ledger verify`")?;
    let verify = LedgerVerifyArgs::for_record(record);
    ledger(&LedgerCommand::Verify(verify), settings.report_context())
}

fn thread_failure() -> Failure {
    Failure::new("the demo stopped unexpectedly", "run it again")
}
