//! Git runs programs that its configuration names. They do not show in the command line, so no rule
//! can see them.
//!
//! A rule covers a git command only if the configuration in its folder names no program that this
//! subcommand may run. When Countersign executes a command itself, `neutral` adds words that disable
//! such programs. The caller reads the files.
//!
//! See docs/decisions/0053-git-configuration.md.

mod command;
mod credentials;
mod global_options;
mod neutral;
mod remotes;
mod subcommands;

pub(crate) use global_options::{enter_folders, find_folders};
pub(crate) use neutral::{list_neutral_words, neutralize};
pub(crate) use remotes::find_remotes;
pub use subcommands::is_reading_git;

use crate::command_place::CommandPlace;
use crate::git_configuration::{GitConfiguration, GitReading};
use crate::option_tables::find_destinations;
use crate::wrappers::base_name;
use command::GitCommand;
use countersign_core::model::place::{Bound, GitRemote, GitRepository};
use credentials::HelperLookup;
use std::sync::Arc;

/// Why a rule does not cover this git command in its folders. Every other program passes.
pub(crate) fn check_configuration(argv: &[String], place: &CommandPlace) -> Result<(), String> {
    let Some((program, words)) =
        argv.split_first().filter(|(program, _)| base_name(program) == "git")
    else {
        return Ok(());
    };
    let mut readings = Vec::new();
    for folder in &place.folders.known {
        match place.context.disk.read_git_configuration(folder) {
            GitReading::NotConsulted => return Ok(()),
            GitReading::Unreadable { why } => {
                return Err(format!("git's configuration cannot be read: {why}"));
            }
            GitReading::Known(configuration) => readings.push((folder, configuration)),
        }
    }
    // Without a folder and a disk, only the words count.
    if place.folders.is_open
        && place.context.disk.read_git_configuration("/") == GitReading::NotConsulted
    {
        return Ok(());
    }
    if place.folders.is_open {
        return Err("git's configuration is in a folder that is not known".to_owned());
    }
    let command = GitCommand::parse(words)?;
    for (folder, configuration) in &readings {
        let helpers = HelperLookup { disk: place.context.disk, program, folder };
        command.check(configuration, &helpers)?;
        check_unwritten(configuration, place)?;
    }
    Ok(())
}

/// Why an allow rule does not cover a git command that contacts a remote: it is for the workspace's
/// own repository, and another one has other remotes under the same names.
pub(crate) fn check_own_repository(argv: &[String], place: &CommandPlace) -> Result<(), String> {
    let destinations = find_destinations(argv);
    let remotes = find_remotes(argv, &destinations, place.folders, place.context);
    let is_other = |bound: &Bound| {
        matches!(bound, Bound::GitRemote(GitRemote { repository: GitRepository::At(_), .. }))
    };
    match place.context.workspace.is_some() && remotes.iter().flatten().any(is_other) {
        true => Err("it is in another repository than that of the workspace".to_owned()),
        false => Ok(()),
    }
}

/// Another command of the line may change what was read.
fn check_unwritten(configuration: &GitConfiguration, place: &CommandPlace) -> Result<(), String> {
    let mut all = std::iter::once(configuration)
        .chain(configuration.files.submodules.iter().map(Arc::as_ref));
    let is_written = |path: &String| place.written.may_edit(path, place.context);
    match all.find_map(|one| one.files.watched.iter().find(|path| is_written(path))) {
        Some(path) => Err(format!("an earlier command may change git's configuration at `{path}`")),
        None => Ok(()),
    }
}
