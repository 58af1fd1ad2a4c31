//! A graph to begin with, for whoever has none.

use crate::failure::Failure;
use crate::out;
use crate::page::Page;
use crate::settings::Settings;
use countersign_core::model::time::Date;
use countersign_graph::Format;
use countersign_graph::review::stamp_review;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const STARTER: &str = include_str!("../../../../graphs/coding/countersign.yaml");

/// The graph that is named or found; else the one in the daemon's folder, made if it is not there.
pub(super) fn graph(
    given: Option<&Path>,
    folder: &Path,
    (settings, today): (&Settings, Date),
) -> Result<PathBuf, Failure> {
    if settings.has_graph(given) {
        return settings.find_graph(given);
    }
    let path = folder.join("countersign.yaml");
    let made = fs::OpenOptions::new().write(true).create_new(true).open(&path);
    match made {
        Ok(mut file) => {
            let written = file.write_all(begun(today).as_bytes()).and_then(|()| file.sync_all());
            written.map_err(|error| Failure::file("write", &path, &error, "make room for it"))?;
            let name = path.display();
            out::eprint(&Page::from_line(&format!(
                "there was no graph: `{name}` is one to begin with"
            )));
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => {
            return Err(Failure::file("write", &path, &error, "name a graph with `--graph FILE`"));
        }
    }
    Ok(path)
}

/// Whoever takes it into use today is asked to look at it again after its interval, and not at once.
fn begun(today: Date) -> String {
    stamp_review(STARTER, Format::Yaml, &[], today).unwrap_or_else(|_| STARTER.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::time::Time;

    #[test]
    fn it_is_dated_with_the_day_it_was_begun() {
        let today = Time::parse("2031-02-03T04:05:06Z").unwrap().date();
        assert_eq!(begun(today), STARTER.replace("reviewed: 2026-01-05", "reviewed: 2031-02-03"));
    }
}
