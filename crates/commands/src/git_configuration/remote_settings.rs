//! The settings that say where remotes lead.

use super::settings::GitSettingKey;
use super::{Certainty, GitSetting};

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
pub(crate) struct RemoteSettings {
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
pub(crate) enum TransferDirection {
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
    pub(crate) fn find_addresses(&self, name: &str, direction: TransferDirection) -> Vec<String> {
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

    pub(crate) fn list_names(&self) -> Vec<&str> {
        let is_address =
            |one: &&RemoteSetting| matches!(one.key, RemoteKey::Url | RemoteKey::PushUrl);
        let mut names: Vec<&str> =
            self.settings.iter().filter(is_address).map(|one| one.of.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The remote of a command that names none; `None` if that is not certain.
    pub(crate) fn find_default(
        &self,
        branch: &CurrentBranch,
        direction: TransferDirection,
    ) -> Option<String> {
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
