//! What belongs to no session and stands in no row: settings, and randomness.

use crate::StoreError;
use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::ledger::Body;
use countersign_core::ledger::sealed::Salt;
use countersign_core::model::change::Change;
use countersign_core::model::words::Presence;
use countersign_core::state::State;

/// Who is near.
const PRESENCE: &str = "presence";
/// The graph that was loaded last.
const GRAPH: &str = "graph";
/// What digests are keyed with; made once, with the store.
pub(crate) const KEY: &str = "key";

/// The settings that decisions read.
pub(crate) const READ: [&str; 2] = [PRESENCE, GRAPH];

/// What a change does to a setting: another value, or none.
pub(crate) fn moved(change: &Change) -> Option<(&'static str, Option<String>)> {
    match change {
        Change::PresenceChanged { presence } => Some((PRESENCE, Some(presence.word().to_owned()))),
        Change::Restarted { .. } => Some((PRESENCE, Some(Presence::Unknown.word().to_owned()))),
        Change::GraphLoaded { hash, .. } => Some((GRAPH, Some(hash.to_string()))),
        Change::GraphReviewed { .. } => Some((GRAPH, None)),
        _ => None,
    }
}

/// Puts a setting back into a state. What cannot be read counts as not known.
pub(crate) fn restore(state: &mut State, key: &str, value: &str) {
    match key {
        PRESENCE => state.presence = Presence::from_word(value).unwrap_or(Presence::Unknown),
        GRAPH => state.graph = Digest::parse(value),
        _ => {}
    }
}

/// A key for a new store, as it is stored.
pub(crate) fn fresh_key() -> Result<String, StoreError> {
    let mut bytes = [0; 32];
    random(&mut bytes)?;
    Ok(Digest::from_bytes(bytes).to_string())
}

pub(crate) fn read_key(stored: Option<&str>) -> Result<Key, StoreError> {
    let key = stored.and_then(Digest::parse).map(|digest| Key::from_bytes(*digest.bytes()));
    key.ok_or_else(|| StoreError::Damaged {
        what: "the store's key".to_owned(),
        cause: "it is missing or unreadable, and without it no digest can be compared".to_owned(),
    })
}

/// What the entries of a commit will say, each sealed with a salt of its own.
pub(crate) fn bodies(changes: &[Change]) -> Result<Vec<Body>, StoreError> {
    let mut salts = vec![0; changes.len() * 16];
    random(&mut salts)?;
    let (salts, _) = salts.as_chunks::<16>();
    let sealed = changes.iter().zip(salts).map(|(change, salt)| Body::of(change, Salt(*salt)));
    Ok(sealed.collect::<Result<_, _>>()?)
}

fn random(bytes: &mut [u8]) -> Result<(), StoreError> {
    let mut from = 0;
    while let Some(rest) = bytes.get_mut(from..).filter(|rest| !rest.is_empty()) {
        let filled = rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty());
        from += filled.map_err(|error| StoreError::Unavailable {
            what: "asking for random bytes".to_owned(),
            cause: error.to_string(),
        })?;
    }
    Ok(())
}
