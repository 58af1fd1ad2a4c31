//! Where the remotes of a repository lead, as its configuration says at the decision.
//!
//! A yes to a push is for the place that the operator saw, and the name of a remote does not say which
//! one that is: another repository has an `origin` of its own. What is not certain counts as unknown.
//!
//! See docs/decisions/0081-where-a-remote-leads.md.

use crate::context::CommandContext;
use crate::git_configuration::{GitConfiguration, GitReading, TransferDirection};
use crate::git_words::find_git_subcommand;
use crate::option_tables::CommandDestination;
use crate::working_folders::FolderSet;
use crate::wrappers::base_name;
use countersign_core::model::place::{Bound, GitRemote, GitRepository};

/// The remotes that a git command contacts; `None` if it is no such command, or if the disk was not
/// consulted.
pub(crate) fn find_remotes(
    argv: &[String],
    destinations: &[CommandDestination],
    folders: &FolderSet,
    context: &CommandContext,
) -> Option<Vec<Bound>> {
    let contact = RemoteContact::find(argv, destinations)?;
    let mut bounds = Vec::new();
    let nowhere = folders.is_open || folders.known.is_empty();
    for folder in folders.known.iter().map(String::as_str).chain(nowhere.then_some("/")) {
        let reading = context.disk.read_git_configuration(folder);
        let found = match reading {
            GitReading::NotConsulted => return None,
            GitReading::Known(configuration) if !nowhere && !contact.has_front_options => {
                let repository = find_repository(&configuration, context);
                contact.list_remotes(&configuration, &repository)
            }
            GitReading::Known(_) | GitReading::Unreadable { .. } => {
                vec![contact.unknown(GitRepository::Unknown)]
            }
        };
        bounds.extend(found.into_iter().map(Bound::GitRemote));
    }
    Some(bounds)
}

/// Which remotes a command contacts, by its words.
struct RemoteContact<'a> {
    direction: TransferDirection,
    which: WhichRemote<'a>,
    /// Options in front of the subcommand that may choose another repository.
    has_front_options: bool,
}

enum WhichRemote<'a> {
    Named(&'a str),
    Default,
    All,
    /// The words do not say it, or not in a way that a table knows.
    Unknown,
}

impl<'a> RemoteContact<'a> {
    fn find(argv: &'a [String], destinations: &'a [CommandDestination]) -> Option<Self> {
        let program = argv.first()?;
        let at = find_git_subcommand(argv.iter().map(String::as_str))?;
        let subcommand = argv.get(at)?.as_str();
        let reaches = ["push", "fetch", "pull", "ls-remote", "remote", "submodule"];
        if base_name(program) != "git" || !reaches.contains(&subcommand) {
            return None;
        }
        let direction =
            if subcommand == "push" { TransferDirection::Push } else { TransferDirection::Fetch };
        let asks_all = |word: &String| word == "--all" || word == "--multiple";
        let is_all = subcommand != "push" && argv.iter().any(asks_all);
        let is_update = argv.get(1..3).is_some_and(|words| words == ["remote", "update"]);
        let which = match destinations {
            [] | [CommandDestination::Host(_), ..] => return None,
            [CommandDestination::Remote(name)] if !is_all && !is_update => WhichRemote::Named(name),
            [CommandDestination::Configured] if subcommand == "submodule" => WhichRemote::Unknown,
            [CommandDestination::Configured | CommandDestination::Remote(_)]
                if is_all || is_update =>
            {
                WhichRemote::All
            }
            [CommandDestination::Configured] => WhichRemote::Default,
            _ => WhichRemote::Unknown,
        };
        Some(Self { direction, which, has_front_options: at != 1 })
    }

    fn list_remotes(
        &self,
        configuration: &GitConfiguration,
        repository: &GitRepository,
    ) -> Vec<GitRemote> {
        let settings = &configuration.remote_settings;
        let describe = |name: &str| GitRemote {
            name: name.to_owned(),
            repository: repository.clone(),
            addresses: settings.find_addresses(name, self.direction),
        };
        let found = match self.which {
            WhichRemote::Named(name) => vec![describe(name)],
            WhichRemote::Default => {
                let name = settings.find_default(&configuration.files.branch, self.direction);
                name.iter().map(|name| describe(name)).collect()
            }
            WhichRemote::All => settings.list_names().into_iter().map(describe).collect(),
            WhichRemote::Unknown => Vec::new(),
        };
        if found.is_empty() { vec![self.unknown(repository.clone())] } else { found }
    }

    fn unknown(&self, repository: GitRepository) -> GitRemote {
        let name = match self.which {
            WhichRemote::Named(name) => name,
            WhichRemote::Default | WhichRemote::All | WhichRemote::Unknown => "",
        };
        GitRemote { name: name.to_owned(), repository, addresses: Vec::new() }
    }
}

fn find_repository(configuration: &GitConfiguration, context: &CommandContext) -> GitRepository {
    let Some(data) = &configuration.files.data_folder else { return GitRepository::Unknown };
    let own = context.workspace.map(|folder| context.disk.read_git_configuration(folder));
    match own {
        Some(GitReading::Known(own)) if own.files.data_folder.as_ref() == Some(data) => {
            GitRepository::Own
        }
        Some(_) | None => GitRepository::At(data.clone()),
    }
}
