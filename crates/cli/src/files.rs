//! Files: read with a bound, and replaced in one step or not at all.

use crate::failure::Failure;
use countersign_graph::limits::MAX_FILE_BYTES;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Everything in a file, as long as it is a file and not too large.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let fail = |error: io::Error| Failure::file(("read", path), &error, help(error.kind()));
    let file = File::open(path).map_err(fail)?;
    let known = file.metadata().map_err(fail)?;
    if known.is_dir() {
        let message = format!("cannot read `{}`: it is a folder", path.display());
        return Err(Failure::new(message, "name a file in it"));
    }
    if known.len() > MAX_FILE_BYTES as u64 {
        return Err(too_large(path, &format!("{} bytes", known.len())));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(fail)?;
    // A pipe or device does not say beforehand how much it holds.
    if bytes.len() > MAX_FILE_BYTES {
        return Err(too_large(path, &format!("more than {MAX_FILE_BYTES} bytes")));
    }
    Ok(bytes)
}

fn help(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::NotFound => "check the name, or create the file",
        io::ErrorKind::PermissionDenied => "make it readable for the user who runs this",
        _ => "make sure that it is a file that can be read",
    }
}

fn too_large(path: &Path, has: &str) -> Failure {
    let message = format!("`{}` has {has}, and at most {MAX_FILE_BYTES} are read", path.display());
    Failure::new(message, "split it, or remove what it does not need")
}

/// Puts `new` in the place of `old`. Whoever reads the file meanwhile sees all of one of them.
///
/// Nothing is written if the file no longer holds `old`. Permissions and owner stay; a link keeps
/// pointing to the file.
pub(crate) fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), Failure> {
    let fail = |error: io::Error| {
        let help = "nothing was changed; make the file and its folder writable";
        Failure::file(("write", path), &error, help)
    };
    let real = fs::canonicalize(path).map_err(fail)?;
    let beside = beside(&real);
    let written = write_beside(&real, &beside, new).map_err(fail).and_then(|()| {
        if read(&real)? != old {
            return Err(changed(path));
        }
        fs::rename(&beside, &real).map_err(fail)
    });
    if written.is_err() {
        let _already_gone = fs::remove_file(&beside);
    }
    written
}

fn changed(path: &Path) -> Failure {
    let message = format!("`{}` changed meanwhile, and nothing was written", path.display());
    Failure::new(message, "look at the change, then do this again")
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.new", std::process::id()))
}

fn write_beside(path: &Path, beside: &Path, new: &[u8]) -> io::Result<()> {
    let known = fs::metadata(path)?;
    let mut file = File::create_new(beside)?;
    keep_owner(&known, beside)?;
    file.set_permissions(known.permissions())?;
    file.write_all(new)?;
    file.sync_all()
}

#[cfg(unix)]
fn keep_owner(known: &fs::Metadata, beside: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};
    let own = fs::metadata(beside)?;
    if (own.uid(), own.gid()) == (known.uid(), known.gid()) {
        return Ok(());
    }
    chown(beside, Some(known.uid()), Some(known.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_: &fs::Metadata, _: &Path) -> io::Result<()> {
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
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let (folder, path) = folder_with("theirs");
        let failure = replace(&path, b"old", b"new").unwrap_err();
        assert!(failure.page().as_str().contains("changed meanwhile"));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(names(folder.path()), ["g.yaml"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_nothing_is_left_beside() {
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
    fn a_link_goes_on_pointing_to_the_file() {
        let (folder, path) = folder_with("old");
        let link = folder.path().join("link.yaml");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        replace(&link, b"old", b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
