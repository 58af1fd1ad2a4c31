//! What others publish and this suite runs, by name and version.

use crate::external::copy_files;
use crate::external::npm::{NODE, NpmFolder};
use crate::failure::Failure;
use crate::installed;
use crate::process::{can_run, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything below is in this folder.
const FOLDER: &str = "target/mcp";

const NPM: [&str; 10] = [
    NODE,
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/server@2.4.0",
    "@modelcontextprotocol/node@2.1.2",
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
];

const PYPI: [&str; 4] =
    ["mcp==2.3.0", "fastmcp==4.1.2", "mcp-server-git==2026.10.19", "mcp-server-time==2026.10.19"];

pub struct Packages {
    npm: NpmFolder,
}

impl Packages {
    /// Installs what is not there yet, and copies the scripts beside it, where Node finds the
    /// packages that they import.
    pub fn install(root: &Path) -> Result<Self, Failure> {
        let packages = Self { npm: NpmFolder::new(root.join(FOLDER)) };
        packages.npm.ensure(&[NPM.as_slice(), PYPI.as_slice()].concat(), || {
            packages.npm.install(&NPM)?;
            packages.install_pypi()
        })?;
        copy_files(&root.join("xtask/mcp"), &packages.npm.path().join("scripts"))?;
        Ok(packages)
    }

    pub fn node(&self) -> PathBuf {
        self.npm.node()
    }

    pub fn python(&self) -> PathBuf {
        self.npm.path().join("venv/bin/python")
    }

    /// A file of an npm package.
    pub fn npm_file(&self, path: &str) -> PathBuf {
        self.npm.file(path)
    }

    /// A script of `xtask/mcp`.
    pub fn script(&self, name: &str) -> PathBuf {
        self.npm.path().join("scripts").join(name)
    }

    fn install_pypi(&self) -> Result<(), Failure> {
        installed::ensure_package("python3-venv", || {
            can_run(Command::new("python3").args(["-c", "import venv, ensurepip"]))
        })?;
        println!("installing {} packages with pip into {FOLDER}", PYPI.len());
        let venv = self.npm.path().join("venv");
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
        run(Command::new(venv.join("bin/pip")).args(["install", "--quiet"]).args(PYPI))
    }
}
