//! What would be written for a program. Making a plan changes nothing.

use super::detect::FoundProgram;
use crate::file_diff::draw_diff_folded;
use crate::files::read_if_present;
use countersign_console::{Failure, Page};
use countersign_harness::{HookFile, HookFileError, HookTarget, Program};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub(crate) struct ProgramPlan {
    pub(crate) program: Program,
    /// Files that are right already are not among them.
    pub(crate) changes: Vec<PlannedFileChange>,
    /// Why the program will not read a file, although it can be changed.
    pub(crate) unreadable: Option<Failure>,
}

/// A file as it is, and as it will be. None if there is no file.
pub(crate) struct PlannedFileChange {
    pub(crate) path: PathBuf,
    pub(crate) old: Option<Vec<u8>>,
    pub(crate) new: Option<Vec<u8>>,
    /// What would be there without us.
    pub(crate) original: Option<Vec<u8>>,
}

impl ProgramPlan {
    pub(crate) fn new(found: &FoundProgram, target: &HookTarget) -> Result<Self, Failure> {
        let (mut changes, mut unreadable) = (Vec::new(), None);
        check_owner(&found.folder)?;
        for file in found.program.hook_files() {
            let path = found.folder.join(file.path);
            check_owner(&path)?;
            changes.extend(plan_file(file, &path, target)?);
            let old = read_if_present(&path)?.unwrap_or_default();
            let checked = file.check_readable(as_text(&path, &old)?);
            unreadable = unreadable.or(checked.err().map(|error| {
                let message = format!("`{}`: {error}", path.display());
                Failure::new(
                    message,
                    format!("{} ignores the whole file until you repair it", found.program),
                )
            }));
        }
        let mut switches = found.find_switches().into_iter();
        unreadable = unreadable.or(switches.next().map(|(key, path)| {
            let message = format!("`{key}` in `{}` turns hooks off", path.display());
            Failure::new(message, "remove that key; until then no hook runs")
        }));
        Ok(Self { program: found.program, changes, unreadable })
    }
}

/// A program that runs as another user has hooks of its own, with that user's daemon.
fn check_owner(path: &Path) -> Result<(), Failure> {
    let Ok(found) = fs::metadata(path) else { return Ok(()) };
    if found.uid() == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    let message = format!(
        "`{}` belongs to another user (uid {}); nothing was changed",
        path.display(),
        found.uid()
    );
    Err(Failure::new(message, "run this as the user that runs the program"))
}

fn plan_file(
    file: &HookFile,
    path: &Path,
    target: &HookTarget,
) -> Result<Option<PlannedFileChange>, Failure> {
    let old = read_if_present(path)?;
    let text = as_text(path, old.as_deref().unwrap_or_default())?;
    let fail = |error: HookFileError| broken_file(file.program, path, &error);
    let new = file.merge(text, target).map_err(fail)?;
    if old.is_some() && new == text {
        return Ok(None);
    }
    check_writable(path)?;
    let has_ours = !file.installed(text).map_err(fail)?.is_empty();
    let original = match has_ours {
        false => old.clone(),
        true => Some(file.remove(text).map_err(fail)?.into_bytes()),
    };
    Ok(Some(PlannedFileChange {
        path: path.to_owned(),
        old,
        new: Some(new.into_bytes()),
        original,
    }))
}

/// The content without our entries. None if it has none.
pub(crate) fn plan_removal(
    program: Program,
    path: &Path,
    content: &[u8],
) -> Result<Option<Vec<u8>>, Failure> {
    let Some(file) = program.hook_files().iter().find(|file| path.ends_with(file.path)) else {
        return Ok(None);
    };
    let text = as_text(path, content)?;
    let fail = |error: HookFileError| broken_file(program, path, &error);
    if file.installed(text).map_err(fail)?.is_empty() {
        return Ok(None);
    }
    Ok(Some(file.remove(text).map_err(fail)?.into_bytes()))
}

impl PlannedFileChange {
    /// The hooks of all events are alike, so a few lines show what is added.
    pub(crate) fn draw(&self, page: &mut Page, max_added: usize) {
        let text = |bytes: &Option<Vec<u8>>| {
            String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
        };
        let texts = (text(&self.old), text(&self.new));
        draw_diff_folded(page, &self.path, (&texts.0, &texts.1), max_added);
    }
}

fn as_text<'b>(path: &Path, bytes: &'b [u8]) -> Result<&'b str, Failure> {
    std::str::from_utf8(bytes).map_err(|_| {
        let message = format!("`{}` is not UTF-8; nothing was changed", path.display());
        Failure::new(message, "save it as UTF-8")
    })
}

fn broken_file(program: Program, path: &Path, error: &HookFileError) -> Failure {
    let message = format!("`{}`: {error}; nothing was changed", path.display());
    Failure::new(message, format!("repair the file: {program} cannot read it either"))
}

/// Replacing a file needs only its folder, but somebody has protected the file on purpose.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(found) if found.permissions().readonly() => {
            let message = format!("`{}` is read-only; nothing was changed", path.display());
            Err(Failure::new(message, "make it writable, or change it where it is made"))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}
