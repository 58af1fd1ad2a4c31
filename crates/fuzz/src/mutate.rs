//! Mutations: a seed, changed a little, often in ways that mean something to a reader of text.
//!
//! Bytes and words, lines and their indentation, numbers, brackets, and pieces of other inputs.
//! Everything follows from the rng that is handed in.

use countersign_reference::rng::Rng;
use std::ops::Range;

/// What readers stumble over, whatever they read.
const STRANGE: &[&[u8]] = &[
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

const NUMBERS: &[&str] = &[
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

const PAIRS: &[(&str, &str)] = &[
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
    flip,
    replace_byte,
    insert_strange,
    disturb,
    disturb,
    remove,
    remove_word,
    double,
    overwrite,
    splice,
    graft,
    insert_word,
    insert_word,
    replace_word,
    replace_word,
    remove_line,
    double_line,
    swap_lines,
    indent,
    number,
    wrap,
    repeat,
];

/// What pieces can be taken from.
pub struct Sources<'a> {
    pub words: &'a [Vec<u8>],
    pub pool: &'a [Vec<u8>],
    pub longest: usize,
}

/// One to a few mutations of an input.
pub fn mutate(input: &[u8], rng: &mut Rng, sources: &Sources<'_>) -> Vec<u8> {
    let mut output = input.to_vec();
    let times = [1, 1, 1, 2, 2, 4, 8];
    for _ in 0..times.get(rng.below(times.len())).copied().unwrap_or(1) {
        if let Some(change) = rng.pick(MUTATIONS) {
            change(&mut output, rng, sources);
        }
    }
    output.truncate(sources.longest);
    // Bytes that are no text are refused at once, so that few of them are enough.
    if rng.chance(98) {
        return String::from_utf8_lossy(&output).into_owned().into_bytes();
    }
    output
}

fn place(input: &[u8], rng: &mut Rng) -> usize {
    rng.below(input.len() + 1)
}

/// A stretch of the input, short ones more often.
fn stretch(input: &[u8], rng: &mut Rng) -> Range<usize> {
    let longest = [1, 4, 16, 64, 1_024].get(rng.below(5)).copied().unwrap_or(1);
    let start = place(input, rng);
    let end = (start + 1 + rng.below(longest)).min(input.len());
    start..end
}

fn insert(output: &mut Vec<u8>, at: usize, piece: &[u8]) {
    output.splice(at..at, piece.iter().copied());
}

fn piece(input: &[u8], range: Range<usize>) -> Vec<u8> {
    input.get(range).unwrap_or_default().to_vec()
}

#[allow(clippy::ptr_arg, reason = "one type for all mutations")]
fn flip(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
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

fn insert_strange(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let at = place(output, rng);
    insert(output, at, rng.pick(STRANGE).copied().unwrap_or_default());
}

/// One byte becomes something strange.
fn disturb(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let at = rng.below(output.len());
    let end = (at + 1).min(output.len());
    output.splice(at.min(end)..end, rng.pick(STRANGE).copied().unwrap_or_default().iter().copied());
}

/// What stands between two separators, and nothing in its place.
fn remove_word(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let at = place(output, rng);
    let word =
        run(output, at, |byte| !byte.is_ascii_whitespace() && !b"\"',:[]{}=".contains(&byte));
    output.drain(word);
}

fn remove(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let range = stretch(output, rng);
    output.drain(range);
}

fn double(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let range = stretch(output, rng);
    let copy = piece(output, range.clone());
    insert(output, range.end, &copy);
}

/// Many times over: lengths and depths that nobody types.
fn repeat(output: &mut Vec<u8>, rng: &mut Rng, sources: &Sources<'_>) {
    let range = stretch(output, rng);
    let copy = piece(output, range.clone());
    let room = sources.longest.saturating_sub(output.len()) / copy.len().max(1);
    let most = if rng.chance(5) { usize::MAX } else { 20 };
    let times = 1 + rng.below(room.min(most));
    insert(output, range.end, &copy.repeat(times));
}

fn overwrite(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let (from, to) = (stretch(output, rng), stretch(output, rng));
    let copy = piece(output, from);
    output.splice(to, copy);
}

/// The beginning of this and the end of another.
fn splice(output: &mut Vec<u8>, rng: &mut Rng, sources: &Sources<'_>) {
    let Some(other) = rng.pick(sources.pool) else { return };
    let tail = piece(other, place(other, rng)..other.len());
    output.truncate(place(output, rng));
    output.extend(tail);
}

fn graft(output: &mut Vec<u8>, rng: &mut Rng, sources: &Sources<'_>) {
    let Some(other) = rng.pick(sources.pool) else { return };
    let part = piece(other, stretch(other, rng));
    let at = place(output, rng);
    insert(output, at, &part);
}

fn insert_word(output: &mut Vec<u8>, rng: &mut Rng, sources: &Sources<'_>) {
    let Some(word) = rng.pick(sources.words) else { return };
    let at = place(output, rng);
    insert(output, at, word);
}

fn replace_word(output: &mut Vec<u8>, rng: &mut Rng, sources: &Sources<'_>) {
    let at = place(output, rng);
    let old = run(output, at, |byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    if let Some(word) = rng.pick(sources.words) {
        output.splice(old, word.iter().copied());
    }
}

fn number(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let digits: Vec<usize> = (0..)
        .zip(output.iter())
        .filter(|(_, byte)| byte.is_ascii_digit())
        .map(|(at, _)| at)
        .collect();
    let at = rng.pick(&digits).copied().unwrap_or_else(|| place(output, rng));
    let old = run(output, at, |byte| byte.is_ascii_digit());
    if let Some(new) = rng.pick(NUMBERS) {
        output.splice(old, new.bytes());
    }
}

fn wrap(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let range = stretch(output, rng);
    if let Some((open, close)) = rng.pick(PAIRS) {
        insert(output, range.end, close.as_bytes());
        insert(output, range.start, open.as_bytes());
    }
}

/// The bytes of one kind around a place.
fn run(input: &[u8], at: usize, is: impl Fn(u8) -> bool) -> Range<usize> {
    let (before, after) = input.split_at_checked(at).unwrap_or((input, &[]));
    let start = before.iter().rev().take_while(|byte| is(**byte)).count();
    let end = after.iter().take_while(|byte| is(**byte)).count();
    at.min(input.len()) - start..at.min(input.len()) + end
}

/// A line that holds a random place, with its end.
fn line(input: &[u8], rng: &mut Rng) -> Range<usize> {
    let at = place(input, rng);
    let line = run(input, at, |byte| byte != b'\n');
    line.start..(line.end + 1).min(input.len())
}

fn remove_line(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let line = line(output, rng);
    output.drain(line);
}

fn double_line(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let (from, to) = (line(output, rng), line(output, rng));
    let copy = piece(output, from);
    insert(output, to.end, &copy);
}

fn swap_lines(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let from = line(output, rng);
    let moved = piece(output, from.clone());
    output.drain(from);
    let to = line(output, rng);
    insert(output, to.start, &moved);
}

fn indent(output: &mut Vec<u8>, rng: &mut Rng, _: &Sources<'_>) {
    let start = line(output, rng).start;
    let blanks = run(output, start, |byte| byte == b' ');
    let new = rng.below(10);
    output.splice(start..blanks.end, std::iter::repeat_n(b' ', new));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutation_takes_every_input() {
        let pool = [Vec::new(), b"a: [1, 2]\nb: {c: d}\n".to_vec(), b"\n\n".to_vec()];
        let words = [b"word".to_vec()];
        let sources = Sources { words: &words, pool: &pool, longest: 300 };
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
    fn the_same_chance_gives_the_same_mutation() {
        let pool = [b"a: [1, 2]\n".to_vec()];
        let sources = Sources { words: &pool, pool: &pool, longest: 300 };
        let draw = |seed| mutate(&pool[0], &mut Rng::new(seed), &sources);
        assert_eq!(draw(3), draw(3));
        assert!((0..20).any(|seed| draw(seed) != draw(3)));
    }
}
