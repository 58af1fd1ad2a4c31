//! Follows a program from file to file: from a shim to the program that it starts, and from a script
//! to its interpreter.
//!
//! Libraries, and programs that a program starts by itself, are not followed.

use super::ContentCache;
use super::script::{FirstLine, Interpreter};
use super::search::{FoundFile, ProgramSearch};
use super::shim::{ShimPlace, read_shim};
use crate::file_system::{ProgramIdentity, Protection};
use crate::limits;
use countersign_commands::{PinnedFile, ProgramHash, Shim};

/// Whether a file is pinned although the agent cannot replace it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pinning {
    IfReplaceable,
    /// Another version of it may be chosen.
    Always,
}

/// The files that one program leads through.
pub(crate) struct ProgramChain<'f> {
    files: &'f ProgramSearch,
    cwd: &'f str,
    steps: usize,
    writable: Option<String>,
    shim: Option<Shim>,
    parts: Vec<FileToPin>,
}

/// A file to pin, by its path.
struct FileToPin {
    path: String,
    /// `None` until the whole chain is known: a protected one needs no hashes.
    hash: Option<Result<ProgramHash, String>>,
}

impl FileToPin {
    fn hash_with(self, contents: &ContentCache) -> PinnedFile {
        let hash = self.hash.unwrap_or_else(|| contents.hash_file(&self.path));
        PinnedFile { path: self.path, hash }
    }
}

impl<'f> ProgramChain<'f> {
    pub(crate) fn identify(
        files: &'f ProgramSearch,
        found: FoundFile,
        cwd: &'f str,
    ) -> ProgramIdentity {
        let mut chain =
            Self { files, cwd, steps: 0, writable: None, shim: None, parts: Vec::new() };
        chain.follow(&found, Pinning::IfReplaceable);
        let protection = match chain.writable {
            None => Protection::Protected,
            Some(writable) => {
                let parts = chain.parts.into_iter();
                let files = parts.map(|part| part.hash_with(&files.contents)).collect();
                Protection::Replaceable { writable, shim: chain.shim, files }
            }
        };
        let inode = Some(found.inode());
        ProgramIdentity { path: found.real, found_at: found.found_at, protection, inode }
    }

    fn follow(&mut self, found: &FoundFile, pinning: Pinning) {
        self.steps += 1;
        if self.steps > limits::MAX_PROGRAM_CHAIN {
            let max = limits::MAX_PROGRAM_CHAIN;
            return self.refuse(found, format!("it leads through more than {max} programs"));
        }
        if let Some(writable) = found.writable.first() {
            self.writable.get_or_insert_with(|| writable.clone());
        }
        if pinning == Pinning::Always || !found.writable.is_empty() {
            self.add_part(FileToPin { path: found.real.to_string(), hash: None });
        }
        self.follow_interpreter(found);
        self.follow_shim(found);
    }

    /// Lists each file once; a reason not to pin it stays.
    fn add_part(&mut self, part: FileToPin) {
        match self.parts.iter_mut().find(|known| known.path == part.path) {
            None => self.parts.push(part),
            Some(known) if matches!(part.hash, Some(Err(_))) => *known = part,
            Some(_) => {}
        }
    }

    /// Nobody can tell what the file starts.
    fn refuse(&mut self, found: &FoundFile, why: String) {
        let path = found.real.to_string();
        self.writable.get_or_insert_with(|| path.clone());
        self.add_part(FileToPin { path, hash: Some(Err(why)) });
    }

    fn follow_interpreter(&mut self, found: &FoundFile) {
        let path = found.real.as_str();
        match self.files.contents.read_first_line(path) {
            Ok(FirstLine::NoScript) => {}
            Ok(FirstLine::Unclear(why)) => self.refuse(found, format!("{why}: `{path}`")),
            Ok(FirstLine::Interpreter(interpreter)) => self.start(found, &interpreter),
            Err(_) if found.is_closed_to_interpreters() => {}
            Err(why) => self.refuse(found, why),
        }
    }

    fn start(&mut self, script: &FoundFile, interpreter: &Interpreter) {
        for name in [Some(&interpreter.path), interpreter.searched.as_ref()].into_iter().flatten() {
            // The kernel never searches for an interpreter, `env` does.
            let found = match name == &interpreter.path {
                true => self.files.locate_program(name, self.cwd),
                false => self.files.find_file(name, self.cwd, None),
            };
            match found {
                Ok(found) => self.follow(&found, Pinning::IfReplaceable),
                Err(error) => self.refuse(script, format!("its interpreter is unknown: {error}")),
            }
        }
    }

    fn follow_shim(&mut self, found: &FoundFile) {
        let place = ShimPlace { files: self.files, found, cwd: self.cwd };
        let Some(reading) = read_shim(&place) else { return };
        let program = reading.program.as_ref().ok().map(|program| program.real.to_string());
        let (manager, folder) = (reading.manager.to_owned(), self.cwd.to_owned());
        self.shim.get_or_insert(Shim { manager, program, folder });
        for helper in reading.helpers {
            self.follow(&helper, Pinning::IfReplaceable);
        }
        for scripts in reading.scripts {
            self.add_part(FileToPin { path: scripts.path, hash: Some(scripts.hash) });
        }
        match reading.program {
            Ok(program) => self.follow(&program, Pinning::Always),
            Err(why) => self.refuse(found, format!("it is a shim of {}: {why}", reading.manager)),
        }
    }
}
