//! Finds the case files in the paths of the command line.

use countersign_console::Failure;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Every file once, sorted by name.
pub(super) fn find_case_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let metadata = fs::metadata(path).map_err(|error| read_error(path, &error))?;
        if metadata.is_dir() {
            walk_folder(path, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// Does not follow links to folders, because they can form a circle.
fn walk_folder(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let fail = |error: io::Error| read_error(&folder, &error);
        for entry in fs::read_dir(&folder).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(fail)?);
            if kind.is_dir() {
                folders.push(path);
            } else if is_case(&path) {
                files.push(path);
            }
        }
    }
    Ok(())
}

fn is_case(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml")
}

fn read_error(path: &Path, error: &io::Error) -> Failure {
    Failure::file("read", path, error, "name case files or folders that can be read")
}
