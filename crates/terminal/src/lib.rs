//! A person at a terminal: what was typed, when, and which question it answers.
//!
//! Questions come while somebody types, pastes or looks elsewhere, and none of that may be an
//! answer. So every key has its time, a question listens only after it was shown and the keys have
//! been still for a moment, and a line counts only if a hand typed all of it after that. Time comes
//! in; only `device` touches the terminal; what an answer does is decided elsewhere.

mod clock;
mod desk;
mod device;
mod keys;
mod limits;
mod line;
mod question;
mod reply;
mod seat;

pub use clock::Clock;
pub use desk::{Act, Closing, Desk, Erasing, Heard, News, Outcome, Then, Told, What};
pub use device::{Brackets, Console, Device, Pipe, Reading, same_terminal};
pub use keys::{Key, Keys};
pub use limits::{GUARD, IDLE};
pub use line::{Line, Spoilt};
pub use question::{Item, Offered, Question};
pub use reply::Command;
pub use seat::{Operator, Seat};
