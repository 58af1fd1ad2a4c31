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
mod styled;
mod wrap;

pub(crate) use choices::{DURATIONS, list_extents, list_offers, offer_words};
pub use styled::{StyledLine, TextStyle};
pub(crate) use wrap::CONTINUED;
pub use wrap::{cut_to_width, text_width, wrap_columns};

use countersign_api::CardView;
use countersign_card::{Card, escape_for_display};
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
            Self::Compact(layout) => {
                let sections = layout.lay_out(&view.card, short_id);
                sections.into_lines().iter().map(|line| line.paint(layout.colours)).collect()
            }
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

    /// The parts of a card, in reading order.
    pub fn lay_out(&self, card: &Card, short_id: &str) -> CardSections {
        let mut head = Vec::new();
        if let Some(closed) = &card.closed {
            head.extend(wrap_columns("", CONTINUED, closed.text.as_str(), self.columns()));
        }
        let mut head: Vec<StyledLine> = head.into_iter().map(StyledLine::from).collect();
        head.extend(self.header(card));
        let mut facts = FactList::new(self);
        facts.add_action(card);
        facts.add_effects(card);
        facts.add_origin(card);
        facts.add_programs(card);
        facts.add_news(card);
        facts.add_coverage(card);
        let is_open = card.closed.is_none();
        let choices = if is_open { self.choice_lines(card) } else { Vec::new() };
        let mut rest = FactList::new(self);
        rest.add_claims(card);
        rest.add_small_print(card, short_id);
        CardSections { head, facts: facts.into_lines(), choices, rest: rest.into_lines() }
    }

    /// Risk, and whether it can be undone.
    fn header(&self, card: &Card) -> Vec<StyledLine> {
        let (shape, word) = risk_label(card.risk);
        let undo = card.describe_undo().unwrap_or_default();
        let risk = format!("{shape} {word}");
        let text = format!("{risk}  {undo}");
        let lines = wrap_columns("", CONTINUED, text.trim_end(), self.columns());
        let words = [(risk, TextStyle::Risk(card.risk))];
        lines.iter().map(|line| StyledLine::highlight(line, &words)).collect()
    }
}

/// A card in lines of one width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardSections {
    /// How it ended if it has, its risk, and whether it can be undone.
    pub head: Vec<StyledLine>,
    pub facts: Vec<StyledLine>,
    /// What can be typed.
    pub choices: Vec<StyledLine>,
    /// What the agent says, and the small print.
    pub rest: Vec<StyledLine>,
}

impl CardSections {
    fn into_lines(self) -> Vec<StyledLine> {
        [self.head, self.facts, self.choices, self.rest].into_iter().flatten().collect()
    }
}

/// A shape and a word for each risk, because not everybody sees colours.
pub fn risk_label(risk: Risk) -> (&'static str, &'static str) {
    match risk {
        Risk::ReadOnly => ("-", "READ ONLY"),
        Risk::Low => ("-", "LOW"),
        Risk::Moderate => ("!", "MODERATE"),
        Risk::High => ("!!", "HIGH"),
        Risk::Critical => ("!!!", "CRITICAL"),
    }
}
