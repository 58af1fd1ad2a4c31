//! A console that draws a prompt on the whole screen, and leaves the terminal as it was.

use crate::draw::{DrawnScreen, draw_screen};
use crate::paint::paint_changes;
use crate::style::Palette;
use countersign_terminal::{CardLayout, Console, InputStatus, LayoutSource, Prompt};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use std::io;
use std::os::fd::BorrowedFd;

/// Columns and rows of the terminal, now.
pub type ScreenSize = Box<dyn Fn() -> (u16, u16)>;

/// Keeps the title, and switches to the other screen.
const ENTER: &str = "\x1b[22;2t\x1b[?1049h\x1b[2J\x1b[H";
const LEAVE: &str = "\x1b[0m\x1b[?25h\x1b[?1049l\x1b[23;2t";
const BELL: &str = "\x07";

pub struct FullScreen<C: Console> {
    console: C,
    size: ScreenSize,
    layout: LayoutSource,
    /// What the terminal shows.
    drawn: Option<(Buffer, Option<Position>)>,
    title: String,
    is_entered: bool,
}

impl<C: Console> FullScreen<C> {
    /// Takes over the screen of a console until it is dropped.
    pub fn open(console: C, size: ScreenSize, layout: LayoutSource) -> io::Result<Self> {
        let mut screen =
            Self { console, size, layout, drawn: None, title: String::new(), is_entered: false };
        screen.enter()?;
        Ok(screen)
    }

    fn enter(&mut self) -> io::Result<()> {
        (self.is_entered, self.drawn) = (true, None);
        self.title.clear();
        self.console.write(ENTER)
    }

    fn leave(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.is_entered, false) {
            true => self.console.write(LEAVE),
            false => Ok(()),
        }
    }

    fn set_title(&mut self, prompt: &Prompt) -> String {
        let title = match prompt.question_count() {
            0 => "countersign".to_owned(),
            count => format!("({count}) countersign"),
        };
        if title == self.title {
            return String::new();
        }
        self.title = title;
        format!("\x1b]2;{}\x07", self.title)
    }
}

impl<C: Console> Console for FullScreen<C> {
    fn show(&mut self, prompt: &mut Prompt) -> io::Result<()> {
        let Some(view) = prompt.screen_view() else { return Ok(()) };
        let (columns, rows) = (self.size)();
        let layout = (self.layout)();
        let (CardLayout::Compact(layout), area) = (layout, Rect::new(0, 0, columns, rows)) else {
            return Ok(());
        };
        let palette = Palette { colours: layout.colours };
        let DrawnScreen { buffer, cursor, drawn } = draw_screen(&view, &layout, palette, area);
        drop(view);
        let mut bytes = self.set_title(prompt);
        let next = (buffer, cursor);
        if self.drawn.as_ref() != Some(&next) {
            let previous = self.drawn.as_ref().map(|(buffer, _)| buffer);
            bytes.push_str(&paint_changes(previous, &next.0, cursor));
        }
        if prompt.take_bell() {
            bytes.push_str(BELL);
        }
        self.drawn = Some(next);
        if !bytes.is_empty() {
            self.console.write(&bytes)?;
        }
        // Only what was written can have been read.
        prompt.record_drawn(drawn);
        Ok(())
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.console.write(text)
    }

    fn read_available(&mut self, buffer: &mut Vec<u8>) -> io::Result<InputStatus> {
        self.console.read_available(buffer)
    }

    fn release(&mut self) -> io::Result<()> {
        self.leave()?;
        self.console.release()
    }

    fn acquire(&mut self) -> io::Result<()> {
        self.console.acquire()?;
        self.enter()
    }

    fn input_fd(&self) -> Option<BorrowedFd<'_>> {
        self.console.input_fd()
    }
}

impl<C: Console> Drop for FullScreen<C> {
    fn drop(&mut self) {
        // This fails only if the terminal is gone.
        let _failed = self.leave();
    }
}
