//! Where the agent's part is told: printed, or beside what a person types.

use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page};
use crate::watch::Bell;
use countersign_terminal::News;

pub(super) enum Voice {
    Printed,
    /// At the terminal where somebody answers, which draws every line itself.
    Beside(Bell),
}

impl Voice {
    pub(super) fn heading(&self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Printed => {
                let mut page = Page::new();
                page.end().styled(BOLD, text).end();
                out::show(&page)
            }
            Self::Beside(_) => self.say(text),
        }
    }

    pub(super) fn say(&self, line: &str) -> Result<(), Failure> {
        match self {
            Self::Printed => out::show(&Page::from_line(line)),
            Self::Beside(bell) => {
                bell.news(News::Said(line.to_owned()));
                Ok(())
            }
        }
    }
}
