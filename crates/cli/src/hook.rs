//! `countersign hook NAME`: what a coding agent's program runs before and after its tools.
//!
//! It reads one event, asks the daemon, and answers in the program's dialect. Whatever goes wrong ends
//! in the program's own block. It runs before every tool call, so it starts no runtime and parses no
//! command line until it has to.

mod args;
mod daemon;
mod rejection;
mod wait;

pub(crate) use args::{HookArgs, parse_program};

use crate::project::find_program_project;
use crate::settings::{HookOptions, ProgramAttendance, ProgramSurroundings, Settings};
use countersign_api::{
    Answerable, BoundedList, CheckResponse, CheckStatus, ConsentResponse, EventOrigin,
    HandOverRequest, PromptUse, QuestionView, Sighting, SurfaceReach, TurnAuthor,
};
use countersign_console::{Exit, Failure};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Project, SessionName};
use countersign_core::model::words::Reason;
use countersign_harness::{
    CallDisplay, EventKind, HookEvent, HookOutput, Program, PromptWriter, Reply, SessionStart,
    SessionStop, ToolEnd, ToolUse, describe_continued, describe_hand_over, describe_pending,
    describe_question, instructions,
};
use countersign_setup::{HookOrigin, find_hook_origin, find_misleading_settings};
use countersign_terminal::shorten_id;
use daemon::{HookDaemon, HookRole};
use rejection::RejectionWatch;
use std::io::{IsTerminal, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::path::{Path, PathBuf};
use wait::{Termination, WaitEnd};

/// What a command line asks for that is exactly one of an installed hook. Everything else, such as
/// `--help`, takes the usual way.
pub(crate) fn find_program() -> Option<(Program, HookOptions)> {
    args::read_words(std::env::args_os().skip(1))
}

/// Answers one event, and ends only with codes that the program treats as intended.
pub(crate) fn answer(program: Program, options: &HookOptions) -> Exit {
    set_hook(Box::new(|_| {}));
    let answered = catch_unwind(AssertUnwindSafe(|| answer_event(program, options)));
    let output = answered.unwrap_or_else(|_| {
        HookOutput::block("the hook crashed, so nothing runs; please report this as a bug")
    });
    write_output(&output)
}

/// An answer that the program cannot read in full would be no answer.
fn write_output(output: &HookOutput) -> Exit {
    let mut stdout = std::io::stdout();
    let written = stdout.write_all(output.stdout.as_bytes()).and_then(|()| stdout.flush());
    let mut stderr = std::io::stderr();
    let _ignored = stderr.write_all(output.stderr.as_bytes());
    match written {
        Ok(()) if output.code == 0 => Exit::Allowed,
        Ok(()) => Exit::Usage,
        Err(error) => {
            let line = HookOutput::block(&format!("the answer cannot be written: {error}"));
            let _ignored = stderr.write_all(line.stderr.as_bytes());
            Exit::Usage
        }
    }
}

fn answer_event(program: Program, options: &HookOptions) -> HookOutput {
    let event = match read_event() {
        Ok(event) => event,
        Err(why) => return HookOutput::block(&why),
    };
    let reply = HookRun::open(program, options)
        .and_then(|run| run.reply(&event))
        .unwrap_or_else(|failure| Reply::Failed { why: failure.line() });
    program.render(&event.kind, &reply)
}

fn read_event() -> Result<HookEvent, String> {
    if std::io::stdin().is_terminal() {
        return Err("a program runs this command and writes an event to it; `countersign doctor` \
                    tries the installed hooks"
            .to_owned());
    }
    let mut bytes = Vec::new();
    let limit = countersign_harness::limits::MAX_EVENT_BYTES as u64 + 1;
    let read = std::io::stdin().lock().take(limit).read_to_end(&mut bytes);
    read.map_err(|error| format!("the event cannot be read: {error}"))?;
    HookEvent::parse(&bytes).map_err(|error| error.to_string())
}

/// What holds in a session that a program's hook made.
pub(crate) fn list_program_consent(
    program: Program,
    session: &SessionName,
    settings: &Settings,
) -> Result<ConsentResponse, Failure> {
    HookDaemon::new(program, settings)?.send(|agent| agent.list_consent(session))
}

/// One run of the hook.
struct HookRun {
    program: Program,
    settings: Settings,
    surroundings: ProgramSurroundings,
    daemon: HookDaemon,
}

impl HookRun {
    fn open(program: Program, options: &HookOptions) -> Result<Self, Failure> {
        let settings = Settings::load_for_hook(options)?;
        let surroundings = ProgramSurroundings::from_environment(program);
        let daemon = HookDaemon::new(program, &settings)?;
        Ok(Self { program, settings, surroundings, daemon })
    }

    fn reply(&self, event: &HookEvent) -> Result<Reply, Failure> {
        match &event.kind {
            EventKind::ToolCall(tool_use) => self.decide(event, tool_use),
            EventKind::PermissionQuestion(tool_use) => self.answer_question(event, tool_use),
            EventKind::ToolEnded { tool_use, end } => self.report_end(event, tool_use, *end),
            EventKind::Prompt { text, writer } => self.report_turn(event, text, *writer),
            EventKind::PlanAccepted { tool_use, plan } => self.report_plan(event, tool_use, plan),
            EventKind::SessionStarted(start) => {
                self.daemon.ensure_running()?;
                let text = self.describe_start(event) + &self.describe_consent(event, *start);
                Ok(Reply::Instructions { text })
            }
            EventKind::SessionEnded(stop) => self.end_session(&event.session, *stop),
            EventKind::Other => Ok(Reply::Nothing),
        }
    }

    /// What the model should know, and what of the project leads our hooks astray.
    fn describe_start(&self, event: &HookEvent) -> String {
        let folder = event.cwd.as_deref().map(Path::new).unwrap_or(Path::new("/"));
        let mut text = instructions();
        for sentence in find_misleading_settings(folder) {
            text.push_str(&format!("\nTell the user: {sentence}; Countersign does not take that."));
        }
        text
    }

    /// What holds of earlier consent: a session that goes on keeps it, one that was cleared offers
    /// the standing commands to its successor.
    fn describe_consent(&self, event: &HookEvent, start: SessionStart) -> String {
        match (start, self.daemon.role) {
            (SessionStart::New, _) | (SessionStart::Cleared, HookRole::Agent) => String::new(),
            (SessionStart::Cleared, HookRole::Adapter) => {
                let (to, project) = (event.session.clone(), self.project(event));
                let request = HandOverRequest { from: None, to, project };
                // Nothing was cleared that the daemon knows of.
                let asked = self.daemon.send(|agent| agent.hand_over(&request));
                describe_hand_over(asked.map_or(0, |asked| asked.questions))
            }
            (SessionStart::Continued, _) => {
                // A session that was never open has nothing to list.
                let consent = self.daemon.send(|agent| agent.list_consent(&event.session));
                let lines = consent.map(|consent| match consent.grants.is_empty() {
                    true => Vec::new(),
                    false => consent.lines,
                });
                describe_continued(&lines.unwrap_or_default())
            }
        }
    }

    /// A tool is about to run.
    fn decide(&self, event: &HookEvent, tool_use: &ToolUse) -> Result<Reply, Failure> {
        let response = self.check(event, tool_use, Sighting::First)?;
        let input = response.input.as_ref();
        let (CheckStatus::Pending, Some(call)) = (response.status, response.operation_id) else {
            return Ok(Reply::from_check(tool_use, &response, input));
        };
        let question = response.question.as_deref();
        if let Some(question) = question.filter(|question| self.can_ask_here(question)) {
            let display = CallDisplay::choose(self.program, tool_use, question);
            let input = input.map(|input| tool_use.with_words(input.clone()));
            return Ok(Reply::AskHere { question: describe_question(question, display), input });
        }
        let termination = Termination::listen()?;
        let reach = question.map_or(SurfaceReach::None, |question| question.surfaces);
        let signals = (termination, None);
        match wait::wait_for_answer(&self.daemon, (&event.session, call), reach, signals)? {
            WaitEnd::Answered(answered) => Ok(Reply::from_check(tool_use, &answered, input)),
            WaitEnd::TimedOut => Ok(self.describe_waiting(question, call)),
            WaitEnd::CarriedOut => {
                Ok(Reply::Failed { why: "this call has been carried out already".to_owned() })
            }
            WaitEnd::Terminated => Ok(Reply::Failed {
                why: "the program ended the hook while the call waited for an answer".to_owned(),
            }),
        }
    }

    /// The program's prompt can show the question, somebody sits in front of it, and a yes counts.
    fn can_ask_here(&self, question: &QuestionView) -> bool {
        self.prompt() == PromptUse::Shown && question.answerable == Answerable::InProgram
    }

    fn prompt(&self) -> PromptUse {
        let is_attended = self.surroundings.attendance == ProgramAttendance::Attended;
        if self.program.can_ask() && is_attended { PromptUse::Shown } else { PromptUse::Absent }
    }

    fn describe_waiting(&self, question: Option<&QuestionView>, call: CallId) -> Reply {
        let id = question.map_or_else(|| call.to_string(), |q| q.request_id.to_string());
        let (reason, question) = describe_pending(question, shorten_id(&id, []));
        Reply::Pending { reason, question }
    }

    /// The program is about to ask its user, or its prompt is on the screen already. An answer on a
    /// surface of ours counts too; without one the program's prompt decides.
    fn answer_question(&self, event: &HookEvent, tool_use: &ToolUse) -> Result<Reply, Failure> {
        // The user may say no in the program's prompt at any moment.
        let termination = Termination::listen()?;
        let watch = RejectionWatch::start(&self.daemon, event);
        let response = self.check(event, tool_use, Sighting::Again)?;
        let (CheckStatus::Pending, Some(call)) = (response.status, response.operation_id) else {
            // What a rule allowed may still be asked about for a reason of the program's own.
            let is_ours = response.reason != Reason::Running;
            return Ok(match is_ours {
                true => Reply::from_check(tool_use, &response, response.input.as_ref()),
                false => Reply::Nothing,
            });
        };
        let (reach, signals) = (SurfaceReach::Attached, (termination, watch));
        match wait::wait_for_answer(&self.daemon, (&event.session, call), reach, signals)? {
            WaitEnd::Answered(answered) => {
                Ok(Reply::from_check(tool_use, &answered, response.input.as_ref()))
            }
            WaitEnd::TimedOut | WaitEnd::CarriedOut | WaitEnd::Terminated => Ok(Reply::Nothing),
        }
    }

    fn check(
        &self,
        event: &HookEvent,
        tool_use: &ToolUse,
        sighting: Sighting,
    ) -> Result<CheckResponse, Failure> {
        let place = (self.project(event), &self.scratch_folders(event)[..]);
        let request = event.check_request(tool_use, (sighting, self.prompt()), place);
        let mut request = request.map_err(|error| out_of_bounds_failure(&error))?;
        if self.daemon.role == HookRole::Agent {
            // Only an adapter observes anything, and only an adapter names projects.
            (request.observed, request.project) = (None, None);
        }
        self.daemon.send(|agent| agent.check(&request))
    }

    fn report_end(
        &self,
        event: &HookEvent,
        tool_use: &ToolUse,
        end: ToolEnd,
    ) -> Result<Reply, Failure> {
        if self.daemon.role == HookRole::Adapter {
            let mut request = event
                .outcome_request(tool_use, end)
                .map_err(|error| out_of_bounds_failure(&error))?;
            if let HookOrigin::Elsewhere = self.find_origin() {
                request.origin = EventOrigin::Elsewhere;
            }
            self.daemon.send(|agent| agent.report_program_outcome(&request))?;
        }
        Ok(Reply::Nothing)
    }

    /// The user has accepted a plan in the program's own dialog.
    fn report_plan(
        &self,
        event: &HookEvent,
        tool_use: &ToolUse,
        plan: &str,
    ) -> Result<Reply, Failure> {
        self.report_end(event, tool_use, ToolEnd::Done)?;
        let request = event.plan_request(tool_use, plan);
        let request = request.map_err(|error| out_of_bounds_failure(&error))?;
        match (request, self.daemon.role) {
            (Some(request), HookRole::Adapter) => {
                let response = self.daemon.send(|agent| agent.report_plan(&request))?;
                Ok(Reply::TurnProcessed { lines: response.lines })
            }
            (None, _) | (Some(_), HookRole::Agent) => Ok(Reply::Nothing),
        }
    }

    /// A program that works alone ends soon after it was told that a call waits, and is started again
    /// with the same session after the answer. So a session whose question is open goes on; without
    /// a call it ends by itself after a day.
    fn end_session(&self, session: &SessionName, stop: SessionStop) -> Result<Reply, Failure> {
        if stop == SessionStop::Cleared && self.daemon.role == HookRole::Adapter {
            self.daemon.send(|agent| agent.clear_session(session))?;
            return Ok(Reply::Nothing);
        }
        let consent = self.daemon.send(|agent| agent.list_consent(session))?;
        if consent.requests.is_empty() {
            self.daemon.send(|agent| agent.end_session(session))?;
        }
        Ok(Reply::Nothing)
    }

    /// What another agent wrote is never a turn. What may come from one can only make it stricter.
    fn report_turn(
        &self,
        event: &HookEvent,
        text: &str,
        writer: PromptWriter,
    ) -> Result<Reply, Failure> {
        if writer == PromptWriter::Agent {
            return Ok(Reply::Nothing);
        }
        let place = (self.project(event), &self.scratch_folders(event)[..]);
        let request = event.turn_request(text, TurnAuthor::Operator, place);
        let mut request = request.map_err(|error| out_of_bounds_failure(&error))?;
        if self.daemon.role == HookRole::Adapter {
            request.works_in = self.find_current_project(event);
        }
        match self.find_origin() {
            HookOrigin::Program(found, ancestry) => {
                (request.processes, request.ancestry) = (Some(found), Some(ancestry));
            }
            HookOrigin::NestedProgram(ancestry) => {
                (request.author, request.ancestry) = (TurnAuthor::Unknown, Some(ancestry));
            }
            HookOrigin::Elsewhere => request.origin = EventOrigin::Elsewhere,
        }
        if self.daemon.role == HookRole::Agent {
            // Only an adapter observes anything. Whose sub-agent it is, an agent may say.
            (request.task, request.project, request.processes) = (None, None, None);
            request.scratch = BoundedList::default();
            (request.author, request.origin) = (TurnAuthor::Operator, EventOrigin::Program);
        }
        let response = self.daemon.send(|agent| agent.report_turn(&request))?;
        Ok(Reply::TurnProcessed { lines: response.lines })
    }

    /// Who runs this hook.
    fn find_origin(&self) -> HookOrigin {
        let found = self.daemon.read_program_file();
        find_hook_origin(self.program, found.as_deref())
    }

    /// The project around the folder that the program works in now.
    fn find_current_project(&self, event: &HookEvent) -> Option<Project> {
        find_program_project(Path::new(event.cwd.as_deref()?), &self.settings)
    }

    /// The folder that the program was started for, or else the one that it works in.
    fn project_folder(&self, event: &HookEvent) -> Option<PathBuf> {
        let started_for = self.surroundings.project_folder.clone();
        started_for.or_else(|| event.cwd.as_deref().map(PathBuf::from))
    }

    fn project(&self, event: &HookEvent) -> Option<Project> {
        find_program_project(&self.project_folder(event)?, &self.settings)
    }

    /// Where the program keeps the temporary files of this session. The daemon looks at them.
    fn scratch_folders(&self, event: &HookEvent) -> Vec<String> {
        let temporary = std::fs::canonicalize("/tmp").ok();
        let (Some(temporary), Some(folder)) = (temporary, self.project_folder(event)) else {
            return Vec::new();
        };
        let (Some(temporary), Some(folder)) = (temporary.to_str(), folder.to_str()) else {
            return Vec::new();
        };
        let user = rustix::process::getuid().as_raw();
        let found = self.program.scratch_folder((temporary, user), (folder, &event.session));
        found.into_iter().collect()
    }
}

fn out_of_bounds_failure(error: &countersign_api::OutOfBounds) -> Failure {
    Failure::new(format!("the event holds something unusual: {error}"), "report this as a bug")
}
