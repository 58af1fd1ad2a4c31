//! Looks for programs as the agent's shell does, and says who can replace them.

use super::ContentCache;
use crate::agent_identity::AgentIdentity;
use crate::disk;
use crate::file_system::{self, EntryKind, Inode, LookupError};
use crate::real_path::RealPath;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

/// An executable file, and how it was found.
pub(crate) struct FoundFile {
    /// Absolute; links are not followed.
    pub(crate) found_at: String,
    pub(crate) real: RealPath,
    pub(crate) metadata: Metadata,
    /// What the agent can write on the way to it.
    pub(crate) writable: Vec<String>,
}

impl FoundFile {
    /// The name by which the program is called.
    pub(super) fn called_name(&self) -> &str {
        self.found_at.rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn inode(&self) -> Inode {
        Inode { device: self.metadata.dev(), number: self.metadata.ino() }
    }

    /// An interpreter runs as the agent, so it could not read such a script either.
    pub(super) fn is_closed_to_interpreters(&self) -> bool {
        self.metadata.uid() == 0 && self.metadata.mode() & 0o044 == 0
    }
}

/// Where programs are searched for, and by whom.
#[derive(Clone, Debug)]
pub(crate) struct ProgramSearch {
    pub(crate) agent: AgentIdentity,
    folders: Vec<String>,
    pub(crate) home: Option<String>,
    pub(crate) contents: Arc<ContentCache>,
}

impl ProgramSearch {
    pub(crate) fn new(agent: AgentIdentity, search_path: &str) -> Self {
        Self {
            agent,
            folders: search_path.split(':').map(str::to_owned).collect(),
            home: None,
            contents: Arc::new(ContentCache::new()),
        }
    }

    /// Resolves a path, and lists the files and folders on the way that the agent can replace.
    pub(crate) fn resolve_with_writable(
        &self,
        path: &str,
        cwd: &str,
    ) -> Result<(RealPath, Vec<String>), LookupError> {
        let mut writable = Vec::new();
        let real = file_system::resolve_path(path, cwd, &mut |path| {
            let Some((kind, metadata)) = disk::read_entry(path)? else {
                return Ok(EntryKind::Missing);
            };
            // The mode of a link means nothing: who can write to its folder can replace it.
            let is_link = matches!(kind, EntryKind::Link(_));
            if !is_link && self.agent.can_replace(path, &metadata) {
                writable.push(path.to_owned());
            }
            Ok(kind)
        })?;
        Ok((real, writable))
    }

    /// The executable file at a path.
    pub(crate) fn locate_program(&self, path: &str, cwd: &str) -> Result<FoundFile, LookupError> {
        let (real, writable) = self.resolve_with_writable(path, cwd)?;
        let not_executable = || LookupError::NotExecutable(path.to_owned());
        let metadata = fs::symlink_metadata(real.as_str()).map_err(|_| not_executable())?;
        if !metadata.is_file() || metadata.mode() & 0o111 == 0 {
            return Err(not_executable());
        }
        let is_absolute = path.starts_with('/');
        let found_at = if is_absolute { path.to_owned() } else { format!("{cwd}/{path}") };
        Ok(FoundFile { found_at, real, metadata, writable })
    }

    /// The file that a name starts, if no program is in the folder `skipped`.
    pub(crate) fn find_file(
        &self,
        name: &str,
        cwd: &str,
        skipped: Option<&str>,
    ) -> Result<FoundFile, LookupError> {
        if name.contains('/') {
            return self.locate_program(name, cwd);
        }
        if name.is_empty() {
            return Err(LookupError::Empty);
        }
        let skipped = skipped.map(|folder| disk::resolve_path(folder, "/")).transpose()?;
        self.search_program(name, |folder| {
            if skipped.is_some() && disk::resolve_path(folder, cwd).ok() == skipped {
                return Err(LookupError::NotExecutable(folder.to_owned()));
            }
            self.locate_program(&format!("{folder}/{name}"), cwd)
        })
    }

    pub(crate) fn search_program<T>(
        &self,
        name: &str,
        find_in: impl Fn(&str) -> Result<T, LookupError>,
    ) -> Result<T, LookupError> {
        for folder in &self.folders {
            // An empty entry of `PATH` is the working directory.
            let folder = if folder.is_empty() { "." } else { folder };
            match find_in(folder) {
                // Like a shell, continue with the next folder.
                Err(LookupError::NotExecutable(_) | LookupError::NotAFolder(_)) => {}
                // An agent of another user may find the program there.
                Err(LookupError::Unreadable(_, ErrorKind::PermissionDenied))
                    if self.agent.is_current_user() => {}
                result => return result,
            }
        }
        Err(LookupError::ProgramNotFound(name.to_owned()))
    }
}
