//! Draws a prompt: a header, what waits beside the card, and at the bottom what can be typed.

mod card;
mod footer;
mod list;
mod panel;

use crate::limits;
use crate::style::Palette;
use countersign_terminal::{
    CompactLayout, ScreenView, StyledLine, TextStyle, Viewport, cut_to_width, text_width,
};
use footer::Footer;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};

/// What was drawn.
pub struct DrawnScreen {
    pub buffer: Buffer,
    /// Where the next key will appear. None while keys do not count.
    pub cursor: Option<Position>,
    /// Which rows of the card or panel were drawn.
    pub drawn: Viewport,
}

/// Draws lines into a buffer.
struct Canvas {
    buffer: Buffer,
    palette: Palette,
}

pub fn draw_screen(
    view: &ScreenView<'_>,
    layout: &CompactLayout,
    palette: Palette,
    area: Rect,
) -> DrawnScreen {
    let mut canvas = Canvas { buffer: Buffer::empty(area), palette };
    if area.width < limits::MIN_COLUMNS || area.height < limits::MIN_ROWS {
        return draw_too_small(canvas, view, area);
    }
    canvas.draw_header(view, area);
    if let Some(panel) = view.panel {
        let drawn = panel::draw(&mut canvas, view, panel, below_header(area));
        return DrawnScreen { buffer: canvas.buffer, cursor: None, drawn };
    }
    let footer = Footer::new(view, area.width.into(), area.height);
    let footer_rows = footer.rows();
    let body = Rect { height: area.height - 2 - footer_rows, ..below_header(area) };
    let cursor = footer
        .draw(&mut canvas, Rect { y: area.height - footer_rows, height: footer_rows, ..area });
    let drawn = draw_body(&mut canvas, view, layout, body);
    DrawnScreen { buffer: canvas.buffer, cursor: cursor.filter(|_| view.accepts_input), drawn }
}

fn below_header(area: Rect) -> Rect {
    Rect { y: 2, height: area.height.saturating_sub(2), ..area }
}

fn draw_body(
    canvas: &mut Canvas,
    view: &ScreenView<'_>,
    layout: &CompactLayout,
    body: Rect,
) -> Viewport {
    if view.selected.is_none() {
        canvas.draw_nothing_waits(view, body);
        return Viewport::default();
    }
    if body.width < limits::MIN_LIST_SCREEN {
        return card::draw(canvas, view, layout, Rect { x: 1, width: body.width - 2, ..body });
    }
    let columns = (body.width / 3).clamp(limits::MIN_LIST_COLUMNS, limits::MAX_LIST_COLUMNS);
    list::draw(canvas, view, layout, Rect { width: columns, ..body });
    for y in body.y..body.y + body.height {
        canvas.text((columns, y), TextStyle::Quiet, "│", 1);
    }
    let (x, width) = (columns + 2, body.width - columns - 3);
    let width = width.min(limits::MAX_CARD_COLUMNS);
    card::draw(canvas, view, layout, Rect { x, width, ..body })
}

/// A card that cannot be read cannot be allowed.
fn draw_too_small(mut canvas: Canvas, view: &ScreenView<'_>, area: Rect) -> DrawnScreen {
    let count = match view.waiting.len() {
        1 => "1 call waits.".to_owned(),
        count => format!("{count} calls wait."),
    };
    let text = format!(
        "{count} This window is too small to read them: it needs {} columns and {} rows. \
         `countersign watch --plain` prints lines.",
        limits::MIN_COLUMNS,
        limits::MIN_ROWS
    );
    let lines = countersign_terminal::wrap_columns("", "", &text, area.width.into());
    for (y, line) in (0..area.height).zip(&lines) {
        canvas.text((0, y), TextStyle::Plain, line, area.width);
    }
    let drawn = Viewport { first: 0, rows: 0, total: 1, needed: 1 };
    DrawnScreen { buffer: canvas.buffer, cursor: None, drawn }
}

impl Canvas {
    fn text(&mut self, (x, y): (u16, u16), style: TextStyle, text: &str, columns: u16) {
        let style = self.palette.style(style);
        self.buffer.set_stringn(x, y, text, columns.into(), style);
    }

    fn line(&mut self, x: u16, y: u16, line: &StyledLine, columns: u16) {
        self.buffer.set_line(x, y, &self.palette.line(line), columns);
    }

    fn rule(&mut self, y: u16, area: Rect) {
        self.text((area.x, y), TextStyle::Quiet, &"─".repeat(area.width.into()), area.width);
    }

    /// How much waits, and below it what happened elsewhere.
    fn draw_header(&mut self, view: &ScreenView<'_>, area: Rect) {
        let count = match (view.waiting.len(), view.selected) {
            (0, _) => "nothing waits".to_owned(),
            (1, _) => "1 waiting".to_owned(),
            (count, Some(at)) => format!("{} of {count} waiting", at + 1),
            (count, None) => format!("{count} waiting"),
        };
        let mut line = StyledLine::new(TextStyle::Strong, format!(" {count}"));
        if !view.is_connected {
            line.push(TextStyle::Danger, "  the daemon is gone, reconnecting");
        } else if let Some(burst) = &view.burst {
            line.push(TextStyle::Danger, &format!("  {burst}"));
        }
        self.line(0, 0, &line, area.width);
        let name = "countersign ";
        let used = text_width(&line.plain_text()) + text_width(name) + 2;
        if used <= area.width.into() {
            let x = area.width - u16_of(text_width(name));
            self.text((x, 0), TextStyle::Quiet, name, area.width);
        }
        self.rule(1, area);
        if let Some(message) = view.message {
            let more = match view.more_messages {
                0 => " · /m".to_owned(),
                count => format!(" · {count} more: /m"),
            };
            let room = usize::from(area.width).saturating_sub(text_width(&more) + 2);
            let style = if message.is_alert { TextStyle::Danger } else { TextStyle::Plain };
            self.text((0, 1), TextStyle::Plain, &" ".repeat(area.width.into()), area.width);
            let text = cut_to_width(&message.text, room);
            self.text((1, 1), style, &text, area.width - 1);
            self.text((1 + u16_of(text_width(&text)), 1), TextStyle::Quiet, &more, area.width);
        }
    }

    fn draw_nothing_waits(&mut self, view: &ScreenView<'_>, body: Rect) {
        let lines = match view.is_connected {
            true => ["Nothing waits for you.", "Tab shows what runs and what is allowed."],
            false => ["The daemon cannot be reached.", "What waits stays open."],
        };
        let middle = body.y + (body.height / 2).saturating_sub(1);
        for (y, (text, style)) in
            (middle..).zip(lines.into_iter().zip([TextStyle::Strong, TextStyle::Quiet]))
        {
            let x = body.width.saturating_sub(u16_of(text_width(text))) / 2;
            self.text((x, y), style, text, body.width);
        }
    }
}

/// A screen has fewer columns and rows than this can hold.
fn u16_of(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
