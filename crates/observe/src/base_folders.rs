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
