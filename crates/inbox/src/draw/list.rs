//! What waits: a shape for the risk, the headline, who asks, and for how long it has waited.

use super::{Canvas, u16_of};
use countersign_terminal::{
    CompactLayout, PromptQuestion, ScreenView, StyledLine, TextStyle, cut_to_width,
    describe_waiting_time, risk_label,
};
use ratatui_core::layout::Rect;

/// Rows of one request.
const ROWS: u16 = 2;

pub(super) fn draw(canvas: &mut Canvas, view: &ScreenView<'_>, layout: &CompactLayout, area: Rect) {
    let fitting = usize::from(area.height / ROWS).max(1);
    let count = view.waiting.len();
    // The last rows say how many more there are.
    let shown = if count > fitting { fitting.saturating_sub(1).max(1) } else { count };
    let selected = view.selected.unwrap_or(0);
    let first = selected.saturating_sub(shown / 2).min(count.saturating_sub(shown));
    let rows = view.waiting.iter().enumerate().skip(first).take(shown);
    for (y, (index, (question, _))) in (area.y..).step_by(ROWS.into()).zip(rows) {
        let style = if index == selected { TextStyle::Strong } else { TextStyle::Plain };
        let [top, bottom] = describe(question, style, layout, area.width);
        canvas.line(area.x, y, &top, area.width);
        canvas.line(area.x, y + 1, &bottom, area.width);
    }
    let (above, below) = (first, count - first - shown);
    if above + below > 0 {
        let text = match (above, below) {
            (0, below) => format!("   {below} more below"),
            (above, 0) => format!("   {above} more above"),
            (above, below) => format!("   {above} above, {below} below"),
        };
        let y = area.y + u16_of(shown) * ROWS;
        canvas.text((area.x, y), TextStyle::Quiet, &text, area.width);
    }
}

fn describe(
    question: &PromptQuestion,
    style: TextStyle,
    layout: &CompactLayout,
    columns: u16,
) -> [StyledLine; 2] {
    let card = &question.view.card;
    let columns = usize::from(columns);
    let (shape, _) = risk_label(card.risk);
    let mark = if style == TextStyle::Strong { "▌" } else { " " };
    let mut top = StyledLine::new(style, mark);
    top.push(TextStyle::Risk(card.risk), shape);
    top.push(style, &" ".repeat(4_usize.saturating_sub(shape.len())));
    let headline = match layout.home.as_deref() {
        Some(home) if home.len() > 1 => card.headline.as_str().replace(home, "~"),
        Some(_) | None => card.headline.to_string(),
    };
    top.push(style, &cut_to_width(&headline, columns.saturating_sub(6)));
    let waited = describe_waiting_time(layout.now, card.opened_at);
    let room = columns.saturating_sub(9 + waited.len());
    let mut bottom = StyledLine::new(style, mark);
    let agent = cut_to_width(&question.agent, room);
    bottom.push(TextStyle::Quiet, &format!("    {agent} · {waited}"));
    [top, bottom]
}
