//! The ledger's bytes: canonical entries, each hashed together with the hash before it.
//!
//! Storing entries is the store's work. What is hashed is the canonical form as written, so that
//! a verifier in another language needs SHA-256, RFC 8785 and this page:
//! `hash = SHA-256("countersign/entry/v1" ‖ 0x00 ‖ canonical({at, body, kind, prev, sealed, seq}))`,
//! where `sealed`, if it is there, is
//! `SHA-256("countersign/sealed/v1" ‖ 0x00 ‖ salt (16 bytes) ‖ text)` of what was kept apart.

use crate::encoding::digest::Digest;
use crate::encoding::json;
use crate::ledger::sealed::{self, Held, Salt, Sealed};
use crate::model::change::{Change, Kind};
use crate::model::time::Time;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const LABEL: &str = "countersign/entry/v1";

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
pub(super) fn ending(kind: Kind, prev: &Digest, sealed: Option<&Sealed>, seq: u64) -> String {
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
