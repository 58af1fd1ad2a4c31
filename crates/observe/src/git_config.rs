//! Git's configuration as git itself would read it in a folder, without starting git.
//!
//! A program that configuration names runs unseen, so a rule for a git command needs to know them
//! all. What cannot be read or parsed is an error, and then no rule covers the command. Environment
//! variables such as `GIT_CONFIG_GLOBAL` are not looked at: those of this process are not the agent's,
//! and a command line cannot set them.
//!
//! See docs/decisions/0053-git-configuration.md.

mod condition;
mod files;
mod index;
mod repository;
mod settings;
mod submodules;
mod syntax;

pub(crate) use index::tracks_path;

use crate::file_system::{FileSystem, LookupError};
use crate::limits;
use countersign_commands::{
    Certainty, CurrentBranch, GitConfiguration, GitReading, RepositoryFiles, find_effective,
};
use files::GitFiles;
use repository::{GitHead, Repository};
use settings::SettingReader;
use std::sync::Arc;

/// Why the configuration is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum GitError {
    #[error("the home folder is unknown")]
    UnknownHome,
    #[error("the agent may run as any user, with a configuration of its own")]
    UnknownUser,
    #[error("{0}")]
    Lookup(#[from] LookupError),
    #[error("`{path}` is not valid at line {line}")]
    Syntax { path: String, line: usize },
    #[error("`{0}` is not valid UTF-8")]
    NotUtf8(String),
    #[error("`{0}` is not in a form that Countersign reads")]
    Form(String),
    #[error("`{0}` changed while it was read")]
    Changed(String),
    #[error("`{0}` includes files more than {max} levels deep", max = limits::MAX_GIT_INCLUDE_DEPTH)]
    TooDeep(String),
    #[error("it depends on more than {} paths", limits::MAX_GIT_PATHS)]
    TooManyPaths,
    #[error("there are more than {} submodules", limits::MAX_GIT_SUBMODULES)]
    TooManySubmodules,
}

/// Reads the configuration for commands in `folder`, which is absolute and leads through no link.
pub(crate) fn read_git(files: &dyn FileSystem, folder: &str, home: Option<&str>) -> GitReading {
    match find_or_read(files, folder, home) {
        Ok(configuration) => GitReading::Known(configuration),
        Err(error) => GitReading::Unreadable { why: error.to_string() },
    }
}

fn find_or_read(
    files: &dyn FileSystem,
    folder: &str,
    home: Option<&str>,
) -> Result<Arc<GitConfiguration>, GitError> {
    let home = home.ok_or(GitError::UnknownHome)?;
    let user = files.agent_user().ok_or(GitError::UnknownUser)?;
    let cache = files.git_cache();
    if let Some(known) = cache.and_then(|cache| cache.find_reading(files, folder, home)) {
        return Ok(known);
    }
    let files = GitFiles::new(files);
    let reader = GitReader { files: &files, folder, home, user };
    let configuration = Arc::new(reader.read()?);
    if let Some(cache) = cache
        && files.is_settled.get()
    {
        cache.keep_reading((folder, home), files.list_probes(), &configuration);
    }
    Ok(configuration)
}

/// The settings in the text of one file, in their order; `None` if git would refuse it.
pub fn list_git_settings(bytes: &[u8]) -> Option<Vec<(String, Option<String>)>> {
    let settings = syntax::parse_settings("", bytes).ok()?;
    Some(settings.into_iter().map(|setting| (setting.key, setting.value)).collect())
}

struct GitReader<'a> {
    files: &'a GitFiles<'a>,
    folder: &'a str,
    home: &'a str,
    user: u32,
}

impl GitReader<'_> {
    fn read(&self) -> Result<GitConfiguration, GitError> {
        let Some(repository) = repository::find(self.files, self.folder, self.user)? else {
            let settings = SettingReader::new(self.files, self.home, None).read()?;
            let files = RepositoryFiles { watched: self.files.list_paths(), ..Default::default() };
            return Ok(GitConfiguration::new(&settings, files));
        };
        let mut submodules = Vec::new();
        self.read_repository(&repository, &mut submodules)
    }

    /// Reads a repository, and adds every repository below it to `submodules`.
    fn read_repository(
        &self,
        repository: &Repository,
        submodules: &mut Vec<Arc<GitConfiguration>>,
    ) -> Result<GitConfiguration, GitError> {
        let settings = SettingReader::new(self.files, self.home, Some(repository)).read()?;
        let mut found = RepositoryFiles {
            is_repository: true,
            data_folder: Some(repository.common_dir.clone()),
            branch: match &repository.head {
                GitHead::Branch(branch) => CurrentBranch::Named(branch.clone()),
                GitHead::Detached => CurrentBranch::Detached,
                GitHead::Unknown => CurrentBranch::Unknown,
            },
            hooks: self.list_hooks(repository, &settings)?,
            has_module_folder: self.files.read_identity(&repository.common("modules"))?.is_some(),
            has_remote_files: self.has_remote_files(repository)?,
            has_other_worktree: self.has_other_worktree(repository, &settings)?,
            ..Default::default()
        };
        let is_certain = repository.certainty == Certainty::Certain && !found.has_other_worktree;
        // Git prints no folder for a bare repository.
        let is_bare = !find_effective(&settings, "core.bare").iter().all(|one| {
            one.value.as_deref().is_some_and(|value| value.eq_ignore_ascii_case("false"))
        });
        found.worktree = repository.worktree.clone().filter(|_| is_certain && !is_bare);
        for path in submodules::list_submodules(self.files, repository, &settings)? {
            if self.files.read_identity(&format!("{path}/.git"))?.is_none() {
                continue;
            }
            if submodules.len() >= limits::MAX_GIT_SUBMODULES {
                return Err(GitError::TooManySubmodules);
            }
            // Git finds no repository there if `.git` is not one, and then does not enter it.
            if let Some(inner) = repository::find(self.files, &path, self.user)?
                && inner.git_dir != repository.git_dir
            {
                // Counted before it is read: it may lead back to itself.
                let at = submodules.len();
                submodules.push(Arc::default());
                let configuration = self.read_repository(&inner, submodules)?;
                if let Some(place) = submodules.get_mut(at) {
                    *place = Arc::new(configuration);
                }
            }
        }
        found.submodules.clone_from(submodules);
        found.watched = self.files.list_paths();
        Ok(GitConfiguration::new(&settings, found))
    }

    fn list_hooks(
        &self,
        repository: &Repository,
        settings: &[countersign_commands::GitSetting],
    ) -> Result<Vec<String>, GitError> {
        let configured = find_effective(settings, "core.hookspath");
        let mut folders = Vec::new();
        if configured.first().is_none_or(|first| first.certainty == Certainty::Possible) {
            folders.push(repository.common("hooks"));
        }
        for setting in configured {
            let value = setting.value.as_deref().unwrap_or_default();
            let path = settings::expand_path(value, self.home, &setting.file)?;
            match path.starts_with('/') {
                true => folders.push(path),
                // Git enters the folder of the repository first, but not for every subcommand.
                false => {
                    let bases = [Some(self.folder), Some(&repository.git_dir)];
                    let bases = bases.into_iter().chain([repository.worktree.as_deref()]);
                    folders.extend(bases.flatten().map(|base| format!("{base}/{path}")));
                }
            }
        }
        let mut hooks = Vec::new();
        for folder in folders {
            let names = self.files.list_names(&folder)?;
            hooks.extend(names.iter().filter(|name| !name.contains('.')).cloned());
        }
        Ok(hooks)
    }

    fn has_remote_files(&self, repository: &Repository) -> Result<bool, GitError> {
        let mut has_any = false;
        for name in ["remotes", "branches"] {
            has_any |= !self.files.list_names(&repository.common(name))?.is_empty();
        }
        Ok(has_any)
    }

    fn has_other_worktree(
        &self,
        repository: &Repository,
        settings: &[countersign_commands::GitSetting],
    ) -> Result<bool, GitError> {
        for setting in find_effective(settings, "core.worktree") {
            let value = setting.value.as_deref().unwrap_or_default();
            let place = self.files.resolve(value, &repository.git_dir)?;
            if Some(place) != repository.worktree {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests;
