//! A small terminal: it understands what the inbox writes, and nothing else.

/// The characters on the screen.
#[derive(Clone, Debug, Default)]
pub struct Emulator {
    columns: usize,
    rows: Vec<Vec<char>>,
    at: (usize, usize),
    /// A sequence of which a part was written.
    pending: String,
    pub title: String,
    pub is_other_screen: bool,
    pub is_cursor_shown: bool,
}

impl Emulator {
    pub fn new(columns: u16, rows: u16) -> Self {
        let mut emulator = Self { columns: columns.into(), ..Self::default() };
        emulator.rows = vec![vec![' '; columns.into()]; rows.into()];
        emulator
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        *self = Self { title: self.title.clone(), ..Self::new(columns, rows) };
    }

    pub fn lines(&self) -> Vec<String> {
        self.rows.iter().map(|row| line_of(row)).collect()
    }

    pub fn write(&mut self, text: &str) -> Result<(), String> {
        for c in text.chars() {
            match (c, self.pending.is_empty()) {
                ('\u{1b}', _) => self.pending = c.to_string(),
                (c, false) => {
                    self.pending.push(c);
                    self.finish_sequence()?;
                }
                ('\u{7}', true) => {}
                (c, true) if c.is_control() => return Err(format!("{c:?} was written")),
                (c, true) => self.put(c)?,
            }
        }
        Ok(())
    }

    fn put(&mut self, c: char) -> Result<(), String> {
        let (x, y) = self.at;
        let cell = self.rows.get_mut(y).and_then(|row| row.get_mut(x));
        *cell.ok_or_else(|| format!("{c:?} was written outside, at {x}, {y}"))? = c;
        self.at.0 += 1;
        Ok(())
    }

    fn finish_sequence(&mut self) -> Result<(), String> {
        let sequence = self.pending.clone();
        let (kind, rest) = sequence.split_at(2.min(sequence.len()));
        let done = match kind {
            "\u{1b}[" => rest.ends_with(|c: char| ('\u{40}'..'\u{7f}').contains(&c)),
            "\u{1b}]" => rest.ends_with('\u{7}'),
            _ => return Err(format!("{sequence:?} is no sequence")),
        };
        if !done {
            return Ok(());
        }
        self.pending.clear();
        if let Some(title) = rest.strip_prefix("2;").filter(|_| kind == "\u{1b}]") {
            self.title = title.trim_end_matches('\u{7}').to_owned();
            return Ok(());
        }
        match rest {
            "2J" => self.rows = vec![vec![' '; self.columns]; self.rows.len()],
            "H" => self.at = (0, 0),
            "?1049h" => self.is_other_screen = true,
            "?1049l" => self.is_other_screen = false,
            "?25h" => self.is_cursor_shown = true,
            "?25l" => self.is_cursor_shown = false,
            "?2004h" | "?2004l" | "?2026h" | "?2026l" | "22;2t" | "23;2t" => {}
            rest => match (rest.strip_suffix('H'), rest.strip_suffix('m')) {
                (Some(position), _) => {
                    let (y, x) = position.split_once(';').unwrap();
                    let number = |text: &str| text.parse::<usize>().unwrap() - 1;
                    self.at = (number(x), number(y));
                }
                (None, Some(_)) => {}
                (None, None) => return Err(format!("{sequence:?} was written")),
            },
        }
        Ok(())
    }

    /// The short id at the end of the first line of the card. None if something covers it.
    pub fn card_id(&self) -> Option<String> {
        let line = line_of(self.rows.get(2)?);
        let id = line.rsplit(' ').next()?;
        let digits = id.strip_prefix('r')?;
        (digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit())).then(|| id.to_owned())
    }

    /// The rows of the card, without the list beside it.
    pub fn card_rows(&self) -> Vec<String> {
        let lines = self.lines();
        let end = lines.iter().rposition(|line| line.starts_with("──")).unwrap_or(lines.len());
        let card = |line: &String| match line.split_once('│') {
            Some((_, card)) => card.to_owned(),
            None => line.clone(),
        };
        lines.get(2..end.max(2)).unwrap_or_default().iter().map(card).collect()
    }
}

fn line_of(row: &[char]) -> String {
    row.iter().collect::<String>().trim_end().to_owned()
}
