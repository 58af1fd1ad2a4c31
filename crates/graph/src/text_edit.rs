//! Edits of the operator's file as text, so that comments and formatting stay.

use crate::problem::TextSpan;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) span: TextSpan,
    pub(crate) text: String,
}

impl Edit {
    pub(crate) fn insert(at: usize, text: String) -> Self {
        Self { span: TextSpan::at_offset(at), text }
    }
}

/// Applies the edits. Equal edits are applied once, because YAML aliases share their text.
pub(crate) fn apply_edits(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.span.start);
    edits.dedup();
    let mut out = String::with_capacity(text.len() + 64);
    let mut copied_up_to = 0;
    for edit in edits {
        out.push_str(text.get(copied_up_to..edit.span.start).unwrap_or_default());
        out.push_str(&edit.text);
        copied_up_to = edit.span.end;
    }
    out.push_str(text.get(copied_up_to..).unwrap_or_default());
    out
}

pub(crate) fn line_ending(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
