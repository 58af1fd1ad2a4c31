//! What the terminal can show: its width, its colours, and whether to lay out text for it at all.
//!
//! It is set once, when the settings are known, because everything that prints depends on it.

use crate::local_time::LocalTime;
use countersign_core::model::time::{Span, Time};
use countersign_terminal::{
    CardLayout, Colours, CompactLayout, describe_relative_time, describe_time_left,
};
use rustix::termios::{isatty, tcgetwinsize};
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::sync::OnceLock;

#[derive(Clone, Debug)]
pub struct Screen {
    /// One fact per line, without colours, columns and pager: `--plain` or `TERM=dumb`.
    pub is_plain: bool,
    pub colours: Colours,
    /// The folder that `~` stands for.
    pub home: Option<String>,
    pub pager: PagerChoice,
    /// Tells the time, for what is shown relative to it.
    pub now: fn() -> Time,
    /// How far the local clock is ahead of UTC at some time.
    pub utc_offset: fn(Time) -> Span,
}

#[derive(Clone, Debug)]
pub struct PagerChoice {
    /// The program that shows long output, with its options. Empty if the user wants none.
    pub command: OsString,
    /// `LESS` is set.
    pub has_less_options: bool,
}

static SCREEN: OnceLock<Screen> = OnceLock::new();

/// Only the first call counts.
pub fn set_screen(screen: Screen) {
    let _already_set = SCREEN.set(screen);
}

/// The screen, unless text is not laid out for it.
fn laid_out_screen(output: impl AsFd) -> Option<&'static Screen> {
    SCREEN.get().filter(|screen| !screen.is_plain && isatty(output))
}

/// The columns of the terminal. None if this is no terminal, or the output should be plain.
pub fn terminal_width(output: impl AsFd) -> Option<usize> {
    laid_out_screen(&output)?;
    Some(columns(output))
}

/// The program that shows long output, if it goes to a terminal.
pub(crate) fn pager(output: impl AsFd) -> Option<&'static PagerChoice> {
    Some(&laid_out_screen(output)?.pager).filter(|pager| !pager.command.is_empty())
}

/// How far the local clock is ahead of UTC at this time.
pub fn utc_offset(time: Time) -> Span {
    SCREEN.get().map_or(Span::seconds(0), |screen| (screen.utc_offset)(time))
}

/// A time on the local clock.
pub fn local_time(time: Time) -> LocalTime {
    LocalTime::new(time, utc_offset(time))
}

/// A time in a list: how long ago or until on a terminal, and exactly elsewhere.
pub fn display_time(time: Time) -> String {
    match laid_out_screen(std::io::stdout()) {
        Some(screen) => describe_relative_time((screen.now)(), time),
        None => time.to_string(),
    }
}

/// When something ends, in the same way.
pub fn display_end(time: Time) -> String {
    match laid_out_screen(std::io::stdout()) {
        Some(screen) => describe_time_left((screen.now)(), time),
        None => format!("until {time}"),
    }
}

/// The layout of cards on this output, at its present width.
pub fn card_layout(output: impl AsFd) -> CardLayout {
    match laid_out_screen(&output) {
        None => CardLayout::Plain,
        Some(screen) => CardLayout::Compact(CompactLayout {
            width: columns(output),
            now: (screen.now)(),
            home: screen.home.clone(),
            colours: screen.colours,
        }),
    }
}

/// Columns and rows of the terminal.
pub fn terminal_size(output: impl AsFd) -> (u16, u16) {
    match tcgetwinsize(output) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
        Ok(_) | Err(_) => (80, 24),
    }
}

/// A terminal that does not know its width is taken for the usual one.
fn columns(output: impl AsFd) -> usize {
    match tcgetwinsize(output) {
        Ok(size) if size.ws_col > 0 => size.ws_col.into(),
        Ok(_) | Err(_) => 80,
    }
}
