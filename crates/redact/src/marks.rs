//! Marks: what stands in place of a secret, and what a mark says about it.

use crate::words::{MARK, is_literal, is_word_char};

/// A mark for what is not one literal word has this word before its length.
const ACTIVE: &str = "shell-";
/// Of a card number or IBAN the mark shows the last four characters; so many are hidden at least.
const HIDDEN_OF_ACCOUNT: usize = 12;

/// What a mark hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HiddenForm {
    /// A literal word, the same to every shell.
    Literal,
    /// Text that a shell could act on.
    Active,
}

/// A mark in a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    pub text: String,
    /// How many characters it hides.
    pub hides: usize,
    pub form: HiddenForm,
}

pub(crate) fn write_mark(secret: &str, tag: &str) -> String {
    let active = if is_literal(secret) { "" } else { ACTIVE };
    format!("{MARK}{active}{}-{tag}", secret.chars().count())
}

/// The marks in a text, in order.
pub fn find_marks(text: &str) -> impl Iterator<Item = Mark> + '_ {
    text.match_indices(MARK).map(|(at, _)| {
        let rest = text.get(at..).unwrap_or_default();
        let end = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let after = word.strip_prefix(MARK).unwrap_or_default();
        let (form, after) = match after.strip_prefix(ACTIVE) {
            Some(after) => (HiddenForm::Active, after),
            None => (HiddenForm::Literal, after),
        };
        let length = after.split('-').next().and_then(|length| length.parse().ok());
        Mark { text: word.to_owned(), hides: length.unwrap_or(HIDDEN_OF_ACCOUNT), form }
    })
}
