//! Aligned columns: readable on a terminal, and for `grep`, `awk` and eyes off it.

use crate::page::{BOLD, NONE, Page};
use crate::plain::{plain, width};
use anstyle::Style;

pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::styled(NONE, text)
    }

    pub(crate) fn styled(style: Style, text: impl Into<String>) -> Self {
        // An empty cell would let the next one slip into its place.
        let text = Some(text.into()).filter(|text| !text.is_empty());
        Self { text: plain(&text.unwrap_or_else(|| "-".to_owned())), style }
    }
}

/// Puts rows below their headings, two blanks between columns, none at the end of a line.
pub(crate) fn draw(page: &mut Page, headings: &[&str], rows: &[Vec<Cell>]) {
    let head: Vec<Cell> = headings.iter().map(|name| Cell::styled(BOLD, *name)).collect();
    let mut widths: Vec<usize> = Vec::new();
    for row in rows.iter().chain([&head]) {
        for (at, cell) in row.iter().enumerate() {
            match widths.get_mut(at) {
                Some(so_far) => *so_far = (*so_far).max(width(&cell.text)),
                None => widths.push(width(&cell.text)),
            }
        }
    }
    for row in [&head].into_iter().chain(rows) {
        let mut gap = 0;
        for (cell, widest) in row.iter().zip(&widths) {
            page.blanks(gap).styled(cell.style, &cell.text);
            gap = widest.saturating_sub(width(&cell.text)) + 2;
        }
        page.end();
    }
}
