//! The settings file: TOML, read strictly. A key that nobody knows is an error, and so is a file
//! that somebody else could have written.

use super::doors::{AgentForm, NetworkForm, OperatorForm, TlsForm};
use super::keys;
use crate::failure::Failure;
use crate::files;
use crate::suggest;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// What the file can say. What it leaves out is decided elsewhere.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Form {
    pub(super) data: Option<PathBuf>,
    pub(super) store: Option<String>,
    pub(super) graph: Option<PathBuf>,
    pub(super) headless: Option<bool>,
    pub(super) solver: Option<String>,
    pub(super) network: NetworkForm,
    pub(super) agent: AgentForm,
    pub(super) operator: OperatorForm,
    pub(super) tls: TlsForm,
}

/// Reads the file at a place where it has to be.
pub(super) fn read(path: &Path, home: Option<&str>) -> Result<Form, Failure> {
    let bytes = files::read(path)?;
    only_ours(path)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let message = format!("`{}` is not text in UTF-8", path.display());
        Failure::new(message, "save it again as UTF-8")
    })?;
    let mut form: Form = toml::from_str(&text).map_err(|error| unread(path, &text, &error))?;
    let paths = [
        ("data", &mut form.data),
        ("graph", &mut form.graph),
        ("socket", &mut form.agent.socket),
        ("certificate", &mut form.tls.certificate),
        ("key", &mut form.tls.key),
    ];
    for (key, named) in paths {
        if let Some(named) = named {
            *named = whole(named, home).ok_or_else(|| relative(path, key, named))?;
        }
    }
    Ok(form)
}

/// Whoever can write the settings can say which graph holds, so it is only us, or root.
fn only_ours(path: &Path) -> Result<(), Failure> {
    let known = fs::metadata(path)
        .map_err(|error| Failure::file(("read", path), &error, "make it readable"))?;
    let us = rustix::process::geteuid().as_raw();
    let others_write = known.permissions().mode() & 0o022 != 0;
    if others_write || (known.uid() != us && known.uid() != 0) {
        let message = format!("`{}` can be written by somebody else", path.display());
        let help = format!("make it yours alone: chmod go-w {}", path.display());
        return Err(Failure::new(message, help));
    }
    Ok(())
}

/// A path that means the same wherever a command is typed.
fn whole(path: &Path, home: Option<&str>) -> Option<PathBuf> {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => Some(Path::new(home).join(rest)),
        _ if path.is_absolute() => Some(path.to_owned()),
        _ => None,
    }
}

fn relative(path: &Path, key: &str, named: &Path) -> Failure {
    let message = format!(
        "`{}`: `{key} = \"{}\"` means another place in every folder",
        path.display(),
        named.display()
    );
    Failure::new(message, "begin it with `/` or `~/`")
}

fn unread(path: &Path, text: &str, error: &toml::de::Error) -> Failure {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let said = error.message().lines().next().unwrap_or_default();
    let message = format!("`{}`, line {line}: {said}", path.display());
    let unknown = said.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    let near = unknown.and_then(|word| suggest::word(word, keys::names()));
    Failure::new(
        message,
        match near {
            Some(near) => format!(
                "did you mean `{near}`? `countersign settings --example` tells about all of them"
            ),
            None => "`countersign settings --example` prints a whole file".to_owned(),
        },
    )
}
