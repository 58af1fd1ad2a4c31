//! Bytes of a terminal as keys. What is a sequence is swallowed whole: none of its bytes is a key.

use crate::limits;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Enter,
    /// Takes the last character back.
    Erase,
    /// Takes the whole line back.
    EraseAll,
    /// The end of input.
    End,
    /// Ctrl-C, where the terminal does not make a signal of it.
    Interrupt,
    PasteBegins,
    PasteEnds,
    /// The window was looked at, or no longer.
    Focus,
    /// A sequence that means nothing here, such as an arrow.
    Nothing,
    /// What is neither a key nor a whole sequence.
    Broken,
}

/// Where in a sequence the bytes are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    Letter {
        bytes: Vec<u8>,
        whole: usize,
    },
    Escape,
    Sequence(Vec<u8>),
    /// So many bytes belong to it, whatever they are.
    Swallow(u8),
    /// Until its terminator: a title, a colour, a string of the device.
    Text,
    TextEscape,
    /// Inside of brackets, with so many bytes of the closing one.
    Paste(usize),
}

const PASTE_BEGINS: &[u8] = b"200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";
const ESCAPE: u8 = 0x1b;

#[derive(Clone, Debug, Default)]
pub struct Keys {
    state: State,
    last_at: Duration,
}

impl Keys {
    /// The keys that these bytes are, which came at this time.
    pub fn read(&mut self, bytes: &[u8], at: Duration) -> Vec<Key> {
        let mut keys = Vec::new();
        for byte in bytes {
            let torn = at.saturating_sub(self.last_at) > limits::TORN;
            if torn && !matches!(self.state, State::Ground | State::Paste(_)) {
                self.state = State::Ground;
                keys.push(Key::Broken);
            }
            self.last_at = at;
            let state = std::mem::take(&mut self.state);
            keys.extend(self.step(state, *byte));
        }
        keys
    }

    /// Forgets a sequence that has not ended.
    pub fn reset(&mut self) {
        self.state = State::Ground;
    }

    fn step(&mut self, state: State, byte: u8) -> Option<Key> {
        match state {
            State::Ground => self.ground(byte),
            State::Letter { bytes, whole } => self.letter(bytes, whole, byte),
            State::Escape => self.escape(byte),
            State::Sequence(parameters) => self.sequence(parameters, byte),
            State::Swallow(left) => {
                let left = left.saturating_sub(1);
                if left == 0 {
                    return Some(Key::Nothing);
                }
                self.state = State::Swallow(left);
                None
            }
            State::Text => self.text(byte),
            State::TextEscape if byte == b'\\' => Some(Key::Nothing),
            State::TextEscape => self.escape(byte),
            State::Paste(matched) => self.paste(matched, byte),
        }
    }

    fn ground(&mut self, byte: u8) -> Option<Key> {
        match byte {
            b'\r' | b'\n' => Some(Key::Enter),
            0x03 => Some(Key::Interrupt),
            0x04 => Some(Key::End),
            0x08 | 0x7f => Some(Key::Erase),
            0x15 | 0x17 => Some(Key::EraseAll),
            ESCAPE => {
                self.state = State::Escape;
                None
            }
            0x00..0x20 => Some(Key::Nothing),
            0x20..0x7f => Some(Key::Char(char::from(byte))),
            0x80.. => {
                let whole = match byte {
                    0xc2..=0xdf => 2,
                    0xe0..=0xef => 3,
                    0xf0..=0xf4 => 4,
                    _ => return Some(Key::Broken),
                };
                self.state = State::Letter { bytes: vec![byte], whole };
                None
            }
        }
    }

    fn letter(&mut self, mut bytes: Vec<u8>, whole: usize, byte: u8) -> Option<Key> {
        if !(0x80..0xc0).contains(&byte) {
            // What follows a torn letter is swallowed with it.
            return Some(Key::Broken);
        }
        bytes.push(byte);
        if bytes.len() < whole {
            self.state = State::Letter { bytes, whole };
            return None;
        }
        let letter = std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next());
        match letter {
            Some(letter) if !countersign_card::is_unsafe_to_display(letter) => {
                Some(Key::Char(letter))
            }
            Some(_) | None => Some(Key::Broken),
        }
    }

    fn escape(&mut self, byte: u8) -> Option<Key> {
        self.state = match byte {
            b'[' => State::Sequence(Vec::new()),
            b'O' | b'N' => State::Swallow(1),
            b']' | b'P' | b'X' | b'^' | b'_' => State::Text,
            ESCAPE => State::Escape,
            0x20..0x30 => State::Swallow(1),
            // Alt and a key.
            _ => return Some(Key::Nothing),
        };
        None
    }

    fn sequence(&mut self, mut parameters: Vec<u8>, byte: u8) -> Option<Key> {
        match byte {
            // Three bytes with a button and a place.
            b'M' if parameters.is_empty() => self.state = State::Swallow(3),
            // A function key of the console.
            b'[' if parameters.is_empty() => self.state = State::Swallow(1),
            b'I' | b'O' if parameters.is_empty() => return Some(Key::Focus),
            ESCAPE => self.state = State::Escape,
            0x20..0x40 => {
                if parameters.len() < limits::PARAMETERS {
                    parameters.push(byte);
                }
                self.state = State::Sequence(parameters);
            }
            0x40..0x7f => {
                parameters.push(byte);
                if parameters == PASTE_BEGINS {
                    self.state = State::Paste(0);
                    return Some(Key::PasteBegins);
                }
                // The end of something whose beginning was not seen.
                let ended = Some(parameters.as_slice()) == PASTE_ENDS.get(2..);
                return Some(if ended { Key::PasteEnds } else { Key::Nothing });
            }
            _ => return Some(Key::Broken),
        }
        None
    }

    fn text(&mut self, byte: u8) -> Option<Key> {
        self.state = match byte {
            0x07 => return Some(Key::Nothing),
            ESCAPE => State::TextEscape,
            0x18 | 0x1a => return Some(Key::Broken),
            _ => State::Text,
        };
        None
    }

    fn paste(&mut self, matched: usize, byte: u8) -> Option<Key> {
        let matched = match PASTE_ENDS.get(matched) {
            Some(expected) if *expected == byte => matched + 1,
            Some(_) | None => usize::from(byte == ESCAPE),
        };
        if matched == PASTE_ENDS.len() {
            return Some(Key::PasteEnds);
        }
        self.state = State::Paste(matched);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        Keys::default().read(bytes, Duration::from_secs(1))
    }

    fn typed(bytes: &[u8]) -> String {
        let chars = keys(bytes).into_iter().filter_map(|key| match key {
            Key::Char(c) => Some(c),
            Key::Enter => Some('\n'),
            _ => None,
        });
        chars.collect()
    }

    #[test]
    fn keys_are_keys() {
        assert_eq!(typed("y\rGrüße 日本\n".as_bytes()), "y\nGrüße 日本\n");
        assert_eq!(
            keys(b"\x7f\x08\x15\x04\x03"),
            [Key::Erase, Key::Erase, Key::EraseAll, Key::End, Key::Interrupt]
        );
    }

    #[test]
    fn no_byte_of_a_sequence_is_a_key() {
        for sequence in [
            &b"\x1b[A"[..],
            b"\x1b[1;5D",
            b"\x1bOP",
            b"\x1b[[A",
            b"\x1b[I",
            b"\x1b[O",
            b"\x1b[<0;10;20M",
            b"\x1b[M yy",
            b"\x1b]11;rgb:0000/0000/0000\x07",
            b"\x1b]0;y\ry\x1b\\",
            b"\x1bP1+r544e\x1b\\",
            b"\x1by",
            b"\x1b[?62;c",
            b"\x1b[200~y\ry\r\x1b[201~",
            b"\x1b[200~y\x1b\x1b[20\x1b[201~",
            b"\x1b\x1b[A",
        ] {
            assert_eq!(typed(sequence), "", "{sequence:?}");
            assert_eq!(typed(&[sequence, b"n\r"].concat()), "n\n", "{sequence:?}");
        }
    }

    #[test]
    fn the_end_of_a_paste_is_seen_even_without_its_beginning() {
        assert_eq!(keys(b"y\x1b[201~"), [Key::Char('y'), Key::PasteEnds]);
    }

    #[test]
    fn a_torn_sequence_is_broken_and_not_typed() {
        let mut reading = Keys::default();
        assert_eq!(reading.read(b"\x1b[2", Duration::from_secs(1)), []);
        let later = reading.read(b"00~", Duration::from_secs(2));
        assert_eq!(later.first(), Some(&Key::Broken));
        let mut pasting = Keys::default();
        assert_eq!(pasting.read(b"\x1b[200~y", Duration::from_secs(1)), [Key::PasteBegins]);
        assert_eq!(pasting.read(b"\r", Duration::from_secs(9)), []);
        assert_eq!(pasting.read(b"\x1b[201~", Duration::from_secs(19)), [Key::PasteEnds]);
    }

    #[test]
    fn what_is_no_letter_is_broken() {
        assert_eq!(keys(b"\xffy"), [Key::Broken, Key::Char('y')]);
        assert_eq!(keys("\u{202e}\u{9b}".as_bytes()), [Key::Broken, Key::Broken]);
    }
}
