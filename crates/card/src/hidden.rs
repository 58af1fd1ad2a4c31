//! The values that a card hides: each with its length, and counted as left out.
//!
//! See docs/decisions/0095-a-card-hides-only-literal-values.md.

use crate::CardField;
use crate::text::{Block, LeftOut};
use countersign_core::model::call::Call;
use countersign_redact::{HiddenForm, Mark};

/// The field that names the hidden values, if there are any, and how much they leave out.
pub(crate) fn list_hidden_values(call: Option<&Call>) -> (Option<CardField>, LeftOut) {
    let marks = call.map(Call::list_marks).unwrap_or_default();
    let characters = marks.iter().map(|mark| mark.hides.max(1)).sum();
    if marks.is_empty() {
        return (None, LeftOut::default());
    }
    let lines: Vec<String> = marks.iter().map(describe_mark).collect();
    let block = Block::from_list(lines.iter().map(String::as_str));
    (Some(CardField::from_block("hidden", block)), LeftOut { lines: 0, characters })
}

fn describe_mark(mark: &Mark) -> String {
    let Mark { text, hides, form } = mark;
    match form {
        HiddenForm::Literal => {
            format!("{text}: {hides} literal characters, nothing a shell acts on")
        }
        HiddenForm::Active => format!(
            "{text}: {hides} characters that a shell may act on; they are no longer here, and the \
             agent has to make the call again"
        ),
    }
}
