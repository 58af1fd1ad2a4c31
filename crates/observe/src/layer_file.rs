//! Reads the rules of a repository from its root.
//!
//! What is there and cannot be read is reported, because it may forbid something.
//!
//! See docs/decisions/0137-a-repositorys-rules-are-a-layer.md.

use crate::file_system::{FileSystem, LookupError};
use crate::limits;
use countersign_graph::layer::LAYER_FILE;
use std::io::ErrorKind;

/// What is at the place where a repository's rules would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerFile {
    Absent,
    Found { path: String, bytes: Vec<u8> },
    Unreadable { path: String, why: String },
}

/// Looks into the root of a repository. A file of our own there is the operator's graph, not a layer.
pub fn read_layer_file(files: &dyn FileSystem, root: &str, own: &[String]) -> LayerFile {
    if !files.is_available() || !root.starts_with('/') {
        return LayerFile::Absent;
    }
    let written = format!("{}/{LAYER_FILE}", root.trim_end_matches('/'));
    let unreadable = |why: &str| LayerFile::Unreadable { path: written.clone(), why: why.into() };
    let real_root = match files.resolve_path(root, "/") {
        Ok(root) => root,
        Err(error) if is_absent(&error) => return LayerFile::Absent,
        Err(error) => return unreadable(error.cause()),
    };
    let path = match files.resolve_path(&written, "/") {
        Ok(path) => path,
        Err(error) if is_absent(&error) => return LayerFile::Absent,
        Err(error) => return unreadable(error.cause()),
    };
    if own.iter().any(|own| own == path.as_str()) {
        return LayerFile::Absent;
    }
    if !path.is_below(&real_root) {
        return unreadable("it is a link that leads out of the repository");
    }
    match files.read_file(path.as_str(), limits::MAX_LAYER_BYTES) {
        Ok(bytes) => LayerFile::Found { path: path.to_string(), bytes },
        Err(error) if is_absent(&error) => LayerFile::Absent,
        Err(LookupError::TooLarge(_)) => {
            unreadable(&format!("it is larger than {} bytes", limits::MAX_LAYER_BYTES))
        }
        Err(LookupError::Unreadable(_, ErrorKind::InvalidInput)) => {
            unreadable("it is not a regular file")
        }
        Err(error) => unreadable(error.cause()),
    }
}

fn is_absent(error: &LookupError) -> bool {
    let kinds = [ErrorKind::NotFound, ErrorKind::NotADirectory];
    match error {
        LookupError::Unreadable(_, kind) => kinds.contains(kind),
        LookupError::NotAFolder(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_identity::AgentIdentity;
    use crate::file_system::{FakeFileSystem, NoFileSystem};
    use crate::real_file_system::RealFileSystem;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_file_is_read_where_it_is_and_nothing_is_said_where_none_is() {
        let files = FakeFileSystem::without_links().with_file("/w/countersign.yaml", "guarded: []");
        let found = LayerFile::Found {
            path: "/w/countersign.yaml".to_owned(),
            bytes: b"guarded: []".to_vec(),
        };
        assert_eq!(read_layer_file(&files, "/w", &[]), found);
        assert_eq!(read_layer_file(&files, "/w/", &[]), found);
        for root in ["/x", "/w/below", "shop"] {
            assert_eq!(read_layer_file(&files, root, &[]), LayerFile::Absent, "{root}");
        }
        assert_eq!(read_layer_file(&NoFileSystem, "/w", &[]), LayerFile::Absent);
        let own = ["/w/countersign.yaml".to_owned()];
        assert_eq!(read_layer_file(&files, "/w", &own), LayerFile::Absent);
    }

    #[test]
    fn a_file_that_nobody_can_read_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repository");
        let file = root.join(LAYER_FILE);
        fs::create_dir(&root).unwrap();
        let files = RealFileSystem::new(AgentIdentity::current_user(), "");
        let read = || match read_layer_file(&files, root.to_str().unwrap(), &[]) {
            LayerFile::Unreadable { why, .. } => why,
            other => panic!("{other:?}"),
        };
        fs::write(folder.path().join("elsewhere.yaml"), "guarded: []").unwrap();
        symlink(folder.path().join("elsewhere.yaml"), &file).unwrap();
        assert_eq!(read(), "it is a link that leads out of the repository");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert_eq!(read(), "it is not a regular file");
        fs::remove_dir(&file).unwrap();
        fs::write(&file, vec![b'#'; 65_537]).unwrap();
        assert_eq!(read(), "it is larger than 65536 bytes");
        fs::remove_file(&file).unwrap();
        symlink("countersign.yaml", &file).unwrap();
        assert_eq!(read(), "it leads through too many links");
    }
}
