//! Decodes `$'…'` with the escapes of bash.

use std::iter::Peekable;
use std::str::Chars;

/// Appends the decoded text up to the closing quote. Returns `None` without a closing quote.
pub(super) fn decode(chars: &mut Peekable<Chars<'_>>, text: &mut String) -> Option<()> {
    loop {
        match chars.next()? {
            '\'' => return Some(()),
            '\\' => decode_escape(chars, text)?,
            c => text.push(c),
        }
    }
}

fn decode_escape(chars: &mut Peekable<Chars<'_>>, text: &mut String) -> Option<()> {
    let c = chars.next()?;
    let number = match c {
        'x' => read_digits(chars, 16, 2),
        'u' => read_digits(chars, 16, 4),
        'U' => read_digits(chars, 16, 8),
        '0'..='7' => {
            let more = read_digits(chars, 8, 2);
            let first = c.to_digit(8)?;
            Some(more.map_or(first, |(value, count)| first * 8_u32.pow(count) + value))
                .map(|value| (value, 0))
        }
        _ => None,
    };
    match (number, c) {
        (Some((value, _)), _) => text.extend(char::from_u32(value)),
        (None, 'n') => text.push('\n'),
        (None, 't') => text.push('\t'),
        (None, 'r') => text.push('\r'),
        (None, c) => text.push(c),
    }
    Some(())
}

/// Reads up to `max_count` digits; returns their value and count.
fn read_digits(chars: &mut Peekable<Chars<'_>>, radix: u32, max_count: u32) -> Option<(u32, u32)> {
    let (mut value, mut count) = (0_u32, 0);
    while count < max_count {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        chars.next();
        value = value.checked_mul(radix)?.checked_add(digit)?;
        count += 1;
    }
    (count > 0).then_some((value, count))
}
