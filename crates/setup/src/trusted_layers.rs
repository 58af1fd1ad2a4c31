//! Which rules of repositories the operator has accepted, by path and content, and where they are.
//!
//! Agents write in repositories, so rules there that could allow more count only after `countersign
//! graph trust`, and only as they were then. The list is in the data folder, which no agent may touch.
//!
//! See docs/decisions/0137-a-repositorys-rules-are-a-layer.md.

use crate::files;
use countersign_console::Failure;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::names::Project;
use countersign_engine::LayerTrust;
use countersign_graph::layer::{LAYER_FILE, Layer, parse_layer};
use countersign_observe::{FileSystem, LayerFile, find_session_place, read_layer_file};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const TRUSTED_LAYERS_FILE: &str = "trusted-layers.json";

/// The content of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustedList {
    /// By absolute path.
    layers: BTreeMap<String, Digest>,
}

pub struct TrustedLayers {
    file: PathBuf,
    list: TrustedList,
}

/// What the operator has said about the rules of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustState {
    Trusted,
    /// Another version of them was trusted.
    Changed,
    Unknown,
}

impl TrustedLayers {
    /// Reads the list. A list that another user could have written is refused.
    pub fn open(data: &Path) -> Result<Self, Failure> {
        let file = data.join(TRUSTED_LAYERS_FILE);
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

    pub fn state(&self, path: &str, hash: &Digest) -> TrustState {
        match self.list.layers.get(path) {
            Some(trusted) if trusted == hash => TrustState::Trusted,
            Some(_) => TrustState::Changed,
            None => TrustState::Unknown,
        }
    }

    pub fn add(&mut self, path: &str, hash: Digest) -> Result<(), Failure> {
        self.list.layers.insert(path.to_owned(), hash);
        self.write()
    }

    /// False if it was not trusted.
    pub fn remove(&mut self, path: &str) -> Result<bool, Failure> {
        let removed = self.list.layers.remove(path);
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

/// What an engine asks for each decision: the list is read again, so a new version counts at once. A
/// list that cannot be read trusts nothing.
pub fn trust_in(data: Option<PathBuf>) -> LayerTrust {
    Box::new(move |path, hash| {
        let list = data.as_deref().and_then(|data| TrustedLayers::open(data).ok());
        list.is_some_and(|list| list.state(path, hash) == TrustState::Trusted)
    })
}

/// The rules of a repository as they are on the disk.
pub struct FoundLayer {
    /// With its links followed.
    pub path: String,
    pub layer: Layer,
}

/// The root of the repository that a folder belongs to, or the folder itself.
pub fn find_repository_root(
    files: &dyn FileSystem,
    home: Option<&str>,
    folder: &Path,
) -> Result<String, Failure> {
    let help = "name a folder";
    let absolute =
        std::path::absolute(folder).map_err(|error| Failure::file("find", folder, &error, help))?;
    let text = absolute.to_str().unwrap_or_default();
    let named = Project::parse(text).map_err(|error| Failure::usage(error.to_string(), help))?;
    let place = find_session_place(files, &named, home);
    Ok(place.folders.root.unwrap_or_else(|| place.project.as_str().to_owned()))
}

/// Reads the rules of the repository around a folder. None if it has none.
pub fn find_layer(
    files: &dyn FileSystem,
    home: Option<&str>,
    folder: &Path,
) -> Result<Option<FoundLayer>, Failure> {
    let root = find_repository_root(files, home, folder)?;
    match read_layer_file(files, &root, &[]) {
        LayerFile::Absent => Ok(None),
        LayerFile::Unreadable { path, why } => {
            let message =
                format!("`{path}` cannot be read: {why}; until then everything asks there");
            Err(Failure::new(message, format!("make it a plain file in {root}, or remove it")))
        }
        LayerFile::Found { path, bytes } => {
            let layer = parse_layer(&path, &bytes)?;
            Ok(Some(FoundLayer { path, layer }))
        }
    }
}

/// Where the rules of a repository stand, for one that may have none yet.
pub fn layer_path(root: &str) -> PathBuf {
    Path::new(root).join(LAYER_FILE)
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
