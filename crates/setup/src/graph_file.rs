//! Loads the operator's graph and the policies of its folder.

use crate::files;
use countersign_console::{Failure, Page, describe_io_error, out};
use countersign_core::encoding::digest::Digest;
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, LoadedGraph, Problem, Problems, load_graph_with_policies};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

const POLICY_EXTENSION: &str = "cedar";
/// Files that a policy folder may contain besides policies: documents, and schemas for editors.
const IGNORED_EXTENSIONS: &[&str] = &["md", "txt", "cedarschema"];

pub struct GraphFile {
    pub path: PathBuf,
    /// The path as it is displayed.
    pub name: String,
    pub bytes: Vec<u8>,
    pub format: Format,
    pub loaded: LoadedGraph,
    /// The folder of policies that the graph names.
    pub policy_folder: Option<PathBuf>,
    /// Why this file is read.
    pub origin: GraphOrigin,
}

/// What was read of a graph and its policies, whether or not they are valid.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct GraphContent {
    pub graph: Vec<u8>,
    pub policy_folder: Option<PathBuf>,
    pub policies: Vec<(String, Vec<u8>)>,
}

/// Why this graph is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphOrigin {
    CommandLine,
    /// The running daemon uses it, in the version with this hash.
    Daemon(Option<Digest>),
    /// Named by a variable of the environment or a key of the settings file.
    Setting(&'static str),
    ConfigFolder,
    DataFolder,
}

impl GraphOrigin {
    pub const fn describe(self) -> &'static str {
        match self {
            Self::CommandLine => "as you named it",
            Self::Daemon(_) => "the running daemon uses it",
            Self::Setting(name) => name,
            Self::ConfigFolder => "in your config folder",
            Self::DataFolder => "in the daemon's folder",
        }
    }
}

impl GraphFile {
    /// Loads a file that the command line names.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Self::read(path.to_owned()).1
    }

    /// Also returns what was read.
    pub fn read(path: PathBuf) -> (GraphContent, Result<Self, Failure>) {
        let content = RefCell::default();
        let file = Self::load(path, &content);
        (content.into_inner(), file)
    }

    /// The same file with another text, which nobody has written yet.
    pub fn with_text(&self, text: &str) -> Result<Self, Failure> {
        let bytes = text.as_bytes().to_vec();
        let changed = Self::load_bytes(self.path.clone(), bytes, &RefCell::default())?;
        Ok(Self { origin: self.origin, ..changed })
    }

    fn load(path: PathBuf, content: &RefCell<GraphContent>) -> Result<Self, Failure> {
        let bytes = files::read(&path)?;
        Self::load_bytes(path, bytes, content)
    }

    fn load_bytes(
        path: PathBuf,
        bytes: Vec<u8>,
        content: &RefCell<GraphContent>,
    ) -> Result<Self, Failure> {
        let name = path.display().to_string();
        content.borrow_mut().graph.clone_from(&bytes);
        let format = Format::from_path(&name).ok_or_else(|| unknown_format_error(&name))?;
        let read_folder = |folder: &str| {
            let folder = path.parent().unwrap_or(Path::new("")).join(folder);
            let mut content = content.borrow_mut();
            content.policy_folder = Some(folder.clone());
            let files = read_policies(&folder)?;
            content.policies =
                files.iter().map(|file| (file.name.clone(), file.bytes.clone())).collect();
            Ok(files)
        };
        let loaded = load_graph_with_policies(&name, &bytes, format, &read_folder)?;
        let policy_folder = content.borrow().policy_folder.clone();
        let origin = GraphOrigin::CommandLine;
        Ok(Self { path, name, bytes, format, loaded, policy_folder, origin })
    }

    pub fn problems(&self, list: Vec<Problem>) -> Problems {
        Problems::new(&self.name, &self.bytes, list)
    }

    pub fn policy_names(&self) -> &[String] {
        self.loaded.policies.as_ref().map_or(&[], |rules| rules.names())
    }

    /// Says on stderr which graph the result is about, unless the command line named it.
    pub fn announce(&self) {
        let why = match self.origin {
            GraphOrigin::CommandLine => return,
            GraphOrigin::Daemon(Some(hash)) if hash != self.loaded.graph.hash => {
                "the running daemon still uses another version of it"
            }
            origin => origin.describe(),
        };
        out::eprint(&Page::from_line(&format!("graph: {} ({why})", self.name)));
    }

    pub fn to_json(&self) -> Value {
        json!({"file": self.name, "hash": self.loaded.graph.hash.to_string()})
    }
}

/// Reads a policy folder, sorted by file name. A file of an unknown kind is an error: it
/// may be a policy with a misspelt extension.
fn read_policies(folder: &Path) -> Result<Vec<PolicyFile>, String> {
    let shown = folder.display();
    let fail = |error: std::io::Error| {
        format!("cannot read the folder `{shown}`: {}", describe_io_error(&error))
    };
    let mut paths = fs::read_dir(folder)
        .and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
        })
        .map_err(fail)?;
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        let extension = path.extension().and_then(|name| name.to_str()).unwrap_or_default();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if extension == POLICY_EXTENSION && !name.starts_with('.') {
            let bytes = files::read(&path).map_err(failure_message)?;
            sources.push(PolicyFile { name, display_path: path.display().to_string(), bytes });
        } else if !IGNORED_EXTENSIONS.contains(&extension) && !name.starts_with('.') {
            let path = path.display();
            return Err(format!("`{path}` is in the policy folder but does not end in `.cedar`"));
        }
    }
    if sources.is_empty() {
        return Err(format!("the folder `{shown}` contains no policy"));
    }
    Ok(sources)
}

fn failure_message(failure: Failure) -> String {
    match failure {
        Failure::Message { message, .. } => message,
        Failure::Problems(_) | Failure::OutputClosed => "a policy file cannot be read".to_owned(),
    }
}

fn unknown_format_error(name: &str) -> Failure {
    Failure::new(
        format!("the format of the graph `{name}` is not known"),
        "rename it so that it ends in `.yaml`, `.toml` or `.json`",
    )
}
