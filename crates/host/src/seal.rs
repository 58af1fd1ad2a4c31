//! Tokens that every node on one record can check, because their key is derived from the record's.
//!
//! See docs/decisions/0101-tokens-of-every-node.md.

use countersign_core::encoding::digest::{Digest, Key};
use rustix::rand::{GetRandomFlags, getrandom};

/// What a token is for. One kind does not pass as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealedFor {
    /// A call that is carried out, for the calls inside it.
    Parent,
    /// A session of a legacy HTTP client.
    HttpSession,
}

impl SealedFor {
    const fn label(self) -> &'static str {
        match self {
            Self::Parent => "countersign mcp parent",
            Self::HttpSession => "countersign mcp session",
        }
    }
}

pub struct Seal {
    key: Key,
}

/// None if the kernel has no randomness.
pub fn random_bytes<const LENGTH: usize>() -> Option<[u8; LENGTH]> {
    let mut bytes = [0_u8; LENGTH];
    let filled = getrandom(&mut bytes, GetRandomFlags::empty()).ok()?;
    (filled == bytes.len()).then_some(bytes)
}

impl Seal {
    /// A record in memory has no key, and no other node: then it is random.
    pub(crate) fn new(key: Option<Key>) -> Result<Self, String> {
        let random = || random_bytes().map(Key::from_bytes).ok_or("there is no randomness");
        Ok(Self { key: key.map_or_else(random, Ok)? })
    }

    pub fn sign(&self, purpose: SealedFor, text: &str) -> String {
        self.compute(purpose, text).to_string()
    }

    /// Takes the same time wherever the two differ.
    pub fn verify(&self, purpose: SealedFor, text: &str, given: &str) -> bool {
        let Some(given) = Digest::parse(given) else { return false };
        let computed = self.compute(purpose, text);
        let differences =
            computed.bytes().iter().zip(given.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        differences == 0
    }

    fn compute(&self, purpose: SealedFor, text: &str) -> Digest {
        Digest::hash_bytes(purpose.label(), text.as_bytes()).keyed(Some(&self.key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_for_one_purpose_one_text_and_one_key() {
        let seal = |byte| Seal { key: Key::from_bytes([byte; 32]) };
        let signed = seal(1).sign(SealedFor::Parent, "op_1");
        assert!(seal(1).verify(SealedFor::Parent, "op_1", &signed));
        assert!(!seal(1).verify(SealedFor::HttpSession, "op_1", &signed));
        assert!(!seal(1).verify(SealedFor::Parent, "op_2", &signed));
        assert!(!seal(2).verify(SealedFor::Parent, "op_1", &signed));
        assert!(!seal(1).verify(SealedFor::Parent, "op_1", ""));
    }
}
