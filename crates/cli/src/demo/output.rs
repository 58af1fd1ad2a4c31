//! Where the agent's part is printed: on stdout, or at the terminal where a person answers.

use crate::watch::InputSender;
use countersign_console::{BOLD, Failure, Page, out};
use countersign_terminal::PromptEvent;

pub(super) enum DemoOutput {
    Stdout,
    /// The event loop of the terminal draws every line itself.
    Terminal(InputSender),
}

impl DemoOutput {
    pub(super) fn print_heading(&self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Stdout => {
                let mut page = Page::new();
                page.end().styled(BOLD, text).end();
                out::show(&page)
            }
            Self::Terminal(_) => self.print_line(text),
        }
    }

    pub(super) fn print_line(&self, line: &str) -> Result<(), Failure> {
        match self {
            Self::Stdout => out::show(&Page::from_line(line)),
            Self::Terminal(sender) => {
                sender.send_event(PromptEvent::Message(line.to_owned()));
                Ok(())
            }
        }
    }
}
