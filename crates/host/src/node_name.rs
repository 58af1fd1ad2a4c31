//! The name of this node among those that share a database.
//!
//! A node keeps its name across restarts, so the name is stored in the daemon's own folder. An
//! operator can write another name there.

use countersign_core::model::names::{NameError, NodeName};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

const FILE: &str = "node-name";

#[derive(Debug, thiserror::Error)]
pub enum NodeNameError {
    #[error("cannot read or write the node's name in `{path}`: {error}")]
    File { path: PathBuf, error: std::io::Error },
    #[error("`{path}` does not contain the name of a node: {error}")]
    Name { path: PathBuf, error: NameError },
}

/// Reads the node's name from its folder, or makes one from these random bits and stores it.
pub fn load_node_name(folder: &Path, random: u64) -> Result<NodeName, NodeNameError> {
    let path = folder.join(FILE);
    let file_error = |error| NodeNameError::File { path: path.clone(), error };
    let text = match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => {
            let name = format!("node-{random:016x}");
            file.write_all(format!("{name}\n").as_bytes())
                .and_then(|()| file.sync_all())
                .map_err(file_error)?;
            name
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            std::fs::read_to_string(&path).map_err(file_error)?
        }
        Err(error) => return Err(file_error(error)),
    };
    NodeName::parse(text.trim()).map_err(|error| NodeNameError::Name { path, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_keeps_its_first_name_and_two_folders_have_two_names() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let first = load_node_name(one.path(), 1).unwrap();
        assert_eq!(first.as_str(), "node-0000000000000001");
        assert_eq!(load_node_name(one.path(), 2).unwrap(), first);
        assert_ne!(load_node_name(other.path(), 2).unwrap(), first);
    }

    #[test]
    fn an_operator_can_choose_the_name_and_a_bad_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "office\n").unwrap();
        assert_eq!(load_node_name(folder.path(), 1).unwrap().as_str(), "office");
        std::fs::write(folder.path().join(FILE), "\n").unwrap();
        let error = load_node_name(folder.path(), 1).unwrap_err();
        assert!(error.to_string().contains("does not contain the name of a node"), "{error}");
    }
}
