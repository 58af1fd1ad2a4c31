//! The project that a command names: a folder as its real path, or a name for an adapter's token.

use crate::failure::Failure;
use countersign_core::model::names::Project;
use std::path::Path;

/// The real path if it is a folder. Another text stays as it is; only an adapter's token may use it.
pub(crate) fn read_project(text: &str) -> Result<Project, Failure> {
    let real = std::fs::canonicalize(Path::new(text)).ok().filter(|path| path.is_dir());
    let real = real.as_deref().and_then(Path::to_str).unwrap_or(text);
    Project::parse(real)
        .map_err(|error| Failure::usage(error.to_string(), "name a folder that contains this one"))
}
