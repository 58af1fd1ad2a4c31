//! Names that come from outside, each with a type of its own, parsed once at the edge.
//!
//! A name is short, not empty, and has no blanks or control characters. There are no other
//! requirements. Names compare exactly: no case folding, no slugs.

mod session_key;

pub use session_key::SessionKey;

use crate::encoding::limits;
use crate::encoding::unicode::is_invisible;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::sync::{Arc, LazyLock};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("a {what} may not be empty")]
    Empty { what: &'static str },
    #[error("a {what} may be at most {} bytes long", limits::NAME_BYTES)]
    TooLong { what: &'static str },
    #[error("a {what} may not contain `{}`", found.escape_debug())]
    Character { what: &'static str, found: char },
    #[error("an action is written `domain.verb`, and `{given}` is not")]
    NotAnAction { given: String },
}

/// Checks a name, which has no blanks.
fn check_name(text: &str, what: &'static str) -> Result<Arc<str>, NameError> {
    match text.chars().find(|c| c.is_whitespace()) {
        Some(found) => Err(NameError::Character { what, found }),
        None => check_id(text, what),
    }
}

/// Checks an id, which may be a path with blanks.
fn check_id(text: &str, what: &'static str) -> Result<Arc<str>, NameError> {
    if text.is_empty() {
        return Err(NameError::Empty { what });
    }
    if text.len() > limits::NAME_BYTES {
        return Err(NameError::TooLong { what });
    }
    match text.chars().find(|c| c.is_control() || is_invisible(*c)) {
        Some(found) => Err(NameError::Character { what, found }),
        None => Ok(Arc::from(text)),
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $what:literal) => {
        name!($(#[$doc])* $type, $what, check_name, name);
    };
    ($(#[$doc:meta])* $type:ident, $what:literal, $check:ident, $schema:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $type(Arc<str>);

        impl $type {
            pub fn parse(text: &str) -> Result<Self, NameError> {
                $check(text, $what).map(Self)
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// A name that was taken from another one.
            #[allow(dead_code, reason = "not every kind of name is part of another")]
            fn from_checked(text: &str) -> Self {
                Self(Arc::from(text))
            }
        }

        impl TryFrom<String> for $type {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                Self::parse(&text)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        crate::encoding::schema::text!($type, concat!("The ", $what), crate::encoding::schema::$schema());
    };
}

name!(
    /// The program that wants to act.
    Agent, "name of an agent");
impl Agent {
    /// Who is paused when all agents are. An agent with this name is one of them.
    pub const EVERYONE: &str = "*";

    pub fn is_everyone(&self) -> bool {
        self.as_str() == Self::EVERYONE
    }
}

name!(
    /// The name that an agent gave a session. Other agents may use it too.
    SessionName, "name of a session");
name!(
    /// What a session works on, by exact id.
    Project, "name of a project", check_id, name_with_blanks);
name!(
    /// What an agent calls over MCP or in its harness.
    Tool, "name of a tool");
name!(
    /// A place where an operator is asked and notified.
    SurfaceName, "name of a surface");
name!(
    /// One Countersign process among those that share a store.
    NodeName, "name of a node");
name!(
    /// A named procedure of the graph.
    Workflow, "name of a workflow");
name!(
    /// One part of a workflow.
    StepName, "name of a step");

impl NodeName {
    /// The node name for a store with a single node. Nodes with the same name count as one: a
    /// restart of one is a restart of all.
    pub fn local() -> &'static Self {
        static LOCAL: LazyLock<NodeName> = LazyLock::new(|| NodeName(Arc::from("local")));
        &LOCAL
    }
}

/// A kind of action from the graph's catalogue, `domain.verb`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Action(Arc<str>);

impl Action {
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let name = check_name(text, "name of an action")?;
        match text.split_once('.') {
            Some((domain, verb)) if !domain.is_empty() && !verb.is_empty() => Ok(Self(name)),
            _ => Err(NameError::NotAnAction { given: text.to_owned() }),
        }
    }

    pub fn new(domain: &str, verb: &str) -> Result<Self, NameError> {
        Self::parse(&format!("{domain}.{verb}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first half of the name, up to the first dot.
    pub fn domain(&self) -> &str {
        self.split_at_dot().map_or(&*self.0, |(domain, _)| domain)
    }

    pub fn verb(&self) -> &str {
        self.split_at_dot().and_then(|(_, rest)| rest.get(1..)).unwrap_or("")
    }

    /// Splits before the first dot. Searching bytes is several times faster than searching for a
    /// character, and every decision does it.
    fn split_at_dot(&self) -> Option<(&str, &str)> {
        let dot = self.0.bytes().position(|byte| byte == b'.')?;
        self.0.split_at_checked(dot)
    }
}

impl TryFrom<String> for Action {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

crate::encoding::schema::text!(
    Action,
    "The name of an action: `domain.verb`",
    crate::encoding::schema::action()
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_splits_at_its_first_dot() {
        let action = Action::parse("mcp.github.create_issue").unwrap();
        assert_eq!((action.domain(), action.verb()), ("mcp", "github.create_issue"));
    }

    #[test]
    fn a_name_that_could_be_misread_is_refused() {
        for text in [
            "",
            "email",
            "email.",
            ".send",
            "email.se nd",
            "email.send\u{200b}",
            "e\u{202e}mail.send",
            "email.send\n",
            "email.send\u{1d173}",
            "email.send\u{1bca0}",
            "email.send\u{fff8}",
            "email.send\u{fe0f}",
        ] {
            assert!(Action::parse(text).is_err(), "{text:?}");
        }
        assert!(Agent::parse(&"a".repeat(limits::NAME_BYTES + 1)).is_err());
    }
}
