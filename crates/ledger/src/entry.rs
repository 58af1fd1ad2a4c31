//! The bytes of a ledger entry: canonical JSON, hashed together with the hash of the entry before it.
//!
//! The store keeps the entries. The hash covers the canonical form, so that a verifier in another
//! language needs only SHA-256, RFC 8785 and these two formulas:
//! `hash = SHA-256("countersign/entry/v1" ‖ 0x00 ‖ canonical({at, body, kind, prev, sealed, seq}))`,
//! where `sealed`, if present, is the commitment to the sealed part:
//! `SHA-256("countersign/sealed/v1" ‖ 0x00 ‖ salt (16 bytes) ‖ text)`.

use crate::sealed::{self, Salt, Sealed, SealedContent};
use countersign_core::encoding::digest::Digest;
use countersign_core::encoding::json;
use countersign_core::model::change::{Change, Kind};
use countersign_core::model::time::Time;
use serde::Deserialize;
use serde_json::{Value, json};

/// Hashed before the bytes of an entry, with a zero byte between.
pub const ENTRY_LABEL: &str = "countersign/entry/v1";

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub seq: u64,
    pub kind: Kind,
    pub prev: Digest,
    /// The bytes that were hashed.
    pub bytes: String,
    pub hash: Digest,
    /// The sealed part, if the entry has one.
    pub sealed: Option<Sealed>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    #[error("entry {0} does not follow the one before it")]
    Broken(u64),
    #[error("entry {0} was altered: its bytes do not give its hash")]
    Altered(u64),
    #[error("the sealed part of entry {0} was altered: it does not match the entry's commitment")]
    Unsealed(u64),
    #[error("the sealed part of entry {0} is missing, and no entry records its erasure")]
    Stripped(u64),
    #[error("entry {0} cannot be read back: {1}")]
    Unreadable(u64, String),
    #[error("an entry {0} cannot be written: {1}")]
    Unwritable(Kind, String),
}

/// The end of the chain: the number of the next entry and the hash of the last one.
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

/// The canonical content of an entry, written before its position in the chain is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    kind: Kind,
    text: String,
    sealed: Option<Sealed>,
}

/// A body whose position in the chain somebody else finds: the bytes of its entry are `beginning`,
/// the hash of the entry before it, `middle`, its sequence number and a closing brace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlinkedEntry {
    pub kind: Kind,
    pub beginning: String,
    pub middle: String,
    pub content: Option<SealedContent>,
}

/// A body at its position in the chain: its number, the hashed bytes and their hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub seq: u64,
    pub bytes: String,
    pub hash: Digest,
}

impl Body {
    /// Each body needs a salt of its own.
    pub fn new(change: &Change, salt: Salt) -> Result<Self, LedgerError> {
        let kind = change.kind();
        let written = sealed::write_parts(change);
        let (text, sealed_text) =
            written.map_err(|error| LedgerError::Unwritable(kind, error.to_string()))?;
        let sealed = sealed_text.map(|text| Sealed::new(SealedContent { salt, text }));
        Ok(Self { kind, text, sealed })
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The content of the sealed part.
    pub fn content(&self) -> Option<&SealedContent> {
        self.sealed.as_ref().and_then(|sealed| sealed.content.as_ref())
    }

    /// The parts of its entry around its position.
    pub fn unlinked(&self, at: Time) -> UnlinkedEntry {
        let micros = at.micros().to_string();
        let start = ["{\"at\":", &micros, ",\"body\":", &self.text].concat();
        let beginning = [&start, ",\"kind\":\"", self.kind.word(), "\",\"prev\":\""].concat();
        let mut middle = String::with_capacity(96);
        if let Some(sealed) = &self.sealed {
            middle.push_str("\",\"sealed\":\"");
            sealed.commitment.push_to(&mut middle);
        }
        middle.push_str("\",\"seq\":");
        UnlinkedEntry { kind: self.kind, beginning, middle, content: self.content().cloned() }
    }

    /// Joins the parts in the order of their names, which gives the canonical form.
    pub fn linked(&self, head: Head, at: Time) -> Link {
        let (micros, seq) = (at.micros().to_string(), head.next);
        let end = entry_tail(self.kind, &head.hash, self.sealed.as_ref(), seq);
        let bytes = ["{\"at\":", &micros, ",\"body\":", &self.text, &end].concat();
        let hash = Digest::hash_bytes(ENTRY_LABEL, bytes.as_bytes());
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
        Ok(Self::chained(head, at, Body::new(change, salt)?))
    }

    pub fn chained(head: Head, at: Time, body: Body) -> Self {
        let Link { seq, bytes, hash } = body.linked(head, at);
        Self { seq, kind: body.kind, prev: head.hash, bytes, hash, sealed: body.sealed }
    }

    /// Reads an entry from its bytes and hash, which is all that exists outside of a store. It does
    /// not check that they match; verifying the chain does.
    pub fn read(bytes: String, hash: Digest) -> Result<Self, String> {
        let form = json::parse(bytes.as_bytes()).map_err(|error| error.to_string())?;
        let text = |pointer: &str| form.pointer(pointer).and_then(Value::as_str);
        let seq = form.get("seq").and_then(Value::as_u64).ok_or("it has no sequence number")?;
        let prev = text("/prev").and_then(Digest::parse).ok_or("it has no previous hash")?;
        let kind = text("/kind").and_then(Kind::from_word).ok_or("its kind is unknown")?;
        let sealed = Self::commitment_in(&bytes);
        let sealed = sealed.map(|commitment| Sealed { commitment, content: None });
        Ok(Self { seq, kind, prev, bytes, hash, sealed })
    }

    pub fn head(&self) -> Head {
        Head { next: self.seq + 1, hash: self.hash }
    }

    /// The time and the change, read from the bytes and the sealed part. Erased fields are blank.
    pub fn change(&self) -> Result<(Time, Change), LedgerError> {
        let unreadable =
            |error: serde_json::Error| LedgerError::Unreadable(self.seq, error.to_string());
        let form = self.parse_fields()?;
        let whole = json!({"kind": form.kind, "body": form.body});
        Ok((form.at, serde_json::from_value(whole).map_err(unreadable)?))
    }

    /// The content, with the sealed fields put back.
    pub fn body(&self) -> Result<Value, LedgerError> {
        Ok(self.parse_fields()?.body)
    }

    fn parse_fields(&self) -> Result<EntryFields, LedgerError> {
        let unreadable =
            |error: serde_json::Error| LedgerError::Unreadable(self.seq, error.to_string());
        let mut form: EntryFields = serde_json::from_str(&self.bytes).map_err(unreadable)?;
        if let Some(sealed) = &self.sealed {
            let content: Option<SealedFields> = sealed
                .content
                .as_ref()
                .map(|content| serde_json::from_str(&content.text).map_err(unreadable))
                .transpose()?;
            let content = content.as_ref().and_then(|SealedFields(content)| content.as_object());
            sealed::restore_sealed(self.kind, &mut form.body, content);
        }
        Ok(form)
    }

    /// The content of the sealed part, unless it was erased.
    pub fn content(&self) -> Option<&SealedContent> {
        self.sealed.as_ref().and_then(|sealed| sealed.content.as_ref())
    }

    /// Whether it has lost its sealed part.
    pub fn is_erased(&self) -> bool {
        self.sealed.as_ref().is_some_and(|sealed| sealed.content.is_none())
    }

    /// The commitment in the bytes. A store that keeps the bytes does not need to store it again.
    pub fn commitment_in(bytes: &str) -> Option<Digest> {
        let (before, _) = bytes.rsplit_once("\",\"seq\":")?;
        let (before, hex) = before.split_at_checked(before.len().checked_sub(64)?)?;
        before.ends_with(",\"sealed\":\"").then(|| Digest::parse(hex)).flatten()
    }
}

/// The end of an entry's bytes: everything from the kind on.
pub(super) fn entry_tail(kind: Kind, prev: &Digest, sealed: Option<&Sealed>, seq: u64) -> String {
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

/// The sealed fields of an entry, by their paths.
#[derive(Deserialize)]
struct SealedFields(#[serde(deserialize_with = "json::deserialize_value")] Value);

/// The fields of an entry's bytes, without its position in the chain.
#[derive(Deserialize)]
struct EntryFields {
    at: Time,
    kind: Kind,
    #[serde(deserialize_with = "json::deserialize_value")]
    body: Value,
}
