//! Tokens that every node on one record can check, because their key is derived from the record's.
//!
//! See docs/decisions/0101-tokens-of-every-node.md.

use crate::Host;
use countersign_core::encoding::digest::{Digest, Key};
use rustix::rand::{GetRandomFlags, getrandom};
use std::sync::Arc;

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

impl Host {
    /// The seal of this record. A record in memory has no key, and no other node.
    pub fn seal(&self) -> Result<Arc<Seal>, String> {
        if let Some(seal) = self.kept_seal.get() {
            return Ok(Arc::clone(seal));
        }
        let random = || random_bytes().map(Key::from_bytes).ok_or("there is no randomness");
        let seal = Seal { key: self.derive_key("mcp tokens").map_or_else(random, Ok)? };
        Ok(Arc::clone(self.kept_seal.get_or_init(|| Arc::new(seal))))
    }
}

/// None if the kernel has no randomness.
pub fn random_bytes<const LENGTH: usize>() -> Option<[u8; LENGTH]> {
    let mut bytes = [0_u8; LENGTH];
    let filled = getrandom(&mut bytes, GetRandomFlags::empty()).ok()?;
    (filled == bytes.len()).then_some(bytes)
}

impl Seal {
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
