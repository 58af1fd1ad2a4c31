//! The effect of a call, as an agent reports it.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The effects that an agent can report. Only the operator's own executor can attest that nothing
/// happened, because that gives the approval back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportedEffect {
    Done,
    Failed,
    Unknown,
}

impl<'de> Deserialize<'de> for ReportedEffect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        match String::deserialize(deserializer)?.as_str() {
            "done" => Ok(Self::Done),
            "failed" => Ok(Self::Failed),
            "unknown" => Ok(Self::Unknown),
            "none" => Err(D::Error::custom(
                "only an executor of ours can attest that nothing happened: say `unknown`",
            )),
            other => Err(D::Error::custom(format!("`{other}` is not done, failed or unknown"))),
        }
    }
}
