//! Tables with aligned columns, for people and for `grep` and `awk`.
//!
//! On a terminal a table fits its width: long texts go on below, in their own column, and where not
//! even that fits, each row becomes a few lines.

use crate::page::{BOLD, NONE, Page};
use crate::sanitize::{display_width, sanitize};
use crate::screen;
use anstyle::Style;
use countersign_terminal::wrap_columns;

/// Columns between two cells.
const GAP: usize = 2;
/// A column that has to be narrower than this is no column any more.
const MIN_COLUMN: usize = 12;

pub struct TableCell {
    text: String,
    style: Style,
}

impl TableCell {
    pub fn new(text: impl Into<String>) -> Self {
        Self::styled(NONE, text)
    }

    pub fn styled(style: Style, text: impl Into<String>) -> Self {
        // An empty cell would shift the columns for `awk`.
        let text = Some(text.into()).filter(|text| !text.is_empty());
        Self { text: sanitize(&text.unwrap_or_else(|| "-".to_owned())), style }
    }
}

pub fn draw(page: &mut Page, headings: &[&str], rows: &[Vec<TableCell>]) {
    draw_within(page, headings, rows, screen::terminal_width(std::io::stdout()));
}

fn draw_within(
    page: &mut Page,
    headings: &[&str],
    rows: &[Vec<TableCell>],
    columns: Option<usize>,
) {
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
    match columns.map(|columns| fit_widths(&widths, columns)) {
        None => {}
        Some(Some(fitting)) => widths = fitting,
        Some(None) => {
            rows.iter().for_each(|row| draw_stacked(page, &head, row, columns.unwrap_or(80)));
            return;
        }
    }
    for row in [&head].into_iter().chain(rows) {
        draw_row(page, row, &widths);
    }
}

/// Takes columns from the widest until the table fits. None if they would become too narrow.
fn fit_widths(widths: &[usize], columns: usize) -> Option<Vec<usize>> {
    let mut widths = widths.to_vec();
    let gaps = GAP * widths.len().saturating_sub(1);
    loop {
        let used: usize = widths.iter().sum::<usize>() + gaps;
        let excess = used.saturating_sub(columns);
        if excess == 0 {
            return Some(widths);
        }
        let widest = widths.iter_mut().max()?;
        if *widest <= MIN_COLUMN {
            return None;
        }
        *widest -= 1;
    }
}

fn draw_row(page: &mut Page, row: &[TableCell], widths: &[usize]) {
    let cells: Vec<Vec<String>> = row
        .iter()
        .zip(widths)
        .map(|(cell, width)| wrap_columns("", "", &cell.text, *width))
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..height {
        let mut gap = 0;
        for ((cell, lines), width) in row.iter().zip(&cells).zip(widths) {
            let text = lines.get(line).map_or("", |text| text.trim_end());
            if text.is_empty() {
                gap += width + GAP;
                continue;
            }
            page.spaces(gap).styled(cell.style, text);
            gap = width.saturating_sub(display_width(text)) + GAP;
        }
        page.end();
    }
}

/// One line for each cell, below each other.
fn draw_stacked(page: &mut Page, head: &[TableCell], row: &[TableCell], columns: usize) {
    for (index, (name, cell)) in head.iter().zip(row).enumerate() {
        let start = if index == 0 { "" } else { "  " };
        let text = format!("{} {}", name.text.to_lowercase(), cell.text);
        for line in wrap_columns(start, "    ", &text, columns) {
            page.styled(cell.style, line.trim_end()).end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw_sample(columns: Option<usize>) -> String {
        let row = |cells: [&str; 3]| cells.map(TableCell::new).into_iter().collect::<Vec<_>>();
        let rows = [
            row(["3e22a1", "git push origin main, whatever it is done to", "in 2 h"]),
            row(["77aa01", "ls", "in 5 min"]),
        ];
        let mut page = Page::new();
        draw_within(&mut page, &["ID", "WANTS TO", "UNTIL"], &rows, columns);
        anstream::adapter::strip_str(page.as_str()).to_string()
    }

    #[test]
    fn a_table_fits_every_width() {
        for columns in 20..=120 {
            let text = draw_sample(Some(columns));
            assert!(text.lines().all(|line| display_width(line) <= columns), "{columns}:\n{text}");
        }
    }

    #[test]
    fn long_cells_go_on_in_their_column_and_rows_in_a_narrow_window_are_stacked() {
        assert_eq!(
            draw_sample(Some(40)),
            "\
ID      WANTS TO                UNTIL
3e22a1  git push origin main,   in 2 h
        whatever it is done to
77aa01  ls                      in 5 min
"
        );
        assert_eq!(
            draw_sample(Some(24)),
            "\
id 3e22a1
  wants to git push\x20
    origin main,
    whatever it is done
    to
  until in 2 h
id 77aa01
  wants to ls
  until in 5 min
"
            .replace("push \n", "push\n")
        );
        let piped = draw_sample(None);
        assert_eq!(piped.lines().count(), 3, "{piped}");
    }
}
