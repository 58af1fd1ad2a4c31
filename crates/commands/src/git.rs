//! Git runs programs that its configuration names. They do not show in the command line, so no rule
//! can see them.
//!
//! A rule covers a git command only if the configuration in its folder names no program that this
//! subcommand may run. When Countersign executes a command itself, `neutral` adds words that disable
//! such programs. The caller reads the files.
//!
//! See docs/decisions/0053-git-configuration.md.

mod address;
mod command;
mod configuration;
mod credentials;
mod global_options;
mod neutral;
mod remotes;
mod settings;
mod subcommands;

pub use configuration::{
    Certainty, GitConfiguration, GitReading, GitSetting, RepositoryFiles, find_effective,
};
pub(crate) use global_options::{enter_folders, find_folders};
pub(crate) use neutral::{list_neutral_words, neutralize};
pub use remotes::CurrentBranch;
pub(crate) use remotes::find_remotes;
pub use subcommands::is_reading_git;

use crate::command_place::CommandPlace;
use crate::option_tables::find_destinations;
use crate::wrappers::base_name;
use command::GitCommand;
use countersign_core::model::place::{Bound, GitRemote, GitRepository};
use credentials::HelperLookup;
use std::sync::Arc;

/// Git's own subcommands. Any other word is an alias from the configuration, or an external
/// program.
const BUILTIN_SUBCOMMANDS: &str = "add am annotate apply archive bisect blame branch bugreport bundle cat-file \
    check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry \
    cherry-pick clean clone column commit commit-graph commit-tree config count-objects credential \
    describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch \
    fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc grep \
    hash-object help hook index-pack init instaweb interpret-trailers log ls-files ls-remote \
    ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree \
    mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs \
    patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack reflog refs \
    remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm \
    send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash \
    status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index \
    update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack \
    verify-tag version whatchanged worktree write-tree";

/// Whether this word after `git` is an option or one of git's own subcommands.
pub(crate) fn is_option_or_builtin(word: &str) -> bool {
    word.starts_with('-') || BUILTIN_SUBCOMMANDS.split_whitespace().any(|own| own == word)
}

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
