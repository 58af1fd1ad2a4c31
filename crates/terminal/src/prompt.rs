//! The prompt: the queue of open questions, the line that is being typed, and what is printed.
//!
//! One question is active. Only that one can be answered, and only after it was shown completely
//! and no key arrived for a moment. The others are announced and wait for their turn.
//! The prompt reads no clock and no terminal: it takes input, events and times, and returns text
//! and tasks.

mod answers;
mod bursts;
mod commands;
mod confirmations;
mod input;
mod output;
mod phrases;
mod presence;
mod queries;
mod questions;
mod screen;

use crate::key_reader::KeyReader;
use crate::layout::LayoutSource;
use crate::line_buffer::LineBuffer;
use crate::parse::SlashCommand;
use crate::question::{PromptQuestion, shorten_id};
use bursts::BurstTracker;
use countersign_core::model::delivery::Evidence;
use countersign_core::model::words::{Choice, Covers, Ending, Presence};
use output::{HeldMessage, ShownNotices};
use presence::PresenceTracker;
use screen::ScreenState;
pub use screen::{Panel, PanelLine, ScreenMessage, ScreenView, Viewport};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMode {
    /// At a terminal.
    Interactive,
    /// Without a terminal: questions are shown and not answered.
    DisplayOnly,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PromptEvent {
    RequestOpened(Box<PromptQuestion>),
    RequestAnswered(ReportedAnswer),
    NoticeRaised {
        id: String,
        urgency: &'static str,
        text: String,
    },
    /// Lines about consent that was used, asked for or cleared in a session.
    Announced {
        session: String,
        lines: Vec<String>,
    },
    /// A line of the program itself.
    Message(String),
    /// The connection to the daemon was lost for this reason.
    ConnectionLost(String),
    /// `open_requests` lists all open requests if the event stream did not continue where it was
    /// interrupted.
    ConnectionRestored {
        open_requests: Option<Vec<String>>,
    },
}

/// An answer that the daemon reports. It may come from another surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedAnswer {
    pub request: String,
    /// None if only a part of the request was answered.
    pub ending: Option<Ending>,
    pub surface: Option<String>,
    pub at: String,
}

/// Something that the driver has to do with the daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptTask {
    SendAnswer(TypedAnswer),
    RunCommand(SlashCommand),
    ReportPresence(Presence),
    ReportDelivery {
        subject: DeliverySubject,
        evidence: Evidence,
    },
    /// Shows everything that the agent sent with a request.
    ShowWhole(String),
    /// Everything that the agent sent was on the screen.
    ReportWhole(String),
    /// Shows what runs and what is allowed.
    FetchOverview,
    FetchRequest(String),
}

/// The id of what was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliverySubject {
    Request(String),
    Notice(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedAnswer {
    pub request: String,
    /// The digest on the card that was shown.
    pub digest: String,
    /// One choice for the action of each item.
    pub choices: Vec<(String, Choice)>,
    /// How far a yes for some time goes, if the operator said so.
    pub covers: Option<Covers>,
    pub note: String,
    pub confirm: Option<String>,
    pub after: AfterAnswer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterAnswer {
    Continue,
    /// Ends the session's permissions.
    StopSession,
}

/// What happened to an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerOutcome {
    /// The daemon applied it. The lines say what it granted.
    Accepted(Vec<String>),
    /// Nobody can answer the request any more, for this reason.
    RequestClosed(String),
    /// It was not applied, and the request is still open.
    Refused(String),
}

/// The question that the operator is answering, and the answer so far.
#[derive(Clone, Debug)]
struct ActiveQuestion {
    request: String,
    gate: InputGate,
    /// One choice for each item that has been answered.
    choices: Vec<TypedChoice>,
    note: String,
    /// Every item is answered, and the operator has to confirm the answer.
    is_confirming: bool,
    is_enter_explained: bool,
    /// How many requests were announced below it, where lines are not laid out.
    announced: usize,
}

/// A choice for one item, and how far it goes if the operator said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TypedChoice {
    choice: Choice,
    covers: Option<Covers>,
}

/// Whether keys count for the active question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputGate {
    /// The question is not shown completely yet.
    Closed,
    /// Opens at this time if no key arrives before.
    OpensAt(Duration),
    Open,
}

/// How a character is erased on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EraseMode {
    /// Moves back by the character's width.
    Backspace,
    /// Prints the prompt and the rest of the line again.
    Reprint,
}

pub struct Prompt {
    input_mode: InputMode,
    erase_mode: EraseMode,
    layout: LayoutSource,
    keys: KeyReader,
    line: LineBuffer,
    /// Characters of an unfinished line were discarded. What follows up to Enter belongs to them.
    is_line_cut: bool,
    questions: Vec<PromptQuestion>,
    active: Option<ActiveQuestion>,
    bursts: BurstTracker,
    presence: PresenceTracker,
    notices: ShownNotices,
    /// What is printed after the active card, so that nothing comes between it and its prompt.
    held: Vec<HeldMessage>,
    /// None if this prompt writes lines.
    screen: Option<ScreenState>,
    /// The request that was answered last.
    last_answered: Option<String>,
    /// When something happened last.
    now: Duration,
    is_connected: bool,
    output: String,
    /// The output contains a question that the driver has not written yet.
    shows_question: bool,
    /// The cursor is behind a prompt or typed text.
    is_cursor_in_line: bool,
    tasks: Vec<PromptTask>,
    is_finished: bool,
}

impl Prompt {
    pub fn new(input_mode: InputMode, erase_mode: EraseMode, layout: LayoutSource) -> Self {
        Self {
            input_mode,
            erase_mode,
            layout,
            keys: KeyReader::default(),
            line: LineBuffer::default(),
            is_line_cut: false,
            questions: Vec::new(),
            active: None,
            bursts: BurstTracker::default(),
            presence: PresenceTracker::default(),
            notices: ShownNotices::default(),
            held: Vec::new(),
            screen: None,
            last_answered: None,
            now: Duration::ZERO,
            is_connected: true,
            output: String::new(),
            shows_question: false,
            is_cursor_in_line: false,
            tasks: Vec::new(),
            is_finished: false,
        }
    }

    /// A prompt whose questions are drawn on a whole screen. What counts as an answer is the same.
    pub fn on_full_screen(layout: LayoutSource) -> Self {
        let screen = Some(ScreenState::default());
        Self { screen, ..Self::new(InputMode::Interactive, EraseMode::Backspace, layout) }
    }

    pub fn handle_event(&mut self, event: PromptEvent, now: Duration) {
        self.now = now;
        match event {
            PromptEvent::RequestOpened(question) => self.add_question(*question),
            PromptEvent::RequestAnswered(answer) => self.handle_reported_answer(&answer),
            PromptEvent::NoticeRaised { id, urgency, text } => {
                self.write_notice(&id, urgency, &text, now);
            }
            PromptEvent::Announced { session, lines } => {
                self.write_announcements(&session, &lines, now);
            }
            PromptEvent::Message(text) => self.report_message(&text),
            PromptEvent::ConnectionLost(why) => self.handle_connection_lost(&why),
            PromptEvent::ConnectionRestored { open_requests } => {
                self.handle_connection_restored(open_requests.as_deref());
                self.repeat_presence(now);
            }
        }
        self.write_prompt();
    }

    /// Returns the text to write. After writing all of it, the driver calls `mark_shown`.
    pub fn take_output(&mut self) -> String {
        std::mem::take(&mut self.output)
    }

    pub fn take_tasks(&mut self) -> Vec<PromptTask> {
        std::mem::take(&mut self.tasks)
    }

    /// Whether the output contains a question that was not marked as shown.
    pub fn has_unshown_question(&self) -> bool {
        self.shows_question
    }

    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    pub fn question_count(&self) -> usize {
        self.questions.len()
    }

    /// The beginning of an id that no other open request has.
    fn short_id(&self, id: &str) -> String {
        let open = self.questions.iter().map(|question| question.request.as_str());
        shorten_id(id, open).to_owned()
    }

    fn position(&self, request: &str) -> Option<usize> {
        self.questions.iter().position(|question| question.request == request)
    }

    fn find_question(&self, request: &str) -> Option<&PromptQuestion> {
        self.questions.iter().find(|question| question.request == request)
    }
}
