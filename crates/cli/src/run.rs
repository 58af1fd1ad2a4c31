//! `countersign run`: checks a command, and runs it if it is allowed.
//!
//! The decision covers the words, the folder, the program file and the scripts. There is no shell. Git is executed with
//! further words that take away what its configuration would add. The outcome is reported, so that a grant for one call
//! is used up.
//!
//! See docs/decisions/0026-run-and-grant-review.md.

mod child;
mod environment;
mod pinned;
mod program;

use crate::daemon_option::DaemonOption;
use crate::operate::fit_bounds;
use crate::pending::report_pending;
use crate::project::choose_project;
use crate::settings::Settings;
use crate::{exit, limits, watch};
use child::{ChildExit, ChildProcess};
use clap::Args;
use countersign_api::{CheckRequest, ReportedEffect};
use countersign_client::{AgentClient, OperationPermit, OperatorClient};
use countersign_commands::analyse;
use countersign_console::{Exit, Failure, Page, RED, out};
use countersign_core::model::command::Command;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{SessionName, Tool};
use countersign_core::model::narrowed::NarrowingSupport;
use environment::Environment;
use pinned::PinnedFolder;
use program::ProgramToRun;
use serde_json::{Value, json};

#[derive(Args)]
#[command(about = "Ask about a command, and run it if it is allowed", after_help = help_notes(), before_help = "\
Examples:
  countersign run -- git push origin main
  countersign run --session deploy --wait 60 -- make install
  countersign run --project . -- cargo test     a yes can be for the project
  countersign run --env NODE_ENV -- npm ci

The command is decided and run exactly as written. There is no shell, so `*`, `$HOME` and `>` have
no special meaning.")]
pub(crate) struct RunArgs {
    /// The session that the call belongs to
    #[arg(long, default_value = "run", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// The name of the tool that runs commands, as the graph maps it
    #[arg(long, default_value = "Bash", value_parser = |text: &str| Tool::parse(text))]
    pub(crate) tool: Tool,
    /// The project of the session: a folder that contains the current one; with an adapter's token,
    /// any name [default: the git repository around the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// The reason that the agent gives
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
    /// Seconds to wait for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = limits::MAX_WAIT_SECONDS)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=limits::MAX_WAIT_SECONDS))]
    pub(crate) wait: u64,
    /// Pass this variable, as a part of the command; can be repeated
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) variables: Vec<String>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

fn help_notes() -> String {
    format!("{RUN_NOTES}\n\n{}", Exit::help_table())
}

const RUN_NOTES: &str = "\
The command gets only a few variables of the environment: PATH, HOME, USER, LANG, TERM and the
like. Name any other variable with `--env`: the card shows it in front of the command. A grant for
the bare command does not cover it, and a rule only if `commands.env` of the graph lists it.

If the command has run, the exit code is its own, or 128 plus the number of the signal that ended
it. If it has not run, a line on stderr starts with `not run` or `error`, and the exit code is one
of those below.";

pub(crate) fn run(args: &RunArgs, settings: &Settings) -> Result<Exit, Failure> {
    let folder = PinnedFolder::open_current()?;
    let mut program = ProgramToRun::find(&args.command, &folder, settings)?;
    let environment = Environment::from_process(&args.variables)?;
    let line = environment.command_line(program.words());
    check_line_matches(&line, program.words())?;
    let agent = args.daemon.agent(settings, args.wait)?;
    let request = CheckRequest {
        tool: Some(args.tool.clone()),
        args: decided_arguments(&line, &program),
        reason: fit_bounds("reason", args.reason.clone())?,
        cwd: Some(fit_bounds("folder", folder.path().to_owned())?),
        project: choose_project(args.project.as_deref(), settings)?,
        narrowing: NarrowingSupport::Accepted,
        ..CheckRequest::new(args.session.clone())
    };
    let response = watch::check_at_terminal(&agent, request, args.wait, &args.daemon, settings)?;
    let Some(permit) = OperationPermit::from_response(&response) else {
        show_not_run(&response.sentence);
        report_pending(&response, &args.daemon, settings);
        // Exit code 0 means that the command ran.
        return Ok(match exit::from_check(&response) {
            Exit::Allowed => Exit::Failure,
            other => other,
        });
    };
    let operator = args.daemon.operator(settings).ok();
    let call = RunningCall::new(permit, agent, operator, args.session.clone());
    // The approval was for what the card showed, and is used up.
    let narrowed = response.narrowed.as_deref().map_or(Ok(()), |form| program.narrow(form));
    narrowed.inspect_err(|_| call.report_nothing_happened())?;
    let unchanged = program.check_unchanged().and_then(|()| folder.check_unmoved());
    unchanged.inspect_err(|_| call.report(ReportedEffect::Failed))?;
    let child = ChildProcess::start(&program, &folder, &environment);
    let exit = child.inspect_err(|_| call.report_nothing_happened())?.wait();
    call.report(match &exit {
        Ok(ChildExit::Code(0)) => ReportedEffect::Done,
        Ok(ChildExit::Code(_)) => ReportedEffect::Failed,
        Ok(ChildExit::Signal(_)) | Err(_) => ReportedEffect::Unknown,
    });
    Ok(Exit::Command(exit?.code()))
}

/// A call whose permit is used up, and where to report how it ended.
struct RunningCall {
    agent: AgentClient,
    operator: Option<OperatorClient>,
    session: SessionName,
    operation: CallId,
}

impl RunningCall {
    fn new(
        permit: OperationPermit,
        agent: AgentClient,
        operator: Option<OperatorClient>,
        session: SessionName,
    ) -> Self {
        Self { agent, operator, session, operation: permit.consume() }
    }

    /// A call without a report becomes unknown after a restart. That is stricter than any effect
    /// reported here, so a failure only prints a message.
    fn report(&self, effect: ReportedEffect) {
        let result = self.agent.report_outcome(self.operation, &self.session, effect);
        if let Err(error) = result {
            out::eprint(&Page::from_line(&format!(
                "the end of the command was not reported: {error}"
            )));
        }
    }

    /// Gives the approval back, so only the operator's plane accepts this report. Without that plane
    /// the call counts as failed.
    fn report_nothing_happened(&self) {
        let report = |operator: &OperatorClient| {
            operator.report_nothing_happened(self.operation, &self.session)
        };
        if !matches!(self.operator.as_ref().map(report), Some(Ok(_))) {
            self.report(ReportedEffect::Failed);
        }
    }
}

/// The card shows the files and their hashes beside the line.
fn decided_arguments(line: &str, program: &ProgramToRun) -> Value {
    match program.decided_files() {
        files if files.is_empty() => json!({"command": line}),
        files => json!({"command": line, "files": files}),
    }
}

/// The parser must read the line back as exactly these words. A line that is not plain to it (a
/// variable in front, a word like `<name>`) asks once, as it is written.
fn check_line_matches(line: &str, words: &[String]) -> Result<(), Failure> {
    match analyse(line, None).command {
        Command::Plain { argv, .. } if argv != words => Err(Failure::usage(
            "Countersign parses these words as another command",
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
