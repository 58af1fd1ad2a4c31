//! The two files of credentials: hashes of those that agents hold, and the operator's own. Both
//! are for the daemon's user alone, and one that was not is not believed.

use super::{CredentialError, Held};
use crate::limits;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const AGENTS: &str = "credentials.json";
const OPERATOR: &str = "operator.token";
const PREFIX: &str = "cs_operator_";

pub(super) struct Folder {
    place: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    credentials: Vec<Held>,
}

impl Folder {
    pub fn at(place: &Path) -> Self {
        Self { place: place.to_owned() }
    }

    pub fn operator_file(&self) -> PathBuf {
        self.place.join(OPERATOR)
    }

    pub fn read(&self) -> Result<Vec<Held>, CredentialError> {
        let place = self.place.join(AGENTS);
        let Some(text) = read(&place)? else { return Ok(Vec::new()) };
        let form: Form = serde_json::from_str(&text)
            .map_err(|error| CredentialError::Damaged { place, why: error.to_string() })?;
        Ok(form.credentials)
    }

    /// Another file takes the place of the old one, so that there is always a whole one.
    pub fn write(&self, held: &[Held]) -> Result<(), CredentialError> {
        let form = Form { credentials: held.to_vec() };
        let bytes = serde_json::to_vec(&form).map_err(io::Error::from);
        let written = bytes.and_then(|bytes| self.replace(AGENTS, &bytes));
        written.map_err(|cause| CredentialError::Folder { place: self.place.join(AGENTS), cause })
    }

    pub fn renew_operator(&self, token: &str) -> Result<(), CredentialError> {
        let written = self.replace(OPERATOR, format!("{token}\n").as_bytes());
        written.map_err(|cause| CredentialError::Folder { place: self.operator_file(), cause })
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (place, beside) = (self.place.join(name), self.place.join(format!("{name}.new")));
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        create(&beside, bytes)?;
        fs::rename(&beside, &place)?;
        File::open(&self.place)?.sync_all()
    }

    pub fn operator(&self) -> Result<Option<String>, CredentialError> {
        let place = self.operator_file();
        let Some(text) = read(&place)? else { return Ok(None) };
        let token = text.trim_end().to_owned();
        let bits = token.strip_prefix(PREFIX).unwrap_or_default();
        if bits.len() != 64 || !bits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let why = "it holds no credential of an operator".to_owned();
            return Err(CredentialError::Damaged { place, why });
        }
        Ok(Some(token))
    }

    pub fn keep_operator(&self, token: &str) -> Result<(), CredentialError> {
        let place = self.operator_file();
        create(&place, format!("{token}\n").as_bytes())
            .map_err(|cause| CredentialError::Folder { place, cause })
    }
}

/// A file that must not be there yet.
fn create(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(place)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// What lies in a file that is ours alone; none if there is no file.
fn read(place: &Path) -> Result<Option<String>, CredentialError> {
    let broken = |cause| CredentialError::Folder { place: place.to_owned(), cause };
    let nofollow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(nofollow).open(place);
    let mut file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(broken(error)),
    };
    let known = file.metadata().map_err(broken)?;
    let own = known.uid() == rustix::process::geteuid().as_raw();
    if !own || !known.is_file() || known.mode() & 0o077 != 0 {
        return Err(CredentialError::Open { place: place.to_owned() });
    }
    let mut text = String::new();
    let read = Read::by_ref(&mut file).take(limits::CREDENTIALS_BYTES).read_to_string(&mut text);
    read.map_err(broken)?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::super::Credentials;
    use super::*;
    use crate::peers::Principal;
    use countersign_core::model::names::Agent;
    use countersign_core::model::time::Time;
    use std::os::unix::fs::PermissionsExt;

    fn kept(folder: &Path) -> Credentials {
        Credentials::kept_in(folder).unwrap().0
    }

    fn add(credentials: &Credentials, name: &str) -> String {
        let agent = Agent::parse(name).unwrap();
        let (held, token) =
            credentials.make(agent, Principal::Agent, Time::from_micros(1)).unwrap();
        credentials.keep(held).unwrap();
        token
    }

    #[test]
    fn what_was_given_out_is_known_after_a_restart_and_what_was_revoked_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let first = kept(folder.path());
        let (stays, goes) = (add(&first, "a"), add(&first, "b"));
        first.revoke(&Agent::parse("b").unwrap()).unwrap();
        let again = kept(folder.path());
        assert_eq!(again.holder(&stays), first.holder(&stays));
        assert_eq!(again.holder(&goes), super::super::Holder::Nobody);
    }

    #[test]
    fn no_token_of_an_agent_lies_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let token = add(&kept(folder.path()), "a");
        for file in fs::read_dir(folder.path()).unwrap() {
            let path = file.unwrap().path();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600, "{path:?}");
            assert!(!fs::read_to_string(&path).unwrap().contains(&token), "{path:?}");
        }
    }

    #[test]
    fn the_operator_has_one_from_the_first_start_on() {
        let folder = tempfile::tempdir().unwrap();
        let (first, made) = Credentials::kept_in(folder.path()).unwrap();
        assert!(made.is_some());
        let token = fs::read_to_string(first.operator_file().unwrap()).unwrap();
        let (again, made) = Credentials::kept_in(folder.path()).unwrap();
        assert!(made.is_none());
        assert_eq!(again.holder(token.trim_end()), super::super::Holder::Operator);
    }

    #[test]
    fn a_file_that_others_could_read_or_that_is_no_file_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        add(&kept(folder.path()), "a");
        for name in [AGENTS, OPERATOR] {
            let path = folder.path().join(name);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            let refused = Credentials::kept_in(folder.path()).map(|_| ()).unwrap_err();
            assert!(matches!(refused, CredentialError::Open { .. }), "{refused}");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        }
        let (path, aside) = (folder.path().join(OPERATOR), folder.path().join("aside"));
        fs::rename(&path, &aside).unwrap();
        std::os::unix::fs::symlink(&aside, &path).unwrap();
        assert!(Credentials::kept_in(folder.path()).is_err());
    }

    #[test]
    fn a_damaged_file_is_not_taken_for_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        add(&kept(folder.path()), "a");
        for (name, text) in [(AGENTS, "{\"credentials\": ["), (OPERATOR, "cs_operator_0\n")] {
            let path = folder.path().join(name);
            let whole = fs::read(&path).unwrap();
            fs::write(&path, text).unwrap();
            let refused = Credentials::kept_in(folder.path()).map(|_| ()).unwrap_err();
            assert!(matches!(refused, CredentialError::Damaged { .. }), "{refused}");
            fs::write(&path, whole).unwrap();
        }
    }
}
