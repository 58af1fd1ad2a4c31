//! Programs on a real disk, found by an agent that can write to their folder.

mod managers;
mod rustup;
mod scripts;

use crate::file_system::{FileSystem, Protection};
use crate::{AgentIdentity, RealFileSystem};
use countersign_commands::ProgramHash;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use tempfile::TempDir;

const AGENT: AgentIdentity = AgentIdentity { uid: 65_533, groups: Some(Vec::new()) };
const BINARY: &str = "\u{7f}ELF";

/// A home folder and a workspace `w`, both of which the agent can write.
struct Machine {
    _dir: TempDir,
    root: String,
    /// Relative to the root, in the order of the search path.
    program_folders: Vec<&'static str>,
}

impl Machine {
    fn new(program_folders: &[&'static str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o777)).unwrap();
        let machine = Self { _dir: dir, root, program_folders: program_folders.to_vec() };
        fs::create_dir_all(machine.path("w/sub")).unwrap();
        machine
    }

    fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.root)
    }

    /// Writes a file, and its folders. `%` in the text is the root.
    fn add(&self, path: &str, text: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        fs::write(path, text.replace("%", &self.root)).unwrap();
        self
    }

    fn add_program(&self, path: &str, text: &str) -> &Self {
        self.add(path, text);
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    fn add_link(&self, path: &str, target: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    fn files(&self) -> RealFileSystem {
        let folders = self.program_folders.iter().map(|folder| self.path(folder));
        let search_path = folders.chain(["/usr/bin".to_owned(), "/bin".to_owned()]);
        let search_path = search_path.collect::<Vec<_>>().join(":");
        RealFileSystem::new(AGENT, &search_path).with_home(Some(&self.root))
    }

    fn find_in(&self, folder: &str, name: &str) -> Found {
        let program = self.files().find_program(name, &self.path(folder)).unwrap();
        let below =
            |path: &str| path.strip_prefix(&format!("{}/", self.root)).unwrap_or(path).to_owned();
        let Protection::Replaceable { writable: _, shim, files } = program.protection else {
            panic!("{program:?} is protected");
        };
        Found {
            path: below(program.path.as_str()),
            program: shim.as_ref().and_then(|shim| shim.program.as_deref()).map(below),
            manager: shim.map(|shim| shim.manager),
            files: files.into_iter().map(|file| (below(&file.path), file.hash)).collect(),
        }
    }

    fn find(&self, name: &str) -> Found {
        self.find_in("w", name)
    }
}

/// A program, with paths below the root.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    path: String,
    manager: Option<String>,
    program: Option<String>,
    files: Vec<(String, Result<ProgramHash, String>)>,
}

impl Found {
    fn pinned_paths(&self) -> Vec<&str> {
        self.files.iter().map(|(path, _)| path.as_str()).collect()
    }

    /// Why it cannot be pinned.
    fn reason(&self) -> &str {
        let reason = self.files.iter().find_map(|(_, hash)| hash.as_ref().err());
        reason.map_or("", String::as_str)
    }

    fn hash_of(&self, path: &str) -> ProgramHash {
        let (_, hash) = self.files.iter().find(|(pinned, _)| pinned == path).unwrap();
        hash.clone().unwrap()
    }
}

fn sha256(text: &str) -> ProgramHash {
    use sha2::Digest as _;
    ProgramHash::from_bytes(sha2::Sha256::digest(text).into())
}
