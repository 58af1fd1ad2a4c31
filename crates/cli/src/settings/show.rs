//! `settings`: every key with its value in force, and where the value comes from.

use super::listen::ListenSettings;
use super::{Setting, SettingSource, Settings, keys};
use clap::Args;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, DIM, Exit, Failure, Page, out};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(about = "Show the settings in force, and where each comes from")]
#[command(before_help = "\
Examples:
  countersign settings
  countersign settings --example > ~/.config/countersign/settings.toml

Options override variables of the environment, and variables override the settings file. The file
is the one in COUNTERSIGN_SETTINGS, else countersign/settings.toml in the user's config folder.")]
pub(crate) struct SettingsArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a settings file that describes every key
    #[arg(long, conflicts_with = "json")]
    pub(crate) example: bool,
}

struct SettingRow {
    key: &'static str,
    value: Option<String>,
    source: SettingSource,
}

pub(crate) fn settings(args: &SettingsArgs) -> Result<Exit, Failure> {
    if args.example {
        out::show_bytes(keys::example_file().as_bytes())?;
        return Ok(Exit::Allowed);
    }
    let settings = Settings::load()?;
    let rows = settings.rows();
    if args.json {
        out::show_json(&settings.to_json())?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    let lines: Vec<Vec<TableCell>> = rows.iter().map(SettingRow::cells).collect();
    table::draw(&mut page, &["KEY", "VALUE", "FROM"], &lines);
    match &settings.file {
        Some(file) => page.text("file ").text(&file.display().to_string()).end(),
        None => page.text("no settings file; `countersign settings --example` prints one").end(),
    };
    out::show(&page)?;
    Ok(Exit::Allowed)
}

impl SettingRow {
    fn cells(&self) -> Vec<TableCell> {
        let value = self.value.as_deref().unwrap_or_default();
        vec![
            TableCell::styled(BOLD, self.key),
            TableCell::new(value),
            TableCell::styled(DIM, self.source.word()),
        ]
    }
}

impl Settings {
    /// All settings but secrets.
    pub(crate) fn to_json(&self) -> Value {
        let rows = self.rows();
        let values: Vec<_> = rows
            .iter()
            .map(|row| json!({"key": row.key, "value": row.value, "from": row.source.word()}))
            .collect();
        json!({"file": self.file, "settings": values})
    }

    fn rows(&self) -> Vec<SettingRow> {
        let path = |path: &Option<PathBuf>| path.as_deref().map(display_path);
        vec![
            self.data.row("data", path),
            self.store.row("store", |store| Some(hide_address(store))),
            self.graph.row("graph", path),
            self.headless.row("headless", |headless| Some(headless.to_string())),
            self.solver.row("solver", |solver| Some(display_path(Path::new(solver)))),
            self.questions_per_session
                .row("questions.per_session", |count| Some(count.to_string())),
            self.questions_per_agent.row("questions.per_agent", |count| Some(count.to_string())),
            self.questions_in_all.row("questions.in_all", |count| Some(count.to_string())),
            self.narrowing_off.row("narrowing.off", |kinds| {
                let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
                Some(words.join(", ")).filter(|words| !words.is_empty())
            }),
        ]
        .into_iter()
        .chain(self.listen.rows())
        .chain([self.mcp_hold_seconds.row("mcp.hold_seconds", |hold| hold.map(|s| s.to_string()))])
        .collect()
    }
}

impl ListenSettings {
    fn rows(&self) -> Vec<SettingRow> {
        let path = |path: &Option<PathBuf>| path.as_deref().map(display_path);
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
    fn row(&self, key: &'static str, value: impl FnOnce(&T) -> Option<String>) -> SettingRow {
        SettingRow { key, value: value(&self.value), source: self.source }
    }
}

impl SettingSource {
    const fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "settings file",
            Self::Environment(name) => name,
        }
    }
}

fn display_path(path: &Path) -> String {
    path.display().to_string()
}

/// Hides the address of a database, because it may contain a password.
fn hide_address(store: &OsStr) -> String {
    let text = store.to_string_lossy();
    match text.split_once(':') {
        Some((kind, _)) => format!("{kind}:…"),
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
        assert_eq!(hide_address(OsStr::new("postgres://me:secret@host/db")), "postgres:…");
        assert_eq!(hide_address(OsStr::new("sqlite")), "sqlite");
    }
}
