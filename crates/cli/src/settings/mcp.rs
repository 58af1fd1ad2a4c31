//! The servers of the settings file, and how long calls are held.

use super::Settings;
use countersign_console::Failure;
use countersign_gateway::{
    Confinement, HttpSpec, Launch, ProcessSpec, ServerName, ServerOrigin, ServerSpec,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct McpSection {
    pub(super) hold_seconds: Option<u64>,
    pub(super) servers: BTreeMap<String, ServerSection>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ServerSection {
    command: Option<Vec<String>>,
    folder: Option<PathBuf>,
    environment: BTreeMap<String, String>,
    confined: Option<bool>,
    url: Option<String>,
    headers: BTreeMap<String, String>,
}

/// What the example file says about servers. They have names of their own, so they are no fixed keys.
pub(super) const EXAMPLE: &str = "
# MCP servers for `countersign mcp serve` and for the HTTP endpoint, one table for each. Write them
# with `countersign mcp add`.
#
# [mcp.servers.files]
# command = [\"npx\", \"-y\", \"@modelcontextprotocol/server-filesystem\", \"/home/me/notes\"]
# folder = \"/home/me\"
# confined = true
#
# [mcp.servers.files.environment]
# LOG_LEVEL = \"info\"
#
# [mcp.servers.issues]
# url = \"https://issues.example/mcp\"
#
# [mcp.servers.issues.headers]
# Authorization = \"Bearer TOKEN\"
";

impl Settings {
    /// The servers that the operator added.
    pub(crate) fn mcp_servers(&self) -> Result<Vec<ServerSpec>, Failure> {
        self.mcp_servers.iter().map(|(name, section)| self.read_server(name, section)).collect()
    }

    fn read_server(&self, name: &str, section: &ServerSection) -> Result<ServerSpec, Failure> {
        let wrong = |message: String| {
            Failure::new(format!("the server `{name}` in the settings: {message}"), "correct it")
        };
        let launch = match (&section.command, &section.url) {
            (Some(command), None) if !command.is_empty() => Launch::Process(ProcessSpec {
                command: command.clone(),
                folder: section.folder.clone().or_else(|| self.home.clone().map(PathBuf::from)),
                environment: self.server_environment(&section.environment),
                confinement: match section.confined {
                    Some(false) => Confinement::None,
                    Some(true) | None => Confinement::OwnFoldersReadOnly,
                },
            }),
            (None, Some(url)) => Launch::Http(HttpSpec {
                url: url.clone(),
                headers: section.headers.clone().into_iter().collect(),
            }),
            _ => return Err(wrong("it has either a command or a url".to_owned())),
        };
        let name = ServerName::parse(name).map_err(|error| wrong(error.to_string()))?;
        Ok(ServerSpec { name, launch, origin: ServerOrigin::Settings })
    }

    /// Our own environment without what concerns Countersign, and what the settings add.
    pub(crate) fn server_environment(
        &self,
        added: &BTreeMap<String, String>,
    ) -> Vec<(String, String)> {
        let own = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let mut environment: BTreeMap<String, String> =
            own.filter(|(name, _)| !name.starts_with("COUNTERSIGN_")).collect();
        environment.extend(added.clone());
        environment.into_iter().collect()
    }

    pub(crate) fn mcp_answer_wait(&self) -> Option<std::time::Duration> {
        self.mcp_hold_seconds.value.map(std::time::Duration::from_secs)
    }

    /// Where the settings file is, or would be.
    pub(crate) fn settings_place(&self) -> Option<PathBuf> {
        self.file.clone().or_else(|| self.file_place.clone())
    }
}
