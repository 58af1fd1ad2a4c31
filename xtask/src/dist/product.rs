//! What both packages hold: the program, what it prints about itself, and the texts beside it.

use super::tree::PackedFile;
use super::{notices, path_failure, tools};
use crate::failure::Failure;
use crate::process::capture;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Every crate has the version of the workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) struct Product {
    pub(super) version: &'static str,
    /// Of the program: `x86_64-unknown-linux-gnu`.
    pub(super) target: String,
    pub(super) program: Vec<u8>,
    /// With the names that the program gives them.
    pub(super) man_pages: Vec<PackedFile>,
    pub(super) completions: Completions,
    pub(super) readme: Vec<u8>,
    pub(super) changelog: Vec<u8>,
    pub(super) apache_licence: Vec<u8>,
    pub(super) mit_licence: String,
    /// The licences of what the program is built from.
    pub(super) notices: String,
    pub(super) commit_time: u64,
}

/// One script per shell.
pub(super) struct Completions {
    pub(super) bash: String,
    pub(super) zsh: String,
    pub(super) fish: String,
}

impl Product {
    pub(super) fn collect(root: &Path, program: &Path, scratch: &Path) -> Result<Self, Failure> {
        check_version(&capture(Command::new(program).arg("--version"))?)?;
        let completions = |shell| capture(Command::new(program).args(["completions", shell]));
        Ok(Self {
            version: VERSION,
            target: find_target(&capture(Command::new("rustc").arg("-vV").current_dir(root))?)?,
            program: read(program)?,
            man_pages: collect_man_pages(program, scratch)?,
            completions: Completions {
                bash: completions("bash")?,
                zsh: completions("zsh")?,
                fish: completions("fish")?,
            },
            readme: read(&root.join("README.md"))?,
            changelog: read(&root.join("CHANGELOG.md"))?,
            apache_licence: read(&root.join("LICENSE-APACHE"))?,
            mit_licence: String::from_utf8_lossy(&read(&root.join("LICENSE-MIT"))?).into_owned(),
            notices: notices::collect(root)?,
            commit_time: tools::commit_time(root),
        })
    }
}

fn collect_man_pages(program: &Path, scratch: &Path) -> Result<Vec<PackedFile>, Failure> {
    capture(Command::new(program).arg("man").arg(scratch))?;
    let listed = fs::read_dir(scratch).map_err(|error| path_failure("read", scratch, &error))?;
    let mut pages = Vec::new();
    for entry in listed.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        pages.push(PackedFile::new(name, read(&entry.path())?));
    }
    pages.sort_by(|one, other| one.path.cmp(&other.path));
    match pages.is_empty() {
        true => Err(Failure::new("the program wrote no manual pages")),
        false => Ok(pages),
    }
}

/// The program that is packed must be the one that the package's name says.
fn check_version(printed: &str) -> Result<(), Failure> {
    match printed.split_whitespace().next_back() {
        Some(VERSION) => Ok(()),
        _ => {
            let printed = printed.trim();
            Err(Failure::new(format!("the program says `{printed}`, the workspace {VERSION}")))
        }
    }
}

/// The `host` line of `rustc -vV`.
fn find_target(versions: &str) -> Result<String, Failure> {
    let host = versions.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("`rustc -vV` names no host"))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| path_failure("read", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_is_the_host_of_the_compiler() {
        let versions = "rustc 1.95.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1\n";
        assert_eq!(find_target(versions).unwrap(), "x86_64-unknown-linux-gnu");
        assert!(find_target("rustc 1.95.0").is_err());
    }

    #[test]
    fn a_program_of_another_version_is_not_packed() {
        assert!(check_version(&format!("countersign {VERSION}\n")).is_ok());
        assert!(check_version("countersign 0.0.0\n").is_err());
        assert!(check_version("").is_err());
    }
}
