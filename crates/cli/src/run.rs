//! `countersign run`: a command is decided about, and then exactly that is run.
//!
//! What is decided about are the words that are executed, the folder, and the file that the first
//! word leads to. There is no shell. How it ended is reported, so that a yes for one call is used up.

mod child;
mod environment;
mod program;

use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operate::{decided_exit, put, text};
use crate::out;
use crate::page::{Page, RED};
use crate::settings::Settings;
use crate::watch;
use child::{Ended, Running};
use countersign_client::Client;
use countersign_commands::analyse;
use countersign_core::model::command::Command;
use environment::Environment;
use program::Held;
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) fn run(args: &args::Run, settings: &Settings) -> Result<Exit, Failure> {
    let here = here()?;
    let held = Held::find(&args.command, &here, settings)?;
    let environment = Environment::of(&args.variables)?;
    let line = environment.before(&held.words());
    is_the_same(&line, &held)?;
    let socket = settings.agent_socket(&args.daemon.folder(settings)?);
    let patience = Duration::from_secs(args.wait + 10);
    let client = Client::at(&socket, patience).by(settings.token()?);
    let mut body = json!({
        "session": args.session, "tool": args.tool, "args": {"command": line},
        "reason": args.reason,
    });
    put(&mut body, "cwd", &here);
    let said = watch::checked(&client, body, (&args.daemon, args.wait), settings)?;
    if text(&said, "/status") != "allowed" {
        not_run(text(&said, "/sentence"));
        // Only what ran may end with 0.
        return Ok(match decided_exit(&said) {
            Exit::Allowed => Exit::Failure,
            other => other,
        });
    }
    let call = Call { client: &client, operator: args.daemon.operator(settings).ok(), args, said };
    // The yes was for what was there before, and is used up.
    held.is_unchanged().inspect_err(|_| call.report("failed"))?;
    let started = Running::start(&held, &environment);
    let running = started.inspect_err(|_| call.nothing_happened())?;
    let ended = running.ended();
    call.report(match &ended {
        Ok(Ended::Code(0)) => "done",
        Ok(Ended::Code(_)) => "failed",
        Ok(Ended::Signal(_)) | Err(_) => "unknown",
    });
    Ok(Exit::OfCommand(ended?.code()))
}

/// What was decided, and whom to tell how it ended.
struct Call<'a> {
    client: &'a Client,
    operator: Option<Client>,
    args: &'a args::Run,
    said: Value,
}

impl Call<'_> {
    /// What could not be reported stays a call that runs, and after a restart nobody knows how it
    /// ended: that is stricter than anything that could be said here.
    fn report(&self, effect: &str) {
        let path = format!("/v1/operations/{}/outcome", text(&self.said, "/operation_id"));
        let body = json!({"session": self.args.session, "effect": effect});
        if let Err(error) = self.client.post(&path, &body) {
            out::tell(&Page::of(&format!("how it ended could not be reported: {error}")));
        }
    }

    /// It was never started. That gives a yes back, and so an agent cannot say it: it counts where
    /// the operator's socket can be reached from here, and elsewhere the call has failed.
    fn nothing_happened(&self) {
        let path = format!("/v1/calls/{}/nothing-happened", text(&self.said, "/operation_id"));
        let body = json!({"session": self.args.session});
        let attested = self.operator.as_ref().map(|operator| operator.post(&path, &body));
        if !matches!(attested, Some(Ok(_))) {
            self.report("failed");
        }
    }
}

fn here() -> Result<String, Failure> {
    let help = "go to a folder that is there and can be written down";
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(format!("the current folder is not known: {error}"), help))?;
    let whole = here.to_str().map(str::to_owned);
    whole.ok_or_else(|| Failure::usage("the current folder's name is no text", help))
}

/// The line has to be read back as just these words, by the same reading that decides. What is not
/// plain to it (a variable in front, a word like `<name>`) is asked about as it is written, once.
fn is_the_same(line: &str, held: &Held) -> Result<(), Failure> {
    match analyse(line, None).command {
        Command::Plain { argv, .. } if argv != held.words() => Err(Failure::usage(
            "these words cannot be decided about as they are",
            "write them another way, or put them into a file",
        )),
        Command::Plain { .. } | Command::NotPlain { .. } => Ok(()),
    }
}

fn not_run(why: &str) {
    let mut page = Page::new();
    page.styled(RED, "not run").text(": ").text(why).end();
    out::tell(&page);
}
