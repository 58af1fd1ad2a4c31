//! The settings, which belong to no session, and the random bytes that a store needs.

use crate::StoreError;
use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::model::change::{Change, Credential};
use countersign_core::model::words::Presence;
use countersign_core::state::State;
use countersign_ledger::Body;
use countersign_ledger::sealed::Salt;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Whether an operator is present.
const PRESENCE: &str = "presence";
/// The digest of the last loaded graph.
const GRAPH: &str = "graph";
/// The key of the digests, generated once with the store.
pub(crate) const KEY: &str = "key";

/// The settings that decisions read.
pub(crate) const DECISION_SETTINGS: [&str; 2] = [PRESENCE, GRAPH];

/// A new value for a setting; none deletes it.
pub(crate) struct SettingChange {
    pub key: Cow<'static, str>,
    pub value: Option<String>,
}

/// What a record says about a credential.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CredentialStanding {
    Issued(Credential),
    Revoked(Credential),
}

impl CredentialStanding {
    fn to_setting(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    pub(crate) fn parse(stored: &str) -> Result<Self, StoreError> {
        serde_json::from_str(stored).map_err(|error| StoreError::damaged("a credential", &error))
    }
}

/// The keys of credentials begin with this.
pub(crate) const CREDENTIAL_PREFIX: &str = "credential:";

/// The key of a credential, by the hash of its token.
pub(crate) fn credential_key(hash: &Digest) -> String {
    format!("{CREDENTIAL_PREFIX}{hash}")
}

/// What a change does to the settings.
pub(crate) fn setting_change(change: &Change) -> Option<SettingChange> {
    let presence = |presence: Presence| Some(presence.word().to_owned());
    let credential = |standing: CredentialStanding, hash: &Digest| SettingChange {
        key: credential_key(hash).into(),
        value: standing.to_setting(),
    };
    let (key, value) = match change {
        Change::CredentialIssued { credential: one } => {
            return Some(credential(CredentialStanding::Issued((**one).clone()), &one.hash));
        }
        Change::CredentialRevoked { credential: one } => {
            return Some(credential(CredentialStanding::Revoked((**one).clone()), &one.hash));
        }
        Change::PresenceChanged { presence: now } => (PRESENCE, presence(*now)),
        Change::Restarted { .. } => (PRESENCE, presence(Presence::Unknown)),
        Change::GraphLoaded { hash, .. } => (GRAPH, Some(hash.to_string())),
        Change::GraphReviewed { .. } => (GRAPH, None),
        _ => return None,
    };
    Some(SettingChange { key: key.into(), value })
}

/// Puts a stored setting into a state. An unreadable value counts as unknown.
pub(crate) fn restore_setting(state: &mut State, key: &str, value: &str) {
    match key {
        PRESENCE => state.presence = Presence::from_word(value).unwrap_or(Presence::Unknown),
        GRAPH => state.graph = Digest::parse(value),
        _ => {}
    }
}

/// A key for a new store, in its stored form.
pub(crate) fn generate_key() -> Result<String, StoreError> {
    let mut bytes = [0; 32];
    fill_random(&mut bytes)?;
    Ok(Digest::from_bytes(bytes).to_string())
}

pub(crate) fn parse_key(stored: Option<&str>) -> Result<Key, StoreError> {
    let key = stored.and_then(Digest::parse).map(|digest| Key::from_bytes(*digest.bytes()));
    let cause = "it is missing or unreadable, and without it no digest can be compared";
    key.ok_or_else(|| StoreError::damaged("the store's key", &cause))
}

/// The bodies of a commit's ledger entries, each sealed with its own salt.
pub(crate) fn seal_bodies(changes: &[Change]) -> Result<Vec<Body>, StoreError> {
    let mut salts = vec![0; changes.len() * 16];
    fill_random(&mut salts)?;
    let (salts, _) = salts.as_chunks::<16>();
    let sealed = changes.iter().zip(salts).map(|(change, salt)| Body::new(change, Salt(*salt)));
    Ok(sealed.collect::<Result<_, _>>()?)
}

fn fill_random(bytes: &mut [u8]) -> Result<(), StoreError> {
    let mut from = 0;
    while let Some(rest) = bytes.get_mut(from..).filter(|rest| !rest.is_empty()) {
        let filled = rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty());
        from += filled.map_err(|e| StoreError::unavailable("asking for random bytes", &e))?;
    }
    Ok(())
}
