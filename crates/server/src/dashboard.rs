//! The dashboard on the operator's port: who gets in, which page a path is, and which route of the
//! operator's plane a form stands for.
//!
//! Pages and forms call the handlers of the operator's routes, so nothing can be done here that the
//! plane does not do. A browser brings a session instead of a token: it is opened by characters that
//! the operator types into a terminal.
//!
//! See docs/decisions/0141-the-dashboard.md.

mod acts;
mod answer_form;
mod call_page;
mod events;
mod forms;
mod login_routes;
mod logins;
mod more_pages;
mod origin;
mod overview_pages;
mod page_state;
mod pages;
mod panels;
mod record;
mod respond;
mod rules_page;
mod service;
mod session_file;
mod sessions;
mod visit;

pub(crate) use login_routes::add_routes;
pub(crate) use origin::OriginState;
pub(crate) use service::DashboardService;

use crate::credentials::{CredentialError, Credentials};
use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::model::time::Time;
use countersign_host::Host;
use countersign_ledger::{Head, Verifier};
use logins::Logins;
use rustix::rand::{GetRandomFlags, getrandom};
use sessions::BrowserSessions;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// What the dashboard remembers of one installation.
pub(crate) struct Dashboard {
    /// The path of all pages: no page of another port of this host knows it.
    base: String,
    /// Signs the tokens of forms.
    key: Key,
    pub origin: RwLock<OriginState>,
    logins: Mutex<Logins>,
    sessions: Mutex<BrowserSessions>,
    credentials: Arc<Credentials>,
    /// How far the chain was verified, and with what.
    verified: Mutex<Option<(Verifier, Head)>>,
}

impl Dashboard {
    pub fn new(host: &Host, credentials: &Arc<Credentials>) -> Self {
        let derive = |purpose| host.derive_key(purpose).unwrap_or_else(random_key);
        let secret: String = Digest::from_bytes(*derive("dashboard path").bytes())
            .to_string()
            .chars()
            .take(32)
            .collect();
        Self {
            base: format!("/d/{secret}/"),
            key: derive("dashboard forms"),
            origin: RwLock::default(),
            logins: Mutex::default(),
            sessions: Mutex::new(session_file::read_sessions(credentials)),
            credentials: Arc::clone(credentials),
            verified: Mutex::default(),
        }
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    fn lock_sessions(&self) -> MutexGuard<'_, BrowserSessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_logins(&self) -> MutexGuard<'_, Logins> {
        self.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends one browser session, or all of them. They are over even if the file cannot be written.
    pub fn end_sessions(&self, id: Option<&str>) -> Result<usize, CredentialError> {
        let mut sessions = self.lock_sessions();
        let ended = sessions.end(id);
        if id.is_none() {
            self.lock_logins().clear();
        }
        session_file::write_sessions(&self.credentials, &sessions)?;
        Ok(ended)
    }

    /// The token of a form of a session.
    fn form_token(&self, session: &Digest, form: &str) -> String {
        let named = Digest::hash_bytes("countersign/dashboard-form/v1", form.as_bytes());
        let parts = [session.bytes().as_slice(), named.bytes().as_slice()];
        Digest::hash_parts("countersign/dashboard-form/v1", &parts)
            .keyed(Some(&self.key))
            .to_string()
    }

    fn is_form_token(&self, session: &Digest, form: &str, token: &str) -> bool {
        use subtle::ConstantTimeEq;
        self.form_token(session, form).as_bytes().ct_eq(token.as_bytes()).into()
    }

    /// Remembers the session on the disk now and then.
    fn keep_session(&self, now: Time) {
        let mut sessions = self.lock_sessions();
        if sessions.is_due_for_writing(now) {
            // The session works without; it only seems older after a restart.
            let _unwritten = session_file::write_sessions(&self.credentials, &sessions);
        }
    }
}

/// Without a key of the record (in memory) the dashboard is another one after each start.
fn random_key() -> Key {
    let mut bytes = [0_u8; 32];
    match random_bytes(&mut bytes) {
        Ok(()) => Key::from_bytes(bytes),
        // Nobody can guess what no page shows: without random numbers there is no login either.
        Err(_) => Key::from_bytes(*Digest::hash_bytes("countersign/no-randomness", &[]).bytes()),
    }
}

fn random_bytes(bytes: &mut [u8]) -> Result<(), CredentialError> {
    let length = getrandom(&mut *bytes, GetRandomFlags::empty());
    match length.map_err(|error| CredentialError::Random(error.into()))? == bytes.len() {
        true => Ok(()),
        false => Err(CredentialError::Random(std::io::ErrorKind::UnexpectedEof.into())),
    }
}

/// A random token of 256 bits, in hexadecimal.
fn random_token() -> Result<String, CredentialError> {
    let mut bytes = [0_u8; 32];
    random_bytes(&mut bytes)?;
    Ok(Digest::from_bytes(bytes).to_string())
}
