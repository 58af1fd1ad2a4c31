//! Files of a package before it is packed: with fixed permissions, whatever the umask.

use super::path_failure;
use crate::failure::Failure;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Readable,
    Executable,
}

/// One file of a package.
#[derive(Debug, Clone)]
pub(super) struct PackedFile {
    /// Relative to the top of the package.
    pub(super) path: String,
    pub(super) content: Vec<u8>,
    pub(super) access: Access,
}

impl PackedFile {
    pub(super) fn new(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), content: content.into(), access: Access::Readable }
    }

    pub(super) fn executable(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { access: Access::Executable, ..Self::new(path, content) }
    }
}

pub(super) struct Tree {
    pub(super) top: PathBuf,
}

impl Tree {
    pub(super) fn new(top: &Path) -> Self {
        Self { top: top.to_owned() }
    }

    pub(super) fn write(&self, file: &PackedFile) -> Result<(), Failure> {
        let path = self.top.join(&file.path);
        fs::create_dir_all(path.parent().unwrap_or(&self.top))
            .and_then(|()| fs::write(&path, &file.content))
            .and_then(|()| self.set_permissions(file))
            .map_err(|error| path_failure("write", &path, &error))
    }

    fn set_permissions(&self, file: &PackedFile) -> std::io::Result<()> {
        let mode = match file.access {
            Access::Readable => 0o644,
            Access::Executable => 0o755,
        };
        fs::set_permissions(self.top.join(&file.path), Permissions::from_mode(mode))?;
        for folder in Path::new(&file.path).ancestors().skip(1) {
            fs::set_permissions(self.top.join(folder), Permissions::from_mode(0o755))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_have_fixed_permissions() {
        let scratch = tempfile::tempdir().unwrap();
        let tree = Tree::new(scratch.path());
        tree.write(&PackedFile::new("share/doc/page", "text")).unwrap();
        tree.write(&PackedFile::executable("bin/program", "text")).unwrap();
        let mode = |path: &str| {
            fs::metadata(scratch.path().join(path)).unwrap().permissions().mode() & 0o777
        };
        assert_eq!(mode("share/doc/page"), 0o644);
        assert_eq!([mode("bin/program"), mode("bin"), mode("share/doc")], [0o755; 3]);
    }
}
