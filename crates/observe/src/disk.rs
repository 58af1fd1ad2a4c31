//! Plain reads of this machine's disk, which programs and the real file system share.

use crate::file_system::{self, EntryKind, LookupError};
use crate::limits;
use crate::real_path::RealPath;
use std::fs::{self, Metadata};
use std::io::ErrorKind;

/// Resolves `path`, which may be relative to `cwd`.
pub(crate) fn resolve_path(path: &str, cwd: &str) -> Result<RealPath, LookupError> {
    file_system::resolve_path(path, cwd, &mut |path| {
        Ok(read_entry(path)?.map_or(EntryKind::Missing, |(kind, _)| kind))
    })
}

/// The names in a folder, which must all be UTF-8.
pub(crate) fn list_folder(folder: &RealPath) -> Result<Vec<String>, LookupError> {
    let path = folder.as_str();
    let unreadable = |kind: ErrorKind| LookupError::Unreadable(path.to_owned(), kind);
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| unreadable(error.kind()))? {
        let entry = entry.map_err(|error| unreadable(error.kind()))?;
        if names.len() == limits::MAX_LISTED_NAMES {
            return Err(LookupError::TooManyFiles(path.to_owned()));
        }
        let name = entry.file_name().into_string();
        names.push(name.map_err(|_| unreadable(ErrorKind::InvalidData))?);
    }
    Ok(names)
}

/// What is at a path, without following a link there; `None` if nothing is.
pub(crate) fn read_entry(path: &str) -> Result<Option<(EntryKind, Metadata)>, LookupError> {
    let unreadable = |kind: ErrorKind| LookupError::Unreadable(path.to_owned(), kind);
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.kind())),
    };
    let kind = if metadata.is_symlink() {
        let target = fs::read_link(path).map_err(|error| unreadable(error.kind()))?;
        let target = target.to_str().ok_or_else(|| LookupError::LinkNotUtf8(path.to_owned()))?;
        EntryKind::Link(target.to_owned())
    } else if metadata.is_dir() {
        EntryKind::Folder
    } else {
        EntryKind::Other
    };
    Ok(Some((kind, metadata)))
}
