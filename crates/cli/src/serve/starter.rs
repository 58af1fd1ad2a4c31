//! Creates a first graph if the user has none.

use crate::clock::SystemClock;
use crate::failure::Failure;
use crate::out;
use crate::page::Page;
use crate::settings::Settings;
use countersign_core::model::time::Date;
use countersign_engine::Clock;
use countersign_graph::Format;
use countersign_graph::review::stamp_review;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const STARTER: &str = include_str!("../../../../graphs/coding/countersign.yaml");

/// The graph that is named or found; otherwise the one in the daemon's folder, created if needed.
pub(super) fn find_or_create_graph(
    named: Option<&Path>,
    folder: &Path,
    settings: &Settings,
) -> Result<PathBuf, Failure> {
    if settings.has_graph(named) {
        return settings.find_graph(named);
    }
    let path = folder.join("countersign.yaml");
    match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => {
            let text = starter_graph(SystemClock.now().date());
            let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
            let help = "free some disk space";
            written.map_err(|error| Failure::file("write", &path, &error, help))?;
            let message = format!("there was no graph, so `{}` was created", path.display());
            out::eprint(&Page::from_line(&message));
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => {
            let help = "name a graph with `--graph FILE`";
            return Err(Failure::file("write", &path, &error, help));
        }
    }
    Ok(path)
}

/// Counts as reviewed today, so that its first review is due after one interval.
fn starter_graph(today: Date) -> String {
    stamp_review(STARTER, Format::Yaml, &[], today).unwrap_or_else(|_| STARTER.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::time::Time;

    #[test]
    fn a_starter_graph_counts_as_reviewed_today() {
        let today = Time::parse("2031-02-03T04:05:06Z").unwrap().date();
        assert_eq!(
            starter_graph(today),
            STARTER.replace("reviewed: 2026-01-05", "reviewed: 2031-02-03")
        );
    }
}
