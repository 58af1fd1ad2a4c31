//! The two files of credentials: the hashes of agents' tokens, and the operator's token.
//!
//! Only the daemon's user may access them. A file that other users could access is refused.

use super::{CredentialError, IssuedCredential};
use crate::limits;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

pub(super) const ISSUED_FILE: &str = "credentials.json";
pub(super) const OPERATOR_FILE: &str = "operator.token";
const OPERATOR_PREFIX: &str = "cs_operator_";

pub(super) struct CredentialFolder {
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CredentialsFile {
    credentials: Vec<IssuedCredential>,
}

impl CredentialFolder {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    pub fn operator_file(&self) -> PathBuf {
        self.path.join(OPERATOR_FILE)
    }

    pub fn read_issued(&self) -> Result<Vec<IssuedCredential>, CredentialError> {
        let path = self.path.join(ISSUED_FILE);
        let Some(text) = read_private(&path)? else { return Ok(Vec::new()) };
        let file: CredentialsFile = serde_json::from_str(&text)
            .map_err(|error| CredentialError::Damaged { path, why: error.to_string() })?;
        Ok(file.credentials)
    }

    pub fn write_issued(&self, issued: &[IssuedCredential]) -> Result<(), CredentialError> {
        let file = CredentialsFile { credentials: issued.to_vec() };
        let bytes = serde_json::to_vec(&file).map_err(io::Error::from);
        let written = bytes.and_then(|bytes| self.replace(ISSUED_FILE, &bytes));
        let path = self.path.join(ISSUED_FILE);
        written.map_err(|cause| CredentialError::Unusable { path, cause })
    }

    pub fn read_private(&self, name: &str) -> Result<Option<String>, CredentialError> {
        read_private(&self.path.join(name))
    }

    pub fn replace_private(&self, name: &str, bytes: &[u8]) -> Result<(), CredentialError> {
        let path = self.path.join(name);
        self.replace(name, bytes).map_err(|cause| CredentialError::Unusable { path, cause })
    }

    pub fn replace_operator_token(&self, token: &str) -> Result<(), CredentialError> {
        let written = self.replace(OPERATOR_FILE, format!("{token}\n").as_bytes());
        written.map_err(|cause| CredentialError::Unusable { path: self.operator_file(), cause })
    }

    /// Renames a complete new file over the old one, so that a crash leaves one of the two.
    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (path, new) = (self.path.join(name), self.path.join(format!("{name}.new")));
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        create_private(&new, bytes)?;
        fs::rename(&new, &path)?;
        File::open(&self.path)?.sync_all()
    }

    pub fn read_operator_token(&self) -> Result<Option<String>, CredentialError> {
        let path = self.operator_file();
        let Some(text) = read_private(&path)? else { return Ok(None) };
        let token = text.trim_end().to_owned();
        let digits = token.strip_prefix(OPERATOR_PREFIX).unwrap_or_default();
        if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let why = "it does not contain an operator's token".to_owned();
            return Err(CredentialError::Damaged { path, why });
        }
        Ok(Some(token))
    }

    pub fn create_operator_token(&self, token: &str) -> Result<(), CredentialError> {
        let path = self.operator_file();
        create_private(&path, format!("{token}\n").as_bytes())
            .map_err(|cause| CredentialError::Unusable { path, cause })
    }
}

/// Fails if the file exists.
fn create_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Reads a file that only the own user can access. None if there is no file.
fn read_private(path: &Path) -> Result<Option<String>, CredentialError> {
    let unusable = |cause| CredentialError::Unusable { path: path.to_owned(), cause };
    let nofollow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(nofollow).open(path);
    let mut file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(error)),
    };
    let metadata = file.metadata().map_err(unusable)?;
    let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
    if !is_own || !metadata.is_file() || metadata.mode() & 0o077 != 0 {
        return Err(CredentialError::ReadableByOthers { path: path.to_owned() });
    }
    let mut text = String::new();
    let mut reader = Read::by_ref(&mut file).take(limits::MAX_CREDENTIALS_BYTES);
    reader.read_to_string(&mut text).map_err(unusable)?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::super::{Credentials, TokenOwner};
    use super::*;
    use crate::peers::CallerKind;
    use countersign_core::model::names::Agent;
    use countersign_core::model::time::Time;
    use std::os::unix::fs::PermissionsExt;

    fn open(folder: &Path) -> Credentials {
        Credentials::open(folder).unwrap().0
    }

    fn issue(credentials: &Credentials, name: &str) -> String {
        let (agent, now) = (Agent::parse(name).unwrap(), Time::from_micros(1));
        let (credential, token) = credentials.generate(agent, CallerKind::Agent, now).unwrap();
        credentials.activate(credential).unwrap();
        token
    }

    #[test]
    fn a_restart_keeps_issued_credentials_and_forgets_revoked_ones() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(folder.path());
        let (valid, revoked) = (issue(&first, "a"), issue(&first, "b"));
        first.revoke(&Agent::parse("b").unwrap()).unwrap();
        let second = open(folder.path());
        assert_eq!(second.find_owner(&valid), first.find_owner(&valid));
        assert_eq!(second.find_owner(&revoked), TokenOwner::Nobody);
    }

    #[test]
    fn no_file_contains_an_agent_s_token() {
        let folder = tempfile::tempdir().unwrap();
        let token = issue(&open(folder.path()), "a");
        for file in fs::read_dir(folder.path()).unwrap() {
            let path = file.unwrap().path();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600, "{path:?}");
            assert!(!fs::read_to_string(&path).unwrap().contains(&token), "{path:?}");
        }
    }

    #[test]
    fn the_first_start_creates_the_operator_s_token() {
        let folder = tempfile::tempdir().unwrap();
        let (first, created) = Credentials::open(folder.path()).unwrap();
        assert!(created.is_some());
        let token = fs::read_to_string(first.operator_file().unwrap()).unwrap();
        let (second, created) = Credentials::open(folder.path()).unwrap();
        assert!(created.is_none());
        assert_eq!(second.find_owner(token.trim_end()), TokenOwner::Operator);
    }

    #[test]
    fn a_file_that_others_can_read_and_a_link_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        issue(&open(folder.path()), "a");
        for name in [ISSUED_FILE, OPERATOR_FILE] {
            let path = folder.path().join(name);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            let error = Credentials::open(folder.path()).map(|_| ()).unwrap_err();
            assert!(matches!(error, CredentialError::ReadableByOthers { .. }), "{error}");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        }
        let (path, target) = (folder.path().join(OPERATOR_FILE), folder.path().join("target"));
        fs::rename(&path, &target).unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(Credentials::open(folder.path()).is_err());
    }

    #[test]
    fn a_renewal_that_cannot_be_written_leaves_the_old_token_valid() {
        let folder = tempfile::tempdir().unwrap();
        let credentials = open(folder.path());
        let token = fs::read_to_string(credentials.operator_file().unwrap()).unwrap();
        // A folder stands where the new token would be written.
        fs::create_dir(folder.path().join("operator.token.new")).unwrap();
        credentials.renew_operator().unwrap_err();
        assert_eq!(credentials.find_owner(token.trim_end()), TokenOwner::Operator);
        fs::remove_dir(folder.path().join("operator.token.new")).unwrap();
        credentials.renew_operator().unwrap();
        assert_eq!(credentials.find_owner(token.trim_end()), TokenOwner::Nobody);
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        issue(&open(folder.path()), "a");
        for (name, text) in
            [(ISSUED_FILE, "{\"credentials\": ["), (OPERATOR_FILE, "cs_operator_0\n")]
        {
            let path = folder.path().join(name);
            let original = fs::read(&path).unwrap();
            fs::write(&path, text).unwrap();
            let error = Credentials::open(folder.path()).map(|_| ()).unwrap_err();
            assert!(matches!(error, CredentialError::Damaged { .. }), "{error}");
            fs::write(&path, original).unwrap();
        }
    }
}
