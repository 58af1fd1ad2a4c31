//! What the suites that run programs of others share: `mcp` and `clients`.
//!
//! It installs their packages, runs them beside a daemon of its own, and reports the checks.

pub mod checks;
pub mod daemon;
pub mod folder;
pub mod json;
pub mod line_client;
pub mod options;
pub mod packages;
pub mod running;
pub mod terminal;

use crate::failure::Failure;
use std::path::Path;

pub fn create(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))
}

pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}
