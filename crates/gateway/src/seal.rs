//! Tokens that every node on one record can check, because their key is derived from the record's.
//!
//! See docs/decisions/0101-tokens-of-every-node.md.

use crate::random::random_bytes;
use countersign_core::encoding::digest::{Digest, Key};
use countersign_host::Host;

/// What a token is for. One kind does not pass as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SealedFor {
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

pub(crate) struct Seal {
    key: Key,
}

impl Seal {
    /// A record in memory has no key, and no other node.
    pub(crate) fn new(host: &Host) -> Result<Self, String> {
        let random = || random_bytes().map(Key::from_bytes).ok_or("there is no randomness");
        Ok(Self { key: host.derive_key("mcp tokens").map_or_else(random, Ok)? })
    }

    pub(crate) fn sign(&self, purpose: SealedFor, text: &str) -> String {
        self.compute(purpose, text).to_string()
    }

    /// Takes the same time wherever the two differ.
    pub(crate) fn verify(&self, purpose: SealedFor, text: &str, given: &str) -> bool {
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
