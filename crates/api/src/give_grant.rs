//! Grants that an operator gives directly.

use crate::{GrantView, Seconds, Text};
use countersign_core::model::category::Category;
use countersign_core::model::names::{Action, SessionName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A grant for one command, action or category, in a session.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantRequest {
    pub session: SessionName,
    /// One plain command. `<name>` stands for one whole argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Text<10_000>>,
    /// The folder that the command runs in. Without it, only calls that name no folder are covered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Text<4_096>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    #[serde(default)]
    pub scope: GrantableScope,
    /// How long the grant lasts at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Seconds>,
    /// `yes`: the second confirmation that high risk needs in a whole project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Text<256>>,
}

/// The scopes that an operator can grant directly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantableScope {
    Once,
    #[default]
    Session,
    Project,
}

/// A grant that was given directly.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GrantResponse {
    pub grant: GrantView,
    /// Why the scope differs from the requested one.
    pub reason: Option<String>,
    /// Whether earlier declines of the same are lifted, if there are any. A grant of a command lifts
    /// the declines of that command; a grant of an action lifts none.
    pub declines: Option<String>,
}
