//! Where the remotes of a repository lead, as its configuration says at the decision.
//!
//! A yes to a push is for the place that the operator saw, and the name of a remote does not say which
//! one that is: another repository has an `origin` of its own. What is not certain counts as unknown.
//!
//! See docs/decisions/0081-where-a-remote-leads.md.

use super::configuration::{Certainty, GitConfiguration, GitReading, GitSetting};
use super::settings::GitSettingKey;
use crate::context::CommandContext;
use crate::deny::find_git_subcommand;
use crate::option_tables::CommandDestination;
use crate::working_folders::FolderSet;
use crate::wrappers::base_name;
use countersign_core::model::place::{Bound, GitRemote, GitRepository};

/// The branch that is checked out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CurrentBranch {
    Named(String),
    Detached,
    #[default]
    Unknown,
}

/// The settings that say where remotes lead, and which one a command without a remote contacts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RemoteSettings {
    settings: Vec<RemoteSetting>,
    /// `insteadOf` and `pushInsteadOf` lead an address elsewhere.
    has_rewrites: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RemoteSetting {
    key: RemoteKey,
    /// The name of a remote or of a branch.
    of: String,
    value: String,
    certainty: Certainty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RemoteKey {
    Url,
    PushUrl,
    BranchRemote,
    BranchPushRemote,
    PushDefault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TransferDirection {
    Push,
    Fetch,
}

impl RemoteSettings {
    pub(super) fn add(&mut self, key: &GitSettingKey, setting: &GitSetting) {
        let (key, of) = match key.parts() {
            ("remote", Some(name), "url") => (RemoteKey::Url, name),
            ("remote", Some(name), "pushurl") => (RemoteKey::PushUrl, name),
            ("branch", Some(branch), "remote") => (RemoteKey::BranchRemote, branch),
            ("branch", Some(branch), "pushremote") => (RemoteKey::BranchPushRemote, branch),
            ("remote", None, "pushdefault") => (RemoteKey::PushDefault, ""),
            ("url", _, _) => {
                self.has_rewrites = true;
                return;
            }
            _ => return,
        };
        let value = setting.value.clone().unwrap_or_default();
        let of = of.to_owned();
        self.settings.push(RemoteSetting { key, of, value, certainty: setting.certainty });
    }

    /// The values of a setting; `None` if one of them is not certain.
    fn find_values(&self, key: RemoteKey, of: &str) -> Option<Vec<&str>> {
        let found = self.settings.iter().filter(|setting| setting.key == key && setting.of == of);
        found
            .map(|one| (one.certainty == Certainty::Certain).then_some(one.value.as_str()))
            .collect()
    }

    /// Where a remote leads; empty if that is not certain.
    fn find_addresses(&self, name: &str, direction: TransferDirection) -> Vec<String> {
        let fetched = self.find_values(RemoteKey::Url, name);
        let pushed = self.find_values(RemoteKey::PushUrl, name);
        let addresses = match (direction, fetched, pushed) {
            (TransferDirection::Push, Some(_), Some(pushed)) if !pushed.is_empty() => pushed,
            (_, Some(fetched), Some(_)) => fetched,
            (_, _, _) => return Vec::new(),
        };
        if self.has_rewrites || addresses.contains(&"") {
            return Vec::new();
        }
        addresses.into_iter().map(drop_credentials).collect()
    }

    fn list_names(&self) -> Vec<&str> {
        let is_address =
            |one: &&RemoteSetting| matches!(one.key, RemoteKey::Url | RemoteKey::PushUrl);
        let mut names: Vec<&str> =
            self.settings.iter().filter(is_address).map(|one| one.of.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The remote of a command that names none; `None` if that is not certain.
    fn find_default(&self, branch: &CurrentBranch, direction: TransferDirection) -> Option<String> {
        let of_branch = |key: RemoteKey| match branch {
            CurrentBranch::Named(branch) => self.find_values(key, branch),
            CurrentBranch::Detached => Some(Vec::new()),
            CurrentBranch::Unknown => None,
        };
        let mut chosen = Vec::new();
        if direction == TransferDirection::Push {
            chosen.extend(of_branch(RemoteKey::BranchPushRemote)?.last().copied());
            chosen.extend(self.find_values(RemoteKey::PushDefault, "")?.last().copied());
        }
        chosen.extend(of_branch(RemoteKey::BranchRemote)?.last().copied());
        let only = match self.list_names().as_slice() {
            [only] => only,
            _ => "origin",
        };
        Some(chosen.first().copied().unwrap_or(only).to_owned())
    }
}

/// The address without user and password, which no card and no record should hold.
fn drop_credentials(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (authority, path) = match rest.split_once('/') {
        Some((authority, path)) => (authority, format!("/{path}")),
        None => (rest, String::new()),
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_without_its_credentials() {
        for (address, kept) in [
            ("https://example.org/a.git", "https://example.org/a.git"),
            ("https://me:token@example.org/a.git", "https://example.org/a.git"),
            ("https://token@example.org", "https://example.org"),
            ("git@example.org:a/b.git", "git@example.org:a/b.git"),
            ("../other", "../other"),
        ] {
            assert_eq!(drop_credentials(address), kept);
        }
    }
}
