//! Creates a first graph if the user has none.

use crate::clock::SystemClock;
use crate::settings::Settings;
use countersign_console::{Failure, Page, out};
use countersign_engine::Clock;
use countersign_server::Credentials;
use countersign_setup::{GraphSearch, Starter};
use std::path::{Path, PathBuf};

/// The graph that is named or found; otherwise the one in the daemon's folder, created if needed.
pub(super) fn find_or_create_graph(
    named: Option<&Path>,
    folder: &Path,
    settings: &Settings,
) -> Result<PathBuf, Failure> {
    let search = GraphSearch { named, data: Some(folder), places: settings.graph_places() };
    if let Some(found) = search.find_for_daemon()? {
        return Ok(found.path);
    }
    // Credentials are made after the first graph was loaded.
    if Credentials::FILES.iter().any(|name| folder.join(name).exists()) {
        let message = format!(
            "the graph is gone that the daemon in `{}` had, so nothing is allowed",
            folder.display()
        );
        let help =
            "put it back, name one with `--graph FILE`, or write one with `countersign init`";
        return Err(Failure::new(message, help));
    }
    let path = folder.join("countersign.yaml");
    Starter::Coding.write(&path, SystemClock.now().date())?;
    let message = format!("there was no graph, so `{}` was created", path.display());
    out::eprint(&Page::from_line(&message));
    Ok(path)
}
