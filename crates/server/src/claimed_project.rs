//! Which project a caller may name for its session.
//!
//! An adapter may name any. Without separation between agents and the daemon (L0), an agent may name a
//! folder that contains its own working directory, as the kernel reports it. Such a folder is the
//! session's workspace, so it must not contain a whole home, the root or our own files.
//!
//! See docs/decisions/0062-projects-that-agents-name.md.

use crate::Daemon;
use crate::error::ApiError;
use crate::peers::{Caller, CallerKind, Peer};
use countersign_core::model::names::Project;
use countersign_core::model::words::Assurance;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose children are homes, also of users that `/etc/passwd` does not list.
const HOME_PARENTS: [&str; 2] = ["/home", "/Users"];

impl Daemon {
    /// Refuses a project that this caller may not name.
    pub(crate) async fn check_project(
        &self,
        caller: &Caller,
        peer: Peer,
        project: Option<&Project>,
    ) -> Result<(), ApiError> {
        let Some(project) = project.filter(|_| caller.kind != CallerKind::Adapter) else {
            return Ok(());
        };
        if self.host.assurance() != Assurance::Shared {
            return caller.check_adapter_field("project", Some(project));
        }
        let folder = PathBuf::from(project.as_str());
        let refusal = self.run(move |engine| {
            let ours: Vec<PathBuf> = engine.protected_paths().iter().map(PathBuf::from).collect();
            let homes = list_homes().into_iter().chain(engine.home().map(PathBuf::from));
            Ok(find_refusal(&folder, peer, (&ours, &homes.collect::<Vec<_>>())))
        });
        match refusal.await? {
            None => Ok(()),
            Some(ProjectRefusal { message, remedy }) => {
                Err(ApiError::forbidden(&format!("`{project}` {message}"), remedy))
            }
        }
    }
}

/// Why a folder cannot be the project.
#[derive(Debug, PartialEq, Eq)]
struct ProjectRefusal {
    message: &'static str,
    remedy: &'static str,
}

fn find_refusal(
    folder: &Path,
    peer: Peer,
    (ours, homes): (&[PathBuf], &[PathBuf]),
) -> Option<ProjectRefusal> {
    let refuse = |message, remedy| Some(ProjectRefusal { message, remedy });
    let is_folder = fs::metadata(folder).is_ok_and(|found| found.is_dir());
    if !folder.is_absolute() || !is_folder {
        return refuse("is not an existing folder", "name a folder by its absolute path");
    }
    if fs::canonicalize(folder).ok().as_deref() != Some(folder) {
        return refuse("is not the real path of the folder", "name it without links, `.` and `..`");
    }
    let Some(cwd) = find_working_directory(peer) else {
        let remedy = "leave the project out, or use an adapter's credential";
        return refuse("cannot be checked: your working directory is unknown", remedy);
    };
    if !cwd.starts_with(folder) {
        let remedy = "work inside the project, or leave the project out";
        return refuse("does not contain your working directory", remedy);
    }
    let remedy = "name a folder further down";
    if folder.parent().is_none() {
        return refuse("is the root of the file system", remedy);
    }
    if is_home(folder) || homes.iter().any(|home| home.starts_with(folder)) {
        return refuse("is a home folder, or contains one", remedy);
    }
    if ours.iter().any(|path| path.starts_with(folder)) {
        return refuse("contains Countersign's own files", remedy);
    }
    None
}

/// The working directory of the process at the other end of a socket.
fn find_working_directory(peer: Peer) -> Option<PathBuf> {
    let Peer::Local { pid: Some(pid), .. } = peer else { return None };
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

fn is_home(folder: &Path) -> bool {
    let parent = folder.parent();
    let is_below = parent.is_some_and(|parent| HOME_PARENTS.iter().any(|p| parent == Path::new(p)));
    is_below || HOME_PARENTS.iter().any(|parent| Path::new(parent).starts_with(folder))
}

/// The homes that `/etc/passwd` lists. If it cannot be read, there are none but the usual places.
fn list_homes() -> Vec<PathBuf> {
    let text = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let homes = text.lines().filter_map(|line| line.split(':').nth(5));
    homes.map(PathBuf::from).filter(|home| home.is_absolute()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_peer() -> Peer {
        Peer::Local { uid: 0, pid: Some(std::process::id().cast_signed()) }
    }

    fn message(folder: &Path, peer: Peer, ours: &[PathBuf]) -> Option<&'static str> {
        find_refusal(folder, peer, (ours, &[])).map(|refusal| refusal.message)
    }

    #[test]
    fn a_folder_above_the_working_directory_is_accepted_unless_it_holds_too_much() {
        let here = fs::canonicalize(std::env::current_dir().unwrap()).unwrap();
        assert_eq!(message(&here, own_peer(), &[]), None);
        let inside = here.join("data");
        assert_eq!(message(&here, own_peer(), &[inside]), Some("contains Countersign's own files"));
        assert_eq!(
            message(Path::new("/"), own_peer(), &[]),
            Some("is the root of the file system")
        );
    }

    #[test]
    fn a_folder_elsewhere_or_an_unknown_caller_is_refused() {
        let here = fs::canonicalize(std::env::current_dir().unwrap()).unwrap();
        assert_eq!(
            message(&here.join("src"), own_peer(), &[]),
            Some("does not contain your working directory")
        );
        assert_eq!(message(Path::new("shop"), own_peer(), &[]), Some("is not an existing folder"));
        let unknown = Peer::Local { uid: 0, pid: None };
        assert_eq!(
            message(&here, unknown, &[]),
            Some("cannot be checked: your working directory is unknown")
        );
        let dotted = here.join("src/..");
        assert_eq!(message(&dotted, own_peer(), &[]), Some("is not the real path of the folder"));
    }

    #[test]
    fn homes_and_what_holds_them_are_no_projects() {
        for folder in ["/home", "/home/ana", "/Users/ana"] {
            assert!(is_home(Path::new(folder)), "{folder}");
        }
        assert!(!is_home(Path::new("/home/ana/shop")));
        assert!(list_homes().contains(&PathBuf::from("/root")));
    }
}
