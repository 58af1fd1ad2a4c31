//! Mutations of an input, mostly ones that are meaningful for text formats.
//!
//! They change bytes, words, lines, indentation, numbers and brackets, and insert parts of other
//! inputs. The same random numbers give the same mutation.

use countersign_reference::rng::Rng;
use std::ops::Range;

/// Bytes that often confuse a parser of any format.
const UNUSUAL_BYTES: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"\x1b[2J",
    b"\"",
    b"'",
    b"\\",
    b"`",
    b"$",
    b"#",
    b"*",
    b"~",
    b"&",
    b"|",
    b";",
    b":",
    b",",
    b"-",
    b"=",
    b"<<",
    b">",
    b"!",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\xc3",
    "é".as_bytes(),
    "e\u{301}".as_bytes(),
    "日".as_bytes(),
    "𝕏".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{85}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{e0061}".as_bytes(),
];

const EDGE_NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-1",
    "1",
    "0.5",
    "1e3",
    "1e400",
    "-1e-400",
    "9007199254740991",
    "9007199254740992",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0x7f",
    "0o17",
    "1_000",
    ".inf",
    ".nan",
    "2026-02-30",
    "9999-12-31",
    "00",
];

const BRACKET_PAIRS: &[(&str, &str)] = &[
    ("\"", "\""),
    ("'", "'"),
    ("[", "]"),
    ("{", "}"),
    ("$(", ")"),
    ("`", "`"),
    ("(", ")"),
    ("\"\"\"", "\"\"\""),
];

type Mutation = fn(&mut Vec<u8>, &mut Rng, &Sources<'_>);

const MUTATIONS: &[Mutation] = &[
    flip_bit,
    replace_byte,
    insert_unusual,
    replace_with_unusual,
    replace_with_unusual,
    remove_bytes,
    remove_word,
    duplicate_bytes,
    overwrite_bytes,
    splice_other_input,
    insert_from_other_input,
    insert_word,
    insert_word,
    replace_word,
    replace_word,
    remove_line,
    duplicate_line,
    swap_lines,
    change_indent,
    replace_number,
    wrap_bytes,
    repeat_bytes,
];

/// Words and inputs that mutations take parts from.
pub struct Sources<'a> {
    pub words: &'a [Vec<u8>],
    pub pool: &'a [Vec<u8>],
    pub max_bytes: usize,
}

/// Applies one to eight mutations.
pub fn mutate(input: &[u8], rng: &mut Rng, sources: &Sources<'_>) -> Vec<u8> {
    let mut output = input.to_vec();
    let times = [1, 1, 1, 2, 2, 4, 8];
    for _ in 0..times.get(rng.below(times.len())).copied().unwrap_or(1) {
        if let Some(change) = rng.pick(MUTATIONS) {
            change(&mut output, rng, sources);
        }
    }
    output.truncate(sources.max_bytes);
    // Every parser refuses invalid UTF-8 at once, so few such inputs are enough.
    if rng.chance(98) {
        return String::from_utf8_lossy(&output).into_owned().into_bytes();
    }
    output
}

fn pick_position(input: &[u8], rng: &mut Rng) -> usize {
    rng.below(input.len() + 1)
}

/// A random range of the input, more often a short one.
fn pick_range(input: &[u8], rng: &mut Rng) -> Range<usize> {
    let longest = [1, 4, 16, 64, 1_024].get(rng.below(5)).copied().unwrap_or(1);
    let start = pick_position(input, rng);
    let end = (start + 1 + rng.below(longest)).min(input.len());
    start..end
}

fn insert_bytes(output: &mut Vec<u8>, at: usize, piece: &[u8]) {
    output.splice(at..at, piece.iter().copied());
}

fn copy_range(input: &[u8], range: Range<usize>) -> Vec<u8> {
    input.get(range).unwrap_or_default().to_vec()
}

#[allow(clippy::ptr_arg, reason = "one type for all mutations")]
fn flip_bit(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let (at, bit) = (rng.below(output.len()), rng.below(7));
    if let Some(byte) = output.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

#[allow(clippy::ptr_arg, reason = "one type for all mutations")]
fn replace_byte(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let at = rng.below(output.len());
    let new = u8::try_from(rng.below(127)).unwrap_or(b' ');
    if let Some(byte) = output.get_mut(at) {
        *byte = new;
    }
}

fn insert_unusual(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let at = pick_position(output, rng);
    insert_bytes(output, at, rng.pick(UNUSUAL_BYTES).copied().unwrap_or_default());
}

/// Replaces one byte by an unusual sequence.
fn replace_with_unusual(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let at = rng.below(output.len());
    let end = (at + 1).min(output.len());
    output.splice(
        at.min(end)..end,
        rng.pick(UNUSUAL_BYTES).copied().unwrap_or_default().iter().copied(),
    );
}

/// Removes a word between two separators.
fn remove_word(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let at = pick_position(output, rng);
    let word = matching_range(output, at, |byte| {
        !byte.is_ascii_whitespace() && !b"\"',:[]{}=".contains(&byte)
    });
    output.drain(word);
}

fn remove_bytes(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let range = pick_range(output, rng);
    output.drain(range);
}

fn duplicate_bytes(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let range = pick_range(output, rng);
    let copy = copy_range(output, range.clone());
    insert_bytes(output, range.end, &copy);
}

/// Repeats a range many times, for lengths and depths that nobody types.
fn repeat_bytes(output: &mut Vec<u8>, rng: &mut Rng, sources: &Sources<'_>) {
    let range = pick_range(output, rng);
    let copy = copy_range(output, range.clone());
    let space = sources.max_bytes.saturating_sub(output.len()) / copy.len().max(1);
    let max = if rng.chance(5) { usize::MAX } else { 20 };
    let times = 1 + rng.below(space.min(max));
    insert_bytes(output, range.end, &copy.repeat(times));
}

fn overwrite_bytes(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let (from, to) = (pick_range(output, rng), pick_range(output, rng));
    let copy = copy_range(output, from);
    output.splice(to, copy);
}

/// Joins the beginning of this input and the end of another.
fn splice_other_input(output: &mut Vec<u8>, rng: &mut Rng, sources: &Sources<'_>) {
    let Some(other) = rng.pick(sources.pool) else { return };
    let tail = copy_range(other, pick_position(other, rng)..other.len());
    output.truncate(pick_position(output, rng));
    output.extend(tail);
}

fn insert_from_other_input(output: &mut Vec<u8>, rng: &mut Rng, sources: &Sources<'_>) {
    let Some(other) = rng.pick(sources.pool) else { return };
    let part = copy_range(other, pick_range(other, rng));
    let at = pick_position(output, rng);
    insert_bytes(output, at, &part);
}

fn insert_word(output: &mut Vec<u8>, rng: &mut Rng, sources: &Sources<'_>) {
    let Some(word) = rng.pick(sources.words) else { return };
    let at = pick_position(output, rng);
    insert_bytes(output, at, word);
}

fn replace_word(output: &mut Vec<u8>, rng: &mut Rng, sources: &Sources<'_>) {
    let at = pick_position(output, rng);
    let old =
        matching_range(output, at, |byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    if let Some(word) = rng.pick(sources.words) {
        output.splice(old, word.iter().copied());
    }
}

fn replace_number(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let digits: Vec<usize> = (0..)
        .zip(output.iter())
        .filter(|(_, byte)| byte.is_ascii_digit())
        .map(|(at, _)| at)
        .collect();
    let at = rng.pick(&digits).copied().unwrap_or_else(|| pick_position(output, rng));
    let old = matching_range(output, at, |byte| byte.is_ascii_digit());
    if let Some(new) = rng.pick(EDGE_NUMBERS) {
        output.splice(old, new.bytes());
    }
}

fn wrap_bytes(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let range = pick_range(output, rng);
    if let Some((open, close)) = rng.pick(BRACKET_PAIRS) {
        insert_bytes(output, range.end, close.as_bytes());
        insert_bytes(output, range.start, open.as_bytes());
    }
}

/// The range of matching bytes around a position.
fn matching_range(input: &[u8], at: usize, matches: impl Fn(u8) -> bool) -> Range<usize> {
    let (before, after) = input.split_at_checked(at).unwrap_or((input, &[]));
    let start = before.iter().rev().take_while(|byte| matches(**byte)).count();
    let end = after.iter().take_while(|byte| matches(**byte)).count();
    at.min(input.len()) - start..at.min(input.len()) + end
}

/// A random line, including its line end.
fn pick_line(input: &[u8], rng: &mut Rng) -> Range<usize> {
    let at = pick_position(input, rng);
    let line = matching_range(input, at, |byte| byte != b'\n');
    line.start..(line.end + 1).min(input.len())
}

fn remove_line(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let line = pick_line(output, rng);
    output.drain(line);
}

fn duplicate_line(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let (from, to) = (pick_line(output, rng), pick_line(output, rng));
    let copy = copy_range(output, from);
    insert_bytes(output, to.end, &copy);
}

fn swap_lines(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let from = pick_line(output, rng);
    let moved = copy_range(output, from.clone());
    output.drain(from);
    let to = pick_line(output, rng);
    insert_bytes(output, to.start, &moved);
}

fn change_indent(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let start = pick_line(output, rng).start;
    let blanks = matching_range(output, start, |byte| byte == b' ');
    let new = rng.below(10);
    output.splice(start..blanks.end, std::iter::repeat_n(b' ', new));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutation_accepts_every_input() {
        let pool = [Vec::new(), b"a: [1, 2]\nb: {c: d}\n".to_vec(), b"\n\n".to_vec()];
        let words = [b"word".to_vec()];
        let sources = Sources { words: &words, pool: &pool, max_bytes: 300 };
        let mut rng = Rng::new(1);
        for change in MUTATIONS {
            for input in &pool {
                for _ in 0..200 {
                    change(&mut input.clone(), &mut rng, &sources);
                    assert!(mutate(input, &mut rng, &sources).len() <= 3 * 300);
                }
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_mutation() {
        let pool = [b"a: [1, 2]\n".to_vec()];
        let sources = Sources { words: &pool, pool: &pool, max_bytes: 300 };
        let draw = |seed| mutate(&pool[0], &mut Rng::new(seed), &sources);
        assert_eq!(draw(3), draw(3));
        assert!((0..20).any(|seed| draw(seed) != draw(3)));
    }
}
