//! Which servers there are: their names, and how each is started or reached.

use crate::carrier::CarrierPort;
use crate::limits;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The name of a server, a part of the names of its tools: `mcp__SERVER__TOOL`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(Arc<str>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a server's name has letters, digits, `-` and single `_`, and `{0}` has not")]
pub struct ServerNameError(String);

impl ServerName {
    /// Two underscores would make the names of tools ambiguous, and other letters may look alike.
    pub fn parse(text: &str) -> Result<Self, ServerNameError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let is_valid = !text.is_empty()
            && text.len() <= limits::SERVER_NAME_BYTES
            && text.chars().all(is_plain)
            && !text.contains("__")
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !text.ends_with('_');
        match is_valid {
            true => Ok(Self(Arc::from(text))),
            false => Err(ServerNameError(text.chars().take(limits::SERVER_NAME_BYTES).collect())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A server and who named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    pub name: ServerName,
    pub launch: Launch,
    pub origin: ServerOrigin,
}

/// Who says that this server is to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerOrigin {
    /// The operator added it to the settings.
    Settings,
    /// A client named it. The operator is asked before it starts for the first time.
    Client,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    Process(ProcessSpec),
    /// Its client runs it, as another user than ours.
    AtClient(ClientServerSpec),
    Http(HttpSpec),
}

/// A server on stdio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSpec {
    /// The program and its arguments.
    pub command: Vec<String>,
    pub folder: Option<PathBuf>,
    /// The whole environment of the process.
    pub environment: Vec<(String, String)>,
    pub confinement: Confinement,
}

/// A server on stdio that its client runs. What it starts is what the client says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientServerSpec {
    pub command: Vec<String>,
    pub folder: PathBuf,
    pub port: Arc<CarrierPort>,
}

/// Whether a server process may write to our own folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// It may not, where the kernel can enforce it.
    OwnFoldersReadOnly,
    None,
}

/// A server on streamable HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSpec {
    pub url: String,
    pub headers: Vec<(String, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_plain_and_never_makes_a_tool_name_ambiguous() {
        for name in ["files", "my-server", "a_b", "9x"] {
            assert_eq!(ServerName::parse(name).unwrap().as_str(), name);
        }
        let long = "x".repeat(65);
        for name in ["", "a__b", "a_", "_a", "-a", "a b", "gіthub", "a.b", &long] {
            assert!(ServerName::parse(name).is_err(), "{name}");
        }
    }
}
