//! What an application may do: a program that gates its own functions.
//!
//! The operator binds it to named actions when its credential is issued, and nothing widens that
//! later. The right to open gestures is separate, because a gesture is consent.
//!
//! See docs/decisions/0139-applications.md.

use crate::model::names::{Action, NameError};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One action (`tasks.create`), or all actions of a domain (`tasks.*`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ActionPattern {
    Action(Action),
    /// An action of the domain stands for the domain, so that its name was checked like any other.
    Domain(Action),
}

const ANY_VERB: &str = "*";

impl ActionPattern {
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let action = Action::parse(text)?;
        let is_domain = action.verb() == ANY_VERB;
        // `*.send` would not be bound to a domain.
        if action.domain().contains('*') || (!is_domain && action.verb().contains('*')) {
            return Err(NameError::NotAnAction { given: text.to_owned() });
        }
        Ok(if is_domain { Self::Domain(action) } else { Self::Action(action) })
    }

    pub fn covers(&self, action: &Action) -> bool {
        match self {
            Self::Action(own) => own == action,
            Self::Domain(own) => own.domain() == action.domain(),
        }
    }
}

impl TryFrom<String> for ActionPattern {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}

impl From<ActionPattern> for String {
    fn from(pattern: ActionPattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for ActionPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Action(action) | Self::Domain(action)) = self;
        action.fmt(f)
    }
}

crate::encoding::schema::text!(
    ActionPattern,
    "An action, or all actions of a domain: `domain.*`",
    crate::encoding::schema::action()
);

/// What an application's credential is bound to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApplicationRights {
    /// The actions that its calls may name.
    pub actions: Vec<ActionPattern>,
    /// The actions for which it may open gestures. Never more than `actions`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gestures: Vec<ActionPattern>,
}

impl ApplicationRights {
    pub fn covers(&self, action: &Action) -> bool {
        self.actions.iter().any(|pattern| pattern.covers(action))
    }

    /// Whether every action of the pattern is covered.
    pub fn contains(&self, pattern: &ActionPattern) -> bool {
        match pattern {
            ActionPattern::Action(action) => self.covers(action),
            ActionPattern::Domain(_) => self.actions.contains(pattern),
        }
    }

    pub fn covers_gesture(&self, action: &Action) -> bool {
        self.covers(action) && self.gestures.iter().any(|pattern| pattern.covers(action))
    }

    /// The patterns of `actions` in one line.
    pub fn describe_actions(&self) -> String {
        let names: Vec<String> = self.actions.iter().map(ToString::to_string).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(name: &str) -> Action {
        Action::parse(name).unwrap()
    }

    #[test]
    fn a_pattern_is_an_action_or_a_domain_and_nothing_wider() {
        let domain = ActionPattern::parse("tasks.*").unwrap();
        assert!(domain.covers(&action("tasks.create")) && domain.covers(&action("tasks.a.b")));
        assert!(!domain.covers(&action("tasksx.create")) && !domain.covers(&action("email.send")));
        let one = ActionPattern::parse("tasks.create").unwrap();
        assert!(one.covers(&action("tasks.create")) && !one.covers(&action("tasks.create2")));
        for wide in ["*", "*.*", "*.send", "tasks.c*", "tas*.create", "tasks", "", "tasks. "] {
            assert!(ActionPattern::parse(wide).is_err(), "{wide}");
        }
    }

    #[test]
    fn a_gesture_is_covered_only_if_the_call_is() {
        let patterns = |names: &[&str]| -> Vec<ActionPattern> {
            names.iter().map(|name| ActionPattern::parse(name).unwrap()).collect()
        };
        let rights = ApplicationRights {
            actions: patterns(&["tasks.*"]),
            gestures: patterns(&["tasks.create", "email.send"]),
        };
        assert!(rights.covers_gesture(&action("tasks.create")));
        assert!(!rights.covers_gesture(&action("tasks.delete")));
        assert!(!rights.covers_gesture(&action("email.send")));
    }
}
