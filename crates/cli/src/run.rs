//! `countersign run`: checks a command, and runs it if it is allowed.
//!
//! The decision covers the words, the folder, the program file and the scripts. There is no shell. Git is executed with
//! further words that take away what its configuration would add. The outcome is reported, so that a grant for one call
//! is used up.

mod child;
mod environment;
mod pinned;
mod program;

use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operate::{choose_project, fit_bounds};
use crate::out;
use crate::page::{Page, RED};
use crate::pending::report_pending;
use crate::settings::Settings;
use crate::watch;
use child::{ChildExit, ChildProcess};
use countersign_api::{CheckRequest, ReportedEffect};
use countersign_client::{AgentClient, OperatorClient, Permit};
use countersign_commands::analyse;
use countersign_core::model::command::Command;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionName;
use environment::Environment;
use pinned::PinnedFolder;
use program::PinnedProgram;
use serde_json::{Value, json};

pub(crate) fn run(args: &args::RunArgs, settings: &Settings) -> Result<Exit, Failure> {
    let folder = PinnedFolder::open_current()?;
    let program = PinnedProgram::find(&args.command, &folder, settings)?;
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
        ..CheckRequest::new(args.session.clone())
    };
    let response = watch::check_at_terminal(&agent, request, args.wait, &args.daemon, settings)?;
    let Some(permit) = Permit::from_response(&response) else {
        show_not_run(&response.sentence);
        report_pending(&response, &args.daemon, settings);
        // Exit code 0 means that the command ran.
        return Ok(match Exit::from_check(&response) {
            Exit::Allowed => Exit::Failure,
            other => other,
        });
    };
    let operator = args.daemon.operator(settings).ok();
    let call = RunningCall::new(permit, agent, operator, args.session.clone());
    // The approval was for what the card showed, and is used up.
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
        permit: Permit,
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
fn decided_arguments(line: &str, program: &PinnedProgram) -> Value {
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
