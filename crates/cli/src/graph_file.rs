//! The operator's graph as a file, with the policies of its folder: found, read and understood, or
//! refused.

use crate::failure::Failure;
use crate::files;
use crate::settings::Settings;
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, LoadedGraph, Problem, Problems, load_graph_with_policies};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// What policies are kept in.
const POLICIES: &str = "cedar";
/// What may lie beside them: pages, and schemas for an editor.
const BESIDE: &[&str] = &["md", "txt", "cedarschema"];

pub(crate) struct GraphFile {
    pub(crate) path: PathBuf,
    /// As it is shown.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) format: Format,
    pub(crate) loaded: LoadedGraph,
}

impl GraphFile {
    pub(crate) fn open(given: Option<&Path>, settings: &Settings) -> Result<Self, Failure> {
        let path = settings.graph(given)?;
        let name = path.display().to_string();
        let bytes = files::read(&path)?;
        let format = Format::from_path(&name).ok_or_else(|| unknown_format(&name))?;
        let folder = |folder: &str| policies(&path, folder);
        let loaded = load_graph_with_policies(&name, &bytes, format, &folder)?;
        Ok(Self { path, name, bytes, format, loaded })
    }

    /// Warnings about this file, with its text.
    pub(crate) fn problems(&self, list: Vec<Problem>) -> Problems {
        Problems::new(&self.name, &self.bytes, list)
    }

    /// The names of its policies.
    pub(crate) fn policies(&self) -> &[String] {
        self.loaded.policies.as_ref().map_or(&[], |rules| rules.names())
    }

    pub(crate) fn json(&self) -> Value {
        json!({"file": self.name, "hash": self.loaded.graph.hash.to_string()})
    }
}

/// The files of a folder beside the graph, in the order of their names. Anything that looks like a
/// policy and would not be read is refused.
fn policies(graph: &Path, folder: &str) -> Result<Vec<PolicyFile>, String> {
    let folder = graph.parent().unwrap_or(Path::new("")).join(folder);
    let shown = folder.display();
    let cannot = |error: std::io::Error| {
        let text = error.to_string();
        let why = text.split(" (os error").next().unwrap_or_default().to_lowercase();
        format!("cannot read the folder `{shown}`: {why}")
    };
    let mut paths = fs::read_dir(&folder)
        .and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
        })
        .map_err(cannot)?;
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if ending == POLICIES && !name.starts_with('.') {
            let bytes = files::read(&path).map_err(said)?;
            sources.push(PolicyFile { name, display_path: path.display().to_string(), bytes });
        } else if !BESIDE.contains(&ending) && !name.starts_with('.') {
            let path = path.display();
            return Err(format!("`{path}` lies among the policies and does not end in `.cedar`"));
        }
    }
    if sources.is_empty() {
        return Err(format!("the folder `{shown}` holds no policy"));
    }
    Ok(sources)
}

fn said(failure: Failure) -> String {
    match failure {
        Failure::Said { message, .. } => message,
        Failure::Problems(_) | Failure::Unheard => "a policy file cannot be read".to_owned(),
    }
}

fn unknown_format(name: &str) -> Failure {
    Failure::new(
        format!("the name of the graph `{name}` does not say what format it has"),
        "let it end in `.yaml`, `.toml` or `.json`",
    )
}
