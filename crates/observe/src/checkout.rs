//! The repository that a folder belongs to, as far as that gives the folder rights: worktrees of one
//! repository are one project, and may be read from each other.
//!
//! A folder must not get there by what is written in it alone. So `.git` has to be a real folder, or the
//! repository's own data has to lead back to it. Environment variables and `core.worktree` do not count.
//!
//! See docs/decisions/0121-a-project-is-a-repository.md.

use crate::base_folders::{is_wide, join, resolve_absolute};
use crate::file_system::{FileStamp, FileSystem, StampKind};
use crate::limits;
use crate::real_path::RealPath;
use countersign_core::model::names::Project;
use countersign_core::model::session_place::SessionPlace;

/// A worktree, and the repository that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    pub root: RealPath,
    /// The folder of the data that all its worktrees share.
    data: RealPath,
}

impl Checkout {
    /// The nearest worktree around a folder; `None` if there is none, or if it fails a check.
    pub fn find(
        files: &dyn FileSystem,
        folder: &RealPath,
        home: Option<&RealPath>,
    ) -> Option<Self> {
        for place in folder.ancestors() {
            let dot_git = join(place, ".git");
            match files.read_stamp(&dot_git) {
                Ok(None) => {}
                Ok(Some(stamp)) => {
                    let found = CheckoutReader { files, home }.open(place, &dot_git, &stamp);
                    return found.filter(|found| !is_wide(&found.root, home));
                }
                Err(_) => return None,
            }
        }
        None
    }

    pub fn is_of_same_repository(&self, other: &Self) -> bool {
        self.data == other.data
    }

    /// What the repository is called as a project: its main worktree, or the folder of its data if it
    /// has none.
    pub fn project(&self) -> &str {
        let data = self.data.as_str();
        data.strip_suffix("/.git").filter(|main| !main.is_empty()).unwrap_or(data)
    }
}

/// What a folder that is named as a project belongs to. A name that is no absolute path is a project
/// of its own.
pub fn find_session_place(
    files: &dyn FileSystem,
    named: &Project,
    home: Option<&str>,
) -> SessionPlace {
    let mut place = SessionPlace::plain(named);
    let folder = resolve_absolute(files, Some(named.as_str()));
    let home = resolve_absolute(files, home);
    let checkout = folder.and_then(|folder| Checkout::find(files, &folder, home.as_ref()));
    let Some(checkout) = checkout else { return place };
    let Ok(project) = Project::parse(checkout.project()) else { return place };
    let root = checkout.root.as_str();
    place.folders.workspace = (project != *named).then(|| named.clone());
    place.folders.root = (root != project.as_str()).then(|| root.to_owned());
    place.project = project;
    place
}

struct CheckoutReader<'a> {
    files: &'a dyn FileSystem,
    home: Option<&'a RealPath>,
}

impl CheckoutReader<'_> {
    fn open(&self, root: &str, dot_git: &str, stamp: &FileStamp) -> Option<Checkout> {
        let is_real = self.resolve(dot_git, "/")?.as_str() == dot_git;
        let data = match stamp.kind {
            StampKind::Folder => RealPath::from_text(dot_git),
            StampKind::RegularFile => self.follow_link(root, dot_git)?,
            StampKind::Other => return None,
        };
        let owner = |path: &str| self.read_stamp(path).map(|stamp| stamp.owner);
        let is_of_owner = |path: &str| owner(path).is_some_and(|of| of == stamp.owner);
        let is_owned = is_of_owner(root) && is_of_owner(data.as_str());
        let checkout = Checkout { root: RealPath::from_text(root), data };
        let is_narrow = !is_wide(&RealPath::from_text(checkout.project()), self.home);
        (is_real && is_owned && is_narrow && self.is_data_folder(&checkout.data))
            .then_some(checkout)
    }

    /// The data of the repository whose linked worktree this is: it lists the worktree too.
    fn follow_link(&self, root: &str, dot_git: &str) -> Option<RealPath> {
        let text = self.read_line(dot_git)?;
        let own = self.resolve(text.strip_prefix("gitdir: ")?, root)?;
        let data =
            self.resolve(&self.read_line(&join(own.as_str(), "commondir"))?, own.as_str())?;
        let listed = own.ancestors().nth(1)? == join(data.as_str(), "worktrees");
        let back = self.resolve(&self.read_line(&join(own.as_str(), "gitdir"))?, own.as_str())?;
        let owner = |path: &str| self.read_stamp(path).map(|stamp| stamp.owner);
        let is_owned = owner(dot_git).is_some() && owner(dot_git) == owner(own.as_str());
        (listed && back.as_str() == dot_git && is_owned).then_some(data)
    }

    /// Whether git takes the folder for the data of a repository, and it borrows no other's.
    fn is_data_folder(&self, data: &RealPath) -> bool {
        let kind = |name: &str| self.read_stamp(&join(data.as_str(), name)).map(|one| one.kind);
        let is_folder = |name: &str| kind(name) == Some(StampKind::Folder);
        let borrowed = join(data.as_str(), "commondir");
        let borrows = self.files.read_identity(&borrowed);
        kind("HEAD") == Some(StampKind::RegularFile)
            && is_folder("objects")
            && is_folder("refs")
            && matches!(borrows, Ok(None))
            && matches!(self.files.read_stamp(&borrowed), Ok(None))
    }

    fn read_stamp(&self, path: &str) -> Option<FileStamp> {
        self.files.read_stamp(path).ok().flatten()
    }

    fn resolve(&self, path: &str, folder: &str) -> Option<RealPath> {
        self.files.resolve_path(path, folder).ok()
    }

    /// The only line of a small file.
    fn read_line(&self, path: &str) -> Option<String> {
        let bytes = self.files.read_file(path, limits::MAX_GIT_LINK_BYTES).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let line = text.trim_end_matches(['\n', '\r']);
        (!line.is_empty() && !line.contains('\n')).then(|| line.to_owned())
    }
}

#[cfg(test)]
mod tests;
