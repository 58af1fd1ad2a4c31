//! Which rows of a text are on the screen, and which were.

use super::Movement;

/// Rows of a text that were drawn: from `first` on, as many as fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewport {
    pub first: usize,
    pub rows: usize,
    pub total: usize,
    /// How many have to be seen, from the first on: explanations below a card need not be.
    pub needed: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ScrollState {
    pub(super) first: usize,
    drawn: Viewport,
    /// Rows up to this one were on the screen.
    seen: usize,
}

impl ScrollState {
    fn last_first(&self) -> usize {
        self.drawn.total.saturating_sub(self.drawn.rows)
    }

    pub(super) fn scroll(&mut self, movement: Movement) {
        let page = self.drawn.rows.saturating_sub(1).max(1);
        self.first = match movement {
            Movement::Up => self.first.saturating_sub(1),
            Movement::Down => self.first + 1,
            Movement::PageUp => self.first.saturating_sub(page),
            Movement::PageDown => self.first + page,
            Movement::Home => 0,
            Movement::End => self.last_first(),
            Movement::NextScreen => self.first,
        };
        self.first = self.first.min(self.last_first());
    }

    /// Returns whether every row was on the screen by now.
    pub(super) fn record(&mut self, drawn: Viewport) -> bool {
        if drawn.total != self.drawn.total {
            self.seen = 0;
        }
        (self.drawn, self.first) = (drawn, drawn.first);
        if drawn.first <= self.seen {
            self.seen = self.seen.max(drawn.first + drawn.rows);
        }
        self.seen >= drawn.needed
    }
}
