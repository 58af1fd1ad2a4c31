//! The inbox on a full screen: draws the state of a prompt.
//!
//! What counts as an answer is decided in `countersign-terminal`; this crate reads no keys. It draws
//! into a buffer, writes what has changed, and tells the prompt which rows of a card were drawn.
//!
//! See docs/decisions/0135-the-inbox-on-a-full-screen.md.

mod draw;
mod full_screen;
mod limits;
mod paint;
mod style;

pub use draw::{DrawnScreen, draw_screen};
pub use full_screen::{FullScreen, ScreenSize};
pub use style::Palette;
