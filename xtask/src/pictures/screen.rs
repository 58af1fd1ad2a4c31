//! What a terminal shows: lines of text with colours, read from the bytes that it was sent.

use std::iter::Peekable;
use std::str::Chars;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub runs: Vec<Run>,
}

/// Characters of one style, side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub text: String,
    pub style: RunStyle,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunStyle {
    pub color: Option<Color>,
    pub background: Option<Color>,
    pub is_bold: bool,
    pub is_dim: bool,
    pub is_underlined: bool,
    /// Text and background have changed places.
    pub is_inverse: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// One of the sixteen that a terminal names.
    Named(u8),
    Rgb(u8, u8, u8),
}

impl Screen {
    /// Reads text with escape sequences. Those that set no style are left out.
    pub fn parse(text: &str) -> Self {
        let (mut lines, mut line, mut style) = (Vec::new(), Line::default(), RunStyle::default());
        let mut chars = text.chars().peekable();
        while let Some(next) = chars.next() {
            match next {
                '\n' => lines.push(std::mem::take(&mut line)),
                '\u{1b}' => read_escape(&mut chars, &mut style),
                next if next.is_control() => {}
                next => line.push(next, style),
            }
        }
        if !line.runs.is_empty() {
            lines.push(line);
        }
        Self { lines }
    }

    pub fn is_blank(&self) -> bool {
        self.lines.iter().all(|line| line.plain_text().trim().is_empty())
    }

    /// Breaks lines at the width of a terminal.
    pub fn wrap(&self, columns: usize) -> Self {
        Self { lines: self.lines.iter().flat_map(|line| line.wrap(columns)).collect() }
    }

    /// As many rows as a terminal has: those below the last text are blank.
    pub fn pad_rows(mut self, rows: usize) -> Self {
        self.lines.resize(rows, Line::default());
        self
    }

    /// What is left on a terminal of this height.
    pub fn last_rows(mut self, rows: usize) -> Self {
        self.lines.drain(..self.lines.len().saturating_sub(rows));
        self
    }
}

impl Line {
    pub fn plain_text(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }

    fn push(&mut self, next: char, style: RunStyle) {
        match self.runs.last_mut() {
            Some(run) if run.style == style => run.text.push(next),
            _ => self.runs.push(Run { text: next.to_string(), style }),
        }
    }

    fn wrap(&self, columns: usize) -> Vec<Self> {
        let (mut lines, mut line, mut column) = (Vec::new(), Self::default(), 0);
        for run in &self.runs {
            for next in run.text.chars() {
                if column == columns {
                    lines.push(std::mem::take(&mut line));
                    column = 0;
                }
                line.push(next, run.style);
                column += 1;
            }
        }
        lines.push(line);
        lines
    }
}

/// Reads what follows an escape character.
fn read_escape(chars: &mut Peekable<Chars<'_>>, style: &mut RunStyle) {
    match chars.next() {
        Some('[') => {
            let mut parameters = String::new();
            for next in chars.by_ref() {
                match next {
                    'm' => return set_style(style, &parameters),
                    '@'..='~' => return,
                    next => parameters.push(next),
                }
            }
        }
        // A link or a title, up to a bell or `ESC \`.
        Some(']') => {
            while let Some(next) = chars.next() {
                if next == '\u{7}' || (next == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    return;
                }
            }
        }
        // A character set.
        Some('(') => drop(chars.next()),
        _ => {}
    }
}

fn set_style(style: &mut RunStyle, parameters: &str) {
    let mut numbers = parameters.split([';', ':']).map(|number| number.parse::<u8>().unwrap_or(0));
    while let Some(number) = numbers.next() {
        match number {
            0 => *style = RunStyle::default(),
            1 => style.is_bold = true,
            2 => style.is_dim = true,
            4 => style.is_underlined = true,
            24 => style.is_underlined = false,
            7 => style.is_inverse = true,
            22 => (style.is_bold, style.is_dim) = (false, false),
            27 => style.is_inverse = false,
            30..=37 => style.color = Some(Color::Named(number - 30)),
            38 => style.color = read_color(&mut numbers),
            39 => style.color = None,
            40..=47 => style.background = Some(Color::Named(number - 40)),
            48 => style.background = read_color(&mut numbers),
            49 => style.background = None,
            90..=97 => style.color = Some(Color::Named(number - 82)),
            _ => {}
        }
    }
}

/// The colour after 38 or 48: `5;N` of a palette, or `2;R;G;B`.
fn read_color(numbers: &mut impl Iterator<Item = u8>) -> Option<Color> {
    match numbers.next()? {
        5 => Some(palette_color(numbers.next()?)),
        2 => Some(Color::Rgb(numbers.next()?, numbers.next()?, numbers.next()?)),
        _ => None,
    }
}

/// The palette of 256 colours: sixteen names, a cube, and a ramp of grey.
fn palette_color(number: u8) -> Color {
    let level = |step: u8| if step == 0 { 0 } else { 55 + step * 40 };
    match number {
        0..=15 => Color::Named(number),
        16..=231 => {
            let step = number - 16;
            Color::Rgb(level(step / 36), level(step / 6 % 6), level(step % 6))
        }
        232..=255 => {
            let grey = 8 + (number - 232) * 10;
            Color::Rgb(grey, grey, grey)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(text: &str) -> Vec<Vec<(String, RunStyle)>> {
        let runs = |line: Line| line.runs.into_iter().map(|run| (run.text, run.style)).collect();
        Screen::parse(text).lines.into_iter().map(runs).collect()
    }

    #[test]
    fn styles_hold_until_they_are_reset() {
        let bold_red =
            RunStyle { is_bold: true, color: Some(Color::Named(1)), ..RunStyle::default() };
        let grey =
            RunStyle { background: Some(Color::Rgb(8, 8, 8)), is_dim: true, ..RunStyle::default() };
        assert_eq!(
            describe("\u{1b}[1m\u{1b}[31mHIGH\u{1b}[0m risk\n\u{1b}[2;48;5;232mx"),
            [
                vec![("HIGH".to_owned(), bold_red), (" risk".to_owned(), RunStyle::default())],
                vec![("x".to_owned(), grey)],
            ]
        );
    }

    #[test]
    fn links_and_moves_of_the_cursor_leave_no_trace() {
        let text = "\u{1b}]8;;file:///a\u{1b}\\a\u{1b}]8;;\u{7}\u{1b}[2K\u{1b}(B b\r\n";
        assert_eq!(describe(text), [[("a b".to_owned(), RunStyle::default())]]);
    }

    #[test]
    fn a_long_line_goes_on_below_and_the_last_rows_stay() {
        let screen = Screen::parse("one\n\u{1b}[1mabcdef\u{1b}[0mgh\n").wrap(4);
        let texts = |screen: &Screen| -> Vec<String> {
            screen.lines.iter().map(Line::plain_text).collect()
        };
        assert_eq!(texts(&screen), ["one", "abcd", "efgh"]);
        assert_eq!(texts(&screen.last_rows(2)), ["abcd", "efgh"]);
    }
}
