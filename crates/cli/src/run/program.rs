//! The program file of a command, and the scripts that it is given. They are found before the
//! decision, kept open during it, and checked for changes before the start.

use super::pinned::{OpenedFile, PinnedFolder, changed_failure};
use crate::limits;
use crate::settings::Settings;
use countersign_commands::{can_run_other_programs, find_executed_words, narrow_words};
use countersign_console::{Failure, Page, out};
use countersign_core::model::narrowed::{NarrowedCall, NarrowingKind};
use countersign_observe::{FileSystem, Inode, ProgramIdentity, Protection};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

pub(super) struct ProgramToRun {
    words: Vec<String>,
    program: ProgramIdentity,
    file: OpenedFile,
    /// Files among the words of an interpreter or wrapper: it may execute them.
    scripts: Vec<OpenedFile>,
    format: ProgramFormat,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgramFormat {
    Binary,
    /// Starts with `#!`. Its interpreter opens the file again, by name.
    Script,
}

impl ProgramToRun {
    pub(super) fn find(
        command: &[String],
        folder: &PinnedFolder,
        settings: &Settings,
    ) -> Result<Self, Failure> {
        let name = command.first().map_or("", String::as_str);
        let files = settings.file_system();
        let program = files.find_program(name, folder.path()).map_err(|error| {
            Failure::usage(error.to_string(), "name an executable program that exists")
        })?;
        let path = program.path.as_str();
        let file = OpenedFile::open(path)?;
        let stat = file.stat();
        let is_same = |inode: Inode| inode.device == stat.st_dev && inode.number == stat.st_ino;
        if !program.inode.is_none_or(is_same) {
            return Err(changed_failure(path));
        }
        let format = detect_format(&file.descriptor_path());
        let mut words = command.to_vec();
        // The agent could let a bare name lead to another file, so the decision is about the path.
        if let (Some(first), Protection::Replaceable { .. }) =
            (words.first_mut(), &program.protection)
            && !first.contains('/')
        {
            // A shim does what its name says, and links may lead to a file with another name.
            let has_same_name = Path::new(path).file_name() == Path::new(first).file_name();
            *first = if has_same_name { path.to_owned() } else { program.found_at.clone() };
        }
        let runs_others = [name, path].iter().any(|path| can_run_other_programs(path));
        let scripts = match runs_others {
            true => find_scripts(command, folder, &files)?,
            false => Vec::new(),
        };
        Ok(Self { words, program, file, scripts, format })
    }

    /// The words of the decision.
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    /// Runs the narrower form of the command that the daemon names. Git is executed with neutral words
    /// in any case.
    pub(super) fn narrow(&mut self, narrowed: &NarrowedCall) -> Result<(), Failure> {
        if narrowed.kind == NarrowingKind::GitPrograms {
            return Ok(());
        }
        let why = "the command cannot be run without secret files";
        let words = narrow_words(&self.words, &narrowed.parts);
        self.words = words.ok_or_else(|| Failure::new(why, "run it again"))?;
        out::eprint(&Page::from_line(&format!("without secret files: {}", narrowed.describe())));
        Ok(())
    }

    /// The words of the execution: those of the decision, and for git the ones that keep its
    /// configuration from running programs that nobody was shown.
    pub(super) fn executed_words(&self) -> Vec<String> {
        find_executed_words(&self.words)
    }

    /// The files that the agent could change, with the hashes of their content. They are a part of
    /// the decision, so a yes for once is not for other content.
    pub(super) fn decided_files(&self) -> Vec<Value> {
        let is_replaceable = matches!(self.program.protection, Protection::Replaceable { .. });
        let program = is_replaceable.then_some(&self.file);
        let describe = |file: &OpenedFile| match file.content() {
            Some(content) => json!({"path": file.path(), "content": content.to_string()}),
            None => json!({"path": file.path()}),
        };
        program.into_iter().chain(&self.scripts).map(describe).collect()
    }

    /// Fails if a file was replaced or written to since it was found.
    pub(super) fn check_unchanged(&self) -> Result<(), Failure> {
        self.scripts.iter().chain([&self.file]).try_for_each(OpenedFile::check_unchanged)
    }

    /// The path to execute. A binary that the agent can replace runs from the open file.
    pub(super) fn executable_path(&self) -> PathBuf {
        match (&self.program.protection, self.format) {
            (Protection::Replaceable { .. }, ProgramFormat::Binary) => self.file.descriptor_path(),
            (Protection::Protected, _) | (_, ProgramFormat::Script) => {
                PathBuf::from(self.file.path())
            }
        }
    }
}

/// The words that name existing files. Which of them an interpreter executes depends on its options,
/// so all of them are pinned.
fn find_scripts(
    command: &[String],
    folder: &PinnedFolder,
    files: &dyn FileSystem,
) -> Result<Vec<OpenedFile>, Failure> {
    let mut scripts = Vec::new();
    for word in command.iter().skip(1) {
        let Ok(path) = files.resolve_path(word, folder.path()) else { continue };
        if !Path::new(path.as_str()).is_file() {
            continue;
        }
        if scripts.len() >= limits::MAX_PINNED_FILES {
            let max = limits::MAX_PINNED_FILES;
            let message = format!("the command names more than {max} files that it could execute");
            return Err(Failure::usage(message, "put the command into a script, and run that"));
        }
        scripts.push(OpenedFile::open(path.as_str())?);
    }
    Ok(scripts)
}

/// An unreadable file is not a script: its interpreter could not read it either.
fn detect_format(path: &Path) -> ProgramFormat {
    let mut start = [0_u8; 2];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    if read.is_ok() && start == *b"#!" { ProgramFormat::Script } else { ProgramFormat::Binary }
}
