//! Runs a prompt on a console and a daemon, one step at a time.
//!
//! The driver reads pending input before it shows anything new, and discards what arrived while it
//! was writing. So no key counts as an answer to a question that was not on the screen yet.

use crate::device::{Console, InputStatus};
use crate::parse::SlashCommand;
use crate::prompt::{
    AnswerOutcome, DeliverySubject, PanelLine, Prompt, PromptEvent, PromptTask, TypedAnswer,
};
use countersign_core::model::delivery::Evidence;
use countersign_core::model::words::Presence;
use std::io;
use std::time::Duration;

/// Time since an arbitrary start. It never goes backwards.
pub trait MonotonicClock {
    fn now(&self) -> Duration;
}

/// The calls to the daemon that a prompt needs.
pub trait OperatorBackend {
    fn send_answer(&mut self, answer: &TypedAnswer) -> AnswerOutcome;
    /// Returns the lines to print.
    fn run_command(&mut self, command: &SlashCommand) -> Vec<String>;
    fn report_presence(&mut self, presence: Presence);
    fn report_delivery(&mut self, subject: &DeliverySubject, evidence: Evidence);
    /// Everything that the agent sent with a request, or why it cannot be had.
    fn fetch_whole(&mut self, request: &str) -> Result<Vec<String>, String>;
    /// Shows lines on the terminal, which is free for this.
    fn show_paged(&mut self, lines: &[String]) -> Result<PagerEnd, String>;
    /// The whole call was on the screen.
    fn report_whole(&mut self, request: &str);
    /// What runs, and what is allowed now.
    fn fetch_overview(&mut self) -> Vec<PanelLine>;
    /// The current state of a request as an event. None if the daemon cannot be asked.
    fn fetch_request(&mut self, request: &str) -> Option<PromptEvent>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagerEnd {
    AllShown,
    /// The reader closed the pager before all of it was written.
    LeftEarly,
}

pub struct PromptDriver<C, B, T> {
    prompt: Prompt,
    console: C,
    backend: B,
    clock: T,
    /// When input was last read. Keys that are read later arrived after this.
    read_at: Duration,
}

struct PendingInput {
    bytes: Vec<u8>,
    /// When input was read before: the bytes had not arrived then.
    since: Duration,
    status: InputStatus,
}

impl<C: Console, B: OperatorBackend, T: MonotonicClock> PromptDriver<C, B, T> {
    pub fn start(mut prompt: Prompt, console: C, backend: B, clock: T) -> io::Result<Self> {
        prompt.start(clock.now());
        let read_at = clock.now();
        let mut driver = Self { prompt, console, backend, clock, read_at };
        driver.flush()?;
        Ok(driver)
    }

    pub fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    pub fn console(&self) -> &C {
        &self.console
    }

    pub fn handle_input(&mut self) -> io::Result<()> {
        let input = self.read_input()?;
        self.prompt.handle_input(&input.bytes, input.since, self.clock.now());
        match input.status {
            InputStatus::Open => self.flush(),
            InputStatus::Ended => self.quit(),
        }
    }

    fn read_input(&mut self) -> io::Result<PendingInput> {
        let now = self.clock.now();
        let mut bytes = Vec::new();
        let status = self.console.read_available(&mut bytes)?;
        Ok(PendingInput { bytes, since: std::mem::replace(&mut self.read_at, now), status })
    }

    pub fn handle_event(&mut self, event: PromptEvent) -> io::Result<()> {
        self.handle_input()?;
        if self.prompt.is_finished() {
            return Ok(());
        }
        self.prompt.handle_event(event, self.clock.now());
        self.flush()
    }

    /// How long until `tick` has to be called.
    pub fn time_until_tick(&self) -> Option<Duration> {
        Some(self.prompt.next_tick()?.saturating_sub(self.clock.now()))
    }

    pub fn tick(&mut self) -> io::Result<()> {
        self.prompt.tick(self.read_at, self.clock.now());
        self.flush()
    }

    pub fn handle_interrupt(&mut self) -> io::Result<()> {
        self.prompt.handle_interrupt();
        self.flush()
    }

    pub fn quit(&mut self) -> io::Result<()> {
        if !self.prompt.is_finished() {
            self.prompt.quit();
        }
        self.flush()
    }

    /// Releases the terminal while the callback runs.
    pub fn suspend(&mut self, callback: impl FnOnce()) -> io::Result<()> {
        self.prompt.suspend();
        self.flush()?;
        self.console.release()?;
        callback();
        self.console.acquire()?;
        self.prompt.resume(self.clock.now());
        self.flush()
    }

    /// Shows the whole call: in a panel, or while the terminal is released and then the card again.
    fn show_whole(&mut self, request: &str) -> io::Result<()> {
        let lines = match self.backend.fetch_whole(request) {
            Ok(lines) if self.prompt.is_full_screen() => {
                self.prompt.show_whole(request, lines);
                return Ok(());
            }
            Ok(lines) => lines,
            Err(why) => {
                self.prompt.show_command_result(&[why]);
                return Ok(());
            }
        };
        self.prompt.clear_input_line();
        self.console.show(&mut self.prompt)?;
        self.console.release()?;
        let shown = self.backend.show_paged(&lines);
        self.console.acquire()?;
        match shown {
            Ok(PagerEnd::AllShown) => self.backend.report_whole(request),
            Ok(PagerEnd::LeftEarly) => {}
            Err(why) => self.prompt.show_command_result(&[why]),
        }
        self.prompt.resume(self.clock.now());
        Ok(())
    }

    /// The window has another size.
    pub fn handle_resize(&mut self) -> io::Result<()> {
        self.handle_input()?;
        self.prompt.handle_resize();
        self.flush()
    }

    /// Writes the output and runs the tasks until none are left. A question is marked as shown
    /// only then, because tasks take time.
    fn flush(&mut self) -> io::Result<()> {
        loop {
            self.console.show(&mut self.prompt)?;
            let tasks = self.prompt.take_tasks();
            if tasks.is_empty() {
                break;
            }
            for task in tasks {
                self.run_task(task)?;
            }
        }
        if self.prompt.has_unshown_question() {
            let input = self.read_input()?;
            let now = self.clock.now();
            self.prompt.discard_input(&input.bytes, now);
            self.prompt.mark_shown(now);
        }
        Ok(())
    }

    fn run_task(&mut self, task: PromptTask) -> io::Result<()> {
        match task {
            PromptTask::SendAnswer(answer) => {
                let outcome = self.backend.send_answer(&answer);
                self.prompt.handle_outcome(&answer.request, outcome);
            }
            PromptTask::RunCommand(command) => {
                let lines = self.backend.run_command(&command);
                self.prompt.show_command_result(&lines);
            }
            PromptTask::ReportPresence(presence) => self.backend.report_presence(presence),
            PromptTask::ReportDelivery { subject, evidence } => {
                self.backend.report_delivery(&subject, evidence);
            }
            PromptTask::ShowWhole(request) => self.show_whole(&request)?,
            PromptTask::ReportWhole(request) => self.backend.report_whole(&request),
            PromptTask::FetchOverview => {
                let lines = self.backend.fetch_overview();
                self.prompt.show_overview(lines);
            }
            PromptTask::FetchRequest(request) => {
                if let Some(event) = self.backend.fetch_request(&request) {
                    self.prompt.handle_event(event, self.clock.now());
                }
            }
        }
        Ok(())
    }
}
