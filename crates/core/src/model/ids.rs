//! Ids that Countersign assigns: ordered by time, and printed with a letter for their type.
//!
//! The printed form starts with the letter and with random digits, so that a few characters name
//! an id and no call is mistaken for a request. Stores keep the form that sorts by time.
//!
//! The core reads neither a clock nor a random source. The facts contain the time and random bits,
//! and one operation derives all its ids from them with a counter.
//!
//! See docs/decisions/0043-ids-that-people-type.md.

use crate::model::time::Time;
use serde::{Deserialize, Serialize, Serializer};
use std::cell::Cell;
use std::fmt;

/// Generates the ids of one operation from the time and from random bits that the engine provides.
#[derive(Debug)]
pub struct IdGenerator {
    now: Time,
    bits: u64,
    count: Cell<u16>,
}

impl IdGenerator {
    pub fn new(now: Time, bits: u64) -> Self {
        Self { now, bits, count: Cell::new(0) }
    }

    /// A UUIDv7: milliseconds, then 12 bits of the operation's counter, then its random bits.
    fn next_id(&self) -> u128 {
        let count = self.count.get();
        self.count.set(count.wrapping_add(1));
        let millis = u128::from(self.now.micros().unsigned_abs() / 1000) & 0xffff_ffff_ffff;
        let counter = u128::from(count) & 0xfff;
        // The counter is also in the last digits, which are printed first: people type those.
        let bits = (u128::from(self.bits) ^ (counter << 12)) & 0x3fff_ffff_ffff_ffff;
        (millis << 80) | (0x7 << 76) | (counter << 64) | (0b10 << 62) | bits
    }
}

/// The last bits of an id, which are printed first: six digits.
const LEADING_BITS: u32 = 24;

/// The digits of an id as they are printed: the last ones first.
const fn to_printed(id: u128) -> u128 {
    id.rotate_right(LEADING_BITS)
}

const fn from_printed(digits: u128) -> u128 {
    digits.rotate_left(LEADING_BITS)
}

/// Exactly 32 digits after the letter.
fn parse_digits(text: &str, letter: &str) -> Option<u128> {
    let hex = text.strip_prefix(letter)?;
    let is_plain = hex.len() == 32 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    is_plain.then(|| u128::from_str_radix(hex, 16).ok()).flatten()
}

macro_rules! id {
    ($(#[$doc:meta])* $type:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $type(u128);

        impl $type {
            pub fn generate(ids: &IdGenerator) -> Self {
                Self(ids.next_id())
            }

            /// The letter with which its ids start.
            pub const LETTER: &'static str = $letter;

            pub fn parse(text: &str) -> Option<Self> {
                parse_digits(text, $letter).map(from_printed).map(Self)
            }

            /// The form that sorts by time, for stores. Its last six digits are printed first.
            pub fn to_key(self) -> String {
                crate::encoding::hex::encode_with_prefix($letter, &self.0.to_be_bytes(), &mut [0; 64]).to_owned()
            }

            pub fn from_key(key: &str) -> Option<Self> {
                parse_digits(key, $letter).map(Self)
            }
        }

        impl TryFrom<String> for $type {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                Self::parse(&text).ok_or_else(|| format!(concat!("`{}` is not an id that starts with ", $letter), text))
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let bytes = to_printed(self.0).to_be_bytes();
                serializer.serialize_str(crate::encoding::hex::encode_with_prefix($letter, &bytes, &mut [0; 64]))
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let bytes = to_printed(self.0).to_be_bytes();
                f.write_str(crate::encoding::hex::encode_with_prefix($letter, &bytes, &mut [0; 64]))
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self}")
            }
        }

        crate::encoding::schema::text!($type, concat!("An id: `", $letter, "…`"), crate::encoding::schema::id($letter));
    };
}

id!(
    /// The stored record of one call. A retry names it.
    CallId, "c");
id!(RequestId, "r");
id!(GrantId, "g");
id!(
    /// A run of a workflow.
    RunId, "w");
id!(
    /// What an operator typed.
    GestureId, "t");
id!(ProposalId, "p");
id!(NoticeId, "n");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_operation_differ_and_read_back() {
        let ids = IdGenerator::new(Time::from_micros(1_767_603_600_000_000), 7);
        let (one, two) = (CallId::generate(&ids), CallId::generate(&ids));
        assert!(one < two);
        assert_eq!(CallId::parse(&one.to_string()), Some(one));
        assert_eq!(CallId::from_key(&one.to_key()), Some(one));
        assert!(one.to_key() < two.to_key());
        assert_eq!(RequestId::parse(&one.to_string()), None);
    }

    #[test]
    fn no_two_types_start_alike() {
        let letters = [
            CallId::LETTER,
            RequestId::LETTER,
            GrantId::LETTER,
            RunId::LETTER,
            GestureId::LETTER,
            ProposalId::LETTER,
            NoticeId::LETTER,
        ];
        let different: std::collections::BTreeSet<&str> = letters.into_iter().collect();
        assert_eq!(different.len(), letters.len());
    }

    #[test]
    fn ids_of_one_operation_differ_in_the_first_six_digits() {
        let ids = IdGenerator::new(Time::from_micros(1_767_603_600_000_000), 7);
        let short = |id: RequestId| id.to_string().get(..7).map(str::to_owned);
        let starts: std::collections::BTreeSet<Option<String>> =
            (0..100).map(|_| short(RequestId::generate(&ids))).collect();
        assert_eq!(starts.len(), 100);
    }
}
