//! The desk: which questions lie on it, which one is meant by what is typed, and what is said.
//!
//! One question is current. It alone is answered, and only once it has been shown whole and the
//! keys were still for a moment. Others that come are announced and wait for their turn. It reads
//! no clock and no terminal: keys, news and time come in, text and acts go out.

mod answering;
mod commands;
mod often;
mod presence;
mod queue;
mod saying;
mod typing;

use crate::keys::Keys;
use crate::line::Line;
use crate::question::Question;
use crate::reply::Command;
pub use answering::Outcome;
use countersign_core::model::delivery::Evidence;
use countersign_core::model::words::{Choice, Ending, Presence};
use often::Often;
use presence::Attention;
use saying::Repeats;
use std::time::Duration;

/// Whether what is typed can be an answer at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// At a terminal.
    Typed,
    /// No terminal: everything is shown, nothing is answered.
    Nothing,
}

/// What the daemon says.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    Asked(Box<Question>),
    Closed(Closing),
    /// Something that was done or tried, with how soon somebody should look.
    Told {
        id: String,
        urgency: &'static str,
        text: String,
    },
    /// A line of our own.
    Said(String),
    /// The connection is gone, and why.
    Lost(String),
    /// It is back. Where it cannot say what came meanwhile, these requests are still open.
    Back {
        open: Option<Vec<String>>,
    },
}

/// How a request ended, or that part of it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    pub request: String,
    pub ending: Option<Ending>,
    pub surface: Option<String>,
    pub at: String,
}

/// What is to be done about what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    Answer(Told),
    Command(Command),
    Presence(Presence),
    Delivered {
        what: What,
        evidence: Evidence,
    },
    /// A card has changed.
    Fetch(String),
    Quit,
}

/// What was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Request(String),
    Notice(String),
}

/// An answer, as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub request: String,
    /// What was shown.
    pub digest: String,
    /// To each thing that is asked, by its action.
    pub choices: Vec<(String, Choice)>,
    pub note: String,
    pub confirm: Option<String>,
    pub then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    GoOn,
    /// Ends what the session was allowed.
    Stop,
}

/// What is being asked, and how far the answer has come.
#[derive(Clone, Debug)]
struct Current {
    topic: Topic,
    stage: Stage,
    listening: Listening,
    /// Replies that were none.
    unclear: u8,
    /// Enter alone was explained.
    explained: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Topic {
    Request(String),
    /// An agent that asks very often.
    Often(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    /// So many things have been answered.
    Asking(Vec<Choice>, String),
    /// All are answered, and that has to be confirmed a second time.
    Confirming(Vec<Choice>, String),
}

/// From when on keys count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listening {
    /// It is not shown whole yet.
    NotYet,
    /// If no key comes before.
    From(Duration),
    Now,
}

/// How a line is taken back on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erasing {
    /// One column back, as terminals do.
    Back,
    /// By a new line with what is left.
    Anew,
}

pub struct Desk {
    heard: Heard,
    erasing: Erasing,
    keys: Keys,
    line: Line,
    /// Letters were dropped whose line has not ended: what follows is the rest of it, and nothing.
    cut: bool,
    questions: Vec<Question>,
    current: Option<Current>,
    often: Often,
    attention: Attention,
    repeats: Repeats,
    /// The daemon is reached.
    connected: bool,
    /// What is to be written, and whether a question is in it.
    out: String,
    shows: bool,
    /// Whether the cursor stands behind a prompt or something typed.
    within: bool,
    acts: Vec<Act>,
    over: bool,
}

impl Desk {
    pub fn new(heard: Heard, erasing: Erasing) -> Self {
        Self {
            heard,
            erasing,
            keys: Keys::default(),
            line: Line::default(),
            cut: false,
            questions: Vec::new(),
            current: None,
            often: Often::default(),
            attention: Attention::default(),
            repeats: Repeats::default(),
            connected: true,
            out: String::new(),
            shows: false,
            within: false,
            acts: Vec::new(),
            over: false,
        }
    }

    /// Something comes from the daemon.
    pub fn came(&mut self, news: News, now: Duration) {
        match news {
            News::Asked(question) => self.asked(*question),
            News::Closed(closing) => self.closed(&closing),
            News::Told { id, urgency, text } => self.told(&id, urgency, &text, now),
            News::Said(text) => self.said(&text),
            News::Lost(why) => self.lost(&why),
            News::Back { open } => {
                self.back(open.as_deref());
                self.attend_anew(now);
            }
        }
        self.prompt();
    }

    /// What is to be written now. Whoever takes it writes it whole and says so with `shown`.
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    pub fn take_acts(&mut self) -> Vec<Act> {
        std::mem::take(&mut self.acts)
    }

    /// Whether what is to be written holds a question.
    pub fn shows(&self) -> bool {
        self.shows
    }

    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Requests that wait here.
    pub fn waiting(&self) -> usize {
        self.questions.len()
    }
}
