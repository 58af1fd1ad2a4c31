//! Packages of npm, by name and version, in a folder of their own and never committed.

use super::{create, write};
use crate::failure::Failure;
use crate::installed;
use crate::process::{capture, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs of others need a newer Node than distributions have, so it is one of the packages.
pub const NODE: &str = "node@22.23.3";

/// The folder that has `node_modules`.
pub struct NpmFolder(PathBuf);

impl NpmFolder {
    pub fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn node(&self) -> PathBuf {
        self.file("node/bin/node")
    }

    /// A file of a package, or a program in `.bin`.
    pub fn file(&self, path: &str) -> PathBuf {
        self.0.join("node_modules").join(path)
    }

    /// Installs the packages, of which `NODE` has to be one.
    pub fn install(&self, packages: &[&str]) -> Result<(), Failure> {
        installed::ensure_program("npm")?;
        println!("installing {} packages with npm into {}", packages.len(), self.0.display());
        create(&self.0)?;
        write(&self.0.join("package.json"), "{\"private\": true}\n")?;
        let words = ["install", "--no-audit", "--no-fund", "--loglevel", "error"];
        run(Command::new("npm").current_dir(&self.0).args(words).args(packages))?;
        let version = capture(Command::new(self.node()).arg("--version"))?;
        match version.starts_with("v22.") {
            true => Ok(()),
            false => Err(Failure::new(format!("npm installed Node {version} instead of 22"))),
        }
    }

    /// Runs `install` unless this list was installed here before.
    pub fn ensure(
        &self,
        wanted: &[&str],
        install: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let wanted = wanted.join("\n");
        let installed = self.0.join("installed.txt");
        if std::fs::read_to_string(&installed).ok().as_deref() != Some(&wanted) {
            install()?;
            write(&installed, &wanted)?;
        }
        Ok(())
    }
}
