//! How a card is laid out on a terminal: plainly, one fact per line, or compactly.
//!
//! In the compact form an unmarked line starts with words of ours, and text of the agent that
//! fills a line of its own, or goes on in the next one, has a mark at the start of every line. So
//! no text of an agent can look like a line of ours, however wide the terminal is.
//!
//! See docs/decisions/0044-layout-of-a-card-on-a-terminal.md.
//! See docs/decisions/0127-the-card-in-two-seconds.md.

mod choices;
mod facts;
mod wrap;

pub(crate) use choices::{list_offers, offer_words};
pub(crate) use wrap::CONTINUED;
pub use wrap::{cut_to_width, text_width, wrap_columns};

use countersign_api::CardView;
use countersign_card::{Card, CardUndo, escape_for_display};
use countersign_core::model::time::Time;
use countersign_core::model::words::Risk;
use facts::FactList;

/// The layout to use now: a window can change its size.
pub type LayoutSource = Box<dyn Fn() -> CardLayout>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardLayout {
    /// One fact per line, for pipes, screen readers and dumb terminals.
    Plain,
    Compact(CompactLayout),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactLayout {
    /// Columns of the terminal.
    pub width: usize,
    pub now: Time,
    /// The folder that `~` stands for.
    pub home: Option<String>,
    pub colours: Colours,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    Shown,
    /// `NO_COLOR` is set, or the terminal has none.
    Absent,
}

impl CardLayout {
    /// The lines of a card as this layout shows them, with a short form of its id.
    pub fn render(&self, view: &CardView, short_id: &str) -> Vec<String> {
        match self {
            Self::Plain => view.lines.iter().map(|line| escape_for_display(line)).collect(),
            Self::Compact(layout) => layout.render(&view.card, short_id),
        }
    }

    /// The columns of the terminal, if lines are laid out for them.
    pub(crate) fn width(&self) -> Option<usize> {
        match self {
            Self::Plain => None,
            Self::Compact(layout) => Some(layout.columns()),
        }
    }
}

impl CompactLayout {
    /// Narrower than this, words no longer fit beside the mark.
    fn columns(&self) -> usize {
        self.width.max(crate::limits::MIN_COLUMNS)
    }

    fn render(&self, card: &Card, short_id: &str) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        if let Some(closed) = &card.closed {
            lines.extend(wrap_columns("", CONTINUED, closed.text.as_str(), self.columns()));
        }
        lines.extend(self.header(card));
        let mut facts = FactList::new(self);
        facts.add_action(card);
        facts.add_effects(card);
        facts.add_origin(card);
        facts.add_programs(card);
        facts.add_news(card);
        facts.add_coverage(card);
        lines.extend(facts.into_lines());
        if card.closed.is_none() {
            lines.extend(self.choice_lines(card));
        }
        let mut rest = FactList::new(self);
        rest.add_claims(card);
        rest.add_small_print(card, short_id);
        lines.extend(rest.into_lines());
        lines
    }

    /// Risk, and whether it can be undone.
    fn header(&self, card: &Card) -> Vec<String> {
        let (shape, word) = risk_label(card.risk);
        let undo = match &card.undo {
            CardUndo::Unknown => String::new(),
            CardUndo::Reversible { how } => format!("can be undone: {how}"),
            CardUndo::Irreversible => "can't be undone".to_owned(),
        };
        let risk = format!("{shape} {word}");
        let text = format!("{risk}  {undo}");
        let painted = self.paint(risk_style(card.risk), &risk);
        let lines = wrap_columns("", CONTINUED, text.trim_end(), self.columns());
        lines.iter().map(|line| line.replacen(&risk, &painted, 1)).collect()
    }

    fn paint(&self, style: &str, text: &str) -> String {
        match (self.colours, style) {
            (Colours::Absent, _) | (_, "") => text.to_owned(),
            (Colours::Shown, style) => format!("\x1b[{style}m{text}\x1b[0m"),
        }
    }
}

/// A shape and a word for each risk, because not everybody sees colours.
fn risk_label(risk: Risk) -> (&'static str, &'static str) {
    match risk {
        Risk::ReadOnly => ("-", "READ ONLY"),
        Risk::Low => ("-", "LOW"),
        Risk::Moderate => ("!", "MODERATE"),
        Risk::High => ("!!", "HIGH"),
        Risk::Critical => ("!!!", "CRITICAL"),
    }
}

fn risk_style(risk: Risk) -> &'static str {
    match risk {
        Risk::ReadOnly | Risk::Low => "1;32",
        Risk::Moderate => "1;33",
        Risk::High => "1;31",
        Risk::Critical => "1;7;31",
    }
}
