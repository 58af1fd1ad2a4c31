//! Converts character offsets to byte offsets.
//!
//! The YAML parser counts characters; spans in this crate are in bytes.

/// The byte offsets of the characters of one text.
pub(super) enum ByteOffsets {
    /// Every character is one byte.
    Ascii,
    /// The byte offset of every `STRIDE`th character.
    Sampled(Vec<usize>),
}

const STRIDE: usize = 64;

impl ByteOffsets {
    pub(super) fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self::Ascii;
        }
        Self::Sampled(text.char_indices().step_by(STRIDE).map(|(at, _)| at).collect())
    }

    pub(super) fn byte_offset(&self, text: &str, character: usize) -> usize {
        let Self::Sampled(sampled_offsets) = self else { return character.min(text.len()) };
        let Some(from) = sampled_offsets.get(character / STRIDE) else { return text.len() };
        let rest = text.get(*from..).unwrap_or_default();
        rest.char_indices().nth(character % STRIDE).map_or(text.len(), |(at, _)| from + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_its_byte_offset() {
        for text in ["", "plain", "ä", &"aä€😀\n".repeat(100)] {
            let offsets = ByteOffsets::new(text);
            for (nth, (at, _)) in text.char_indices().enumerate() {
                assert_eq!(offsets.byte_offset(text, nth), at, "{nth} in {text:?}");
            }
            assert_eq!(offsets.byte_offset(text, text.chars().count()), text.len());
        }
    }
}
