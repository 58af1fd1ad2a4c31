//! Turns a drawn buffer into bytes for a terminal: only the cells that have changed.

use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Position;
use ratatui_core::style::{Color, Modifier, Style};
use std::fmt::Write;

/// Terminals that know it show the frame at once. Others ignore it.
const BEGIN_FRAME: &str = "\x1b[?2026h\x1b[?25l";
const END_FRAME: &str = "\x1b[?2026l";
const CLEAR: &str = "\x1b[0m\x1b[2J";

/// The bytes that turn the previous frame into this one, with the cursor where text is typed.
pub(crate) fn paint_changes(
    previous: Option<&Buffer>,
    next: &Buffer,
    cursor: Option<Position>,
) -> String {
    let mut bytes = BEGIN_FRAME.to_owned();
    let same_size = previous.filter(|previous| previous.area == next.area);
    let blank = Buffer::empty(next.area);
    if same_size.is_none() {
        bytes.push_str(CLEAR);
    }
    let (mut at, mut style) = (None, Style::reset());
    bytes.push_str("\x1b[0m");
    for (x, y, cell) in same_size.unwrap_or(&blank).diff(next) {
        if at != Some((x, y)) {
            move_cursor(&mut bytes, x, y);
        }
        if cell.style() != style {
            style = cell.style();
            bytes.push_str(&style_sequence(cell));
        }
        bytes.push_str(cell.symbol());
        // After a wide character the position is left to the terminal.
        at = cell.symbol().is_ascii().then_some((x + 1, y));
    }
    bytes.push_str("\x1b[0m");
    if let Some(Position { x, y }) = cursor {
        move_cursor(&mut bytes, x, y);
        bytes.push_str("\x1b[?25h");
    }
    bytes.push_str(END_FRAME);
    bytes
}

fn move_cursor(bytes: &mut String, x: u16, y: u16) {
    // Writing to a string does not fail.
    let _written = write!(bytes, "\x1b[{};{}H", y + 1, x + 1);
}

fn style_sequence(cell: &Cell) -> String {
    let mut codes = vec!["0".to_owned()];
    for (modifier, code) in [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
    ] {
        if cell.modifier.contains(modifier) {
            codes.push(code.to_owned());
        }
    }
    codes.extend(colour_code(cell.fg).map(|code| code.to_string()));
    codes.extend(colour_code(cell.bg).map(|code| (code + 10).to_string()));
    format!("\x1b[{}m", codes.join(";"))
}

/// The code of a text colour. The palette has no others.
const fn colour_code(colour: Color) -> Option<u8> {
    Some(match colour {
        Color::Black => 30,
        Color::Red => 31,
        Color::Green => 32,
        Color::Yellow => 33,
        Color::Blue => 34,
        Color::Magenta => 35,
        Color::Cyan => 36,
        Color::Gray => 37,
        Color::DarkGray => 90,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui_core::layout::Rect;

    #[test]
    fn only_changed_cells_are_written() {
        let area = Rect::new(0, 0, 10, 2);
        let mut first = Buffer::empty(area);
        first.set_string(0, 0, "one", Style::new());
        let whole = paint_changes(None, &first, None);
        assert!(whole.contains("\x1b[2J") && whole.contains("one"), "{whole:?}");
        let mut second = first.clone();
        second.set_string(2, 0, "x", Style::new().fg(Color::Red));
        let cursor = Some(Position::new(4, 1));
        assert_eq!(
            paint_changes(Some(&first), &second, cursor),
            "\x1b[?2026h\x1b[?25l\x1b[0m\x1b[1;3H\x1b[0;31mx\x1b[0m\x1b[2;5H\x1b[?25h\x1b[?2026l"
        );
    }

    #[test]
    fn another_size_is_painted_anew() {
        let first = Buffer::empty(Rect::new(0, 0, 4, 1));
        let second = Buffer::empty(Rect::new(0, 0, 5, 1));
        assert!(paint_changes(Some(&first), &second, None).contains("\x1b[2J"));
    }
}
