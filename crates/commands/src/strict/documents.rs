//! Here-documents with a quoted delimiter, whose text is literal.

use super::{Cursor, ParseRefusal};

/// A here-document whose text starts after this line.
pub(super) struct PendingDocument {
    /// The index of the segment that it is the input of.
    pub(super) segment: usize,
    pub(super) delimiter: String,
    /// Where its operator is.
    pub(super) offset: usize,
}

/// Takes `<<'NAME'` or `<<"NAME"`; `None` if there is no `<<`.
pub(super) fn take_delimiter(cursor: &mut Cursor) -> Result<Option<String>, ParseRefusal> {
    if !cursor.take_text("<<") {
        return Ok(None);
    }
    cursor.skip_blanks();
    let why = "a here-document has no quoted delimiter, so something may be expanded in it";
    let quote = match cursor.peek() {
        Some(quote @ ('\'' | '"')) => quote,
        _ => return Err(cursor.refuse(why)),
    };
    cursor.next();
    let delimiter = cursor.take_while(|b| b.is_ascii_alphanumeric() || b == b'_').to_owned();
    if delimiter.is_empty() || cursor.next() != Some(quote) {
        return Err(cursor.refuse("the delimiter of a here-document is not one plain name"));
    }
    match cursor.peek() {
        None | Some(' ' | '\t' | '\n' | ';' | '&' | '|') => Ok(Some(delimiter)),
        Some(_) => Err(cursor.refuse("the delimiter of a here-document is not one plain name")),
    }
}

/// Takes the lines up to the one that is exactly the delimiter.
pub(super) fn take_text(cursor: &mut Cursor, delimiter: &str) -> Result<String, ParseRefusal> {
    let start = cursor.refuse("a here-document does not end");
    let mut text = String::new();
    loop {
        let (line, is_last) = cursor.take_line();
        if line == delimiter {
            return Ok(text);
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
