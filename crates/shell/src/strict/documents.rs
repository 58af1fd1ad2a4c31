//! Here-documents whose text is literal: their delimiter is quoted, or nothing in them is expanded.

use super::{Cursor, ParseRefusal};

/// A here-document whose text starts after this line.
pub(super) struct PendingDocument {
    /// The index of the segment that it is the input of.
    pub(super) segment: usize,
    pub(super) delimiter: Delimiter,
    /// Where its operator is.
    pub(super) offset: usize,
}

/// What ends a here-document.
pub(super) struct Delimiter {
    name: String,
    text: DocumentText,
    indentation: Indentation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DocumentText {
    /// The delimiter is quoted.
    Literal,
    /// The shell would expand `$`, backticks and backslashes.
    Expanded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Indentation {
    Kept,
    /// `<<-` removes the tabs in front of each line.
    Removed,
}

/// Takes `<<'NAME'`, `<<"NAME"` or `<<NAME`, with or without `-`; `None` if there is no `<<`.
pub(super) fn take_delimiter(cursor: &mut Cursor) -> Result<Option<Delimiter>, ParseRefusal> {
    if !cursor.take_text("<<") {
        return Ok(None);
    }
    let indentation = if cursor.take_text("-") { Indentation::Removed } else { Indentation::Kept };
    cursor.skip_blanks();
    let quote = cursor.peek().filter(|quote| matches!(quote, '\'' | '"'));
    if quote.is_some() {
        cursor.next();
    }
    let name = cursor.take_while(|b| b.is_ascii_alphanumeric() || b == b'_').to_owned();
    let is_closed = quote.is_none() || cursor.next() == quote;
    let is_end = matches!(cursor.peek(), None | Some(' ' | '\t' | '\n' | ';' | '&' | '|'));
    if name.is_empty() || !is_closed || !is_end {
        return Err(cursor.refuse("the delimiter of a here-document is not one plain name"));
    }
    let text = if quote.is_some() { DocumentText::Literal } else { DocumentText::Expanded };
    Ok(Some(Delimiter { name, text, indentation }))
}

/// Takes the lines up to the one that is exactly the delimiter.
pub(super) fn take_text(
    cursor: &mut Cursor,
    delimiter: &Delimiter,
) -> Result<String, ParseRefusal> {
    let start = cursor.refuse("a here-document does not end");
    let mut text = String::new();
    loop {
        let refusal = cursor.refuse("something may be expanded in a here-document");
        let (line, is_last) = cursor.take_line();
        let line = match delimiter.indentation {
            Indentation::Kept => line,
            Indentation::Removed => line.trim_start_matches('\t'),
        };
        if line == delimiter.name {
            return Ok(text);
        }
        // A backslash at the end of a line would hide the delimiter behind it.
        if delimiter.text == DocumentText::Expanded && line.contains(['$', '`', '\\']) {
            return Err(refusal);
        }
        if is_last {
            return Err(start);
        }
        text.push_str(line);
        text.push('\n');
    }
}

/// Takes `$(cat <<'NAME' … NAME)` and returns the text that it stands for; `None` if there is
/// something else.
///
/// The cursor is behind the opening double quote, and ends before the closing one.
pub(super) fn take_cat_document(cursor: &mut Cursor) -> Result<Option<String>, ParseRefusal> {
    if !cursor.take_text("$(cat ") {
        return Ok(None);
    }
    cursor.skip_blanks();
    let Some(delimiter) = take_delimiter(cursor)? else {
        return Err(cursor.refuse("a command is substituted"));
    };
    if delimiter.text != DocumentText::Literal || delimiter.indentation != Indentation::Kept {
        return Err(cursor.refuse("a here-document in a substitution has no quoted delimiter"));
    }
    cursor.skip_blanks();
    if cursor.next() != Some('\n') {
        return Err(cursor.refuse("the text of a here-document does not start on its own line"));
    }
    let text = take_text(cursor, &delimiter)?;
    // Old shells look for the closing parenthesis without knowing of here-documents.
    if closes_early(&text) && text.contains(['$', '`']) {
        return Err(cursor.refuse("some shells take a parenthesis in the text for its end"));
    }
    cursor.skip_line_ends();
    if cursor.next() != Some(')') || cursor.peek() != Some('"') {
        return Err(cursor.refuse("a substitution contains more than a here-document"));
    }
    Ok(Some(text.trim_end_matches('\n').to_owned()))
}

fn closes_early(text: &str) -> bool {
    let mut open = 0_usize;
    for c in text.chars() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return true,
            ')' => open -= 1,
            _ => {}
        }
    }
    false
}
