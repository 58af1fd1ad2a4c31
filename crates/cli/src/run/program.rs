//! The file that a command's first word leads to: found before the decision, held open during it,
//! and what is executed after it.

use crate::failure::Failure;
use crate::settings::Settings;
use countersign_observe::{FileSystem, Inode, ProgramIdentity, Protection};
use rustix::fs::{Mode, OFlags, Stat, fstat, open, stat};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

pub(super) struct Held {
    words: Vec<String>,
    program: ProgramIdentity,
    file: OwnedFd,
    seen: Stat,
    form: Form,
}

/// What the kernel does with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Binary,
    /// Read by another program, by its name.
    Script,
}

impl Held {
    pub(super) fn find(
        command: &[String],
        here: &str,
        settings: &Settings,
    ) -> Result<Self, Failure> {
        let name = command.first().map_or("", String::as_str);
        let found = settings.file_system().find_program(name, here);
        let program = found.map_err(|error| {
            Failure::usage(error.to_string(), "name a program that is there and can be executed")
        })?;
        let path = program.path.as_str();
        let gone = |error: rustix::io::Errno| {
            let message = format!("`{path}` cannot be opened: {error}");
            Failure::new(message, "try again once it stays where it is")
        };
        let file = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(gone)?;
        let seen = fstat(&file).map_err(gone)?;
        let same = |inode: Inode| inode.device == seen.st_dev && inode.number == seen.st_ino;
        if !program.inode.is_none_or(same) {
            return Err(changed(path));
        }
        let form = form(path);
        let mut words = command.to_vec();
        // A bare name that the agent could give another file is decided about as that file.
        if let (Some(first), Protection::Replaceable { .. }) =
            (words.first_mut(), &program.protection)
            && !first.contains('/')
        {
            *first = path.to_owned();
        }
        Ok(Self { words, program, file, seen, form })
    }

    /// The words that are decided about, and executed.
    pub(super) fn words(&self) -> Vec<String> {
        self.words.clone()
    }

    /// Whether the file is still the one that was found, and was not written to meanwhile.
    pub(super) fn is_unchanged(&self) -> Result<(), Failure> {
        let path = self.program.path.as_str();
        let now = stat(path).map_err(|_| changed(path))?;
        let marks = |stat: &Stat| {
            (
                (stat.st_dev, stat.st_ino, stat.st_size),
                (stat.st_mtime, stat.st_mtime_nsec),
                (stat.st_ctime, stat.st_ctime_nsec),
            )
        };
        if marks(&now) == marks(&self.seen) { Ok(()) } else { Err(changed(path)) }
    }

    /// Where it is started: a binary by the file that is held open, whatever its name means by
    /// then. A script is opened once more, by its name, by the program that reads it.
    pub(super) fn start(&self) -> PathBuf {
        match (&self.program.protection, self.form) {
            (Protection::Replaceable { .. }, Form::Binary) => {
                PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
            }
            (Protection::Protected, _) | (_, Form::Script) => {
                PathBuf::from(self.program.path.as_str())
            }
        }
    }
}

/// What nobody may read is no script: its reader could not read it either.
fn form(path: &str) -> Form {
    let mut start = [0_u8; 2];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    if read.is_ok() && start == *b"#!" { Form::Script } else { Form::Binary }
}

fn changed(path: &str) -> Failure {
    Failure::new(
        format!("`{path}` is not what it was when it was decided about; nothing was run"),
        "look at who writes it, and try again",
    )
}
