//! The project that a command names: a folder as its real path, or a name for an adapter's token.

use crate::settings::Settings;
use countersign_console::Failure;
use countersign_core::model::names::Project;
use rustix::process::getuid;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The named project, or else the git repository around the current folder or that folder, if agents
/// may name one.
pub(crate) fn choose_project(
    named: Option<&str>,
    settings: &Settings,
) -> Result<Option<Project>, Failure> {
    match named {
        Some(text) => read_project(text).map(Some),
        None => find_default_project(&settings.data()?, settings),
    }
}

/// The real path if it is a folder. Another text stays as it is; only an adapter's token may use it.
fn read_project(text: &str) -> Result<Project, Failure> {
    let real = std::fs::canonicalize(Path::new(text)).ok().filter(|path| path.is_dir());
    let real = real.as_deref().and_then(Path::to_str).unwrap_or(text);
    Project::parse(real)
        .map_err(|error| Failure::usage(error.to_string(), "name a folder that contains this one"))
}

/// Whether the daemon runs as our own user. One that is not running does not.
pub(crate) fn is_own_daemon(data: &Path, settings: &Settings) -> bool {
    let owner = std::fs::metadata(settings.agent_socket(data)).map(|socket| socket.uid());
    owner.ok() == Some(getuid().as_raw())
}

/// None if the daemon is another user's: then only an adapter names projects. A repository that holds
/// a home or our own files is none that the daemon accepts.
pub(crate) fn find_default_project(
    data: &Path,
    settings: &Settings,
) -> Result<Option<Project>, Failure> {
    if !is_own_daemon(data, settings) {
        return Ok(None);
    }
    let here = std::env::current_dir().and_then(std::fs::canonicalize).unwrap_or_default();
    let outer = OuterFolders::new(settings, data);
    let repository = find_repository(&here).and_then(|folder| outer.to_project(folder));
    Ok(repository.or_else(|| outer.to_project(&here)))
}

/// The project of an agent's program that works in a folder: the git repository around it, or else
/// the folder itself.
pub(crate) fn find_program_project(folder: &Path, settings: &Settings) -> Option<Project> {
    let folder = std::fs::canonicalize(folder).ok()?;
    let outer = OuterFolders::new(settings, &settings.data().ok()?);
    let repository = find_repository(&folder).and_then(|folder| outer.to_project(folder));
    repository.or_else(|| outer.to_project(&folder))
}

/// What a project must not contain: a home, or our own files.
struct OuterFolders(Vec<PathBuf>);

impl OuterFolders {
    fn new(settings: &Settings, data: &Path) -> Self {
        let ours = [settings.home.clone().map(PathBuf::from), Some(data.to_owned())];
        let ours = ours.into_iter().flatten();
        Self(ours.filter_map(|path| std::fs::canonicalize(path).ok()).collect())
    }

    fn to_project(&self, folder: &Path) -> Option<Project> {
        let is_too_wide =
            folder.parent().is_none() || self.0.iter().any(|path| path.starts_with(folder));
        (!is_too_wide).then(|| folder.to_str().and_then(|text| Project::parse(text).ok()))?
    }
}

fn find_repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}
