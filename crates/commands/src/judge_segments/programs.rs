//! Which files the programs of a command are, and whether they may run without approval.

use super::SegmentJudge;
use crate::context::ProgramFile;
use crate::segment_judgement::SegmentJudgement;
use crate::subject::{explain_untrusted_program, is_builtin_only};
use crate::working_folders::FolderSet;
use crate::written_paths::WrittenPaths;

impl SegmentJudge<'_> {
    /// The file that a name starts in all of these folders.
    pub(super) fn find_program(&self, name: &str, folders: &FolderSet) -> ProgramFile {
        if is_builtin_only(name) {
            return ProgramFile::Unknown;
        }
        let find = |folder: Option<&str>| self.context.disk.find_program(name, folder);
        let mut files = folders.known.iter().map(|folder| find(Some(folder)));
        let first = files.next().unwrap_or_else(|| find(None));
        match files.all(|file| file == first) {
            true => first,
            false => ProgramFile::NotFound {
                why: format!("`{name}` is another program in another folder"),
            },
        }
    }

    /// The program, and the wrappers in front of it.
    pub(super) fn check_programs(
        &self,
        judgement: &SegmentJudgement,
        written: &WrittenPaths,
    ) -> Result<(), String> {
        let argv = &judgement.argv;
        if let ProgramFile::Replaceable { files, .. } = &judgement.program_file
            && let Some(file) = files.iter().find(|file| written.may_edit(&file.path, self.context))
        {
            return Err(format!("an earlier command may change the program `{}`", file.path));
        }
        let untrusted = |name: &str, file: &ProgramFile| {
            explain_untrusted_program(name, file, self.context).map_or(Ok(()), Err)
        };
        for word in argv.iter().take(judgement.inner_start) {
            if matches!(word.as_str(), "timeout" | "nice" | "env" | "time") {
                let file = self.context.disk.find_program(word, self.context.cwd);
                // A keyword of most shells.
                if word == "time" && matches!(file, ProgramFile::Absent { .. }) {
                    continue;
                }
                // Only the program behind it can be pinned.
                if matches!(file, ProgramFile::Replaceable { .. }) {
                    return Err(format!("the agent can replace `{word}`"));
                }
                untrusted(word, &file)?;
            }
        }
        let name = argv.get(judgement.inner_start).map(String::as_str).unwrap_or_default();
        untrusted(name, &judgement.program_file)
    }
}
