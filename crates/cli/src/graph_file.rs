//! The operator's graph as a file: found, read and understood, or refused.

use crate::failure::Failure;
use crate::files;
use crate::settings::Settings;
use countersign_graph::{Format, Loaded, Problem, Problems};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) struct GraphFile {
    pub(crate) path: PathBuf,
    /// As it is shown.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) format: Format,
    pub(crate) loaded: Loaded,
}

impl GraphFile {
    pub(crate) fn open(given: Option<&Path>, settings: &Settings) -> Result<Self, Failure> {
        let path = settings.graph(given)?;
        let name = path.display().to_string();
        let bytes = files::read(&path)?;
        let format = Format::from_path(&name).ok_or_else(|| unknown_format(&name))?;
        let loaded = countersign_graph::read(&name, &bytes, format)?;
        Ok(Self { path, name, bytes, format, loaded })
    }

    /// Warnings about this file, with its text.
    pub(crate) fn problems(&self, list: Vec<Problem>) -> Problems {
        Problems::new(&self.name, &self.bytes, list)
    }

    pub(crate) fn json(&self) -> Value {
        json!({"file": self.name, "hash": self.loaded.graph.hash.to_string()})
    }
}

fn unknown_format(name: &str) -> Failure {
    Failure::new(
        format!("the name of the graph `{name}` does not say what format it has"),
        "let it end in `.yaml`, `.toml` or `.json`",
    )
}
