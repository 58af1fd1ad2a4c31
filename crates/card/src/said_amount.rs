//! An amount of money in what an agent says.

const SIGNS: [char; 4] = ['$', '€', '£', '¥'];

/// The amount that a text names, if it names one only: `$42.00`, `42 EUR`, `EUR 42`.
pub(crate) fn find_said_amount(text: &str) -> Option<&str> {
    let mut found: Vec<&str> = Vec::new();
    let words: Vec<(usize, &str)> = split_words(text);
    for (at, (start, word)) in words.iter().enumerate() {
        let digits = word.trim_start_matches(SIGNS).trim_end_matches(SIGNS);
        if !is_number(digits) {
            continue;
        }
        let next = words.get(at + 1).filter(|(_, next)| is_currency(next));
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let before = before.filter(|(_, word)| is_currency(word));
        let end = start + word.len();
        let amount = match (digits.len() < word.len(), next, before) {
            (true, _, _) => text.get(*start..end),
            (false, Some((next, code)), _) => text.get(*start..next + code.len()),
            (false, None, Some((before, _))) => text.get(*before..end),
            (false, None, None) => None,
        };
        found.extend(amount);
    }
    found.dedup();
    match found.as_slice() {
        [one] => Some(one),
        _ => None,
    }
}

/// The words with their places, without the punctuation around them.
fn split_words(text: &str) -> Vec<(usize, &str)> {
    const AROUND: [char; 10] = ['.', ',', ';', ':', '!', '?', '(', ')', '"', '\''];
    let mut words = Vec::new();
    let mut start = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end().trim_start_matches(AROUND);
        let skipped = piece.trim_end().len() - word.len();
        let word = word.trim_end_matches(AROUND);
        if !word.is_empty() {
            words.push((start + skipped, word));
        }
        start += piece.len();
    }
    words
}

fn is_number(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
}

fn is_currency(word: &str) -> bool {
    const CODES: [&str; 12] =
        ["EUR", "USD", "GBP", "CHF", "JPY", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "INR"];
    CODES.contains(&word) || SIGNS.iter().any(|sign| word.chars().eq([*sign]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_found_where_there_is_one_and_no_other() {
        for (text, amount) in [
            ("This will complete a $42.00 checkout on the current page. Continue?", "$42.00"),
            ("Pay 42 EUR.", "42 EUR"),
            ("Pay EUR 1,200.50 to Ana", "EUR 1,200.50"),
            ("it costs 7€", "7€"),
        ] {
            assert_eq!(find_said_amount(text), Some(amount), "{text}");
        }
        for text in ["Buy it?", "order 3 chairs", "$5 now and $6 later", ""] {
            assert_eq!(find_said_amount(text), None, "{text}");
        }
    }
}
