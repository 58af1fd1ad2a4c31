//! Credentials: what proves on a port, or instead of the kernel's word on a socket, who speaks.
//!
//! Each is 256 bits from the system, begins with the kind of who holds it, and is shown once: what
//! is kept is a hash. Only the operator's own lies in a file, for whoever can read that folder is
//! the operator anyway. What is revoked is so from the moment that this is answered.

mod file;

use crate::limits;
use crate::peers::{Caller, Principal};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::Credential;
use countersign_core::model::names::Agent;
use countersign_core::model::time::Time;
use countersign_core::model::words;
use file::Folder;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::RwLock;
use subtle::{Choice, ConstantTimeEq};

const LABEL: &str = "countersign/credential/v1";
/// Agents that come by a socket without a token are called so.
const OF_USERS: &str = "uid-";

/// All credentials that this daemon knows.
pub struct Credentials {
    folder: Option<Folder>,
    held: RwLock<Vec<Held>>,
    operator: RwLock<Option<Digest>>,
}

/// One that was given to an agent, or to what reports for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Held {
    pub agent: Agent,
    pub principal: words::Principal,
    pub hash: Digest,
    pub issued_at: Time,
}

/// Who holds what was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    Caller(Caller),
    Operator,
    Nobody,
}

#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    #[error("`{}` cannot be used: {cause}", place.display())]
    Folder { place: PathBuf, cause: io::Error },
    #[error("`{}` can be read by others", place.display())]
    Open { place: PathBuf },
    #[error("`{}` is not what was written there: {why}", place.display())]
    Damaged { place: PathBuf, why: String },
    #[error("the system gives no random numbers: {0}")]
    Random(io::Error),
    #[error("`{0}` has such a credential already")]
    Twice(Agent),
    #[error("`{0}` is a name that stands for somebody else")]
    Reserved(Agent),
    #[error("this daemon has no folder for credentials")]
    Nowhere,
    #[error("there are {} credentials already", limits::CREDENTIALS)]
    Many,
}

impl CredentialError {
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "make room for it, and let it be yours",
            Self::Open { .. } => {
                "remove it: the next start makes another, and what it held is worth nothing then"
            }
            Self::Damaged { .. } => "remove it, and give every agent a credential anew",
            Self::Random(_) => "nothing was made; look at the system",
            Self::Twice(_) => "revoke that one first, or choose another name",
            Self::Reserved(_) => "choose a name such as `claude`",
            Self::Nowhere => "start it with a folder",
            Self::Many => "revoke those that nobody uses",
        }
    }
}

impl Credentials {
    /// Kept nowhere.
    #[cfg(test)]
    pub(crate) const fn forgotten() -> Self {
        Self { folder: None, held: RwLock::new(Vec::new()), operator: RwLock::new(None) }
    }

    /// Those of a folder. The operator's is made if there is none; then it is told.
    pub fn kept_in(folder: &Path) -> Result<(Self, Option<Credential>), CredentialError> {
        let folder = Folder::at(folder);
        let held = folder.read()?;
        let (operator, made) = match folder.operator()? {
            Some(token) => (hash(&token), false),
            None => {
                let token = token(words::Principal::Operator)?;
                folder.keep_operator(&token)?;
                (hash(&token), true)
            }
        };
        let told = made.then(|| of_operator(operator));
        let (held, operator) = (RwLock::new(held), RwLock::new(Some(operator)));
        Ok((Self { folder: Some(folder), held, operator }, told))
    }

    /// Where the operator's own lies.
    pub fn operator_file(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(Folder::operator_file)
    }

    /// Who holds this. Every hash is compared to its end, whichever fits.
    pub(crate) fn holder(&self, token: &str) -> Holder {
        let shown = hash(token);
        let Ok(held) = self.held.read() else { return Holder::Nobody };
        let mut found = None;
        for one in held.iter() {
            if bool::from(alike(&one.hash, &shown)) {
                found = Some(one);
            }
        }
        let Ok(own) = self.operator.read() else { return Holder::Nobody };
        let is_operator = own.as_ref().is_some_and(|own| alike(own, &shown).into());
        match found.and_then(Held::caller) {
            _ if is_operator => Holder::Operator,
            Some(caller) => Holder::Caller(caller),
            None => Holder::Nobody,
        }
    }

    pub(crate) fn all(&self) -> Vec<Held> {
        self.held.read().map(|held| held.clone()).unwrap_or_default()
    }

    /// A new one, which counts only after `keep`: the record comes first.
    pub(crate) fn make(
        &self,
        agent: Agent,
        kind: Principal,
        now: Time,
    ) -> Result<(Held, String), CredentialError> {
        let principal = kind.word();
        let of_a_user = agent.as_str().starts_with(OF_USERS) && kind == Principal::Agent;
        if of_a_user || agent.as_str().eq_ignore_ascii_case("operator") {
            return Err(CredentialError::Reserved(agent));
        }
        let held = self.all();
        self.has_room(&held, &agent, principal)?;
        let token = token(principal)?;
        Ok((Held { agent, principal, hash: hash(&token), issued_at: now }, token))
    }

    fn has_room(
        &self,
        held: &[Held],
        agent: &Agent,
        principal: words::Principal,
    ) -> Result<(), CredentialError> {
        if held.iter().any(|one| one.agent == *agent && one.principal == principal) {
            return Err(CredentialError::Twice(agent.clone()));
        }
        if held.len() >= limits::CREDENTIALS {
            return Err(CredentialError::Many);
        }
        Ok(())
    }

    pub(crate) fn keep(&self, new: Held) -> Result<(), CredentialError> {
        let Ok(mut held) = self.held.write() else { return Err(CredentialError::Many) };
        self.has_room(&held, &new.agent, new.principal)?;
        let mut with = held.clone();
        with.push(new);
        if let Some(folder) = &self.folder {
            folder.write(&with)?;
        }
        *held = with;
        Ok(())
    }

    /// Another for the operator; the one before is worth nothing. Tells both, the old one first.
    pub(crate) fn renew(&self) -> Result<(Option<Credential>, Credential), CredentialError> {
        let Some(folder) = &self.folder else { return Err(CredentialError::Nowhere) };
        let Ok(mut own) = self.operator.write() else { return Err(CredentialError::Nowhere) };
        let token = token(words::Principal::Operator)?;
        let before = own.take().map(of_operator);
        folder.renew_operator(&token)?;
        let new = hash(&token);
        *own = Some(new);
        Ok((before, of_operator(new)))
    }

    /// Takes back all that an agent holds. They are worth nothing even if that cannot be written,
    /// as long as this process lives; then it is an error.
    pub(crate) fn revoke(&self, agent: &Agent) -> Result<Vec<Held>, CredentialError> {
        let Ok(mut held) = self.held.write() else { return Ok(Vec::new()) };
        let (gone, left) = held.drain(..).partition(|one: &Held| one.agent == *agent);
        *held = left;
        match &self.folder {
            Some(folder) if !Vec::is_empty(&gone) => folder.write(&held)?,
            _ => {}
        }
        Ok(gone)
    }
}

impl Held {
    fn caller(&self) -> Option<Caller> {
        let kind = match self.principal {
            words::Principal::Agent => Principal::Agent,
            words::Principal::Adapter => Principal::Adapter,
            words::Principal::Operator => return None,
        };
        Some(Caller { agent: self.agent.clone(), kind })
    }

    pub(crate) fn recorded(&self) -> Credential {
        let agent = Some(self.agent.clone());
        Credential { principal: self.principal, agent, hash: self.hash }
    }
}

const fn of_operator(hash: Digest) -> Credential {
    Credential { principal: words::Principal::Operator, agent: None, hash }
}

fn hash(token: &str) -> Digest {
    Digest::of_bytes(LABEL, token.as_bytes())
}

fn alike(one: &Digest, other: &Digest) -> Choice {
    one.bytes().ct_eq(other.bytes())
}

/// Words that whoever finds them somewhere knows for a credential, and of which kind.
fn token(principal: words::Principal) -> Result<String, CredentialError> {
    let mut bits = [0_u8; 32];
    let drawn = getrandom(&mut bits, GetRandomFlags::empty());
    if drawn.map_err(|error| CredentialError::Random(error.into()))? != bits.len() {
        return Err(CredentialError::Random(io::ErrorKind::UnexpectedEof.into()));
    }
    let mut token = format!("cs_{principal}_");
    for byte in bits {
        // Writing to a string does not fail.
        let _written = write!(token, "{byte:02x}");
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::redact::holds_secret;

    #[test]
    fn a_token_says_what_it_is_and_is_taken_for_a_secret() {
        for principal in words::Principal::ALL {
            let (one, other) = (token(*principal).unwrap(), token(*principal).unwrap());
            assert!(one.starts_with(&format!("cs_{principal}_")) && one != other);
            assert!(holds_secret(&one), "{one}");
        }
    }

    #[test]
    fn what_does_not_count_yet_is_nobody_s() {
        let credentials = Credentials::forgotten();
        let claude = Agent::parse("claude").unwrap();
        let made = credentials.make(claude.clone(), Principal::Agent, Time::from_micros(1));
        let (held, token) = made.unwrap();
        assert_eq!(credentials.holder(&token), Holder::Nobody);
        credentials.keep(held).unwrap();
        let known = Caller { agent: claude.clone(), kind: Principal::Agent };
        assert_eq!(credentials.holder(&token), Holder::Caller(known));
        assert_eq!(credentials.revoke(&claude).unwrap().len(), 1);
        assert_eq!(credentials.holder(&token), Holder::Nobody);
    }
}
