//! The file of pins, in the daemon's folder.
//!
//! A pin is written when a call is carried out that the operator, or a rule of the graph, allowed. The
//! ledger has that call. Each node of a shared record has pins of its own.

use super::server_identity::ServerIdentity;
use crate::locks::lock;
use crate::upstream::ListedTool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const FILE: &str = "mcp-pins.json";

pub(crate) struct Pins {
    path: PathBuf,
    pinned: Mutex<PinFile>,
    /// Held while a change is written, so that two changes cannot overwrite each other.
    writing: tokio::sync::Mutex<()>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PinFile {
    servers: BTreeMap<String, ServerIdentity>,
    /// By server, then by tool.
    tools: BTreeMap<String, BTreeMap<String, ToolPin>>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolPin {
    fingerprint: String,
    /// The definition as it was, to show what changed.
    definition: String,
}

/// A tool as its server defines it.
pub(crate) struct DefinedTool<'t> {
    pub(crate) server: &'t str,
    pub(crate) name: &'t str,
    pub(crate) definition: &'t ListedTool,
}

/// How a tool's definition compares with its pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PinState {
    New,
    Same,
    /// The definition that was pinned.
    Changed(String),
}

impl Pins {
    pub(crate) fn load(folder: &Path) -> Result<Self, String> {
        let path = folder.join(FILE);
        let pinned = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?,
            Err(error) if error.kind() == ErrorKind::NotFound => PinFile::default(),
            Err(error) => return Err(format!("`{}` cannot be read: {error}", path.display())),
        };
        Ok(Self { path, pinned: Mutex::new(pinned), writing: tokio::sync::Mutex::default() })
    }

    pub(crate) fn is_server_pinned(&self, name: &str, identity: &ServerIdentity) -> bool {
        lock(&self.pinned).servers.get(name) == Some(identity)
    }

    pub(crate) async fn pin_server(
        &self,
        name: &str,
        identity: &ServerIdentity,
    ) -> Result<(), String> {
        self.change(|file| {
            file.servers.insert(name.to_owned(), identity.clone());
        })
        .await
    }

    pub(super) fn compare_tool(&self, tool: &DefinedTool<'_>) -> PinState {
        let pinned = lock(&self.pinned);
        match pinned.tools.get(tool.server).and_then(|tools| tools.get(tool.name)) {
            None => PinState::New,
            Some(pin) if pin.fingerprint == tool.definition.fingerprint() => PinState::Same,
            Some(pin) => PinState::Changed(pin.definition.clone()),
        }
    }

    /// A tool as it was pinned.
    pub(crate) fn find_definition(&self, server: &str, tool: &str) -> Option<ListedTool> {
        let pinned = lock(&self.pinned);
        let pin = pinned.tools.get(server)?.get(tool)?;
        ListedTool::read(&pin.definition).map(|(_, definition)| definition)
    }

    pub(super) async fn pin_tool(&self, tool: &DefinedTool<'_>) -> Result<(), String> {
        let definition = tool.definition.pinned.clone();
        let pin = ToolPin { fingerprint: tool.definition.fingerprint(), definition };
        self.change(|file| {
            let tools = file.tools.entry(tool.server.to_owned()).or_default();
            tools.insert(tool.name.to_owned(), pin);
        })
        .await
    }

    /// Counts only once it is on the disk.
    async fn change(&self, change: impl FnOnce(&mut PinFile)) -> Result<(), String> {
        let _writing = self.writing.lock().await;
        let mut file = lock(&self.pinned).clone();
        change(&mut file);
        let (path, written) = (self.path.clone(), file.clone());
        let failure = |error: std::io::Error| format!("a pin cannot be written: {error}");
        let done = tokio::task::spawn_blocking(move || write_file(&path, &written)).await;
        done.map_err(|_| "a pin cannot be written".to_owned())?.map_err(failure)?;
        *lock(&self.pinned) = file;
        Ok(())
    }
}

fn write_file(path: &Path, file: &PinFile) -> std::io::Result<()> {
    let text = serde_json::to_vec_pretty(file)?;
    let new = path.with_extension("json.new");
    let options = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new);
    let mut written: File = options?;
    written.write_all(&text)?;
    written.sync_all()?;
    fs::rename(&new, path)
}
