//! A scratch home folder of an ordinary user, in which `countersign simulate` decides.
//!
//! As root every program counts as replaceable, so the simulation runs as another user: `nobody`, if
//! this runs as root. Programs that the calls name and that this machine lacks get a stand-in in the
//! user's home folder, where an agent could replace it: each has to be pinned by a yes.

use crate::failure::Failure;
use crate::process::{capture, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Not below a folder for temporary files: what lies there counts as replaced at any moment.
const PARENT: &str = "/var/lib";

/// Who the simulation runs as if this runs as root.
const USER: &str = "nobody";

pub(super) struct ScratchMachine {
    folder: PathBuf,
    home: String,
}

impl ScratchMachine {
    pub(super) fn create(program: &Path) -> Result<Self, Failure> {
        let parent = if is_root()? { PathBuf::from(PARENT) } else { home_folder()? };
        // A path with our own name in it would look like one of our files.
        let folder = parent.join(format!("attention-{}", std::process::id()));
        let home = folder.join("home").display().to_string();
        let machine = Self { folder, home };
        std::fs::create_dir_all(machine.folder.join("home/.local/bin")).map_err(machine.fail())?;
        std::fs::copy(program, machine.folder.join("countersign")).map_err(machine.fail())?;
        Ok(machine)
    }

    fn fail(&self) -> impl Fn(std::io::Error) -> Failure + '_ {
        |error| Failure::new(format!("{}: {error}", self.folder.display()))
    }

    /// A name that this machine has is left alone.
    pub(super) fn create_stand_ins(&self, names: &BTreeSet<String>) -> Result<(), Failure> {
        for name in names {
            let is_present = ["/usr/local/bin", "/usr/bin", "/bin"]
                .iter()
                .any(|at| Path::new(at).join(name).exists());
            if is_present {
                continue;
            }
            let file = self.folder.join("home/.local/bin").join(name);
            // No script: its interpreter would count as a part of it.
            std::fs::write(&file, format!("\u{7f}ELF {name}")).map_err(self.fail())?;
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&file, mode).map_err(self.fail())?;
        }
        Ok(())
    }

    /// Writes files into folders below the home folder, as far as these exist.
    pub(super) fn create_files(&self, files: impl Iterator<Item = (String, String)>) {
        let inside =
            files.filter(|(path, _)| path.starts_with(&self.home) && !path.contains("/.."));
        for (path, text) in inside {
            // A call may name a folder that is none.
            let _in_the_way = std::fs::write(path, text);
        }
    }

    pub(super) fn home(&self) -> &str {
        &self.home
    }

    pub(super) fn workspace(&self, number: usize) -> String {
        format!("{}/code/{number:05}", self.home)
    }

    /// Creates folders below the home folder; others stay as they are.
    pub(super) fn create_folders(&self, folders: &BTreeSet<String>) -> Result<(), Failure> {
        let inside = folders.iter().filter(|folder| {
            folder.starts_with(&self.home) && !folder.contains("/..") && folder.len() < 1_000
        });
        for folder in inside {
            // A file that an earlier call stands for may be in the way: then there is no folder.
            let _in_the_way = std::fs::create_dir_all(folder);
        }
        Ok(())
    }

    /// Creates a repository in each workspace, with the files of its mirror if there is one.
    pub(super) fn create_repositories<'a>(
        &self,
        workspaces: impl Iterator<Item = (&'a str, &'a str)> + Clone,
        mirrors: Option<&Path>,
    ) -> Result<(), Failure> {
        for (repo, path) in workspaces.clone() {
            std::fs::create_dir_all(path).map_err(self.fail())?;
            run(Command::new("git").args(["init", "--quiet", path]))?;
            let remote = format!("https://github.com/{repo}.git");
            run(Command::new("git").args(["-C", path, "remote", "add", "origin", &remote]))?;
        }
        self.fill(workspaces, mirrors)
    }

    /// Lays out the files of the mirror of each workspace, if there is one.
    pub(super) fn fill<'a>(
        &self,
        workspaces: impl Iterator<Item = (&'a str, &'a str)>,
        mirrors: Option<&Path>,
    ) -> Result<(), Failure> {
        let Some(mirrors) = mirrors else { return Ok(()) };
        for (repo, path) in workspaces {
            self.unpack(&mirrors.join(repo.replacen('/', "+", 1)).join("repo"), path)?;
        }
        Ok(())
    }

    fn unpack(&self, mirror: &Path, workspace: &str) -> Result<(), Failure> {
        let archive = self.folder.join("archive.tar");
        let mut pack = Command::new("git");
        pack.arg("-C").arg(mirror).args(["archive", "--format=tar", "HEAD", "--output"]);
        run(pack.arg(&archive))?;
        // Folders that the calls name may stand where the mirror has a file.
        run(Command::new("tar").args(["--keep-old-files", "-C", workspace, "-xf"]).arg(&archive))
            .map(drop)
    }

    /// Makes folders linked worktrees of the repositories in other folders.
    pub(super) fn link_worktrees(
        &self,
        worktrees: &BTreeMap<String, String>,
    ) -> Result<(), Failure> {
        for (number, (path, main)) in worktrees.iter().enumerate() {
            let data = format!("{main}/.git/worktrees/{number}");
            std::fs::create_dir_all(path).map_err(self.fail())?;
            std::fs::create_dir_all(&data).map_err(self.fail())?;
            for (file, text) in [
                (format!("{path}/.git"), format!("gitdir: {data}\n")),
                (format!("{data}/gitdir"), format!("{path}/.git\n")),
                (format!("{data}/commondir"), "../..\n".to_owned()),
                (format!("{data}/HEAD"), format!("ref: refs/heads/worktree-{number}\n")),
            ] {
                std::fs::write(file, text).map_err(self.fail())?;
            }
        }
        Ok(())
    }

    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).map_err(self.fail())?;
        Ok(path)
    }

    pub(super) fn write_graph(&self, text: &str, preset: &str) -> Result<PathBuf, Failure> {
        let chosen = "\npreset: balanced\n";
        if !text.contains(chosen) {
            return Err(Failure::new("the coding graph has no line `preset: balanced`"));
        }
        let text = text.replacen(chosen, &format!("\npreset: {preset}\n"), 1);
        self.write("countersign.yaml", &text)
    }

    /// Gives the home folder to the user that the simulation runs as.
    pub(super) fn hand_over(&self) -> Result<(), Failure> {
        if is_root()? {
            run(Command::new("chown").args(["-R", USER, &self.home]))?;
        }
        Ok(())
    }

    /// Decides the calls, and returns one object for each.
    pub(super) fn simulate(
        &self,
        graph: &Path,
        calls: &Path,
        operator: &str,
    ) -> Result<Vec<Value>, Failure> {
        let program = self.folder.join("countersign");
        let mut command = match is_root()? {
            true => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", USER, "--clear-groups"]).arg(program);
                command
            }
            false => Command::new(program),
        };
        command
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", format!("{}/.local/bin:/usr/local/bin:/usr/bin:/bin", self.home))
            .args(["simulate", "--each", "--reviewed", "--operator", operator, "--graph"])
            .arg(graph)
            .arg(calls)
            .current_dir(&self.folder);
        let output = capture(&mut command)?;
        let parse = |line: &str| {
            serde_json::from_str(line).map_err(|error| Failure::new(format!("{error}: {line}")))
        };
        output.lines().map(parse).collect()
    }
}

impl Drop for ScratchMachine {
    fn drop(&mut self) {
        let _already_gone = std::fs::remove_dir_all(&self.folder);
    }
}

fn is_root() -> Result<bool, Failure> {
    Ok(capture(Command::new("id").arg("-u"))?.trim() == "0")
}

fn home_folder() -> Result<PathBuf, Failure> {
    let home = capture(Command::new("sh").args(["-c", "printf %s \"$HOME\""]))?;
    match home.is_empty() {
        false => Ok(PathBuf::from(home)),
        true => Err(Failure::new("HOME is not set")),
    }
}
