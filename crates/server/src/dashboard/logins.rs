//! Logins that wait: each has a link, which authorizes nothing, and characters that its page shows.
//!
//! A process of the operator's own user can read the link in the arguments of the browser. So each
//! browser that opens the link gets characters of its own, and only the one whose characters the
//! operator types is let in.
//!
//! See docs/decisions/0142-how-a-browser-gets-in.md.

use super::{random_bytes, random_token};
use crate::credentials::{CredentialError, hash_token};
use crate::limits;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::time::Time;
use std::collections::BTreeMap;
use subtle::ConstantTimeEq;

/// No characters that look alike.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const CODE_CHARS: usize = 6;

#[derive(Default)]
pub(crate) struct Logins {
    open: BTreeMap<String, PendingLogin>,
}

struct PendingLogin {
    ends_at: Time,
    openings: Vec<Opening>,
    /// The opening whose characters were typed. The others are gone then.
    confirmed: Option<Digest>,
}

/// The link, opened by one browser.
struct Opening {
    /// The hash of the cookie that the browser got.
    browser: Digest,
    code: String,
    agent: String,
}

/// What a browser that opens the link gets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LoginState {
    /// Characters to show; a new cookie if this browser had none.
    Waiting {
        code: String,
        cookie: Option<String>,
    },
    /// The operator has typed this browser's characters. The login is used up.
    LetIn {
        browser: String,
    },
    Over,
}

impl Logins {
    pub fn clear(&mut self) {
        self.open.clear();
    }

    /// A new link. The oldest gives way if there are too many.
    pub fn create(&mut self, now: Time) -> Result<String, CredentialError> {
        self.open.retain(|_, login| now < login.ends_at);
        while self.open.len() >= limits::MAX_LOGINS {
            self.open.pop_first();
        }
        let id: String = random_token()?.chars().take(32).collect();
        let ends_at = now + limits::LOGIN_TIME;
        self.open
            .insert(id.clone(), PendingLogin { ends_at, openings: Vec::new(), confirmed: None });
        Ok(id)
    }

    /// A browser looks at the link.
    pub fn visit(
        &mut self,
        (id, cookie): (&str, Option<&str>),
        agent: &str,
        now: Time,
    ) -> Result<LoginState, CredentialError> {
        let Some(login) = self.open.get_mut(id).filter(|login| now < login.ends_at) else {
            return Ok(LoginState::Over);
        };
        let browser = cookie.map(hash_token);
        let own = login.openings.iter().find(|one| Some(one.browser) == browser);
        if let Some(confirmed) = login.confirmed {
            let is_own = own.is_some_and(|own| own.browser == confirmed);
            let browser = own.map(|own| own.agent.clone()).unwrap_or_default();
            return Ok(match is_own {
                true => {
                    self.open.remove(id);
                    LoginState::LetIn { browser }
                }
                false => LoginState::Over,
            });
        }
        if let Some(own) = own {
            return Ok(LoginState::Waiting { code: own.code.clone(), cookie: None });
        }
        if login.openings.len() >= limits::MAX_LOGIN_OPENINGS {
            return Ok(LoginState::Over);
        }
        let (cookie, code) = (random_token()?, random_code()?);
        let agent = agent.to_owned();
        login.openings.push(Opening { browser: hash_token(&cookie), code: code.clone(), agent });
        Ok(LoginState::Waiting { code, cookie: Some(cookie) })
    }

    /// What the page of a browser asks until it may go on. It changes nothing.
    pub fn state(&self, id: &str, cookie: Option<&str>, now: Time) -> &'static str {
        let login = self.open.get(id).filter(|login| now < login.ends_at);
        let browser = cookie.map(hash_token);
        match login.map(|login| login.confirmed) {
            Some(None) => "waiting",
            Some(confirmed) if confirmed == browser => "open",
            Some(Some(_)) | None => "over",
        }
    }

    /// The operator typed characters. Wrong ones end the login: they are typed once.
    pub fn confirm(&mut self, id: &str, typed: &str, now: Time) -> Result<String, ConfirmRefusal> {
        let login = self.open.get_mut(id).filter(|login| now < login.ends_at);
        let Some(login) = login.filter(|login| login.confirmed.is_none()) else {
            return Err(ConfirmRefusal::Over);
        };
        let typed = typed.trim().to_ascii_uppercase();
        let is_typed = |one: &&Opening| bool::from(one.code.as_bytes().ct_eq(typed.as_bytes()));
        match login.openings.iter().find(is_typed) {
            Some(found) => {
                login.confirmed = Some(found.browser);
                Ok(found.agent.clone())
            }
            None => {
                self.open.remove(id);
                Err(ConfirmRefusal::WrongCode)
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConfirmRefusal {
    Over,
    WrongCode,
}

fn random_code() -> Result<String, CredentialError> {
    let mut bytes = [0_u8; CODE_CHARS];
    random_bytes(&mut bytes)?;
    let pick = |byte: &u8| ALPHABET.get(usize::from(byte % 32)).map(|char| char::from(*char));
    Ok(bytes.iter().filter_map(pick).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::time::Span;

    const START: Time = Time::from_micros(1_000_000);

    fn visit(logins: &mut Logins, id: &str, cookie: Option<&str>) -> LoginState {
        logins.visit((id, cookie), "Firefox", START).unwrap()
    }

    #[test]
    fn only_the_browser_whose_characters_were_typed_gets_in_and_once() {
        let mut logins = Logins::default();
        let id = logins.create(START).unwrap();
        let LoginState::Waiting { cookie: Some(own), code } = visit(&mut logins, &id, None) else {
            panic!("no characters")
        };
        let LoginState::Waiting { cookie: Some(other), code: theirs } =
            visit(&mut logins, &id, None)
        else {
            panic!("no characters")
        };
        assert_ne!(code, theirs);
        assert_eq!(logins.confirm(&id, &code.to_lowercase(), START), Ok("Firefox".to_owned()));
        assert_eq!(visit(&mut logins, &id, Some(&other)), LoginState::Over);
        assert_eq!(visit(&mut logins, &id, None), LoginState::Over);
        let let_in = LoginState::LetIn { browser: "Firefox".to_owned() };
        assert_eq!(visit(&mut logins, &id, Some(&own)), let_in);
        assert_eq!(visit(&mut logins, &id, Some(&own)), LoginState::Over);
        assert_eq!(logins.confirm(&id, &code, START), Err(ConfirmRefusal::Over));
    }

    #[test]
    fn wrong_characters_and_a_minute_end_a_login() {
        let mut logins = Logins::default();
        let id = logins.create(START).unwrap();
        let LoginState::Waiting { code, .. } = visit(&mut logins, &id, None) else {
            panic!("no characters")
        };
        assert_eq!(logins.confirm(&id, "AAAAAA", START), Err(ConfirmRefusal::WrongCode));
        assert_eq!(logins.confirm(&id, &code, START), Err(ConfirmRefusal::Over));
        let id = logins.create(START).unwrap();
        let late = START + Span::seconds(60);
        assert_eq!(logins.visit((&id, None), "", late).unwrap(), LoginState::Over);
        assert_eq!(logins.confirm(&id, "", late), Err(ConfirmRefusal::Over));
    }
}
