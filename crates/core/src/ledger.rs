//! The ledger's bytes: canonical entries, each hashed together with the hash before it.
//!
//! Storing entries is the store's work. What is hashed is the canonical form as written, so that
//! a verifier in another language needs SHA-256, RFC 8785 and this page:
//! `hash = SHA-256("countersign/entry/v1" ‖ 0x00 ‖ canonical({at, body, kind, prev, sealed, seq}))`,
//! where `sealed`, if it is there, is
//! `SHA-256("countersign/sealed/v1" ‖ 0x00 ‖ salt (16 bytes) ‖ text)` of what was kept apart.

use crate::change::{Change, Kind};
use crate::digest::Digest;
use crate::json;
use crate::sealed::{self, Held, Salt, Sealed};
use crate::state::State;
use crate::time::Time;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

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
    /// What is kept apart, where the entry says that something is.
    pub sealed: Option<Sealed>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    #[error("entry {0} does not follow the one before it")]
    Broken(u64),
    #[error("entry {0} was altered: its bytes do not give its hash")]
    Altered(u64),
    #[error("what entry {0} keeps apart was altered: it does not give the entry's commitment")]
    Unsealed(u64),
    #[error("what entry {0} keeps apart is gone, and no entry says that it was erased")]
    Stripped(u64),
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
    sealed: Option<Sealed>,
}

/// What the chain makes of a body: its place, and the bytes that are hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub seq: u64,
    pub bytes: String,
    pub hash: Digest,
}

impl Body {
    /// The salt serves this body alone.
    pub fn of(change: &Change, salt: Salt) -> Result<Self, LedgerError> {
        let kind = change.kind();
        let written = sealed::written(change);
        let (text, apart) =
            written.map_err(|error| LedgerError::Unwritable(kind, error.to_string()))?;
        let sealed = apart.map(|text| Sealed::of(Held { salt, text }));
        Ok(Self { kind, text, sealed })
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What is kept apart.
    pub fn held(&self) -> Option<&Held> {
        self.sealed.as_ref().and_then(|sealed| sealed.held.as_ref())
    }

    /// The canonical form of the whole is its parts in the order of their names.
    pub fn linked(&self, head: Head, at: Time) -> Link {
        let (micros, seq) = (at.micros().to_string(), head.next);
        let end = ending(self.kind, &head.hash, self.sealed.as_ref(), seq);
        let bytes = ["{\"at\":", &micros, ",\"body\":", &self.text, &end].concat();
        let hash = Digest::of_bytes(LABEL, bytes.as_bytes());
        Link { seq, bytes, hash }
    }
}

impl Link {
    pub fn head(&self) -> Head {
        Head { next: self.seq + 1, hash: self.hash }
    }
}

impl Entry {
    pub fn new(head: Head, at: Time, change: &Change, salt: Salt) -> Result<Self, LedgerError> {
        Ok(Self::chained(head, at, Body::of(change, salt)?))
    }

    pub fn chained(head: Head, at: Time, body: Body) -> Self {
        let Link { seq, bytes, hash } = body.linked(head, at);
        Self { seq, kind: body.kind, prev: head.hash, bytes, hash, sealed: body.sealed }
    }

    /// An entry from its bytes and its hash, which are all that is kept outside of a store.
    /// Whether the one gives the other is seen when it is attached.
    pub fn read(bytes: String, hash: Digest) -> Result<Self, String> {
        let form = json::parse(bytes.as_bytes()).map_err(|error| error.to_string())?;
        let text = |pointer: &str| form.pointer(pointer).and_then(Value::as_str);
        let seq = form.get("seq").and_then(Value::as_u64).ok_or("it has no place")?;
        let prev = text("/prev").and_then(Digest::parse).ok_or("it names no entry before it")?;
        let kind = text("/kind").and_then(Kind::from_word).ok_or("it is of no known kind")?;
        let sealed = Self::commitment_in(&bytes);
        let sealed = sealed.map(|commitment| Sealed { commitment, held: None });
        Ok(Self { seq, kind, prev, bytes, hash, sealed })
    }

    pub fn head(&self) -> Head {
        Head { next: self.seq + 1, hash: self.hash }
    }

    /// When it was written and what it says, read back from the bytes and from what is kept
    /// apart. Of what was erased there are blanks.
    pub fn change(&self) -> Result<(Time, Change), LedgerError> {
        let unreadable =
            |error: serde_json::Error| LedgerError::Unreadable(self.seq, error.to_string());
        let form = self.form()?;
        let whole = json!({"kind": form.kind, "body": form.body});
        Ok((form.at, serde_json::from_value(whole).map_err(unreadable)?))
    }

    /// What it says, with what is kept apart put back in its place.
    pub fn body(&self) -> Result<Value, LedgerError> {
        Ok(self.form()?.body)
    }

    fn form(&self) -> Result<Form, LedgerError> {
        let unreadable =
            |error: serde_json::Error| LedgerError::Unreadable(self.seq, error.to_string());
        let mut form: Form = serde_json::from_str(&self.bytes).map_err(unreadable)?;
        if let Some(sealed) = &self.sealed {
            let held: Option<Map<String, Value>> = sealed
                .held
                .as_ref()
                .map(|held| serde_json::from_str(&held.text).map_err(unreadable))
                .transpose()?;
            sealed::put_back(self.kind, &mut form.body, held.as_ref());
        }
        Ok(form)
    }

    /// What it keeps apart, as long as that is there.
    pub fn held(&self) -> Option<&Held> {
        self.sealed.as_ref().and_then(|sealed| sealed.held.as_ref())
    }

    /// Whether what it kept apart is gone.
    pub fn is_erased(&self) -> bool {
        self.sealed.as_ref().is_some_and(|sealed| sealed.held.is_none())
    }

    /// The commitment that the bytes name. Stores that keep the bytes need not keep it as well.
    pub fn commitment_in(bytes: &str) -> Option<Digest> {
        let (before, _) = bytes.rsplit_once("\",\"seq\":")?;
        let (before, hex) = before.split_at_checked(before.len().checked_sub(64)?)?;
        before.ends_with(",\"sealed\":\"").then(|| Digest::parse(hex)).flatten()
    }
}

/// The end of an entry's bytes, from the kind on.
fn ending(kind: Kind, prev: &Digest, sealed: Option<&Sealed>, seq: u64) -> String {
    let mut end = String::with_capacity(224);
    end.push_str(",\"kind\":\"");
    end.push_str(kind.word());
    end.push_str("\",\"prev\":\"");
    prev.push_to(&mut end);
    if let Some(sealed) = sealed {
        end.push_str("\",\"sealed\":\"");
        sealed.commitment.push_to(&mut end);
    }
    end.push_str("\",\"seq\":");
    end.push_str(&seq.to_string());
    end.push('}');
    end
}

/// What the bytes of an entry hold beside its place in the chain.
#[derive(Deserialize)]
struct Form {
    at: Time,
    kind: Kind,
    body: Value,
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

/// Checks that entries follow each other and that none was altered or stripped.
pub fn verify<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Head, LedgerError> {
    let mut verifier = Verifier::from(Head::empty());
    entries.into_iter().try_for_each(|entry| verifier.entry(entry))?;
    verifier.finish().map(|verified| verified.head)
}

/// The same entry by entry, for ledgers that are longer than the memory.
#[derive(Clone, Debug)]
pub struct Verifier {
    head: Head,
    erased: u64,
    /// Entries whose sealed parts are gone, and of which nothing has said yet that they were erased.
    missing: BTreeSet<u64>,
}

/// What a whole ledger comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    pub head: Head,
    /// Entries whose sealed parts were erased on the operator's word.
    pub erased: u64,
}

impl Verifier {
    /// Begins at a place that is known to be good.
    pub fn from(head: Head) -> Self {
        Self { head, erased: 0, missing: BTreeSet::new() }
    }

    pub fn entry(&mut self, entry: &Entry) -> Result<(), LedgerError> {
        if entry.seq != self.head.next || entry.prev != self.head.hash {
            return Err(LedgerError::Broken(entry.seq));
        }
        if Digest::of_bytes(LABEL, entry.bytes.as_bytes()) != entry.hash || !tells_its_place(entry)
        {
            return Err(LedgerError::Altered(entry.seq));
        }
        match &entry.sealed {
            Some(Sealed { held: None, .. }) => {
                self.missing.insert(entry.seq);
            }
            Some(Sealed { held: Some(held), commitment }) if held.commitment() != *commitment => {
                return Err(LedgerError::Unsealed(entry.seq));
            }
            Some(_) | None => {}
        }
        if entry.kind == Kind::ArgumentsErased {
            self.told(entry)?;
        }
        self.head = entry.head();
        Ok(())
    }

    fn told(&mut self, entry: &Entry) -> Result<(), LedgerError> {
        if let (_, Change::ArgumentsErased { erased }) = entry.change()? {
            for seq in &erased.entries {
                self.erased += u64::from(self.missing.remove(seq));
            }
        }
        Ok(())
    }

    /// At the end of the ledger everything that is missing must have been told of.
    pub fn finish(self) -> Result<Verified, LedgerError> {
        match self.missing.first() {
            Some(seq) => Err(LedgerError::Stripped(*seq)),
            None => Ok(Verified { head: self.head, erased: self.erased }),
        }
    }
}

/// The columns beside the bytes must say what the bytes say.
fn tells_its_place(entry: &Entry) -> bool {
    entry.bytes.ends_with(&ending(entry.kind, &entry.prev, entry.sealed.as_ref(), entry.seq))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Presence;

    const SALT: Salt = Salt([7; 16]);

    fn chain() -> Vec<Entry> {
        let mut head = Head::empty();
        [Presence::Idle, Presence::Active, Presence::Away]
            .map(|presence| {
                let at = Time::from_micros(1_767_603_600_000_000);
                let entry =
                    Entry::new(head, at, &Change::PresenceChanged { presence }, SALT).unwrap();
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
            "{{\"at\":1767603600000000,\"body\":{{\"presence\":\"idle\"}},\"kind\":\"presence_changed\",\"prev\":\"{zeros}\",\"seq\":1}}"
        );
        assert_eq!(entry.bytes, expected);
        assert_eq!(
            entry.hash.to_string(),
            "a69f2d6a66bd44e0b8fb40c02869ab18826b5172eb380985c8946e89651d6dde"
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
