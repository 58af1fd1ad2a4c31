//! Verifies a chain of entries, and replays it into a state.

use super::entry::{ENTRY_LABEL, Entry, Head, LedgerError, entry_tail};
use super::sealed::Sealed;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::{Change, Kind};
use countersign_core::state::State;
use std::collections::BTreeSet;

/// Applies the entries to an empty state.
pub fn replay<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<State, LedgerError> {
    let mut state = State::empty();
    for entry in entries {
        let (at, change) = entry.change()?;
        state.apply(at, &change);
    }
    Ok(state)
}

/// Checks that entries form a chain and that none was altered or lost its sealed part.
pub fn verify<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Head, LedgerError> {
    let mut verifier = Verifier::from(Head::empty());
    entries.into_iter().try_for_each(|entry| verifier.entry(entry))?;
    verifier.finish().map(|verified| verified.head)
}

/// Verifies entry by entry, for ledgers that do not fit into memory.
#[derive(Clone, Debug)]
pub struct Verifier {
    head: Head,
    erased: u64,
    /// Entries whose sealed part is missing and whose erasure no entry has recorded so far.
    missing: BTreeSet<u64>,
}

/// The result of verifying a whole ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyResult {
    pub head: Head,
    /// The number of entries whose sealed part the operator erased.
    pub erased: u64,
}

impl Verifier {
    /// Starts at a head that was verified before.
    pub fn from(head: Head) -> Self {
        Self { head, erased: 0, missing: BTreeSet::new() }
    }

    pub fn entry(&mut self, entry: &Entry) -> Result<(), LedgerError> {
        if entry.seq != self.head.next || entry.prev != self.head.hash {
            return Err(LedgerError::Broken(entry.seq));
        }
        if Digest::hash_bytes(ENTRY_LABEL, entry.bytes.as_bytes()) != entry.hash
            || !matches_bytes(entry)
        {
            return Err(LedgerError::Altered(entry.seq));
        }
        match &entry.sealed {
            Some(Sealed { content: None, .. }) => {
                self.missing.insert(entry.seq);
            }
            Some(Sealed { content: Some(content), commitment })
                if content.commitment() != *commitment =>
            {
                return Err(LedgerError::Unsealed(entry.seq));
            }
            Some(_) | None => {}
        }
        if entry.kind == Kind::ArgumentsErased {
            self.record_erasure(entry)?;
        }
        self.head = entry.head();
        Ok(())
    }

    fn record_erasure(&mut self, entry: &Entry) -> Result<(), LedgerError> {
        if let (_, Change::ArgumentsErased { erased }) = entry.change()? {
            for seq in &erased.entries {
                self.erased += u64::from(self.missing.remove(seq));
            }
        }
        Ok(())
    }

    /// Fails if a sealed part is missing and no entry recorded its erasure.
    pub fn finish(self) -> Result<VerifyResult, LedgerError> {
        match self.missing.first() {
            Some(seq) => Err(LedgerError::Stripped(*seq)),
            None => Ok(VerifyResult { head: self.head, erased: self.erased }),
        }
    }
}

/// Whether the other fields of an entry match its bytes.
fn matches_bytes(entry: &Entry) -> bool {
    entry.bytes.ends_with(&entry_tail(entry.kind, &entry.prev, entry.sealed.as_ref(), entry.seq))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sealed::Salt;
    use countersign_core::model::time::Time;
    use countersign_core::model::words::Presence;

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
