//! The folders that the paths of a call are relative to.

use crate::file_system::FileSystem;
use crate::real_path::RealPath;

pub(crate) struct BaseFolders {
    pub(crate) workspace: Option<RealPath>,
    /// Where relative paths start; `None` if unknown.
    pub(crate) cwd: Option<RealPath>,
}

impl BaseFolders {
    /// A workspace that is not an absolute path is unknown. Without a `cwd`, a call runs in the
    /// workspace.
    pub(crate) fn resolve(
        files: &dyn FileSystem,
        workspace: Option<&str>,
        cwd: Option<&str>,
    ) -> Self {
        let workspace = resolve_absolute(files, workspace);
        let cwd = match cwd {
            None => workspace.clone(),
            Some(cwd) => {
                files.resolve_path(cwd, workspace.as_ref().map_or("", RealPath::as_str)).ok()
            }
        };
        Self { workspace, cwd }
    }
}

/// `None` if the path is relative or cannot be resolved.
pub(crate) fn resolve_absolute(files: &dyn FileSystem, path: Option<&str>) -> Option<RealPath> {
    let path = path.filter(|path| path.starts_with('/'))?;
    files.resolve_path(path, "/").ok()
}

/// Whether a folder is the root, a home, or above one.
pub(crate) fn is_wide(folder: &RealPath, home: Option<&RealPath>) -> bool {
    home.is_some_and(|home| home.is_below(folder)) || is_home_or_above(folder.as_str())
}

/// The root, and where systems keep the homes of their users.
fn is_home_or_above(folder: &str) -> bool {
    let mut parts = folder.split('/').filter(|part| !part.is_empty());
    matches!(
        (parts.next(), parts.next(), parts.next()),
        (None, ..)
            | (Some("root" | "home" | "Users"), None, _)
            | (Some("home" | "Users"), Some(_), None)
    )
}

/// A name in a folder.
pub(crate) fn join(folder: &str, name: &str) -> String {
    format!("{}/{name}", folder.trim_end_matches('/'))
}
