//! What others publish and we run beside our own programs, by name and version.

use super::{create, write};
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

pub struct Packages {
    folder: PathBuf,
}

impl Packages {
    /// Installs what is not there yet.
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

    /// A program that a package of npm brings.
    pub fn npm_program(&self, name: &str) -> PathBuf {
        self.npm_file(".bin").join(name)
    }

    /// Where a program finds others, with the Node that was installed in front.
    pub fn search_path(&self) -> String {
        let node = self.node();
        let folder = node.parent().unwrap_or(&node);
        format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display())
    }

    /// A file of an npm package.
    pub fn npm_file(&self, path: &str) -> PathBuf {
        self.folder.join("node_modules").join(path)
    }

    /// A script that was copied beside the packages.
    pub fn script(&self, name: &str) -> PathBuf {
        self.folder.join("scripts").join(name)
    }

    /// Copies the scripts of a folder beside the packages, where Node finds what they import.
    pub fn copy_scripts(&self, from: &Path) -> Result<(), Failure> {
        let to = self.folder.join("scripts");
        create(&to)?;
        let fail = |error: std::io::Error| Failure::new(format!("{}: {error}", from.display()));
        for entry in std::fs::read_dir(from).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            std::fs::copy(entry.path(), to.join(entry.file_name())).map_err(fail)?;
        }
        Ok(())
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
}
