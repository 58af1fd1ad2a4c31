//! Credentials: tokens that identify callers on a port, and on a socket in place of the kernel's
//! user id.
//!
//! A token is 256 random bits with a prefix for the kind of its owner. It is shown once, and only
//! its hash is stored. The operator's own token is stored in a file, because a reader of that
//! folder is the operator anyway. A revocation takes effect before it is answered.
//!
//! See docs/decisions/0024-ports-and-credentials.md.

mod file;

use crate::limits;
use crate::peers::{Caller, CallerKind};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::application::ApplicationRights;
use countersign_core::model::change::Credential;
use countersign_core::model::names::Agent;
use countersign_core::model::time::Time;
use countersign_core::model::words::Principal;
use countersign_engine::CredentialStanding;
use file::CredentialFolder;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use subtle::{Choice, ConstantTimeEq};

const LABEL: &str = "countersign/credential/v1";
/// The names of agents that use a socket without a token start with this.
const USER_AGENT_PREFIX: &str = "uid-";

/// All credentials that a daemon knows.
pub struct Credentials {
    folder: Option<CredentialFolder>,
    issued: RwLock<Vec<IssuedCredential>>,
    operator: RwLock<Option<Digest>>,
}

/// The credential of an agent or an adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IssuedCredential {
    pub agent: Agent,
    pub principal: Principal,
    pub hash: Digest,
    pub issued_at: Time,
    /// What an application is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<ApplicationRights>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenOwner {
    Caller(Caller),
    Operator,
    Nobody,
}

#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    #[error("`{}` cannot be used: {cause}", path.display())]
    Unusable { path: PathBuf, cause: io::Error },
    #[error("other users can read `{}`", path.display())]
    ReadableByOthers { path: PathBuf },
    #[error("`{}` is damaged: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("the system returns no random numbers: {0}")]
    Random(io::Error),
    #[error("`{0}` already has a credential of this kind, or is an application")]
    AlreadyIssued(Agent),
    #[error("`{0}` is a reserved name")]
    Reserved(Agent),
    #[error("this daemon has no folder for credentials")]
    NoFolder,
    #[error("there are already {} credentials", limits::MAX_CREDENTIALS)]
    TooMany,
}

impl CredentialError {
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Unusable { .. } => "check the disk space and the owner of the folder",
            Self::ReadableByOthers { .. } => {
                "remove the file: the next start creates a new one, and its old tokens become invalid"
            }
            Self::Damaged { .. } => "remove the file, and issue a new credential to every agent",
            Self::Random(_) => "no credential was created; check the system",
            Self::AlreadyIssued(_) => "revoke it first, or choose another name",
            Self::Reserved(_) => "choose a name such as `claude`",
            Self::NoFolder => "start the daemon with a folder",
            Self::TooMany => "revoke those that are not used",
        }
    }
}

impl Credentials {
    /// The files in the daemon's folder.
    pub const FILES: [&str; 2] = [file::ISSUED_FILE, file::OPERATOR_FILE];

    #[cfg(test)]
    pub(crate) const fn in_memory() -> Self {
        Self { folder: None, issued: RwLock::new(Vec::new()), operator: RwLock::new(None) }
    }

    /// Reads the credentials of a folder. Creates and returns the operator's if there is none.
    pub fn open(folder: &Path) -> Result<(Self, Option<Credential>), CredentialError> {
        let folder = CredentialFolder::new(folder);
        let issued = folder.read_issued()?;
        let (operator, is_new) = match folder.read_operator_token()? {
            Some(token) => (hash_token(&token), false),
            None => {
                let token = generate_token(Principal::Operator)?;
                folder.create_operator_token(&token)?;
                (hash_token(&token), true)
            }
        };
        let created = is_new.then(|| operator_credential(operator));
        let (issued, operator) = (RwLock::new(issued), RwLock::new(Some(operator)));
        Ok((Self { folder: Some(folder), issued, operator }, created))
    }

    /// The file with the operator's token.
    pub fn operator_file(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(CredentialFolder::operator_file)
    }

    /// A file beside the credentials that only the daemon's user can read. None without a folder, or
    /// if there is no such file.
    pub(crate) fn read_private(&self, name: &str) -> Result<Option<String>, CredentialError> {
        self.folder.as_ref().map_or(Ok(None), |folder| folder.read_private(name))
    }

    /// Without a folder nothing is written.
    pub(crate) fn replace_private(&self, name: &str, bytes: &[u8]) -> Result<(), CredentialError> {
        self.folder.as_ref().map_or(Ok(()), |folder| folder.replace_private(name, bytes))
    }

    /// Compares the token with every hash in constant time, and does not stop at a match.
    pub(crate) fn find_owner(&self, token: &str) -> TokenOwner {
        let hash = hash_token(token);
        let Ok(issued) = self.issued.read() else { return TokenOwner::Nobody };
        let mut found = None;
        for credential in issued.iter() {
            if bool::from(hashes_match(&credential.hash, &hash)) {
                found = Some(credential);
            }
        }
        let Ok(operator) = self.operator.read() else { return TokenOwner::Nobody };
        let is_operator = operator.as_ref().is_some_and(|own| hashes_match(own, &hash).into());
        match found.and_then(IssuedCredential::caller) {
            _ if is_operator => TokenOwner::Operator,
            Some(caller) => TokenOwner::Caller(caller),
            None => TokenOwner::Nobody,
        }
    }

    /// The owner of a token about which the record of several nodes may say something. What another
    /// node has issued is valid here, and what any has revoked is not.
    pub(crate) fn find_recorded_owner(
        &self,
        token: &str,
        recorded: Option<&CredentialStanding>,
    ) -> TokenOwner {
        match recorded {
            Some(CredentialStanding::Revoked(_)) => TokenOwner::Nobody,
            Some(CredentialStanding::Issued(credential)) => {
                find_caller(credential).map_or_else(|| self.find_owner(token), TokenOwner::Caller)
            }
            None => self.find_owner(token),
        }
    }

    pub(crate) fn list(&self) -> Vec<IssuedCredential> {
        self.issued.read().map(|issued| issued.clone()).unwrap_or_default()
    }

    /// Generates a credential and its token. It is valid only after `activate`, so that the ledger
    /// can record it first.
    pub(crate) fn generate(
        &self,
        agent: Agent,
        kind: CallerKind,
        now: Time,
    ) -> Result<(IssuedCredential, String), CredentialError> {
        let principal = kind.principal();
        let is_user_agent =
            agent.as_str().starts_with(USER_AGENT_PREFIX) && kind != CallerKind::Adapter;
        if is_user_agent || agent.as_str().eq_ignore_ascii_case("operator") {
            return Err(CredentialError::Reserved(agent));
        }
        check_new(&self.list(), &agent, principal)?;
        let token = generate_token(principal)?;
        let hash = hash_token(&token);
        let application = kind.rights().map(|rights| ApplicationRights::clone(rights));
        Ok((IssuedCredential { agent, principal, hash, issued_at: now, application }, token))
    }

    pub(crate) fn activate(&self, new: IssuedCredential) -> Result<(), CredentialError> {
        let Ok(mut issued) = self.issued.write() else { return Err(CredentialError::TooMany) };
        check_new(&issued, &new.agent, new.principal)?;
        let mut extended = issued.clone();
        extended.push(new);
        if let Some(folder) = &self.folder {
            folder.write_issued(&extended)?;
        }
        *issued = extended;
        Ok(())
    }

    /// Replaces the operator's token. Returns the old and the new credential. If the new one cannot
    /// be written, the old one stays valid.
    pub(crate) fn renew_operator(
        &self,
    ) -> Result<(Option<Credential>, Credential), CredentialError> {
        let Some(folder) = &self.folder else { return Err(CredentialError::NoFolder) };
        let Ok(mut current) = self.operator.write() else { return Err(CredentialError::NoFolder) };
        let token = generate_token(Principal::Operator)?;
        let (old, new) = (*current, hash_token(&token));
        let written = folder.replace_operator_token(&token);
        // Valid is the token that the operator finds in the file, also after a failure.
        let is_in_file = || matches!(folder.read_operator_token(), Ok(Some(read)) if read == token);
        if written.is_ok() || is_in_file() {
            *current = Some(new);
        }
        written?;
        Ok((old.map(operator_credential), operator_credential(new)))
    }

    /// Revokes all credentials of an agent. If the file cannot be written, this returns an error,
    /// and they are still invalid until the process ends.
    pub(crate) fn revoke(&self, agent: &Agent) -> Result<Vec<IssuedCredential>, CredentialError> {
        let Ok(mut issued) = self.issued.write() else { return Ok(Vec::new()) };
        let is_revoked = |credential: &IssuedCredential| credential.agent == *agent;
        let (revoked, remaining) = issued.drain(..).partition(is_revoked);
        *issued = remaining;
        match &self.folder {
            Some(folder) if !Vec::is_empty(&revoked) => folder.write_issued(&issued)?,
            _ => {}
        }
        Ok(revoked)
    }
}

fn check_new(
    issued: &[IssuedCredential],
    agent: &Agent,
    principal: Principal,
) -> Result<(), CredentialError> {
    // An agent of the same name would be in the application's sessions.
    let excludes = |one: Principal, other| one == other || one == Principal::Application;
    let mut same = issued.iter().filter(|credential| credential.agent == *agent);
    if same
        .any(|other| excludes(principal, other.principal) || excludes(other.principal, principal))
    {
        return Err(CredentialError::AlreadyIssued(agent.clone()));
    }
    if issued.len() >= limits::MAX_CREDENTIALS {
        return Err(CredentialError::TooMany);
    }
    Ok(())
}

impl IssuedCredential {
    fn caller(&self) -> Option<Caller> {
        find_caller(&self.to_record())
    }

    /// The credential as the ledger records it.
    pub(crate) fn to_record(&self) -> Credential {
        let agent = Some(self.agent.clone());
        let application = self.application.clone();
        Credential { principal: self.principal, agent, hash: self.hash, application }
    }
}

/// The caller that a recorded credential stands for. An application without rights is nobody.
fn find_caller(credential: &Credential) -> Option<Caller> {
    let kind = match credential.principal {
        Principal::Agent => CallerKind::Agent,
        Principal::Adapter => CallerKind::Adapter,
        Principal::Application => {
            CallerKind::Application(Arc::new(credential.application.clone()?))
        }
        Principal::Operator => return None,
    };
    Some(Caller { agent: credential.agent.clone()?, kind })
}

const fn operator_credential(hash: Digest) -> Credential {
    Credential { principal: Principal::Operator, agent: None, hash, application: None }
}

pub(crate) fn hash_token(token: &str) -> Digest {
    Digest::hash_bytes(LABEL, token.as_bytes())
}

pub(crate) fn hashes_match(left: &Digest, right: &Digest) -> Choice {
    left.bytes().ct_eq(right.bytes())
}

/// The prefix lets people and secret scanners recognise a token and its kind.
fn generate_token(principal: Principal) -> Result<String, CredentialError> {
    let mut bytes = [0_u8; 32];
    let length = getrandom(&mut bytes, GetRandomFlags::empty());
    if length.map_err(|error| CredentialError::Random(error.into()))? != bytes.len() {
        return Err(CredentialError::Random(io::ErrorKind::UnexpectedEof.into()));
    }
    let mut token = format!("cs_{principal}_");
    for byte in bytes {
        // Writing to a string does not fail.
        let _written = write!(token, "{byte:02x}");
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_redact::holds_secret;

    #[test]
    fn a_token_shows_its_kind_and_looks_like_a_secret() {
        for principal in Principal::ALL {
            let first = generate_token(*principal).unwrap();
            let second = generate_token(*principal).unwrap();
            assert!(first.starts_with(&format!("cs_{principal}_")) && first != second);
            assert!(holds_secret(&first), "{first}");
        }
    }

    #[test]
    fn a_credential_is_valid_from_activation_to_revocation() {
        let credentials = Credentials::in_memory();
        let claude = Agent::parse("claude").unwrap();
        let now = Time::from_micros(1);
        let (credential, token) =
            credentials.generate(claude.clone(), CallerKind::Agent, now).unwrap();
        assert_eq!(credentials.find_owner(&token), TokenOwner::Nobody);
        credentials.activate(credential).unwrap();
        let caller = Caller { agent: claude.clone(), kind: CallerKind::Agent };
        assert_eq!(credentials.find_owner(&token), TokenOwner::Caller(caller));
        assert_eq!(credentials.revoke(&claude).unwrap().len(), 1);
        assert_eq!(credentials.find_owner(&token), TokenOwner::Nobody);
    }
}
