//! The card, in the words and the order of the other surfaces. Its risk stays on the screen; the rest
//! scrolls where it does not fit.

use super::{Canvas, u16_of};
use crate::limits;
use countersign_terminal::{
    CompactLayout, ScreenView, StyledLine, TextStyle, Viewport, text_width, wrap_columns,
};
use ratatui_core::layout::Rect;

pub(super) fn draw(
    canvas: &mut Canvas,
    view: &ScreenView<'_>,
    layout: &CompactLayout,
    area: Rect,
) -> Viewport {
    let selected = view.selected.and_then(|index| view.waiting.get(index));
    let Some((question, short_id)) = selected else { return Viewport::default() };
    let columns = usize::from(area.width);
    let layout = CompactLayout { width: columns, ..layout.clone() };
    // The id stands in the first line, or in the small print where that line has no room.
    let sections = layout.lay_out(&question.view.card, "");
    let has_room = fits_id(short_id, sections.head.first(), area);
    let sections = match has_room {
        true => sections,
        false => layout.lay_out(&question.view.card, short_id),
    };
    for (y, line) in (area.y..).zip(&sections.head) {
        canvas.line(area.x, y, line, area.width);
    }
    if has_room {
        let x = area.x + area.width - u16_of(short_id.len());
        canvas.text((x, area.y), TextStyle::Quiet, short_id, area.width);
    }
    let y = area.y + u16_of(sections.head.len());
    let detail = lay_out_detail(&view.detail, columns);
    let blank = [StyledLine::default()];
    let card = sections.facts.iter().chain(&blank).chain(&sections.rest);
    let needed = card.clone().count();
    let body: Vec<&StyledLine> = card.chain(&detail).collect();
    let rows = usize::from((area.y + area.height).saturating_sub(y));
    let area = Rect { y, height: u16_of(rows), ..area };
    Viewport { needed, ..draw_rows(canvas, &body, view.first_row, area) }
}

/// Whether the first line has room for the id at its end.
fn fits_id(id: &str, head: Option<&StyledLine>, area: Rect) -> bool {
    let used = head.map_or(0, |line| text_width(&line.plain_text()));
    used + id.len() + 2 <= usize::from(area.width)
}

/// Why it was asked, or all choices.
fn lay_out_detail(detail: &[(String, String)], columns: usize) -> Vec<StyledLine> {
    let widths = detail.iter().map(|(label, _)| text_width(label));
    let widest = widths.filter(|width| *width <= limits::MAX_LABEL_COLUMNS).max().unwrap_or(0);
    let mut lines = Vec::new();
    if !detail.is_empty() {
        lines.push(StyledLine::default());
    }
    for (label, text) in detail {
        let gap = " ".repeat(widest.saturating_sub(text_width(label)));
        let wrapped = wrap_columns("  ", "  > ", &format!("{label}{gap}  {text}"), columns);
        lines.extend(wrapped.into_iter().map(StyledLine::from));
    }
    lines
}

/// As many rows as fit, and how many more there are.
pub(super) fn draw_rows(
    canvas: &mut Canvas,
    lines: &[&StyledLine],
    first: usize,
    area: Rect,
) -> Viewport {
    let (total, height) = (lines.len(), usize::from(area.height));
    if total <= height {
        for (y, line) in (area.y..).zip(lines) {
            canvas.line(area.x, y, line, area.width);
        }
        return Viewport { first: 0, rows: total, total, needed: total };
    }
    // One row says how many more there are.
    let rows = height.saturating_sub(1);
    let first = first.min(total - rows);
    for (y, line) in (area.y..).zip(lines.iter().skip(first).take(rows)) {
        canvas.line(area.x, y, line, area.width);
    }
    let below = total - first - rows;
    let text = match (first, below) {
        (0, below) => format!("↓ {below} more lines: PgDn"),
        (above, 0) => format!("↑ {above} lines above: PgUp"),
        (above, below) => format!("↑ {above} lines above, ↓ {below} below: PgUp, PgDn"),
    };
    let style = if below > 0 { TextStyle::Key } else { TextStyle::Quiet };
    canvas.text((area.x, area.y + u16_of(rows)), style, &text, area.width);
    Viewport { first, rows, total, needed: total }
}
