//! The settings of every file that git reads, in git's order, with the files that they include.

use super::GitError;
use super::condition::{ConditionPlaces, Evaluation, evaluate};
use super::files::GitFiles;
use super::repository::{Repository, join};
use crate::file_system::git_cache::WrittenSetting;
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
            if let Some(certainty) = self.find_worktree_config(&path)? {
                let certainty = match certainty {
                    Certainty::Certain => repository.certainty,
                    Certainty::Possible => Certainty::Possible,
                };
                self.add_file(&join(&repository.git_dir, "config.worktree"), certainty, 0)?;
            }
        }
        Ok(self.settings)
    }

    /// Whether git reads a file of the worktree. It reads `extensions` from the repository's file
    /// itself, without what that includes.
    fn find_worktree_config(&self, path: &str) -> Result<Option<Certainty>, GitError> {
        let settings = self.files.read_settings(path)?.unwrap_or_default();
        let is_key = |setting: &&WrittenSetting| setting.key == "extensions.worktreeconfig";
        let Some(setting) = settings.iter().rev().find(is_key) else { return Ok(None) };
        let value = setting.value.as_deref().unwrap_or("true").to_ascii_lowercase();
        Ok(match value.as_str() {
            "false" | "no" | "off" | "0" | "" => None,
            "true" | "yes" | "on" | "1" => Some(Certainty::Certain),
            _ => Some(Certainty::Possible),
        })
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
            _ => match self.evaluate(condition, file)? {
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
        // By its name: git does not follow a link to the file first.
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        Ok(Some((format!("{folder}/{path}"), certainty)))
    }

    fn evaluate(&self, condition: &str, file: &str) -> Result<Evaluation, GitError> {
        // Here git does follow a link.
        let file = self.files.resolve(file, "/")?;
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let places = ConditionPlaces { repository: self.repository, home: self.home, folder };
        Ok(evaluate(condition, &places, &|path| self.files.resolve(path, "/").ok()))
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
