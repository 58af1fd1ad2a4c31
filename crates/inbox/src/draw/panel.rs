//! Text that covers the card: the whole call, the keys, messages, or what runs and what is allowed.

use super::card::draw_rows;
use super::{Canvas, u16_of};
use countersign_terminal::{
    Panel, PanelLine, ScreenView, StyledLine, TextStyle, Viewport, wrap_columns,
};
use ratatui_core::layout::Rect;

const KEYS: &str = " Esc back   PgUp, PgDn scroll   nothing can be answered here";

pub(super) fn draw(
    canvas: &mut Canvas,
    view: &ScreenView<'_>,
    panel: &Panel,
    area: Rect,
) -> Viewport {
    let columns = usize::from(area.width.saturating_sub(2));
    let mut lines = Vec::new();
    for line in &panel.lines {
        let (style, text) = match line {
            PanelLine::Heading(text) => (TextStyle::Strong, text),
            PanelLine::Text(text) => (TextStyle::Plain, text),
        };
        let wrapped = wrap_columns("", "  > ", text, columns);
        lines.extend(wrapped.into_iter().map(|line| StyledLine::new(style, line)));
    }
    let mut y = area.y;
    if !panel.title.is_empty() {
        canvas.text((1, y), TextStyle::Strong, &panel.title, area.width - 1);
        y += 2;
    }
    let rows = (area.y + area.height).saturating_sub(y + 2);
    let body = Rect { x: 1, y, width: u16_of(columns), height: rows };
    let drawn = draw_rows(canvas, &lines.iter().collect::<Vec<_>>(), view.first_row, body);
    let bottom = area.y + area.height;
    canvas.rule(bottom - 2, area);
    canvas.text((0, bottom - 1), TextStyle::Quiet, KEYS, area.width);
    drawn
}
