//! The operator's terminal: reads typed answers and shows cards.
//!
//! A card can appear while somebody types, pastes or looks elsewhere, and none of that may count as
//! an answer. So every key has a time, a question accepts input only after it was shown and no key
//! has arrived for a moment, and a line counts only if a person typed all of it after that.
//! Callers pass the time in; only `device` touches the terminal. The daemon applies the answers.

mod device;
mod driver;
mod key_reader;
mod layout;
mod limits;
mod line_buffer;
mod parse;
mod prompt;
mod question;
mod relative_time;

pub use device::{BracketedPaste, Console, Device, InputStatus, Pipe, is_same_terminal};
pub use driver::{MonotonicClock, OperatorBackend, PagerEnd, PromptDriver};
pub use layout::{
    CardLayout, CardSections, Colours, CompactLayout, LayoutSource, StyledLine, TextStyle,
    cut_to_width, risk_label, text_width, wrap_columns,
};
pub use limits::QUIET_PERIOD;
pub use parse::SlashCommand;
pub use prompt::{
    AfterAnswer, AnswerOutcome, DeliverySubject, EraseMode, InputMode, Panel, PanelLine, Prompt,
    PromptEvent, PromptTask, ReportedAnswer, ScreenMessage, ScreenView, TypedAnswer, Viewport,
};
pub use question::{PromptQuestion, shorten_id};
pub use relative_time::{describe_relative_time, describe_time_left, describe_waiting_time};
