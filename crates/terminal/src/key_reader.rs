//! Decodes a terminal's bytes into keys.
//!
//! Escape sequences are consumed whole: none of their bytes becomes a key.

use crate::limits;
use countersign_card::is_unsafe_to_display;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalKey {
    Char(char),
    Enter,
    Backspace,
    /// Ctrl-U or Ctrl-W.
    EraseLine,
    EndOfInput,
    /// Ctrl-C, if the terminal does not turn it into a signal.
    Interrupt,
    PasteStart,
    PasteEnd,
    /// The window gained or lost focus.
    Focus,
    /// Moves through what is shown. It is never part of a line.
    Move(Movement),
    /// Escape alone.
    Escape,
    /// A sequence without a meaning here.
    Ignored,
    /// Bytes that are neither a key nor a complete sequence.
    Invalid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    /// Tab.
    NextScreen,
}

/// The decoder's position within a sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum DecoderState {
    #[default]
    Ground,
    Utf8 {
        bytes: Vec<u8>,
        length: usize,
    },
    Escape,
    Sequence(Vec<u8>),
    /// The next bytes belong to the sequence, whatever they are.
    Skip(u8),
    /// A string up to its terminator: a title, a colour, a device string.
    DeviceString,
    DeviceStringEscape,
    /// Pasted text, after this many bytes of the closing bracket.
    Paste(usize),
}

const PASTE_START: &[u8] = b"200~";
const PASTE_END: &[u8] = b"\x1b[201~";
const ESCAPE: u8 = 0x1b;

#[derive(Clone, Debug, Default)]
pub struct KeyReader {
    state: DecoderState,
    last_at: Duration,
}

impl KeyReader {
    /// Decodes bytes that arrived at this time.
    pub fn decode(&mut self, bytes: &[u8], at: Duration) -> Vec<TerminalKey> {
        let mut keys = Vec::new();
        for byte in bytes {
            let is_late = at.saturating_sub(self.last_at) > limits::MAX_SEQUENCE_GAP;
            if is_late && !matches!(self.state, DecoderState::Ground | DecoderState::Paste(_)) {
                self.state = DecoderState::Ground;
                keys.push(TerminalKey::Invalid);
            }
            self.last_at = at;
            let state = std::mem::take(&mut self.state);
            keys.extend(self.decode_byte(state, *byte));
        }
        keys
    }

    /// An escape that no sequence followed in time is the key. Lines have no use for it: for them it
    /// stays the start of an incomplete sequence.
    pub fn take_escape(&mut self, now: Duration) -> Option<TerminalKey> {
        if self.state != DecoderState::Escape || now < self.escape_ends_at()? {
            return None;
        }
        self.reset();
        Some(TerminalKey::Escape)
    }

    /// When a started escape becomes a key.
    pub fn escape_ends_at(&self) -> Option<Duration> {
        (self.state == DecoderState::Escape).then(|| self.last_at + limits::MAX_SEQUENCE_GAP)
    }

    /// Discards an incomplete sequence.
    pub fn reset(&mut self) {
        self.state = DecoderState::Ground;
    }

    fn decode_byte(&mut self, state: DecoderState, byte: u8) -> Option<TerminalKey> {
        match state {
            DecoderState::Ground => self.decode_ground(byte),
            DecoderState::Utf8 { bytes, length } => self.decode_utf8(bytes, length, byte),
            DecoderState::Escape => self.decode_escape(byte),
            DecoderState::Sequence(parameters) => self.decode_sequence(parameters, byte),
            DecoderState::Skip(left) => {
                let left = left.saturating_sub(1);
                if left == 0 {
                    return Some(TerminalKey::Ignored);
                }
                self.state = DecoderState::Skip(left);
                None
            }
            DecoderState::DeviceString => self.decode_device_string(byte),
            DecoderState::DeviceStringEscape if byte == b'\\' => Some(TerminalKey::Ignored),
            DecoderState::DeviceStringEscape => self.decode_escape(byte),
            DecoderState::Paste(matched) => self.decode_paste(matched, byte),
        }
    }

    fn decode_ground(&mut self, byte: u8) -> Option<TerminalKey> {
        match byte {
            b'\r' | b'\n' => Some(TerminalKey::Enter),
            0x03 => Some(TerminalKey::Interrupt),
            0x04 => Some(TerminalKey::EndOfInput),
            b'\t' => Some(TerminalKey::Move(Movement::NextScreen)),
            0x08 | 0x7f => Some(TerminalKey::Backspace),
            0x15 | 0x17 => Some(TerminalKey::EraseLine),
            ESCAPE => {
                self.state = DecoderState::Escape;
                None
            }
            0x00..0x20 => Some(TerminalKey::Ignored),
            0x20..0x7f => Some(TerminalKey::Char(char::from(byte))),
            0x80.. => {
                let length = match byte {
                    0xc2..=0xdf => 2,
                    0xe0..=0xef => 3,
                    0xf0..=0xf4 => 4,
                    _ => return Some(TerminalKey::Invalid),
                };
                self.state = DecoderState::Utf8 { bytes: vec![byte], length };
                None
            }
        }
    }

    fn decode_utf8(&mut self, mut bytes: Vec<u8>, length: usize, byte: u8) -> Option<TerminalKey> {
        if !(0x80..0xc0).contains(&byte) {
            // The byte after an incomplete character is discarded with it.
            return Some(TerminalKey::Invalid);
        }
        bytes.push(byte);
        if bytes.len() < length {
            self.state = DecoderState::Utf8 { bytes, length };
            return None;
        }
        match std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
            Some(c) if !is_unsafe_to_display(c) => Some(TerminalKey::Char(c)),
            Some(_) | None => Some(TerminalKey::Invalid),
        }
    }

    fn decode_escape(&mut self, byte: u8) -> Option<TerminalKey> {
        self.state = match byte {
            b'[' => DecoderState::Sequence(Vec::new()),
            b'O' | b'N' => DecoderState::Skip(1),
            b']' | b'P' | b'X' | b'^' | b'_' => DecoderState::DeviceString,
            ESCAPE => DecoderState::Escape,
            0x20..0x30 => DecoderState::Skip(1),
            // Alt and a key.
            _ => return Some(TerminalKey::Ignored),
        };
        None
    }

    fn decode_sequence(&mut self, mut parameters: Vec<u8>, byte: u8) -> Option<TerminalKey> {
        match byte {
            // A mouse report: three bytes with button and position.
            b'M' if parameters.is_empty() => self.state = DecoderState::Skip(3),
            // A function key of the Linux console.
            b'[' if parameters.is_empty() => self.state = DecoderState::Skip(1),
            b'I' | b'O' if parameters.is_empty() => return Some(TerminalKey::Focus),
            ESCAPE => self.state = DecoderState::Escape,
            0x20..0x40 => {
                if parameters.len() < limits::MAX_PARAMETER_BYTES {
                    parameters.push(byte);
                }
                self.state = DecoderState::Sequence(parameters);
            }
            0x40..0x7f => {
                parameters.push(byte);
                if parameters == PASTE_START {
                    self.state = DecoderState::Paste(0);
                    return Some(TerminalKey::PasteStart);
                }
                // The start of this paste was not seen.
                let is_paste_end = Some(parameters.as_slice()) == PASTE_END.get(2..);
                return Some(if is_paste_end {
                    TerminalKey::PasteEnd
                } else {
                    movement(&parameters).map_or(TerminalKey::Ignored, TerminalKey::Move)
                });
            }
            _ => return Some(TerminalKey::Invalid),
        }
        None
    }

    fn decode_device_string(&mut self, byte: u8) -> Option<TerminalKey> {
        self.state = match byte {
            0x07 => return Some(TerminalKey::Ignored),
            ESCAPE => DecoderState::DeviceStringEscape,
            0x18 | 0x1a => return Some(TerminalKey::Invalid),
            _ => DecoderState::DeviceString,
        };
        None
    }

    fn decode_paste(&mut self, matched: usize, byte: u8) -> Option<TerminalKey> {
        let matched = match PASTE_END.get(matched) {
            Some(expected) if *expected == byte => matched + 1,
            Some(_) | None => usize::from(byte == ESCAPE),
        };
        if matched == PASTE_END.len() {
            return Some(TerminalKey::PasteEnd);
        }
        self.state = DecoderState::Paste(matched);
        None
    }
}

/// What a sequence after `ESC [` moves, if it does. With a modifier key it has other parameters.
fn movement(sequence: &[u8]) -> Option<Movement> {
    Some(match sequence {
        b"A" => Movement::Up,
        b"B" => Movement::Down,
        b"5~" => Movement::PageUp,
        b"6~" => Movement::PageDown,
        b"H" | b"1~" | b"7~" => Movement::Home,
        b"F" | b"4~" | b"8~" => Movement::End,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Vec<TerminalKey> {
        KeyReader::default().decode(bytes, Duration::from_secs(1))
    }

    fn decode_text(bytes: &[u8]) -> String {
        let chars = decode(bytes).into_iter().filter_map(|key| match key {
            TerminalKey::Char(c) => Some(c),
            TerminalKey::Enter => Some('\n'),
            _ => None,
        });
        chars.collect()
    }

    #[test]
    fn characters_and_control_keys_are_decoded() {
        assert_eq!(decode_text("y\rGrüße 日本\n".as_bytes()), "y\nGrüße 日本\n");
        assert_eq!(
            decode(b"\x7f\x08\x15\x04\x03"),
            [
                TerminalKey::Backspace,
                TerminalKey::Backspace,
                TerminalKey::EraseLine,
                TerminalKey::EndOfInput,
                TerminalKey::Interrupt
            ]
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
            assert_eq!(decode_text(sequence), "", "{sequence:?}");
            assert_eq!(decode_text(&[sequence, b"n\r"].concat()), "n\n", "{sequence:?}");
        }
    }

    #[test]
    fn the_end_of_a_paste_is_recognised_without_its_start() {
        assert_eq!(decode(b"y\x1b[201~"), [TerminalKey::Char('y'), TerminalKey::PasteEnd]);
    }

    #[test]
    fn an_incomplete_sequence_is_invalid() {
        let mut reader = KeyReader::default();
        assert_eq!(reader.decode(b"\x1b[2", Duration::from_secs(1)), []);
        let later = reader.decode(b"00~", Duration::from_secs(2));
        assert_eq!(later.first(), Some(&TerminalKey::Invalid));
        let mut paste_reader = KeyReader::default();
        assert_eq!(
            paste_reader.decode(b"\x1b[200~y", Duration::from_secs(1)),
            [TerminalKey::PasteStart]
        );
        assert_eq!(paste_reader.decode(b"\r", Duration::from_secs(9)), []);
        assert_eq!(
            paste_reader.decode(b"\x1b[201~", Duration::from_secs(19)),
            [TerminalKey::PasteEnd]
        );
    }

    #[test]
    fn bytes_that_are_not_a_displayable_character_are_invalid() {
        assert_eq!(decode(b"\xffy"), [TerminalKey::Invalid, TerminalKey::Char('y')]);
        assert_eq!(
            decode("\u{202e}\u{9b}".as_bytes()),
            [TerminalKey::Invalid, TerminalKey::Invalid]
        );
    }
}
