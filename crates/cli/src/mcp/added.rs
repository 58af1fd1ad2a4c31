//! Servers that the operator added, in the settings file.

use super::args::{McpAddArgs, McpLsArgs, McpRmArgs};
use super::offer::offer_rules;
use crate::settings::Settings;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, Page, out};
use countersign_gateway::Launch;
use countersign_setup::files;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

pub(super) fn add(args: &McpAddArgs, settings: &Settings) -> Result<Exit, Failure> {
    let name = args.name.as_str();
    if let Some(known) = settings.mcp_servers()?.iter().find(|s| looks_alike(s.name.as_str(), name))
    {
        let message = format!("there is a server `{}` already", known.name);
        return Err(Failure::usage(message, "remove it first, or choose a name that differs more"));
    }
    let section = write_section(args)?;
    let path = settings_path(settings)?;
    let before = if path.exists() { files::read(&path)? } else { Vec::new() };
    let mut text = String::from_utf8_lossy(&before).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    write_settings(&path, &format!("{text}\n{section}"))?;
    if let Err(error) = Settings::load().and_then(|settings| settings.mcp_servers()) {
        write_settings(&path, &String::from_utf8_lossy(&before))?;
        return Err(error);
    }
    let mut page = Page::new();
    page.text("added ").styled(BOLD, name).text(" to ").text(&path.display().to_string()).end();
    out::show(&page)?;
    offer_rules(args, settings)?;
    Ok(Exit::Allowed)
}

/// Names that a person could take for each other.
fn looks_alike(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        name.to_ascii_lowercase().replace(['-', '_'], "").replace('0', "o").replace(['1', 'i'], "l")
    };
    plain(one) == plain(other)
}

fn write_section(args: &McpAddArgs) -> Result<String, Failure> {
    let quote = |text: &str| json!(text).to_string();
    let name = &args.name;
    let mut section = format!("[mcp.servers.{name}]\n");
    match &args.url {
        Some(url) => section.push_str(&format!("url = {}\n", quote(url))),
        None => {
            let words: Vec<String> = args.command.iter().map(|word| quote(word)).collect();
            section.push_str(&format!("command = [{}]\n", words.join(", ")));
        }
    }
    if args.unconfined {
        section.push_str("confined = false\n");
    }
    let pairs = [("environment", &args.environment, '='), ("headers", &args.headers, ':')];
    for (table, values, sign) in pairs {
        if !values.is_empty() {
            section.push_str(&format!("\n[mcp.servers.{name}.{table}]\n"));
        }
        for value in values {
            let (key, value) = value.split_once(sign).ok_or_else(|| {
                let message = format!("`{value}` has no `{sign}`");
                Failure::usage(message, format!("write NAME{sign}VALUE"))
            })?;
            section.push_str(&format!("{} = {}\n", quote(key.trim()), quote(value.trim())));
        }
    }
    Ok(section)
}

pub(super) fn remove(args: &McpRmArgs, settings: &Settings) -> Result<Exit, Failure> {
    let name = args.name.as_str();
    let is_known = settings.mcp_servers()?.iter().any(|server| server.name == args.name);
    if !is_known {
        let message = format!("there is no server `{name}`");
        return Err(Failure::usage(message, "`countersign mcp ls` lists them"));
    }
    let path = settings_path(settings)?;
    let text = String::from_utf8_lossy(&files::read(&path)?).into_owned();
    write_settings(&path, &remove_section(&text, name))?;
    out::show(&Page::from_line(&format!("removed {name}")))?;
    Ok(Exit::Allowed)
}

/// The text without the tables of this server.
fn remove_section(text: &str, name: &str) -> String {
    let table = format!("mcp.servers.{name}");
    let mut is_removed = false;
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        if let Some(header) = line.trim().strip_prefix('[') {
            let header = header.trim_end_matches(']').replace(['"', ' '], "");
            is_removed = header == table || header.starts_with(&format!("{table}."));
        }
        if !is_removed {
            kept.push_str(line);
        }
    }
    kept
}

pub(super) fn list(args: &McpLsArgs, settings: &Settings) -> Result<Exit, Failure> {
    let servers = settings.mcp_servers()?;
    let how = |launch: &Launch| match launch {
        Launch::Process(process) => process.command.join(" "),
        Launch::AtClient(server) => server.command.join(" "),
        Launch::Http(http) => http.url.clone(),
    };
    if args.json {
        let listed: Vec<_> = servers
            .iter()
            .map(|server| json!({"name": server.name.as_str(), "starts": how(&server.launch)}))
            .collect();
        out::show_json(&json!({"servers": listed}))?;
        return Ok(Exit::Allowed);
    }
    if servers.is_empty() {
        out::show(&Page::from_line("no server is added; `countersign mcp add` adds one"))?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    let row = |server: &countersign_gateway::ServerSpec| {
        vec![TableCell::styled(BOLD, server.name.as_str()), TableCell::new(how(&server.launch))]
    };
    let rows: Vec<Vec<TableCell>> = servers.iter().map(row).collect();
    table::draw(&mut page, &["NAME", "STARTS"], &rows);
    out::show(&page)?;
    Ok(Exit::Allowed)
}

fn settings_path(settings: &Settings) -> Result<PathBuf, Failure> {
    settings.settings_place().ok_or_else(|| {
        let message = "there is no place for a settings file";
        Failure::usage(message, "set HOME, or name a file in COUNTERSIGN_SETTINGS")
    })
}

/// The file can contain credentials of servers, so nobody else may read it.
fn write_settings(path: &Path, text: &str) -> Result<(), Failure> {
    let help = "check who owns the file and its folder";
    let failure = |error| Failure::file("write", path, &error, help);
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failure)?;
    }
    let new = path.with_extension("toml.new");
    let opened =
        fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new);
    let mut file = opened.map_err(failure)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failure)?;
    fs::rename(&new, path).map_err(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_a_server_leaves_everything_else() {
        let text = "a = 1\n\n[mcp.servers.x]\nurl = \"u\"\n[mcp.servers.x.headers]\n\"A\" = \"b\"\n\n[mcp.servers.xy]\nurl = \"v\"\n[tls]\nkey = 1\n";
        let kept = remove_section(text, "x");
        assert_eq!(kept, "a = 1\n\n[mcp.servers.xy]\nurl = \"v\"\n[tls]\nkey = 1\n");
        assert_eq!(remove_section(text, "none"), text);
    }

    #[test]
    fn names_that_look_alike_are_one() {
        assert!(looks_alike("git-hub", "GitHub") && looks_alike("fi1es", "files"));
        assert!(!looks_alike("files", "mail"));
    }
}
