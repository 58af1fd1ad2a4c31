//! Creates a first graph if the user has none.

use crate::clock::SystemClock;
use crate::settings::Settings;
use countersign_console::{Failure, Page, out};
use countersign_engine::Clock;
use countersign_setup::{GraphOrigin, GraphSearch, Starter};
use std::path::{Path, PathBuf};

/// The graph that is named or found; otherwise the one in the daemon's folder, created if needed.
pub(super) fn find_or_create_graph(
    named: Option<&Path>,
    folder: &Path,
    settings: &Settings,
) -> Result<(PathBuf, GraphOrigin), Failure> {
    let search = GraphSearch { named, data: Some(folder), places: settings.graph_places() };
    if let Some(found) = search.find_for_daemon()? {
        found.warn_if_skipped();
        return Ok((found.path, found.origin));
    }
    let path = folder.join("countersign.yaml");
    Starter::Coding.write(&path, SystemClock.now().date())?;
    let message = format!("there was no graph, so `{}` was created", path.display());
    out::eprint(&Page::from_line(&message));
    Ok((path, GraphOrigin::DataFolder))
}
