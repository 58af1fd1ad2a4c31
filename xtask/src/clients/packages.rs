//! The programs under test and the scripts beside them.

use crate::external::copy_files;
use crate::external::npm::{NODE, NpmFolder};
use crate::failure::Failure;
use std::path::{Path, PathBuf};

const FOLDER: &str = "target/clients";

const NPM: [&str; 3] = [NODE, "@anthropic-ai/claude-code@2.1.325", "@openai/codex@0.166.0"];

pub struct Packages {
    npm: NpmFolder,
}

impl Packages {
    pub fn install(root: &Path) -> Result<Self, Failure> {
        let npm = NpmFolder::new(root.join(FOLDER));
        npm.ensure(&NPM, || npm.install(&NPM))?;
        copy_files(&root.join("xtask/clients"), &npm.path().join("scripts"))?;
        Ok(Self { npm })
    }

    pub fn node(&self) -> PathBuf {
        self.npm.node()
    }

    /// A program that one of the packages brings.
    pub fn program(&self, name: &str) -> PathBuf {
        self.npm.file(".bin").join(name)
    }

    /// A script of `xtask/clients`.
    pub fn script(&self, name: &str) -> PathBuf {
        self.npm.path().join("scripts").join(name)
    }

    /// Where the programs look for others, with the Node that was installed in front.
    pub fn search_path(&self) -> String {
        let node = self.node();
        let folder = node.parent().unwrap_or(&node);
        format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display())
    }
}
