//! The bottom of the screen: the choices, then hints or what the last line led to, then the line that
//! is typed.

use super::{Canvas, u16_of};
use crate::limits;
use countersign_terminal::{
    PromptQuestion, ScreenView, StyledLine, TextStyle, cut_to_width, text_width, wrap_columns,
};
use ratatui_core::layout::{Position, Rect};

pub(super) struct Footer {
    choices: Vec<StyledLine>,
    /// Rows for the choices. They stay the same while one card is answered, so that the card does.
    choice_rows: usize,
    notes: Vec<StyledLine>,
    note_rows: usize,
    question: String,
    typed: String,
    accepts_input: bool,
}

impl Footer {
    pub(super) fn new(view: &ScreenView<'_>, columns: usize, rows: u16) -> Self {
        let is_low = rows < limits::MIN_ROWS_WITH_NOTES;
        let note_rows = if is_low { 1 } else { limits::REPLY_ROWS };
        let selected = view.selected.and_then(|index| view.waiting.get(index));
        let lay_out_choices = |item, pause| match selected {
            Some((question, _)) => lay_out(&list_choices(view, question, item, pause), columns),
            None => Vec::new(),
        };
        let last = view.choices.len().saturating_sub(1);
        let pause = if view.burst.is_some() { PauseOffer::First } else { PauseOffer::InHints };
        let choices = lay_out_choices(view.item.min(last), pause);
        let rows = (0..=last).map(|item| lay_out_choices(item, PauseOffer::First).len());
        let choice_rows = rows.max().unwrap_or(0).max(choices.len());
        let notes = match view.replies {
            [] => lay_out(&list_hints(view), columns),
            replies => lay_out_replies(replies, columns, note_rows),
        };
        let question =
            if view.question.is_empty() { "> ".to_owned() } else { view.question.clone() };
        Self {
            choices,
            choice_rows,
            notes,
            note_rows,
            question,
            typed: view.typed.to_owned(),
            accepts_input: view.accepts_input,
        }
    }

    /// A rule, the choices, the notes, and the line that is typed.
    pub(super) fn rows(&self) -> u16 {
        u16_of(2 + self.choice_rows + self.note_rows)
    }

    /// Returns where the next key will appear.
    pub(super) fn draw(&self, canvas: &mut Canvas, area: Rect) -> Option<Position> {
        canvas.rule(area.y, area);
        let notes_y = area.y + 1 + u16_of(self.choice_rows);
        let choices = (area.y + 1..).zip(&self.choices);
        let notes = (notes_y..).zip(self.notes.iter().take(self.note_rows));
        for (y, line) in choices.chain(notes) {
            canvas.line(1, y, line, area.width - 1);
        }
        let y = area.y + area.height - 1;
        let style = if self.accepts_input { TextStyle::Strong } else { TextStyle::Quiet };
        let room = usize::from(area.width) - 2;
        let question = cut_to_width(&self.question, room / 2);
        canvas.text((1, y), style, &question, area.width - 1);
        let x = 1 + u16_of(text_width(&question));
        // The end of a long line is what is being typed.
        let typed = end_of_text(&self.typed, room.saturating_sub(usize::from(x)));
        canvas.text((x, y), TextStyle::Plain, typed, area.width - x);
        Some(Position::new((x + u16_of(text_width(typed))).min(area.width - 1), y))
    }
}

/// What can be typed, and what it is called.
type Choice = (String, String);

/// Where pausing the agent is offered. During a burst it is the first choice.
#[derive(Clone, Copy)]
enum PauseOffer {
    First,
    InHints,
}

fn list_choices(
    view: &ScreenView<'_>,
    question: &PromptQuestion,
    item: usize,
    pause: PauseOffer,
) -> Vec<Choice> {
    let words = view.choices.get(item).map_or(&[][..], Vec::as_slice);
    let mut choices: Vec<Choice> = match &question.view.card.confirm {
        Some(confirm) => {
            vec![(format!("type {}", confirm.typed), "then Enter: allow once".to_owned())]
        }
        None if view.is_confirming => vec![own_pair(("yes", "confirm it"))],
        None => words.iter().map(|word| split_choice(word)).collect(),
    };
    choices.push(own_pair(("n", "no")));
    match pause {
        PauseOffer::First => choices.insert(0, own_pair(("P", "pause it"))),
        PauseOffer::InHints => choices.push(own_pair(("n:", "+ reason"))),
    }
    choices
}

fn split_choice(word: &str) -> Choice {
    word.split_once(' ').map_or((word.to_owned(), String::new()), own_pair)
}

fn list_hints(view: &ScreenView<'_>) -> Vec<Choice> {
    let hints: &[(&str, &str)] = match (view.selected, view.has_quick_keys) {
        (None, _) => &[("Tab", "running and allowed"), ("?", "keys"), ("/quit", "")],
        (Some(_), true) => &[
            ("w", "why it asks"),
            ("e", "what it covers"),
            ("v", "whole request"),
            ("Tab", "running and allowed"),
            ("P", "pause the agent"),
            ("u", "end the last grant"),
            ("/", "search"),
            ("?", "keys"),
        ],
        (Some(_), false) => &[
            ("w", "why it asks"),
            ("v", "whole request"),
            ("Tab", "running and allowed"),
            ("?", "keys (Enter after each)"),
        ],
    };
    // Then it is the first choice.
    let is_shown = |(key, _): &(&str, &str)| *key != "P" || view.burst.is_none();
    hints.iter().copied().filter(is_shown).map(own_pair).collect()
}

fn own_pair((key, text): (&str, &str)) -> Choice {
    (key.to_owned(), text.to_owned())
}

/// Lines in which each key stands out.
fn lay_out(choices: &[Choice], columns: usize) -> Vec<StyledLine> {
    let (mut lines, mut line, mut used) = (Vec::new(), StyledLine::default(), 0);
    for (key, text) in choices {
        let width = text_width(key) + text_width(text) + usize::from(!text.is_empty());
        if used > 0 && used + 3 + width > columns.saturating_sub(2) {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(TextStyle::Plain, "   ");
            used += 3;
        }
        line.push(TextStyle::Key, key);
        let gap = if key.is_empty() || text.is_empty() { "" } else { " " };
        line.push(TextStyle::Plain, &format!("{gap}{text}"));
        used += width;
    }
    lines.push(line);
    lines
}

fn lay_out_replies(replies: &[String], columns: usize, rows: usize) -> Vec<StyledLine> {
    let wrap = |reply: &String| wrap_columns("", "  ", reply, columns.saturating_sub(2));
    let lines: Vec<String> = replies.iter().flat_map(wrap).collect();
    let cut = lines.len().saturating_sub(rows);
    lines.into_iter().skip(cut).map(StyledLine::from).collect()
}

/// As much of the end as fits.
fn end_of_text(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices().rev() {
        used += text_width(c.encode_utf8(&mut [0; 4]));
        if used > columns {
            return text.get(at + c.len_utf8()..).unwrap_or_default();
        }
    }
    text
}
