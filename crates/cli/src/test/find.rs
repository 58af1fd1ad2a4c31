//! Which files are cases: those that are named, and what named folders hold.

use crate::failure::Failure;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Every case, once, in the order of the names.
pub(super) fn cases(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        let known = fs::metadata(path).map_err(|error| cannot(path, &error))?;
        if known.is_dir() {
            walk(path, &mut found)?;
        } else {
            found.push(path.clone());
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Links to folders are not followed: they could lead in a circle.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let fail = |error: io::Error| cannot(&folder, &error);
        for entry in fs::read_dir(&folder).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(fail)?);
            if kind.is_dir() {
                folders.push(path);
            } else if is_case(&path) {
                found.push(path);
            }
        }
    }
    Ok(())
}

fn is_case(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml")
}

fn cannot(path: &Path, error: &io::Error) -> Failure {
    Failure::file(("read", path), error, "name case files or folders that can be read")
}
