//! Searches what lies below a folder for secret and guarded files, without following links.
//!
//! See docs/decisions/0082-what-lies-below.md.

use crate::file_system::{FileKind, FileSystem, LookupError};
use crate::limits;
use crate::places::find_kinds;
use crate::real_path::RealPath;
use countersign_commands::BelowReport;
use countersign_core::model::place::PathKinds;
use countersign_graph::places::{PlaceBases, PlacePatterns};

/// Folders that tools fill: what is in them can be made again, and is nobody's secret.
const GENERATED_FOLDERS: &[&str] = &["node_modules", "target", "__pycache__", ".venv", "venv"];

/// Which kinds of files lie below a resolved path. What cannot be searched counts as both.
pub(super) fn find_kinds_below(
    files: &dyn FileSystem,
    patterns: &PlacePatterns,
    bases: &PlaceBases,
    path: &str,
) -> PathKinds {
    let search = FolderSearch { files, patterns, bases };
    search.find(path).unwrap_or(PathKinds { is_secret: true, is_guarded: true })
}

struct FolderSearch<'a> {
    files: &'a dyn FileSystem,
    patterns: &'a PlacePatterns,
    bases: &'a PlaceBases<'a>,
}

impl FolderSearch<'_> {
    fn find(&self, path: &str) -> Result<PathKinds, LookupError> {
        let mut found = PathKinds::default();
        let mut searched = 0;
        let mut folders = if self.is_searched(path)? { vec![path.to_owned()] } else { Vec::new() };
        while let Some(folder) = folders.pop() {
            for name in self.files.list_folder(&RealPath::from_text(&folder))? {
                searched += 1;
                if searched > limits::MAX_SEARCHED_NAMES {
                    return Err(LookupError::TooManyFiles(path.to_owned()));
                }
                let below = format!("{}/{name}", folder.trim_end_matches('/'));
                let kinds = find_kinds(self.patterns, self.bases, &below);
                found.is_secret |= kinds.is_secret;
                found.is_guarded |= kinds.is_guarded;
                if found.is_secret && found.is_guarded {
                    return Ok(found);
                }
                if kinds == PathKinds::default() && self.is_searched(&below)? {
                    folders.push(below);
                }
            }
        }
        Ok(found)
    }

    /// Whether it is a folder, and no link to one, that holds what people wrote.
    fn is_searched(&self, path: &str) -> Result<bool, LookupError> {
        let name = path.rsplit('/').next().unwrap_or_default();
        if GENERATED_FOLDERS.contains(&name) {
            return Ok(false);
        }
        let identity = self.files.read_identity(path)?;
        Ok(identity.is_some_and(|identity| identity.kind == FileKind::Folder))
    }
}

/// Whether everything below a resolved path is inside the workspace and no secret, links followed.
pub(super) fn examine_below(
    files: &dyn FileSystem,
    patterns: &PlacePatterns,
    bases: &PlaceBases,
    path: &str,
) -> BelowReport {
    let search = FolderSearch { files, patterns, bases };
    search.examine(path).unwrap_or_default()
}

impl FolderSearch<'_> {
    fn examine(&self, path: &str) -> Result<BelowReport, LookupError> {
        let mut report = BelowReport { stays_inside: true, has_plain_names: true };
        let mut places = vec![path.to_owned()];
        let mut searched = 0;
        while let Some(place) = places.pop() {
            let kind = self.files.read_kind(&RealPath::from_text(&place))?;
            if kind != Some(FileKind::Folder) {
                continue;
            }
            for name in self.files.list_folder(&RealPath::from_text(&place))? {
                searched += 1;
                if searched > limits::MAX_SEARCHED_NAMES {
                    return Err(LookupError::TooManyFiles(path.to_owned()));
                }
                let below = format!("{}/{name}", place.trim_end_matches('/'));
                report.has_plain_names &= is_plain_name(&name);
                let target = self.files.resolve_path(&below, "/")?;
                let is_link = target.as_str() != below;
                report.stays_inside &= self.is_ordinary(target.as_str())
                    && (!is_link || self.is_closed_link(&target, path)?);
                if !report.stays_inside {
                    return Ok(report);
                }
                if !is_link {
                    places.push(below);
                }
            }
        }
        Ok(report)
    }

    fn is_ordinary(&self, path: &str) -> bool {
        !find_kinds(self.patterns, self.bases, path).is_secret
    }

    /// Whether a link leads to a file of the workspace, or to a folder that is searched anyway.
    fn is_closed_link(&self, target: &RealPath, searched: &str) -> Result<bool, LookupError> {
        let root = match self.files.read_kind(target)? {
            Some(FileKind::Folder) => Some(searched),
            Some(FileKind::Other) | None => self.bases.workspace,
        };
        Ok(root.is_some_and(|root| target.is_below(&RealPath::from_text(root))))
    }
}

fn is_plain_name(name: &str) -> bool {
    !name.starts_with('-')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-+@%,=~#[](){}$!^&".contains(&b))
}
