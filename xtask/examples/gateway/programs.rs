//! Our own programs that were built for this: beside this one.

use super::{BenchResult, Context};
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::failure::Failure;

/// What `cargo build --release` made.
pub fn countersign() -> BenchResult<PathBuf> {
    find("../countersign")
}

/// The small server that everything stands in front of.
pub fn tool_server() -> BenchResult<PathBuf> {
    find("tool-server")
}

pub fn byte_pump() -> BenchResult<Command> {
    let mut command = Command::new(this()?);
    command.arg("--pump").arg(tool_server()?);
    Ok(command)
}

fn this() -> BenchResult<PathBuf> {
    std::env::current_exe().context("this program")
}

fn find(name: &str) -> BenchResult<PathBuf> {
    let beside = this()?.parent().map(|folder| folder.join(name));
    let found = beside.as_deref().and_then(|path: &Path| path.canonicalize().ok());
    found.ok_or_else(|| {
        Failure::new(format!("no program {name}; run this as `cargo xtask bench gateway`"))
    })
}
