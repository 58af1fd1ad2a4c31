//! Reads the settings file, in TOML. An unknown key is an error, and so is a file that another user
//! can write.

use super::keys;
use super::listen::{AgentSection, NetworkSection, OperatorSection, TlsSection};
use super::mcp::McpSection;
use countersign_console::{Failure, suggest};
use countersign_core::model::narrowed::NarrowingKind;
use countersign_setup::files;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The content of the file.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SettingsFile {
    pub(super) data: Option<PathBuf>,
    pub(super) store: Option<String>,
    pub(super) graph: Option<PathBuf>,
    pub(super) headless: Option<bool>,
    pub(super) solver: Option<String>,
    pub(super) questions: QuestionsSection,
    pub(super) narrowing: NarrowingSection,
    pub(super) network: NetworkSection,
    pub(super) agent: AgentSection,
    pub(super) operator: OperatorSection,
    pub(super) tls: TlsSection,
    pub(super) mcp: McpSection,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct QuestionsSection {
    pub(super) per_session: Option<usize>,
    pub(super) per_agent: Option<usize>,
    pub(super) in_all: Option<usize>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct NarrowingSection {
    pub(super) off: Option<Vec<NarrowingKind>>,
}

/// Reads a settings file that must exist.
pub(super) fn read_settings(path: &Path, home: Option<&str>) -> Result<SettingsFile, Failure> {
    let bytes = files::read(path)?;
    check_owner(path)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let message = format!("`{}` is not UTF-8", path.display());
        Failure::new(message, "save it again as UTF-8")
    })?;
    let mut values: SettingsFile =
        toml::from_str(&text).map_err(|error| parse_error(path, &text, &error))?;
    let paths = [
        ("data", &mut values.data),
        ("graph", &mut values.graph),
        ("socket", &mut values.agent.socket),
        ("certificate", &mut values.tls.certificate),
        ("key", &mut values.tls.key),
    ];
    for (key, named) in paths {
        if let Some(named) = named {
            *named = expand(named, home).ok_or_else(|| relative_path_error(path, key, named))?;
        }
    }
    Ok(values)
}

/// Only we or root may write the file, because it chooses the graph.
fn check_owner(path: &Path) -> Result<(), Failure> {
    let metadata = fs::metadata(path)
        .map_err(|error| Failure::file("read", path, &error, "make it readable"))?;
    let user = rustix::process::geteuid().as_raw();
    let is_writable_by_others = metadata.permissions().mode() & 0o022 != 0;
    if is_writable_by_others || (metadata.uid() != user && metadata.uid() != 0) {
        let message = format!("another user can write `{}`", path.display());
        let help = format!("run `chmod go-w {}`, and make sure that you own it", path.display());
        return Err(Failure::new(message, help));
    }
    Ok(())
}

/// The absolute path, whatever the current folder is.
fn expand(path: &Path, home: Option<&str>) -> Option<PathBuf> {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => Some(Path::new(home).join(rest)),
        _ if path.is_absolute() => Some(path.to_owned()),
        _ => None,
    }
}

fn relative_path_error(path: &Path, key: &str, named: &Path) -> Failure {
    let message =
        format!("`{}`: `{key} = \"{}\"` is a relative path", path.display(), named.display());
    Failure::new(message, "start it with `/` or `~/`")
}

fn parse_error(path: &Path, text: &str, error: &toml::de::Error) -> Failure {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let reason = error.message().lines().next().unwrap_or_default();
    let message = format!("`{}`, line {line}: {reason}", path.display());
    let unknown = reason.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    let similar = unknown.and_then(|word| suggest::similar_word(word, keys::names()));
    Failure::new(
        message,
        match similar {
            Some(key) => {
                format!("did you mean `{key}`? `countersign settings --example` lists all")
            }
            None => "`countersign settings --example` prints a valid file".to_owned(),
        },
    )
}
