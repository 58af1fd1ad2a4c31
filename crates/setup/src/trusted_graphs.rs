//! Which graphs in working folders the operator has trusted, by path and content.
//!
//! Agents write in working folders, so a graph that is found there counts only after `countersign
//! graph trust`, and only as it was then. The list is in the data folder, which no agent may touch.

use crate::files;
use crate::graph_file::GraphContent;
use countersign_console::Failure;
use countersign_core::encoding::digest::Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const TRUSTED_GRAPHS_FILE: &str = "trusted-graphs.json";

/// The content of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustedList {
    /// By absolute path.
    graphs: BTreeMap<String, Digest>,
}

pub struct TrustedGraphs {
    file: PathBuf,
    list: TrustedList,
}

/// What the operator has said about a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustState {
    Trusted,
    /// Another version of it was trusted.
    Changed,
    Unknown,
}

impl TrustedGraphs {
    /// Reads the list. A list that another user could have written is refused.
    pub fn open(data: &Path) -> Result<Self, Failure> {
        let file = data.join(TRUSTED_GRAPHS_FILE);
        let list = match fs::symlink_metadata(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => TrustedList::default(),
            // A user who may not look into the folder cannot have trusted anything there.
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                TrustedList::default()
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                TrustedList::default()
            }
            Err(error) => return Err(Failure::file("read", &file, &error, "make it readable")),
            Ok(metadata) => {
                check_owner(&file, &metadata)?;
                read_list(&file)?
            }
        };
        Ok(Self { file, list })
    }

    pub fn state(&self, path: &Path, content: &GraphContent) -> TrustState {
        match path.to_str().and_then(|path| self.list.graphs.get(path)) {
            Some(trusted) if *trusted == digest(content) => TrustState::Trusted,
            Some(_) => TrustState::Changed,
            None => TrustState::Unknown,
        }
    }

    pub fn knows(&self, path: &Path) -> bool {
        path.to_str().is_some_and(|path| self.list.graphs.contains_key(path))
    }

    pub fn add(&mut self, path: &Path, content: &GraphContent) -> Result<(), Failure> {
        let name = path.to_str().ok_or_else(|| {
            Failure::usage("the path of the graph is not UTF-8", "move it to another folder")
        })?;
        self.list.graphs.insert(name.to_owned(), digest(content));
        self.write()
    }

    /// False if it was not trusted.
    pub fn remove(&mut self, path: &Path) -> Result<bool, Failure> {
        let removed = path.to_str().and_then(|path| self.list.graphs.remove(path));
        if removed.is_some() {
            self.write()?;
        }
        Ok(removed.is_some())
    }

    fn write(&self) -> Result<(), Failure> {
        let fail = |error: std::io::Error| {
            Failure::file("write", &self.file, &error, "make the folder writable; nothing changed")
        };
        if let Some(folder) = self.file.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(fail)?;
        }
        let mut text = serde_json::to_string_pretty(&self.list)
            .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
        text.push('\n');
        let new = self.file.with_extension(format!("{}.new", std::process::id()));
        let _left_over = fs::remove_file(&new);
        let written = File::options().write(true).create_new(true).mode(0o600).open(&new);
        let written = written.and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, &self.file)
        });
        written.map_err(|error| {
            let _already_gone = fs::remove_file(&new);
            fail(error)
        })
    }
}

fn read_list(file: &Path) -> Result<TrustedList, Failure> {
    serde_json::from_slice(&files::read(file)?).map_err(|error| {
        let message = format!("`{}` cannot be read: {error}", file.display());
        Failure::new(message, "remove it, then run `countersign graph trust` again")
    })
}

fn check_owner(file: &Path, metadata: &fs::Metadata) -> Result<(), Failure> {
    let user = rustix::process::geteuid().as_raw();
    let is_foreign = metadata.uid() != user && metadata.uid() != 0;
    if metadata.is_file() && metadata.mode() & 0o022 == 0 && !is_foreign {
        return Ok(());
    }
    let message = format!("another user can write `{}`", file.display());
    Err(Failure::new(message, "remove it, then run `countersign graph trust` again"))
}

/// Covers the graph and its policies. Every part is hashed first, so that no two contents give the
/// same bytes.
fn digest(content: &GraphContent) -> Digest {
    let hash = |bytes: &[u8]| *Digest::hash_bytes("trusted part", bytes).bytes();
    let mut parts = vec![hash(&content.graph)];
    for (name, bytes) in &content.policies {
        parts.push(hash(name.as_bytes()));
        parts.push(hash(bytes));
    }
    Digest::hash_parts("trusted graph", &parts)
}

/// The path under which a graph is trusted: its folder with links resolved, and its own name.
pub fn trusted_path(path: &Path) -> Result<PathBuf, Failure> {
    let fail = |error: std::io::Error| Failure::file("find", path, &error, "check the name");
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let folder = fs::canonicalize(folder).map_err(fail)?;
    Ok(folder.join(path.file_name().unwrap_or_default()))
}
