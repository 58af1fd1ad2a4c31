//! The identity of a session: its agent and its name.
//!
//! See docs/decisions/0039-sessions-by-agent-and-name.md.

use crate::model::names::{Agent, NameError, SessionName};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// What separates agent and name in the text of a key. Neither may contain blanks, so that a text
/// is the key of one session only.
const SEPARATOR: char = ' ';

/// A session: two agents may each have one of the same name.
///
/// There is no `Display`, so that no message shows the key where the name alone is meant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct SessionKey {
    text: Arc<str>,
    /// The length of the agent's name.
    agent_bytes: usize,
}

impl SessionKey {
    pub fn new(agent: &Agent, name: &SessionName) -> Self {
        let text = format!("{agent}{SEPARATOR}{name}");
        Self { text: Arc::from(text), agent_bytes: agent.as_str().len() }
    }

    /// Reads the text of a key, as it is stored.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let (agent, name) = text.split_once(SEPARATOR).unwrap_or((text, ""));
        Ok(Self::new(&Agent::parse(agent)?, &SessionName::parse(name)?))
    }

    /// The text of the key, for stores and the ledger.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name that the agent gave the session.
    pub fn name(&self) -> &str {
        self.text.get(self.agent_bytes.saturating_add(1)..).unwrap_or_default()
    }

    /// The same as a name of its own.
    pub fn to_name(&self) -> SessionName {
        SessionName::from_checked(self.name())
    }

    pub fn to_agent(&self) -> Agent {
        Agent::from_checked(self.agent_name())
    }

    pub fn agent_name(&self) -> &str {
        self.text.get(..self.agent_bytes).unwrap_or_default()
    }

    pub fn belongs_to(&self, agent: &Agent) -> bool {
        self.agent_name() == agent.as_str()
    }

    /// How an operator names the session if several agents have one of this name.
    pub fn qualified_name(&self) -> String {
        format!("{}/{}", self.agent_name(), self.name())
    }

    /// Whether an operator may mean this session by the text: its name, or `AGENT/NAME`.
    pub fn is_meant_by(&self, text: &str) -> bool {
        let rest = text.strip_prefix(self.agent_name()).and_then(|rest| rest.strip_prefix('/'));
        text == self.name() || rest == Some(self.name())
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl TryFrom<String> for SessionKey {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}

impl Serialize for SessionKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

crate::encoding::schema::text!(
    SessionKey,
    "A session: the name of its agent, a blank, and its own name",
    crate::encoding::schema::two_names()
);

#[cfg(test)]
mod tests {
    use super::*;

    fn key(agent: &str, name: &str) -> SessionKey {
        SessionKey::new(&Agent::parse(agent).unwrap(), &SessionName::parse(name).unwrap())
    }

    #[test]
    fn a_key_reads_back_and_tells_two_agents_apart() {
        let one = key("bolt", "run");
        assert_eq!(SessionKey::parse(one.as_str()).unwrap(), one);
        assert_eq!((one.agent_name(), one.name()), ("bolt", "run"));
        assert_ne!(one, key("other", "run"));
        for text in ["", "bolt", "bolt ", " run", "bolt run again"] {
            assert!(SessionKey::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_operator_names_a_session_with_or_without_its_agent() {
        let session = key("a/b", "run");
        assert!(session.is_meant_by("run") && session.is_meant_by("a/b/run"));
        assert!(!session.is_meant_by("b/run") && !session.is_meant_by("a/run"));
    }
}
