//! Rustup: `cargo`, `rustc` and others are links to `rustup`, or copies of it.
//!
//! The nearest toolchain file or directory override counts, then the default toolchain. `+toolchain`
//! is a word of the command, and not seen here.

use super::{
    ShimPlace, ShimReading, base_name, is_folder, is_plain_name, read_small_file, read_table,
};
use crate::disk;
use crate::program::FoundFile;
use crate::real_path::RealPath;
use std::fs;
use std::os::unix::fs::MetadataExt;
use toml::{Table, Value};

/// The programs that rustup installs.
const PROXIES: [&str; 13] = [
    "cargo",
    "cargo-clippy",
    "cargo-fmt",
    "cargo-miri",
    "clippy-driver",
    "rls",
    "rust-analyzer",
    "rust-gdb",
    "rust-gdbgui",
    "rust-lldb",
    "rustc",
    "rustdoc",
    "rustfmt",
];
const SYSTEM_SETTINGS: &str = "/etc/rustup/settings.toml";

pub(super) fn read_shim(place: &ShimPlace) -> Option<ShimReading> {
    if !PROXIES.contains(&place.found.called_name()) || !is_rustup(place) {
        return None;
    }
    Some(ShimReading::new("rustup", find_program(place)))
}

/// Whether the file is `rustup`, or one with the same content beside it.
fn is_rustup(place: &ShimPlace) -> bool {
    let path = place.found.real.as_str();
    if matches!(base_name(path), "rustup" | "rustup-init") {
        return true;
    }
    let Some((folder, _)) = path.rsplit_once('/') else { return false };
    let Ok(rustup) = fs::canonicalize(format!("{folder}/rustup")) else { return false };
    let Ok(metadata) = fs::metadata(&rustup) else { return false };
    let own = &place.found.metadata;
    if (metadata.dev(), metadata.ino()) == (own.dev(), own.ino()) {
        return true;
    }
    let hash = |path: &str| place.files.contents.hash_file(path).ok();
    metadata.len() == own.len()
        && rustup.to_str().and_then(hash).is_some_and(|rustup| Some(rustup) == hash(path))
}

fn find_program(place: &ShimPlace) -> Result<FoundFile, String> {
    let home = find_rustup_home(place)?;
    let settings = read_table(&format!("{home}/settings.toml"))?.unwrap_or_default();
    let toolchain = match choose_toolchain(place, &settings)? {
        Toolchain::Named(name) => find_toolchain(&home, &name)?,
        Toolchain::At(folder) => folder,
    };
    place.locate(&format!("{toolchain}/bin/{}", place.found.called_name()))
}

/// `~/.rustup` belongs to `~/.cargo/bin`, and `/usr/local/rustup` to `/usr/local/cargo/bin`.
fn find_rustup_home(place: &ShimPlace) -> Result<String, String> {
    let path = place.found.real.as_str();
    let beside = path.rsplit_once("/.cargo/bin/").map(|(folder, _)| format!("{folder}/.rustup"));
    let shared = path.rsplit_once("/cargo/bin/").map(|(folder, _)| format!("{folder}/rustup"));
    let own = place.files.home.as_ref().map(|home| format!("{home}/.rustup"));
    let real = |home: String| disk::resolve_path(&home, "/").ok().map(|home| home.to_string());
    let mut homes: Vec<_> = [beside, shared, own].into_iter().flatten().filter_map(real).collect();
    homes.retain(|home| is_folder(home));
    homes.dedup();
    match homes.as_slice() {
        [home] => Ok(home.clone()),
        [] => Err("its toolchains were not found".to_owned()),
        several => Err(format!("its toolchains may be in any of {}", several.join(", "))),
    }
}

enum Toolchain {
    Named(String),
    At(String),
}

fn choose_toolchain(place: &ShimPlace, settings: &Table) -> Result<Toolchain, String> {
    let overrides = settings.get("overrides").and_then(Value::as_table);
    for folder in place.folders()? {
        let key = if folder.is_empty() { "/" } else { &folder };
        let chosen = overrides.and_then(|overrides| overrides.get(key)).and_then(Value::as_str);
        if let Some(name) = chosen {
            return Ok(Toolchain::Named(name.to_owned()));
        }
        for name in ["rust-toolchain", "rust-toolchain.toml"] {
            let file = format!("{folder}/{name}");
            if let Some(text) = read_small_file(&file)? {
                return read_toolchain_file(&text, &folder)
                    .ok_or_else(|| format!("`{file}` names no toolchain"));
            }
        }
    }
    let read_default = |settings: &Table| {
        settings.get("default_toolchain").and_then(Value::as_str).map(str::to_owned)
    };
    let default = match read_default(settings) {
        Some(default) => Some(default),
        None => read_table(SYSTEM_SETTINGS)?.as_ref().and_then(read_default),
    };
    default.map(Toolchain::Named).ok_or_else(|| "no toolchain is the default".to_owned())
}

fn read_toolchain_file(text: &str, folder: &str) -> Option<Toolchain> {
    let Ok(table) = text.parse::<Table>() else {
        // The old form is a name alone.
        let mut words = text.split_whitespace();
        let name = words.next()?;
        return words.next().is_none().then(|| Toolchain::Named(name.to_owned()));
    };
    let toolchain = table.get("toolchain")?.as_table()?;
    match (toolchain.get("path"), toolchain.get("channel")) {
        (Some(path), None) => {
            let path = path.as_str()?;
            let is_absolute = path.starts_with('/');
            let path = if is_absolute { path.to_owned() } else { format!("{folder}/{path}") };
            Some(Toolchain::At(path))
        }
        (None, Some(channel)) => Some(Toolchain::Named(channel.as_str()?.to_owned())),
        _ => None,
    }
}

/// `stable` is installed as `stable-` and the host, a linked toolchain under its own name.
fn find_toolchain(home: &str, name: &str) -> Result<String, String> {
    if !is_plain_name(name) {
        return Err(format!("`{name}` is an unusual name of a toolchain"));
    }
    let folder = RealPath::from_text(&format!("{home}/toolchains"));
    let installed = disk::list_folder(&folder).map_err(|error| error.to_string())?;
    // A digit starts a date: `nightly-2025-01-01` is not `nightly`.
    let starts_host = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_meant = |installed: &&String| match installed.strip_prefix(name) {
        Some(rest) => rest.is_empty() || rest.strip_prefix('-').is_some_and(starts_host),
        None => false,
    };
    let meant: Vec<_> = installed.iter().filter(is_meant).map(String::as_str).collect();
    match meant.as_slice() {
        [toolchain] => Ok(format!("{folder}/{toolchain}")),
        [] => Err(format!("the toolchain `{name}` is not installed")),
        several => Err(format!("`{name}` may be any of {}", several.join(", "))),
    }
}
