//! `countersign run`: has a command decided, and then runs exactly that command.
//!
//! The decision covers the words that are executed, the folder, and the file that the first word
//! leads to. There is no shell. The outcome is reported, so that a yes for one call is used up.

mod child;
mod environment;
mod program;

use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operate::fit_bounds;
use crate::out;
use crate::page::{Page, RED};
use crate::settings::Settings;
use crate::watch;
use child::{Ended, Running};
use countersign_api::{CheckRequest, CheckStatus, ReportedEffect};
use countersign_client::{AgentClient, OperatorClient};
use countersign_commands::analyse;
use countersign_core::model::command::Command;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionName;
use environment::Environment;
use program::Held;
use serde_json::json;

pub(crate) fn run(args: &args::RunArgs, settings: &Settings) -> Result<Exit, Failure> {
    let here = current_folder()?;
    let held = Held::find(&args.command, &here, settings)?;
    let environment = Environment::of(&args.variables)?;
    let line = environment.before(&held.words());
    check_line_matches(&line, &held)?;
    let agent = args.daemon.agent(settings, args.wait)?;
    let request = CheckRequest {
        tool: Some(args.tool.clone()),
        args: json!({"command": line}),
        reason: fit_bounds("reason", args.reason.clone())?,
        cwd: Some(fit_bounds("folder", here)?),
        ..CheckRequest::new(args.session.clone())
    };
    let response = watch::check(&agent, request, args.wait, (&args.daemon, settings))?;
    let operation = match (response.status, response.operation_id) {
        (CheckStatus::Allowed, Some(operation)) => operation,
        _ => {
            show_not_run(&response.sentence);
            // Only what ran may end with 0.
            return Ok(match Exit::from_check(&response) {
                Exit::Allowed => Exit::Failure,
                other => other,
            });
        }
    };
    let operator = args.daemon.operator(settings).ok();
    let call = AllowedCall { agent, operator, session: args.session.clone(), operation };
    // The yes was for the file as it was before, and is used up.
    held.is_unchanged().inspect_err(|_| call.report(ReportedEffect::Failed))?;
    let started = Running::start(&held, &environment);
    let running = started.inspect_err(|_| call.nothing_happened())?;
    let ended = running.ended();
    call.report(match &ended {
        Ok(Ended::Code(0)) => ReportedEffect::Done,
        Ok(Ended::Code(_)) => ReportedEffect::Failed,
        Ok(Ended::Signal(_)) | Err(_) => ReportedEffect::Unknown,
    });
    Ok(Exit::Command(ended?.code()))
}

/// A call that was allowed, and where to report how it ended.
struct AllowedCall {
    agent: AgentClient,
    operator: Option<OperatorClient>,
    session: SessionName,
    operation: CallId,
}

impl AllowedCall {
    /// A call whose end is not reported stays executing, and becomes unknown after a restart. That
    /// is stricter than anything that could be reported here.
    fn report(&self, effect: ReportedEffect) {
        let reported = self.agent.report_outcome(self.operation, &self.session, effect);
        if let Err(error) = reported {
            out::eprint(&Page::from_line(&format!("how it ended could not be reported: {error}")));
        }
    }

    /// The command was never started. That gives the approval back, so an agent cannot report it:
    /// it needs the operator's socket. Where that cannot be reached, the call has failed.
    fn nothing_happened(&self) {
        let attest = |operator: &OperatorClient| {
            operator.report_nothing_happened(self.operation, &self.session)
        };
        if !matches!(self.operator.as_ref().map(attest), Some(Ok(_))) {
            self.report(ReportedEffect::Failed);
        }
    }
}

fn current_folder() -> Result<String, Failure> {
    let help = "go to a folder that is there and can be written down";
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(format!("the current folder is not known: {error}"), help))?;
    let whole = here.to_str().map(str::to_owned);
    whole.ok_or_else(|| Failure::usage("the current folder's name is no text", help))
}

/// The parser that decides has to read the line back as exactly these words. A line that is not
/// plain to it (a variable in front, a word like `<name>`) asks once, as it is written.
fn check_line_matches(line: &str, held: &Held) -> Result<(), Failure> {
    match analyse(line, None).command {
        Command::Plain { argv, .. } if argv != held.words() => Err(Failure::usage(
            "these words cannot be decided about as they are",
            "write them another way, or put them into a file",
        )),
        Command::Plain { .. } | Command::NotPlain { .. } => Ok(()),
    }
}

fn show_not_run(why: &str) {
    let mut page = Page::new();
    page.styled(RED, "not run").text(": ").text(why).end();
    out::eprint(&page);
}
