//! Carries out the changes of one program: all of them, or none.

use super::plan::PlannedFileChange;
use crate::files;
use countersign_console::Failure;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes every change. If one fails, those before it are undone.
pub(super) fn write_all(changes: &[PlannedFileChange]) -> Result<(), Failure> {
    for (count, change) in changes.iter().enumerate() {
        if let Err(failure) = write(change) {
            for done in changes.iter().take(count) {
                write(&done.reversed())?;
            }
            return Err(failure);
        }
    }
    Ok(())
}

impl PlannedFileChange {
    fn reversed(&self) -> Self {
        let (old, new, original) = (self.new.clone(), self.old.clone(), None);
        Self { path: self.path.clone(), old, new, original }
    }
}

fn write(PlannedFileChange { path, old, new, .. }: &PlannedFileChange) -> Result<(), Failure> {
    match (old, new) {
        (Some(old), Some(new)) => files::replace(path, old, new),
        (None, Some(new)) => create(path, new),
        (Some(old), None) => remove(path, old),
        (None, None) => Ok(()),
    }
}

/// Creates the file with its whole content at once. Replaces nothing.
pub(super) fn create(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let fail = |error: std::io::Error| {
        let help = "nothing was changed; make the folder writable";
        Failure::file("write", path, &error, help)
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(fail)?;
    let mut file = NamedTempFile::new_in(folder).map_err(fail)?;
    file.write_all(content).and_then(|()| file.as_file().sync_all()).map_err(fail)?;
    file.persist_noclobber(path).map_err(|error| fail(error.error))?;
    Ok(())
}

fn remove(path: &Path, old: &[u8]) -> Result<(), Failure> {
    if files::read(path)? != old {
        let message = format!("`{}` was changed by another program", path.display());
        return Err(Failure::new(message, "look at the change, then try again"));
    }
    let help = "make its folder writable";
    fs::remove_file(path).map_err(|error| Failure::file("remove", path, &error, help))
}

/// The folders above the file that do not exist yet, the innermost first.
pub(super) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    above.take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_one_file_cannot_be_written_none_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a.json"), folder.path().join("b.json"));
        let third = folder.path().join("new.json");
        fs::write(&first, "old").unwrap();
        fs::write(&second, "changed meanwhile").unwrap();
        let change = |path: &Path, old: Option<&str>| PlannedFileChange {
            path: path.to_owned(),
            old: old.map(|text| text.as_bytes().to_vec()),
            new: Some(b"new".to_vec()),
            original: None,
        };
        let changes =
            [change(&first, Some("old")), change(&third, None), change(&second, Some("old"))];
        write_all(&changes).unwrap_err();
        assert_eq!(fs::read(&first).unwrap(), b"old");
        assert_eq!(fs::read(&second).unwrap(), b"changed meanwhile");
        assert!(!third.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
