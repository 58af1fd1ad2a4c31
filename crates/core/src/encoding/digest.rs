//! Digests: SHA-256 over canonical bytes, with a label for each kind of content.
//!
//! The label separates the kinds: equal bytes of two kinds have different digests.

use crate::encoding::json::{self, JsonError};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    pub fn hash_bytes(label: &str, bytes: &[u8]) -> Self {
        Self::hash_parts(label, &[bytes])
    }

    /// Hashes the concatenated parts. All parts but one must have a fixed length, or two lists of
    /// parts could give the same bytes.
    pub fn hash_parts(label: &str, parts: &[impl AsRef<[u8]>]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(label.as_bytes());
        hasher.update([0]);
        parts.iter().for_each(|part| hasher.update(part.as_ref()));
        Self(hasher.finalize().into())
    }

    /// The digest of a value's canonical form.
    pub fn hash_value(label: &str, value: &Value) -> Result<Self, JsonError> {
        json::canonical(value).map(|text| Self::hash_bytes(label, text.as_bytes()))
    }

    /// HMAC-SHA-256 of the digest, so that only the holder of the key can test guesses against it.
    pub fn keyed(self, key: Option<&Key>) -> Self {
        let Some(key) = key else { return self };
        let padded = |pad: u8| {
            let mut block = [pad; 64];
            block.iter_mut().zip(key.0).for_each(|(byte, key)| *byte ^= key);
            Sha256::new().chain_update(block)
        };
        let inner = padded(0x36).chain_update(self.0).finalize();
        Self(padded(0x5c).chain_update(inner).finalize().into())
    }

    /// Appends the hexadecimal form.
    #[inline]
    pub fn push_to(&self, text: &mut String) {
        crate::encoding::hex::push(&self.0, text);
    }

    pub const fn zero() -> Self {
        Self([0; 32])
    }

    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// First and last six characters, as every card shows them.
    pub fn short(&self) -> String {
        let text = self.to_string();
        let head: String = text.chars().take(6).collect();
        let tail: String = text.chars().skip(58).collect();
        format!("{head}…{tail}")
    }

    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return None;
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = crate::encoding::hex::parse_digit(*high)? << 4
                | crate::encoding::hex::parse_digit(*low)?;
        }
        Some(Self(bytes))
    }
}

/// The secret key of one store.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::encoding::hex::write(&self.0, f)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not a digest"))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(crate::encoding::hex::encode_into(&self.0, &mut [0; 64]))
    }
}

crate::encoding::schema::text!(
    Digest,
    "A SHA-256, in hexadecimal",
    crate::encoding::schema::digest()
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_separates_equal_bytes() {
        let one = Digest::hash_bytes("countersign/call/v1", b"x");
        let other = Digest::hash_bytes("countersign/entry/v1", b"x");
        assert_ne!(one, other);
        assert_eq!(Digest::parse(&one.to_string()), Some(one));
    }

    #[test]
    fn a_keyed_digest_is_a_standard_hmac() {
        let key = Key::from_bytes(std::array::from_fn(|at| at as u8));
        let keyed = Digest::from_bytes([5; 32]).keyed(Some(&key));
        assert_eq!(
            keyed.to_string(),
            "2be5374ae8632b431d727f0100b727dd3e7884247c8ca516967c0789a13e3726"
        );
        assert_eq!(keyed.keyed(None), keyed);
    }
}
