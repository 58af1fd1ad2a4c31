//! What a client's configuration need not say: the server's name, the session, the environment.

use countersign_console::Failure;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::names::SessionName;
use countersign_gateway::ServerName;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Programs that start another one, and words between the two.
const LAUNCHERS: [&str; 20] = [
    "npx", "bunx", "uvx", "uv", "pipx", "npm", "pnpm", "yarn", "bun", "deno", "node", "python",
    "python3", "docker", "podman", "run", "exec", "dlx", "tool", "env",
];

/// Beginnings that say nothing about which server it is.
const COMMON_STARTS: [&str; 4] = ["mcp-server-", "server-", "mcp-", "mcp_server_"];

pub(super) fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir()
        .map_err(|error| Failure::file("find", Path::new("."), &error, "change to another folder"))
}

/// The first word of a command that is neither an option nor a launcher, in short.
pub(super) fn server_name(command: &[String]) -> Result<ServerName, Failure> {
    let last_part = |word: &str| {
        let part = word.rsplit('/').next().unwrap_or(word);
        let part = part.split('@').next().unwrap_or(part);
        part.strip_suffix(".py").or_else(|| part.strip_suffix(".js")).unwrap_or(part).to_owned()
    };
    let is_launcher = |word: &str| LAUNCHERS.contains(&last_part(word).as_str());
    let named = command.iter().find(|word| !word.starts_with('-') && !is_launcher(word));
    let name = last_part(named.map_or("", String::as_str));
    let name = COMMON_STARTS.iter().find_map(|start| name.strip_prefix(start)).unwrap_or(&name);
    ServerName::parse(name)
        .map_err(|error| Failure::usage(error.to_string(), "name the server with `--name NAME`"))
}

/// One session for each folder: the calls of all clients that work there belong together, and the
/// grants of another folder do not count.
pub(super) fn session_name(folder: &Path) -> Result<SessionName, Failure> {
    let text = folder.display().to_string();
    let hash = Digest::hash_bytes("countersign/mcp-folder/v1", text.as_bytes()).to_string();
    let hash: String = hash.chars().filter(char::is_ascii_hexdigit).take(6).collect();
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or("root");
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).take(64).collect();
    SessionName::parse(&format!("mcp-{name}-{hash}"))
        .map_err(|error| Failure::usage(error.to_string(), "name it with `--session NAME`"))
}

/// The client's environment, without what concerns Countersign itself.
pub(super) fn passed_environment() -> BTreeMap<String, String> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os()
        .filter_map(text)
        .filter(|(name, _)| !name.starts_with("COUNTERSIGN_"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_after_its_package_or_program() {
        let name = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            server_name(&words).map(|name| name.to_string()).unwrap_or_default()
        };
        assert_eq!(name("npx -y @modelcontextprotocol/server-filesystem /tmp"), "filesystem");
        assert_eq!(name("uvx mcp-server-git --repository ."), "git");
        assert_eq!(name("/usr/bin/python3 tools/weather.py"), "weather");
        assert_eq!(name("npx -y tracker@1.2"), "tracker");
        assert_eq!(name("/opt/bin/mail"), "mail");
        assert_eq!(name("npx -y"), "");
    }

    #[test]
    fn two_folders_of_one_name_have_two_sessions() {
        let name = |folder: &str| session_name(Path::new(folder)).unwrap().to_string();
        assert_eq!(name("/a/shop"), name("/a/shop"));
        assert_ne!(name("/a/shop"), name("/b/shop"));
        assert!(name("/a/my shop").starts_with("mcp-my-shop-"));
    }
}
