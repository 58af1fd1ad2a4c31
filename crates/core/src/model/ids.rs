//! Ids that Countersign assigns: time-ordered, and printed with a prefix for their type.
//!
//! The core reads neither a clock nor a random source. The facts contain the time and random bits,
//! and one operation derives all its ids from them with a counter.

use crate::model::time::Time;
use serde::{Deserialize, Serialize, Serializer};
use std::cell::Cell;
use std::fmt;

/// Generates the ids of one operation from the time and from random bits that the engine provides.
#[derive(Debug)]
pub struct Fresh {
    now: Time,
    bits: u64,
    count: Cell<u16>,
}

impl Fresh {
    pub fn new(now: Time, bits: u64) -> Self {
        Self { now, bits, count: Cell::new(0) }
    }

    /// A UUIDv7: milliseconds, then 12 bits of the operation's counter, then its random bits.
    fn next_id(&self) -> u128 {
        let count = self.count.get();
        self.count.set(count.wrapping_add(1));
        let millis = u128::from(self.now.micros().unsigned_abs() / 1000) & 0xffff_ffff_ffff;
        let counter = u128::from(count) & 0xfff;
        // The counter is also in the last characters, because people read and type those.
        let bits = (u128::from(self.bits) ^ (counter << 12)) & 0x3fff_ffff_ffff_ffff;
        (millis << 80) | (0x7 << 76) | (counter << 64) | (0b10 << 62) | bits
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $type:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $type(u128);

        impl $type {
            pub fn fresh(fresh: &Fresh) -> Self {
                Self(fresh.next_id())
            }

            pub fn parse(text: &str) -> Option<Self> {
                let hex = text.strip_prefix($prefix)?;
                let plain = hex.len() == 32
                    && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
                plain.then(|| u128::from_str_radix(hex, 16).ok()).flatten().map(Self)
            }
        }

        impl TryFrom<String> for $type {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                Self::parse(&text).ok_or_else(|| format!(concat!("`{}` is not a ", $prefix, " id"), text))
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let bytes = self.0.to_be_bytes();
                serializer.serialize_str(crate::encoding::hex::encode_with_prefix($prefix, &bytes, &mut [0; 64]))
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(crate::encoding::hex::encode_with_prefix($prefix, &self.0.to_be_bytes(), &mut [0; 64]))
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self}")
            }
        }

        crate::encoding::schema::text!($type, concat!("An id: `", $prefix, "…`"), crate::encoding::schema::id($prefix));
    };
}

id!(
    /// The stored record of one call. A retry names it.
    CallId, "op_");
id!(RequestId, "req_");
id!(GrantId, "grant_");
id!(RunId, "run_");
id!(GestureId, "ges_");
id!(ProposalId, "prop_");
id!(NoticeId, "notice_");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_operation_differ_and_read_back() {
        let fresh = Fresh::new(Time::from_micros(1_767_603_600_000_000), 7);
        let (one, two) = (CallId::fresh(&fresh), CallId::fresh(&fresh));
        assert!(one < two);
        assert_eq!(CallId::parse(&one.to_string()), Some(one));
        assert_eq!(CallId::parse(&format!("req_{one}")), None);
    }

    #[test]
    fn ids_of_one_operation_differ_in_their_last_six_characters() {
        let fresh = Fresh::new(Time::from_micros(1_767_603_600_000_000), 7);
        let ends: std::collections::BTreeSet<String> =
            (0..100).map(|_| RequestId::fresh(&fresh).to_string().split_off(30)).collect();
        assert_eq!(ends.len(), 100);
        assert!(ends.iter().all(|end| end.len() == 6));
    }
}
