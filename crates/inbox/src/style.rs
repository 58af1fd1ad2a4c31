//! The colours: only the sixteen that each terminal maps to its own background, so that they can be
//! read on a dark and on a light one.

use countersign_core::model::words::Risk;
use countersign_terminal::{Colours, StyledLine, TextStyle};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

/// How parts of the screen look.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    pub colours: Colours,
}

impl Palette {
    pub(crate) fn style(self, style: TextStyle) -> Style {
        let plain = Style::new();
        match style {
            TextStyle::Plain => plain,
            TextStyle::Strong => plain.add_modifier(Modifier::BOLD),
            TextStyle::Quiet => plain.add_modifier(Modifier::DIM),
            TextStyle::Key => plain.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            TextStyle::Danger => self.bold(Color::Red),
            TextStyle::Destination => self.bold(Color::Cyan),
            TextStyle::Risk(Risk::ReadOnly | Risk::Low) => self.bold(Color::Green),
            TextStyle::Risk(Risk::Moderate) => self.bold(Color::Yellow),
            TextStyle::Risk(Risk::High) => self.bold(Color::Red),
            TextStyle::Risk(Risk::Critical) => {
                self.bold(Color::Red).add_modifier(Modifier::REVERSED)
            }
        }
    }

    fn bold(self, colour: Color) -> Style {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        match self.colours {
            Colours::Shown => bold.fg(colour),
            Colours::Absent => bold,
        }
    }

    pub(crate) fn line(self, line: &StyledLine) -> Line<'static> {
        let span =
            |(style, text): &(TextStyle, String)| Span::styled(text.clone(), self.style(*style));
        Line::from(line.spans.iter().map(span).collect::<Vec<_>>())
    }
}
