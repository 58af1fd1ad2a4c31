//! The program file of a command. It is found before the decision, kept open during it, and checked
//! for changes before it is executed.

use crate::failure::Failure;
use crate::settings::Settings;
use countersign_observe::{FileSystem, Inode, ProgramIdentity, Protection};
use rustix::fs::{Mode, OFlags, Stat, fstat, open, stat};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

pub(super) struct PinnedProgram {
    words: Vec<String>,
    program: ProgramIdentity,
    file: OwnedFd,
    stat: Stat,
    format: ProgramFormat,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgramFormat {
    Binary,
    /// Starts with `#!`. Its interpreter opens the file again, by name.
    Script,
}

impl PinnedProgram {
    pub(super) fn find(
        command: &[String],
        folder: &str,
        settings: &Settings,
    ) -> Result<Self, Failure> {
        let name = command.first().map_or("", String::as_str);
        let program = settings.file_system().find_program(name, folder).map_err(|error| {
            Failure::usage(error.to_string(), "name an executable program that exists")
        })?;
        let path = program.path.as_str();
        let open_failure = |error: rustix::io::Errno| {
            let message = format!("`{path}` cannot be opened: {error}");
            Failure::new(message, "check the file, and try again")
        };
        let file =
            open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(open_failure)?;
        let stat = fstat(&file).map_err(open_failure)?;
        let is_same = |inode: Inode| inode.device == stat.st_dev && inode.number == stat.st_ino;
        if !program.inode.is_none_or(is_same) {
            return Err(changed_failure(path));
        }
        let format = detect_format(path);
        let mut words = command.to_vec();
        // The agent could let a bare name lead to another file, so the decision is about the path.
        if let (Some(first), Protection::Replaceable { .. }) =
            (words.first_mut(), &program.protection)
            && !first.contains('/')
        {
            *first = path.to_owned();
        }
        Ok(Self { words, program, file, stat, format })
    }

    /// The words of the decision and of the execution.
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    /// Fails if the file was replaced or written to since it was found.
    pub(super) fn check_unchanged(&self) -> Result<(), Failure> {
        let path = self.program.path.as_str();
        let current = stat(path).map_err(|_| changed_failure(path))?;
        let identity = |stat: &Stat| {
            (
                (stat.st_dev, stat.st_ino, stat.st_size),
                (stat.st_mtime, stat.st_mtime_nsec),
                (stat.st_ctime, stat.st_ctime_nsec),
            )
        };
        if identity(&current) == identity(&self.stat) { Ok(()) } else { Err(changed_failure(path)) }
    }

    /// The path to execute. A binary that the agent can replace runs from the open file.
    pub(super) fn executable_path(&self) -> PathBuf {
        match (&self.program.protection, self.format) {
            (Protection::Replaceable { .. }, ProgramFormat::Binary) => {
                PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
            }
            (Protection::Protected, _) | (_, ProgramFormat::Script) => {
                PathBuf::from(self.program.path.as_str())
            }
        }
    }
}

/// An unreadable file is not a script: its interpreter could not read it either.
fn detect_format(path: &str) -> ProgramFormat {
    let mut start = [0_u8; 2];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    if read.is_ok() && start == *b"#!" { ProgramFormat::Script } else { ProgramFormat::Binary }
}

fn changed_failure(path: &str) -> Failure {
    Failure::new(
        format!("`{path}` was changed in the meantime; it was not run"),
        "find out what changes the file, and try again",
    )
}
