//! A graph to begin with, for whoever has none.

use crate::failure::Failure;
use crate::out;
use crate::page::Page;
use crate::settings::Settings;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const STARTER: &str = include_str!("../../../../graphs/coding/countersign.yaml");

/// The graph that is named or found; else the one in the daemon's folder, made if it is not there.
pub(super) fn graph(
    given: Option<&Path>,
    folder: &Path,
    settings: &Settings,
) -> Result<PathBuf, Failure> {
    if settings.has_graph(given) {
        return settings.graph(given);
    }
    let path = folder.join("countersign.yaml");
    let made = fs::OpenOptions::new().write(true).create_new(true).open(&path);
    match made {
        Ok(mut file) => {
            let written = file.write_all(STARTER.as_bytes()).and_then(|()| file.sync_all());
            written.map_err(|error| Failure::file(("write", &path), &error, "make room for it"))?;
            let name = path.display();
            out::tell(&Page::of(&format!("there was no graph: `{name}` is one to begin with")));
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => {
            return Err(Failure::file(
                ("write", &path),
                &error,
                "name a graph with `--graph FILE`",
            ));
        }
    }
    Ok(path)
}
