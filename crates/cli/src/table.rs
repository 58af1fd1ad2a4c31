//! Tables with aligned columns, for people and for `grep` and `awk`.

use crate::page::{BOLD, NONE, Page};
use crate::sanitize::{display_width, sanitize};
use anstyle::Style;

pub(crate) struct TableCell {
    text: String,
    style: Style,
}

impl TableCell {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::styled(NONE, text)
    }

    pub(crate) fn styled(style: Style, text: impl Into<String>) -> Self {
        // An empty cell would shift the columns for `awk`.
        let text = Some(text.into()).filter(|text| !text.is_empty());
        Self { text: sanitize(&text.unwrap_or_else(|| "-".to_owned())), style }
    }
}

pub(crate) fn draw(page: &mut Page, headings: &[&str], rows: &[Vec<TableCell>]) {
    let head: Vec<TableCell> = headings.iter().map(|name| TableCell::styled(BOLD, *name)).collect();
    let mut widths: Vec<usize> = Vec::new();
    for row in rows.iter().chain([&head]) {
        for (at, cell) in row.iter().enumerate() {
            match widths.get_mut(at) {
                Some(widest) => *widest = (*widest).max(display_width(&cell.text)),
                None => widths.push(display_width(&cell.text)),
            }
        }
    }
    for row in [&head].into_iter().chain(rows) {
        let mut gap = 0;
        for (cell, widest) in row.iter().zip(&widths) {
            page.spaces(gap).styled(cell.style, &cell.text);
            gap = widest.saturating_sub(display_width(&cell.text)) + 2;
        }
        page.end();
    }
}
