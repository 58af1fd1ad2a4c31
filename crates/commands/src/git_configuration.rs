//! Git's configuration, as far as it names programs.
//!
//! The caller reads the files; this module says which settings are in force and which programs they
//! name. Where it is not certain that git reads a file, its settings count, but they hide no earlier
//! ones.

mod address;
mod known_helper;
mod remote_settings;
mod settings;

pub use remote_settings::CurrentBranch;

pub(crate) use address::runs_configured_program;
pub(crate) use known_helper::{KnownHelper, find_known_helper};
pub(crate) use remote_settings::{RemoteSettings, TransferDirection};
pub(crate) use settings::ProgramKind;

use settings::{GitSettingKey, classify, is_true_or_unknown, read_bool};
use std::collections::HashSet;
use std::sync::Arc;

/// One line of a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitSetting {
    /// `section.name` or `section.subsection.name`, with section and name in lower case.
    pub key: String,
    /// `None` for a name without `=`, which git reads as true.
    pub value: Option<String>,
    pub certainty: Certainty,
    pub file: Arc<str>,
}

/// Whether git reads a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    Certain,
    /// Under a condition that nobody evaluated, in a repository that git may refuse, and so on.
    Possible,
}

/// What the disk says about git in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitReading {
    /// The disk was not consulted.
    NotConsulted,
    /// It cannot be read, or not completely.
    Unreadable {
        why: String,
    },
    Known(Arc<GitConfiguration>),
}

/// What a repository's folders contain besides settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryFiles {
    /// There is a repository. Without one, git reaches no remote by its name.
    pub is_repository: bool,
    /// The folder of its data, which all its worktrees share.
    pub data_folder: Option<String>,
    pub branch: CurrentBranch,
    /// Names of existing hooks, executable or not.
    pub hooks: Vec<String>,
    /// Every path that the reading depends on, existing or not.
    pub watched: Vec<String>,
    /// Repositories that git enters from this one.
    pub submodules: Vec<Arc<GitConfiguration>>,
    /// `.git/modules` exists: a fetch may enter repositories that are not checked out.
    pub has_module_folder: bool,
    /// `.git/remotes` or `.git/branches` name addresses.
    pub has_remote_files: bool,
    /// `core.worktree` leads away from the folder of the repository.
    pub has_other_worktree: bool,
    /// The folder that `git rev-parse --show-toplevel` prints, if that is certain.
    pub worktree: Option<String>,
}

/// The programs that git's configuration names in one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitConfiguration {
    pub(crate) programs: Vec<ConfiguredProgram>,
    pub(crate) pagers: Vec<SubcommandPager>,
    pub(crate) aliases: Vec<String>,
    pub(crate) remotes: HashSet<String>,
    pub(crate) remote_settings: RemoteSettings,
    /// Objects may be missing, and git fetches them when it needs them.
    pub(crate) fetches_lazily: bool,
    pub(crate) files: RepositoryFiles,
}

/// A setting that names a program, or leads to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfiguredProgram {
    pub(crate) kind: ProgramKind,
    /// For the reader, without the subsection: anybody may have chosen its text.
    pub(crate) name: String,
    /// It names a credential helper that is known to do nothing else.
    pub(crate) helper: Option<KnownHelper>,
}

/// `pager.SUBCOMMAND`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubcommandPager {
    pub(crate) subcommand: String,
    pub(crate) certainty: Certainty,
    pub(crate) paging: Paging,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paging {
    Off,
    /// By the pager of `core.pager`.
    On,
    OwnProgram,
}

impl GitConfiguration {
    /// The folder that `git rev-parse --show-toplevel` prints, if that is certain.
    pub(crate) fn worktree(&self) -> Option<&str> {
        self.files.worktree.as_deref()
    }

    /// `settings` are in the order in which git reads them.
    pub fn new(settings: &[GitSetting], files: RepositoryFiles) -> Self {
        let mut configuration = Self { files, ..Self::default() };
        let effective = list_effective(settings);
        for (key, setting) in &effective {
            if let ("remote", Some(name), "url") = key.parts()
                && setting.certainty == Certainty::Certain
            {
                configuration.remotes.insert(name.to_owned());
            }
        }
        for (key, setting) in &effective {
            configuration.remote_settings.add(key, setting);
            configuration.add(key, setting);
        }
        if configuration.files.has_remote_files {
            configuration.add_program(ProgramKind::Transport, "a file in `.git/remotes`");
        }
        if configuration.files.has_other_worktree {
            configuration.add_program(ProgramKind::Always, "`core.worktree`");
        }
        configuration
    }

    fn add(&mut self, key: &GitSettingKey, setting: &GitSetting) {
        let value = setting.value.as_deref();
        match key.parts() {
            ("pager", None, subcommand) => self.pagers.push(SubcommandPager {
                subcommand: subcommand.to_owned(),
                certainty: setting.certainty,
                paging: match (value, read_bool(value)) {
                    (_, Some(false)) | (Some("cat"), _) => Paging::Off,
                    (_, Some(true)) => Paging::On,
                    (_, None) => Paging::OwnProgram,
                },
            }),
            ("alias", subsection, name) => {
                self.aliases.push(subsection.unwrap_or(name).to_owned());
            }
            ("remote", Some(_), "promisor") | ("extensions", None, "partialclone") => {
                self.fetches_lazily |= is_true_or_unknown(value);
            }
            ("branch", Some(_), "remote" | "pushremote") | ("remote", None, "pushdefault") => {
                let address = value.unwrap_or_default();
                let is_known = address == "." || self.remotes.contains(address);
                if !is_known && runs_configured_program(address) {
                    self.add_program(ProgramKind::Transport, &key.describe(setting));
                }
            }
            _ => {
                let Some(kind) = classify(key, value) else { return };
                let helper = match key.parts() {
                    ("credential", _, "helper") => find_known_helper(value.unwrap_or_default()),
                    _ => None,
                };
                self.programs.push(ConfiguredProgram { kind, name: key.describe(setting), helper });
            }
        }
    }

    fn add_program(&mut self, kind: ProgramKind, name: &str) {
        self.programs.push(ConfiguredProgram { kind, name: name.to_owned(), helper: None });
    }
}

/// The settings of one key that may be in force, for callers that look at more than programs.
pub fn find_effective<'a>(settings: &'a [GitSetting], key: &str) -> Vec<&'a GitSetting> {
    let found: Vec<_> = settings.iter().filter(|setting| setting.key == key).collect();
    let last = found.iter().rposition(|setting| setting.certainty == Certainty::Certain);
    found.into_iter().skip(last.unwrap_or(0)).collect()
}

/// Every setting that no later one certainly replaces, in their order.
fn list_effective(settings: &[GitSetting]) -> Vec<(GitSettingKey<'_>, &GitSetting)> {
    let mut replaced = HashSet::new();
    let mut effective = Vec::new();
    for setting in settings.iter().rev() {
        if replaced.contains(setting.key.as_str()) {
            continue;
        }
        let Some(key) = GitSettingKey::parse(&setting.key) else { continue };
        if setting.certainty == Certainty::Certain && key.replaces_earlier(setting.value.as_deref())
        {
            replaced.insert(setting.key.as_str());
        }
        effective.push((key, setting));
    }
    effective.reverse();
    effective
}
