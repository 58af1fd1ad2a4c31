//! What others publish and we run beside our own programs, by name and version.

use crate::failure::Failure;
use crate::installed;
use crate::process::{can_run, capture, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages that are installed together, in a folder of their own.
pub struct PackageSet {
    /// Below the root.
    pub folder: &'static str,
    pub npm: &'static [&'static str],
    pub pypi: &'static [&'static str],
}

/// Some programs need a newer Node than distributions have.
pub const NODE: &str = "node@22.23.3";

/// What `cargo xtask mcp` tries the gateway with.
pub const PROGRAMS: PackageSet = PackageSet { folder: "target/mcp", npm: &NPM, pypi: &PYPI };

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
    folder: PathBuf,
}

impl Packages {
    /// Installs what is not there yet, and copies the scripts beside it, where Node finds the
    /// packages that they import.
    pub fn install(root: &Path, set: &PackageSet) -> Result<Self, Failure> {
        let packages = Self { folder: root.join(set.folder) };
        let wanted = [set.npm, set.pypi].concat().join("\n");
        let installed = packages.folder.join("installed.txt");
        if std::fs::read_to_string(&installed).ok().as_deref() != Some(&wanted) {
            create(&packages.folder)?;
            packages.install_npm(set)?;
            packages.install_pypi(set)?;
            write(&installed, &wanted)?;
        }
        packages.copy_scripts(&root.join("xtask/mcp"))?;
        Ok(packages)
    }

    pub fn node(&self) -> PathBuf {
        self.folder.join("node_modules/node/bin/node")
    }

    pub fn python(&self) -> PathBuf {
        self.python_program("python")
    }

    /// A program that a package of Python brings.
    pub fn python_program(&self, name: &str) -> PathBuf {
        self.folder.join("venv/bin").join(name)
    }

    /// A file of an npm package.
    pub fn npm_file(&self, path: &str) -> PathBuf {
        self.folder.join("node_modules").join(path)
    }

    /// A script of `xtask/mcp`.
    pub fn script(&self, name: &str) -> PathBuf {
        self.folder.join("scripts").join(name)
    }

    fn install_npm(&self, PackageSet { folder, npm, .. }: &PackageSet) -> Result<(), Failure> {
        if npm.is_empty() {
            return Ok(());
        }
        installed::ensure_program("npm")?;
        println!("installing {} packages with npm into {folder}", npm.len());
        write(&self.folder.join("package.json"), "{\"private\": true}\n")?;
        let words = ["install", "--no-audit", "--no-fund", "--loglevel", "error"];
        run(Command::new("npm").current_dir(&self.folder).args(words).args(*npm))?;
        let version = capture(Command::new(self.node()).arg("--version"))?;
        match version.starts_with("v22.") {
            true => Ok(()),
            false => Err(Failure::new(format!("npm installed Node {version} instead of 22"))),
        }
    }

    fn install_pypi(&self, PackageSet { folder, pypi, .. }: &PackageSet) -> Result<(), Failure> {
        if pypi.is_empty() {
            return Ok(());
        }
        installed::ensure_package("python3-venv", || {
            can_run(Command::new("python3").args(["-c", "import venv, ensurepip"]))
        })?;
        println!("installing {} packages with pip into {folder}", pypi.len());
        let venv = self.folder.join("venv");
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
        run(Command::new(venv.join("bin/pip")).args(["install", "--quiet"]).args(*pypi))
    }

    fn copy_scripts(&self, from: &Path) -> Result<(), Failure> {
        let to = self.folder.join("scripts");
        create(&to)?;
        let fail = |error: std::io::Error| Failure::new(format!("{}: {error}", from.display()));
        for entry in std::fs::read_dir(from).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            std::fs::copy(entry.path(), to.join(entry.file_name())).map_err(fail)?;
        }
        Ok(())
    }
}

pub fn create(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))
}

pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}
