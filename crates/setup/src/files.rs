//! Reads files up to a size limit, and replaces them atomically.

use countersign_console::Failure;
use countersign_graph::limits::MAX_FILE_BYTES;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Reads a whole file of at most `MAX_FILE_BYTES`.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let fail = |error: io::Error| Failure::file("read", path, &error, read_help(error.kind()));
    let file = File::open(path).map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    if metadata.is_dir() {
        let message = format!("cannot read `{}`: it is a folder", path.display());
        return Err(Failure::new(message, "name a file in it"));
    }
    if metadata.len() > MAX_FILE_BYTES as u64 {
        return Err(too_large_error(path, &format!("{} bytes", metadata.len())));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(fail)?;
    // The metadata of a pipe or device does not tell its size.
    if bytes.len() > MAX_FILE_BYTES {
        return Err(too_large_error(path, &format!("more than {MAX_FILE_BYTES} bytes")));
    }
    Ok(bytes)
}

/// The content, or None if there is no file. A link to nothing is an error.
pub(crate) fn read_if_present(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(found) if found.is_symlink() && !path.exists() => {
            let message = format!("`{}` is a link to a file that does not exist", path.display());
            Err(Failure::new(message, "create that file, or remove the link"))
        }
        // Opening a pipe would wait for somebody who writes to it.
        Ok(_) if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) => {
            let message =
                format!("`{}` is not a regular file; nothing was changed", path.display());
            Err(Failure::new(message, "move it away"))
        }
        Ok(_) | Err(_) => read(path).map(Some),
    }
}

fn read_help(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::NotFound => "check the name, or create the file",
        io::ErrorKind::PermissionDenied => "make it readable for the user who runs this",
        _ => "make sure that it is a file that can be read",
    }
}

fn too_large_error(path: &Path, size: &str) -> Failure {
    let message = format!("`{}` has {size}; the limit is {MAX_FILE_BYTES}", path.display());
    Failure::new(message, "split it, or remove what it does not need")
}

/// A file that we may not read counts as existing, so that it is reported and not skipped.
pub fn exists(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    }
}

/// Replaces the content `old` with `new`. Readers see either all of `old` or all of `new`.
///
/// Fails if the content is no longer `old`. Keeps permissions and owner, and follows a link.
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), Failure> {
    let fail = |error: io::Error| {
        let help = "nothing was changed; make the file and its folder writable";
        Failure::file("write", path, &error, help)
    };
    let real = fs::canonicalize(path).map_err(fail)?;
    let temporary = temporary_path(&real);
    let result = write_temporary(&temporary, &real, new).map_err(fail).and_then(|()| {
        if read(&real)? != old {
            return Err(changed_error(path));
        }
        fs::rename(&temporary, &real).map_err(fail)
    });
    if result.is_err() {
        let _already_gone = fs::remove_file(&temporary);
    }
    result
}

/// Writes the content beside the file, with its owner and permissions, and returns where. An earlier
/// backup of the same name is replaced.
pub fn back_up(path: &Path, content: &[u8], suffix: &str) -> Result<PathBuf, Failure> {
    let fail = |error: io::Error| {
        let help = "nothing was changed; make the folder writable";
        Failure::file("write a copy of", path, &error, help)
    };
    let real = fs::canonicalize(path).map_err(fail)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let backup = real.with_file_name(format!("{name}.{suffix}"));
    let temporary = temporary_path(&real);
    let written = write_temporary(&temporary, &real, content);
    if let Err(error) = written.and_then(|()| fs::rename(&temporary, &backup)) {
        let _already_gone = fs::remove_file(&temporary);
        return Err(fail(error));
    }
    Ok(backup)
}

fn changed_error(path: &Path) -> Failure {
    let message =
        format!("`{}` was changed by another program; nothing was written", path.display());
    Failure::new(message, "look at the change, then try again")
}

fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.new", std::process::id()))
}

/// Writes a new file with the owner and permissions of `model`.
fn write_temporary(path: &Path, model: &Path, new: &[u8]) -> io::Result<()> {
    let metadata = fs::metadata(model)?;
    let mut file = File::create_new(path)?;
    copy_owner(&metadata, path)?;
    file.set_permissions(metadata.permissions())?;
    file.write_all(new)?;
    file.sync_all()
}

#[cfg(unix)]
fn copy_owner(from: &fs::Metadata, to: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};
    let current = fs::metadata(to)?;
    if (current.uid(), current.gid()) == (from.uid(), from.gid()) {
        return Ok(());
    }
    chown(to, Some(from.uid()), Some(from.gid()))
}

#[cfg(not(unix))]
fn copy_owner(_: &fs::Metadata, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.yaml");
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_that_another_program_changed_is_not_overwritten() {
        let (folder, path) = folder_with("theirs");
        let failure = replace(&path, b"old", b"new").unwrap_err();
        assert!(failure.page().as_str().contains("was changed by another program"));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(names(folder.path()), ["g.yaml"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_no_temporary_file_remains() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, path) = folder_with("old");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, b"old", b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["g.yaml"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_still_points_to_the_file() {
        let (folder, path) = folder_with("old");
        let link = folder.path().join("link.yaml");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        replace(&link, b"old", b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
