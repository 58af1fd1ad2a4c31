//! Categories: the kind of harm that a call can do, with a minimum risk for each.
//!
//! The table holds the categories of three systems. An unknown category counts as high.

use crate::encoding::limits;
use crate::encoding::unicode::is_invisible;
use crate::model::names::NameError;
use crate::model::words::Risk;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A kind of harm, with its minimum risk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Category {
    name: Arc<str>,
    floor: Risk,
}

/// The known categories by minimum risk.
pub const FLOORS: [(Risk, &[&str]); 5] = [
    (Risk::ReadOnly, &["local_read_only", "support_packet_create", "filesystem_read"]),
    (
        Risk::Low,
        &[
            "capture_screen",
            "foreground_takeover",
            "focus_change",
            "pointer_movement",
            "generic_driver_fallback",
            "local_visual_fallback",
        ],
    ),
    (
        Risk::Moderate,
        &[
            "setting_change",
            "submit_form",
            "text_entry",
            "microphone_start",
            "microphone_or_speech",
            "speech_recognition_start",
            "credential_context_present",
            "workplace_data_present",
            "bystander_or_third_party_data_present",
            "filesystem_write",
            "git_write",
            "http_fetch",
            "file-edit",
            "git",
            "git-local",
            "test",
            "build",
            "lint",
            "script",
        ],
    ),
    (
        Risk::High,
        &[
            "send_message",
            "send_email",
            "external_send",
            "external_handoff",
            "capture_sensitive_app",
            "privacy_setting_change",
            "permission_open_settings",
            "shell_exec",
            "filesystem_delete",
            "git_push",
            "paid_api_call",
            "deploy",
            "external_message",
            "network",
            "git-remote",
        ],
    ),
    (
        Risk::Critical,
        &[
            "purchase",
            "credential_or_payment",
            "two_factor_authentication",
            "delete_or_destructive_change",
            "account_or_security_change",
            "screen_share_external",
            "camera_share_external",
            "microphone_share_external",
            "support_packet_share",
        ],
    ),
];

impl Category {
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let what = "name of a category";
        if text.is_empty() {
            return Err(NameError::Empty { what });
        }
        if text.len() > limits::NAME_BYTES {
            return Err(NameError::TooLong { what });
        }
        if let Some(found) = text.chars().find(|c| c.is_control() || is_invisible(*c)) {
            return Err(NameError::Character { what, found });
        }
        Ok(Self { name: Arc::from(text), floor: find_floor(text) })
    }

    pub fn as_str(&self) -> &str {
        &self.name
    }

    pub fn floor(&self) -> Risk {
        self.floor
    }

    /// Whether category grants have to cover it. Read-only categories need no grant.
    pub fn needs_cover(&self) -> bool {
        self.floor > Risk::ReadOnly
    }
}

fn find_floor(name: &str) -> Risk {
    FLOORS.iter().find(|(_, names)| names.contains(&name)).map_or(Risk::High, |(floor, _)| *floor)
}

impl TryFrom<String> for Category {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}

impl From<Category> for String {
    fn from(category: Category) -> Self {
        category.name.to_string()
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

crate::encoding::schema::text!(
    Category,
    "A kind of harm; an unknown category counts as high",
    crate::encoding::schema::name_with_blanks()
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_each_category_once() {
        let mut names: Vec<_> = FLOORS.iter().flat_map(|(_, names)| names.iter()).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!((names.len(), all), (52, 52));
    }

    #[test]
    fn an_unknown_category_is_high() {
        for (name, floor) in [
            ("purchase", Risk::Critical),
            ("filesystem_read", Risk::ReadOnly),
            ("mcp_tool:github", Risk::High),
            ("Purchase", Risk::High),
            ("teleport", Risk::High),
        ] {
            assert_eq!(Category::parse(name).unwrap().floor(), floor, "{name}");
        }
    }
}
