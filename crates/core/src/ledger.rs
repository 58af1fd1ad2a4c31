//! The ledger's bytes: canonical entries, each hashed together with the hash before it.
//!
//! Storing entries is the store's work. What is hashed is the canonical form as written, so that
//! a verifier in another language needs SHA-256, RFC 8785 and this page:
//! `hash = SHA-256("countersign/entry/v1" ‖ 0x00 ‖ canonical({at, body, prev, seq}))`.

use crate::change::{Change, Kind};
use crate::digest::Digest;
use crate::json::{self, JsonError};
use crate::state::State;
use crate::time::Time;
use serde::Deserialize;
use serde_json::{Value, json};

const LABEL: &str = "countersign/entry/v1";

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub seq: u64,
    pub kind: Kind,
    pub prev: Digest,
    /// What was hashed, byte for byte.
    pub bytes: String,
    pub hash: Digest,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    #[error("entry {0} does not follow the one before it")]
    Broken(u64),
    #[error("entry {0} was altered: its bytes do not give its hash")]
    Altered(u64),
    #[error("entry {0} cannot be read back: {1}")]
    Unreadable(u64, String),
    #[error("an entry {0} cannot be written: {1}")]
    Unwritable(Kind, String),
}

/// Where the next entry attaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub next: u64,
    pub hash: Digest,
}

impl Head {
    pub const fn empty() -> Self {
        Self { next: 1, hash: Digest::zero() }
    }
}

/// What an entry says, in its canonical form; made before its place in the chain is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    kind: Kind,
    text: String,
}

impl Body {
    pub fn of(change: &Change) -> Result<Self, LedgerError> {
        let unwritable = |cause: String| LedgerError::Unwritable(change.kind(), cause);
        let body = serde_json::to_value(change).map_err(|e| unwritable(e.to_string()))?;
        let text = json::canonical(&body).map_err(|e: JsonError| unwritable(e.to_string()))?;
        Ok(Self { kind: change.kind(), text })
    }
}

impl Entry {
    pub fn new(head: Head, at: Time, change: &Change) -> Result<Self, LedgerError> {
        Ok(Self::chained(head, at, Body::of(change)?))
    }

    /// The canonical form of the whole is its parts in the order of their names.
    pub fn chained(head: Head, at: Time, body: Body) -> Self {
        let Body { kind, text } = body;
        let (micros, prev, seq) = (at.micros(), head.hash, head.next);
        let bytes =
            format!("{{\"at\":{micros},\"body\":{text},\"prev\":\"{prev}\",\"seq\":{seq}}}");
        let hash = Digest::of_bytes(LABEL, bytes.as_bytes());
        Self { seq, kind, prev, bytes, hash }
    }

    /// An entry from its bytes and its hash, which are all that is kept outside of a store.
    /// Whether the one gives the other is seen when it is attached.
    pub fn read(bytes: String, hash: Digest) -> Result<Self, String> {
        let form = json::parse(bytes.as_bytes()).map_err(|error| error.to_string())?;
        let text = |pointer: &str| form.pointer(pointer).and_then(Value::as_str);
        let seq = form.get("seq").and_then(Value::as_u64).ok_or("it has no place")?;
        let prev = text("/prev").and_then(Digest::parse).ok_or("it names no entry before it")?;
        let kind = text("/body/kind").and_then(Kind::from_word).ok_or("it is of no known kind")?;
        Ok(Self { seq, kind, prev, bytes, hash })
    }

    pub fn head(&self) -> Head {
        Head { next: self.seq + 1, hash: self.hash }
    }

    /// When it was written and what it says, read back from the bytes.
    pub fn change(&self) -> Result<(Time, Change), LedgerError> {
        let unreadable =
            |error: serde_json::Error| LedgerError::Unreadable(self.seq, error.to_string());
        let form: Form = serde_json::from_str(&self.bytes).map_err(unreadable)?;
        Ok((form.at, form.body))
    }
}

/// What the bytes of an entry hold beside its place in the chain.
#[derive(Deserialize)]
struct Form {
    at: Time,
    body: Change,
}

/// The state that the entries amount to.
pub fn replay<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<State, LedgerError> {
    let mut state = State::empty();
    for entry in entries {
        let (at, change) = entry.change()?;
        state.apply(at, &change);
    }
    Ok(state)
}

/// Checks that entries follow each other and that none was altered.
pub fn verify<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Head, LedgerError> {
    entries.into_iter().try_fold(Head::empty(), attach)
}

/// The end of the ledger after one more entry, if that one follows and was not altered.
pub fn attach(head: Head, entry: &Entry) -> Result<Head, LedgerError> {
    if entry.seq != head.next || entry.prev != head.hash {
        return Err(LedgerError::Broken(entry.seq));
    }
    if Digest::of_bytes(LABEL, entry.bytes.as_bytes()) != entry.hash || !tells_its_place(entry) {
        return Err(LedgerError::Altered(entry.seq));
    }
    Ok(entry.head())
}

/// The columns beside the bytes must say what the bytes say.
fn tells_its_place(entry: &Entry) -> bool {
    let Ok(form) = json::parse(entry.bytes.as_bytes()) else { return false };
    form.get("seq") == Some(&json!(entry.seq))
        && form.get("prev") == Some(&json!(entry.prev))
        && form.pointer("/body/kind") == Some(&json!(entry.kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Presence;

    fn chain() -> Vec<Entry> {
        let mut head = Head::empty();
        [Presence::Idle, Presence::Active, Presence::Away]
            .map(|presence| {
                let at = Time::from_micros(1_767_603_600_000_000);
                let entry = Entry::new(head, at, &Change::PresenceChanged { presence }).unwrap();
                head = entry.head();
                entry
            })
            .to_vec()
    }

    #[test]
    fn an_entry_has_these_bytes_and_this_hash() {
        let entry = &chain()[0];
        let zeros = "0".repeat(64);
        let expected = format!(
            "{{\"at\":1767603600000000,\"body\":{{\"kind\":\"presence_changed\",\"presence\":\"idle\"}},\"prev\":\"{zeros}\",\"seq\":1}}"
        );
        assert_eq!(entry.bytes, expected);
        assert_eq!(
            entry.hash.to_string(),
            "acb29526acf1b18d7c6dc1ea32db0bde7a32ef2a1acddb6d09ad17230f5500e5"
        );
    }

    #[test]
    fn an_intact_chain_verifies() {
        let entries = chain();
        assert_eq!(verify(&entries), Ok(entries[2].head()));
    }

    #[test]
    fn a_dropped_reordered_or_altered_entry_is_found() {
        let mut dropped = chain();
        dropped.remove(1);
        assert_eq!(verify(&dropped), Err(LedgerError::Broken(3)));
        let mut swapped = chain();
        swapped.swap(0, 1);
        assert_eq!(verify(&swapped), Err(LedgerError::Broken(2)));
        let mut altered = chain();
        altered[1].bytes = altered[1].bytes.replace("active", "idle");
        assert_eq!(verify(&altered), Err(LedgerError::Altered(2)));
        let mut relabelled = chain();
        relabelled[2].kind = Kind::Restarted;
        assert_eq!(verify(&relabelled), Err(LedgerError::Altered(3)));
    }
}
