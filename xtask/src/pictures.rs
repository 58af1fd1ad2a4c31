//! The pictures of the README, in `docs/pictures`: text of real runs, drawn as SVG.
//!
//! The demo is run each time. The screen of Claude Code needs that program, so it is recorded with
//! `cargo xtask recording` and committed, and only drawn here; a test compares the question on it with
//! the one that the hook asks.

mod demo;
mod screen;
mod screenshots;
mod stand_ins;
mod svg;

use crate::failure::Failure;
pub use screen::Screen;
pub use screenshots::take_screenshots;
use std::path::Path;
use svg::{DARK, Picture};

/// The recorded screen of Claude Code, as a terminal would be sent it.
pub const RECORDED_SCREEN: &str = "docs/pictures/claude-code.ansi";

/// The size of the terminals.
pub const COLUMNS: usize = 100;
pub const ROWS: usize = 30;

/// The demo from its start to its end, in a few frames.
pub fn draw_demo(root: &Path) -> Result<String, Failure> {
    let output = demo::run_at_terminal(root)?;
    let picture = Picture {
        title: "countersign demo --auto",
        description: "A scripted agent reads and edits a file, pushes after a yes, and is declined a \
                      payment. The record explains the last question and is intact.",
        frames: demo::cut_frames(Screen::parse(&output))?,
        theme: &DARK,
        columns: COLUMNS,
        rows: ROWS,
    };
    Ok(picture.draw())
}

/// Claude Code, which was about to push.
pub fn draw_claude_code(root: &Path) -> Result<String, Failure> {
    let recorded = std::fs::read_to_string(root.join(RECORDED_SCREEN))
        .map_err(|error| Failure::new(format!("cannot read `{RECORDED_SCREEN}`: {error}")))?;
    let picture = Picture {
        title: "Claude Code",
        description: "Claude Code is about to run git push origin main. Its prompt shows what \
                      Countersign asks about the call, and nothing has run yet.",
        frames: vec![Screen::parse(&recorded)],
        theme: &DARK,
        columns: COLUMNS,
        rows: ROWS,
    };
    Ok(picture.draw())
}
