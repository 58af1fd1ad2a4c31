//! Byte offsets of characters.
//!
//! The YAML parser counts characters; every place in this crate is in bytes.

/// From characters, which the parser counts, to bytes.
pub(super) enum Offsets {
    /// Both are the same.
    Ascii,
    /// The byte offset of every `STRIDE`th character.
    Every(Vec<usize>),
}

const STRIDE: usize = 64;

impl Offsets {
    pub(super) fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self::Ascii;
        }
        Self::Every(text.char_indices().step_by(STRIDE).map(|(at, _)| at).collect())
    }

    pub(super) fn byte(&self, text: &str, character: usize) -> usize {
        let Self::Every(known) = self else { return character.min(text.len()) };
        let Some(from) = known.get(character / STRIDE) else { return text.len() };
        let rest = text.get(*from..).unwrap_or_default();
        rest.char_indices().nth(character % STRIDE).map_or(text.len(), |(at, _)| from + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_found_at_its_byte() {
        for text in ["", "plain", "ä", &"aä€😀\n".repeat(100)] {
            let offsets = Offsets::of(text);
            for (nth, (at, _)) in text.char_indices().enumerate() {
                assert_eq!(offsets.byte(text, nth), at, "{nth} in {text:?}");
            }
            assert_eq!(offsets.byte(text, text.chars().count()), text.len());
        }
    }
}
