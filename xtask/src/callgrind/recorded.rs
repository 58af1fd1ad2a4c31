//! The committed counts and where they hold.

use super::Counts;
use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedCounts {
    /// As `rustc --version` begins: another compiler counts differently.
    pub toolchain: String,
    pub architecture: String,
    /// Per operation, the baseline taken off.
    pub instructions: Counts,
}

impl RecordedCounts {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text =
            std::fs::read_to_string(path).map_err(|error| path_failure("read", path, &error))?;
        serde_json::from_str(&text).map_err(|error| path_failure("understand", path, &error))
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| path_failure("write", path, &error))?;
        std::fs::write(path, text + "\n").map_err(|error| path_failure("write", path, &error))
    }
}

fn path_failure(verb: &str, path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::new(format!("cannot {verb} `{}`: {error}", path.display()))
}
