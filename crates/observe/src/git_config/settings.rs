//! The settings of every file that git reads, in git's order, with the files that they include.

use super::GitError;
use super::condition::{Evaluation, evaluate};
use super::files::GitFiles;
use super::repository::{Repository, join};
use super::syntax::WrittenSetting;
use crate::limits;
use countersign_commands::{Certainty, GitSetting};
use std::sync::Arc;

/// Where git may have been built to look for the settings of the system. Nobody knows which of them
/// it reads, so they count and hide nothing.
const SYSTEM_FILES: &[&str] =
    &["/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"];

pub(super) struct SettingReader<'a> {
    files: &'a GitFiles<'a>,
    home: &'a str,
    repository: Option<&'a Repository>,
    settings: Vec<GitSetting>,
}

impl<'a> SettingReader<'a> {
    pub(super) const fn new(
        files: &'a GitFiles<'a>,
        home: &'a str,
        repository: Option<&'a Repository>,
    ) -> Self {
        Self { files, home, repository, settings: Vec::new() }
    }

    pub(super) fn read(mut self) -> Result<Vec<GitSetting>, GitError> {
        for path in SYSTEM_FILES {
            self.add_file(path, Certainty::Possible, 0)?;
        }
        for name in [".config/git/config", ".gitconfig"] {
            self.add_file(&join(self.home, name), Certainty::Certain, 0)?;
        }
        if let Some(repository) = self.repository {
            let path = repository.common("config");
            self.add_file(&path, repository.certainty, 0)?;
            if self.has_worktree_config(&path)? {
                let path = join(&repository.git_dir, "config.worktree");
                self.add_file(&path, repository.certainty, 0)?;
            }
        }
        Ok(self.settings)
    }

    /// Git reads `extensions` from the file itself, without what it includes.
    fn has_worktree_config(&self, path: &str) -> Result<bool, GitError> {
        let settings = self.files.read_settings(path)?.unwrap_or_default();
        let is_key = |setting: &&WrittenSetting| setting.key == "extensions.worktreeconfig";
        let value = settings.iter().rev().find(is_key).map(|setting| setting.value.as_deref());
        Ok(value.is_some_and(|value| !matches!(value, Some("false" | "no" | "off" | "0" | ""))))
    }

    fn add_file(&mut self, path: &str, certainty: Certainty, depth: usize) -> Result<(), GitError> {
        let Some(written) = self.files.read_settings(path)? else { return Ok(()) };
        if depth > limits::MAX_GIT_INCLUDE_DEPTH {
            return Err(GitError::TooDeep(path.to_owned()));
        }
        let file: Arc<str> = path.into();
        for WrittenSetting { key, value } in written.iter() {
            let (key, value) = (key.clone(), value.clone());
            let setting = GitSetting { key, value, certainty, file: Arc::clone(&file) };
            let included = self.find_included(&setting)?;
            self.settings.push(setting);
            if let Some((path, certainty)) = included {
                self.add_file(&path, certainty, depth + 1)?;
            }
        }
        Ok(())
    }

    /// The file that a setting includes.
    fn find_included(&self, setting: &GitSetting) -> Result<Option<(String, Certainty)>, GitError> {
        let condition = match setting.key.strip_prefix("includeif.") {
            Some(rest) => rest.strip_suffix(".path"),
            None if setting.key == "include.path" => Some(""),
            None => None,
        };
        let Some(condition) = condition else { return Ok(None) };
        let file = setting.file.as_ref();
        let certainty = match condition {
            "" => setting.certainty,
            _ => match evaluate(condition, self.repository, self.home, file) {
                Evaluation::True => setting.certainty,
                Evaluation::Unknown => Certainty::Possible,
                Evaluation::False => return Ok(None),
            },
        };
        let value = setting.value.as_deref().unwrap_or_default();
        let path = expand_path(value, self.home, file)?;
        if path.starts_with('/') {
            return Ok(Some((path, certainty)));
        }
        // Relative to the file itself, not to a link that leads to it.
        let folder = self.files.resolve(file, "/")?;
        let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        Ok(Some((format!("{folder}/{path}"), certainty)))
    }
}

/// Replaces `~/` as git does. Other users' homes and git's own prefix are not known.
pub(super) fn expand_path(value: &str, home: &str, file: &str) -> Result<String, GitError> {
    match value.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => Ok(format!("{home}{rest}")),
        Some(_) => Err(GitError::Form(file.to_owned())),
        None if value.is_empty() || value.starts_with("%(") => Err(GitError::Form(file.to_owned())),
        None => Ok(value.to_owned()),
    }
}
