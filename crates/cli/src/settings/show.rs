//! `settings`: every key with the value that holds, and who said it.

use super::doors::Doors;
use super::{Setting, Settings, Source, keys};
use crate::args::SettingsArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, DIM, Page};
use crate::table::{self, Cell};
use serde_json::json;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

struct Row {
    key: &'static str,
    value: Option<String>,
    from: Source,
}

pub(crate) fn settings(args: &SettingsArgs) -> Result<Exit, Failure> {
    if args.example {
        out::show_bytes(keys::example().as_bytes())?;
        return Ok(Exit::Allowed);
    }
    let settings = Settings::load()?;
    let rows = settings.rows();
    if args.json {
        let all: Vec<_> = rows
            .iter()
            .map(|row| json!({"key": row.key, "value": row.value, "from": row.from.words()}))
            .collect();
        out::show_json(&json!({"file": settings.file, "settings": all}))?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    let lines: Vec<Vec<Cell>> = rows.iter().map(Row::cells).collect();
    table::draw(&mut page, &["KEY", "VALUE", "FROM"], &lines);
    match &settings.file {
        Some(file) => page.text("file ").text(&file.display().to_string()).end(),
        None => page.text("no settings file; `countersign settings --example` prints one").end(),
    };
    out::show(&page)?;
    Ok(Exit::Allowed)
}

impl Row {
    fn cells(&self) -> Vec<Cell> {
        let value = self.value.as_deref().unwrap_or_default();
        vec![Cell::styled(BOLD, self.key), Cell::new(value), Cell::styled(DIM, self.from.words())]
    }
}

impl Settings {
    fn rows(&self) -> Vec<Row> {
        let path = |path: &Option<PathBuf>| path.as_deref().map(shown);
        vec![
            self.data.row("data", path),
            self.store.row("store", |store| Some(without_address(store))),
            self.graph.row("graph", path),
            self.headless.row("headless", |headless| Some(headless.to_string())),
            self.solver.row("solver", |solver| Some(shown(Path::new(solver)))),
        ]
        .into_iter()
        .chain(self.doors.rows())
        .collect()
    }
}

impl Doors {
    fn rows(&self) -> Vec<Row> {
        let path = |path: &Option<PathBuf>| path.as_deref().map(shown);
        let some = |words: String| Some(words).filter(|words| !words.is_empty());
        vec![
            self.http.row("network.http", |http| Some(http.to_string())),
            self.names.row("network.names", |names| some(names.join(", "))),
            self.rate.row("network.rate", |rate| Some(rate.to_string())),
            self.agent.address.row("agent.address", |address| Some(address.to_string())),
            self.agent.port.row("agent.port", |port| Some(port.to_string())),
            self.socket.row("agent.socket", path),
            self.group.row("agent.group", Clone::clone),
            self.operator.address.row("operator.address", |address| Some(address.to_string())),
            self.operator.port.row("operator.port", |port| Some(port.to_string())),
            self.certificate.row("tls.certificate", path),
            self.key.row("tls.key", path),
        ]
    }
}

impl<T> Setting<T> {
    fn row(&self, key: &'static str, value: impl FnOnce(&T) -> Option<String>) -> Row {
        Row { key, value: value(&self.value), from: self.from }
    }
}

impl Source {
    const fn words(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "settings file",
            Self::Environment(name) => name,
        }
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// An address may hold a password.
fn without_address(store: &OsStr) -> String {
    let text = store.to_string_lossy();
    match text.split_once(':') {
        Some((keeper, _)) => format!("{keeper}:…"),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_shown() {
        let settings = Settings::load().unwrap();
        let shown: Vec<&str> = settings.rows().iter().map(|row| row.key).collect();
        assert_eq!(shown, keys::names().collect::<Vec<_>>());
    }

    #[test]
    fn an_address_is_not_shown() {
        assert_eq!(without_address(OsStr::new("postgres://me:secret@host/db")), "postgres:…");
        assert_eq!(without_address(OsStr::new("sqlite")), "sqlite");
    }
}
