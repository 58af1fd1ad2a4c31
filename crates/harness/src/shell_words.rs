//! Words for a shell.

/// One word, quoted where a shell needs it.
pub(crate) fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The words of a line that `quote` made. None for other ways to quote.
pub(crate) fn split_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            ' ' if !is_quoted && !word.ends_with('\\') => {
                words.push(unquote(&std::mem::take(&mut word))?);
                continue;
            }
            '\'' if !word.ends_with('\\') || is_quoted => is_quoted = !is_quoted,
            _ => {}
        }
        word.push(c);
    }
    words.push(unquote(&word)?);
    Some(words)
}

/// The word that `quote` made this from. None for other ways to quote.
fn unquote(quoted: &str) -> Option<String> {
    let word = match quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None => quoted.to_owned(),
    };
    (quote(&word) == quoted).then_some(word)
}
