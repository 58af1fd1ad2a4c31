//! Where a command would run, and what its paths and program names refer to there.
//!
//! The caller looks up links and programs on the disk. Without a lookup, paths are resolved by
//! their text alone. A lookup that fails counts against the command.

use crate::below_report::BelowReport;
use crate::folder_walk::{FolderWalk, SecretsBelow};
use crate::git_configuration::GitReading;
pub use crate::program_file::{PinnedFile, ProgramFile, ProgramHash, Shim};
use crate::working_folders::FolderSet;
use countersign_core::model::place::{Bound, PathAccess, PathKinds, PathLocation};

/// Where a command would run, and how to look up its paths.
pub struct CommandContext<'a> {
    /// Absolute, without a trailing slash. If unknown, no path is inside the workspace.
    pub workspace: Option<&'a str>,
    /// Absolute. If unknown, a relative path could be anywhere.
    pub cwd: Option<&'a str>,
    pub disk: &'a dyn DiskLookup,
}

/// Lookups on the disk, provided by the caller.
pub trait DiskLookup {
    /// Resolves a path, which may contain `..`, `~` and links. `folder` is where a relative path
    /// starts, if that is known.
    fn resolve_path(&self, path: &str, folder: Option<&str>) -> ResolvedPath;

    /// The home folder of the agent's user, links followed.
    fn find_home(&self) -> Option<String> {
        None
    }

    /// Finds the file that a program's name would start in `folder`, if that is known. A shim may
    /// start another program in another folder.
    fn find_program(&self, name: &str, folder: Option<&str>) -> ProgramFile;

    /// The file with this path, for a pin of its content.
    fn find_code(&self, _path: &str, _folder: Option<&str>) -> CodeFile {
        CodeFile::Unknown
    }

    /// What a path leads to, links followed.
    fn read_entry(&self, _path: &str, _folder: Option<&str>) -> PathEntry {
        PathEntry::Unknown
    }

    /// The names in a folder, in any order and without `.` and `..`; `None` if it cannot be read.
    fn list_folder(&self, _folder: &str) -> Option<Vec<String>> {
        None
    }

    /// Whether a resolved path is a secret or guarded.
    fn find_kinds(&self, _path: &str) -> PathKinds {
        PathKinds::default()
    }

    /// Whether secret or guarded files lie below a resolved path. What cannot be searched counts as both.
    fn find_kinds_below(&self, _path: &str) -> PathKinds {
        PathKinds::default()
    }

    /// The secret files that a program opens below a resolved folder.
    fn find_secrets_below(&self, _path: &str, _walk: &FolderWalk) -> SecretsBelow {
        SecretsBelow::default()
    }

    /// What lies below a resolved path, with every link followed. What cannot be searched may lead out.
    fn examine_below(&self, _path: &str) -> BelowReport {
        BelowReport::default()
    }

    /// Whether there are files to look at.
    fn has_files(&self) -> bool {
        false
    }

    /// The text of a file in a folder, if links lead to one inside the workspace.
    fn read_project_file(&self, _folder: &str, _name: &str) -> Option<String> {
        None
    }

    /// Our own files and folders, by their real paths.
    fn list_own_paths(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether our own files lie below a resolved folder.
    fn contains_own_files(&self, _folder: &str) -> bool {
        false
    }

    /// Where a resolved path lies that is not in the workspace.
    fn find_location(&self, _path: &str) -> PathLocation {
        PathLocation::Outside
    }

    /// Whether a process runs our own program.
    fn is_own_process(&self, _id: &str) -> bool {
        false
    }

    /// What bounds a yes to a resolved path outside of the workspace: the folder that it lies in, or
    /// for reading the repository.
    fn find_bound(&self, path: &str, _access: PathAccess) -> Bound {
        Bound::Folder(path.to_owned())
    }

    /// Whether git ignores a resolved path and tracks nothing of it.
    fn is_ignored(&self, _path: &str) -> bool {
        false
    }

    /// Whether a resolved path is a folder that people would miss most.
    fn find_landmark(&self, _path: &str) -> Option<Landmark> {
        None
    }

    /// The programs that git's configuration names in a folder, which is absolute.
    fn read_git_configuration(&self, _folder: &str) -> GitReading {
        GitReading::Unreadable { why: "nobody looked it up".to_owned() }
    }
}

/// A file with code that a program is given to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeFile {
    /// The disk was not consulted.
    Unknown,
    Missing,
    Found(PinnedFile),
}

/// A folder whose loss is a catastrophe, as far as only the disk knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landmark {
    /// The home folder of the agent's user.
    Home,
    /// Where a file system is mounted.
    Mount,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEntry {
    /// The disk was not consulted, or the path cannot be followed.
    Unknown,
    Missing,
    Folder,
    Other,
}

/// The targets of a path after following links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedPath {
    /// The disk was not consulted.
    Unknown,
    /// Every place that some program reaches by the path; at least one.
    At(Vec<String>),
    /// It cannot be followed, or not everywhere: a loop of links, or a folder without read
    /// permission. These are the places that could be found.
    Unresolvable(Vec<String>),
}

/// For callers without access to the disk.
pub struct NoDiskLookup;

impl DiskLookup for NoDiskLookup {
    fn resolve_path(&self, _: &str, _: Option<&str>) -> ResolvedPath {
        ResolvedPath::Unknown
    }

    fn find_program(&self, _: &str, _: Option<&str>) -> ProgramFile {
        ProgramFile::Unknown
    }

    fn read_git_configuration(&self, _: &str) -> GitReading {
        GitReading::NotConsulted
    }
}

/// Whether the path that a word resolves to is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathCertainty {
    Known,
    /// Only the file name can be compared.
    NameOnly,
}

impl CommandContext<'_> {
    /// The absolute paths that a word may refer to; at least one.
    pub(crate) fn resolve(&self, word: &str) -> (Vec<String>, PathCertainty) {
        self.resolve_from(word, self.cwd)
    }

    /// The same, for a command that runs in `folder`.
    pub(crate) fn resolve_from(
        &self,
        word: &str,
        folder: Option<&str>,
    ) -> (Vec<String>, PathCertainty) {
        let lexical = normalize(word, folder);
        match self.disk.resolve_path(word, folder) {
            // Nobody looked up where the home folder is.
            ResolvedPath::Unknown
                if word.starts_with('~') || (folder.is_none() && !word.starts_with('/')) =>
            {
                (vec![lexical], PathCertainty::NameOnly)
            }
            ResolvedPath::Unknown => (vec![lexical], PathCertainty::Known),
            ResolvedPath::At(places) => (places, PathCertainty::Known),
            ResolvedPath::Unresolvable(mut places) => {
                places.push(lexical);
                (places, PathCertainty::NameOnly)
            }
        }
    }

    /// The absolute paths of a rule's path, which is relative to the workspace and not to `cwd`.
    pub(crate) fn rule_paths(&self, path: &str) -> Vec<String> {
        let folder = self.workspace.or(self.cwd);
        let lexical = normalize(path, folder);
        let mut paths = match self.disk.resolve_path(path, folder) {
            ResolvedPath::At(places) | ResolvedPath::Unresolvable(places) => places,
            ResolvedPath::Unknown => Vec::new(),
        };
        if !paths.contains(&lexical) {
            paths.insert(0, lexical);
        }
        paths
    }

    /// Whether a resolved path is inside: in the workspace, or in a scratch folder of the session.
    pub(crate) fn is_inside(&self, path: &str) -> bool {
        self.workspace.is_some() && self.find_location(path) == PathLocation::Inside
    }

    /// Where a resolved path lies.
    pub(crate) fn find_location(&self, path: &str) -> PathLocation {
        match (self.workspace, self.cwd) {
            (Some(workspace), _) if is_below(path, workspace) => PathLocation::Inside,
            (None, None) => PathLocation::NoWorkspace,
            (None, Some(_)) => PathLocation::Outside,
            (Some(_), _) => self.disk.find_location(path),
        }
    }

    /// Where a word leads from each of these folders, if that is inside the workspace and no secret
    /// from all of them.
    pub(crate) fn find_inside(&self, word: &str, folders: &FolderSet) -> Option<Vec<String>> {
        let is_inside =
            |place: &String| self.is_inside(place) && !self.disk.find_kinds(place).is_secret;
        self.find_certain(word, folders).filter(|places| places.iter().all(is_inside))
    }

    /// Where a word leads from each of these folders, if that is certain for all of them.
    pub(crate) fn find_certain(&self, word: &str, folders: &FolderSet) -> Option<Vec<String>> {
        if folders.is_open && !word.starts_with('/') {
            return None;
        }
        let mut found = Vec::new();
        let absolute = [String::new()];
        // An absolute path leads to the same place from everywhere.
        let starts =
            if word.starts_with('/') { absolute.as_slice() } else { folders.known.as_slice() };
        for folder in starts {
            let folder = Some(folder.as_str()).filter(|folder| !folder.is_empty());
            let (places, certainty) = self.resolve_from(word, folder);
            if certainty != PathCertainty::Known {
                return None;
            }
            found.extend(places);
        }
        (!word.is_empty() && !found.is_empty()).then_some(found)
    }
}

/// Whether a word can only be one path: no option, address, pattern or file on another host.
pub(crate) fn is_plain_path(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with(['-', '~', '@', '+', '<', '>', '|', '!'])
        // With a colon it may be an address or a file on another host.
        && !word.contains([':', '\\', '\n', '*', '?'])
}

/// The absolute path by the text alone, without following links.
pub(crate) fn normalize(word: &str, base: Option<&str>) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let base = if word.starts_with('/') { "" } else { base.unwrap_or_default() };
    for part in base.split('/').chain(word.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Whether `path` is `folder` or lies below it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: CommandContext<'static> =
        CommandContext { workspace: Some("/w"), cwd: Some("/w/src"), disk: &NoDiskLookup };

    fn is_workspace_path(context: &CommandContext, word: &str) -> bool {
        is_plain_path(word) && context.find_inside(word, &FolderSet::new(context.cwd)).is_some()
    }

    #[test]
    fn only_a_path_inside_the_workspace_is_a_workspace_path() {
        for word in ["lib.rs", "./a//b", "../README", "a/../b", "/w/x", "/w", "."] {
            assert!(is_workspace_path(&HERE, word), "{word}");
        }
        for word in [
            "../../etc",
            "/etc/shadow",
            "//etc",
            "/w2/x",
            "a/../../../x",
            "~/x",
            "-x",
            "",
            "file:///w/x",
            "file:/w/x",
            "\\\\x",
            "/proc/self/cwd",
        ] {
            assert!(!is_workspace_path(&HERE, word), "{word}");
        }
    }

    /// A disk with one link out of the workspace and one that cannot be followed.
    struct Links;

    impl DiskLookup for Links {
        fn resolve_path(&self, path: &str, _: Option<&str>) -> ResolvedPath {
            match path {
                "link" => ResolvedPath::At(vec!["/w/x".to_owned(), "/etc/shadow".to_owned()]),
                "loop" => ResolvedPath::Unresolvable(Vec::new()),
                _ => ResolvedPath::Unknown,
            }
        }

        fn find_program(&self, _: &str, _: Option<&str>) -> ProgramFile {
            ProgramFile::Unknown
        }
    }

    #[test]
    fn a_disk_lookup_overrides_the_text_of_a_path() {
        let context = CommandContext { disk: &Links, ..HERE };
        for (word, expected) in [("link", false), ("loop", false), ("other", true)] {
            assert_eq!(is_workspace_path(&context, word), expected, "{word}");
        }
    }

    #[test]
    fn without_a_workspace_no_path_is_inside_and_without_a_cwd_no_relative_path_is() {
        let nowhere = CommandContext { workspace: None, ..HERE };
        assert!(!is_workspace_path(&nowhere, "lib.rs") && !is_workspace_path(&nowhere, "/w/x"));
        let without_cwd = CommandContext { cwd: None, ..HERE };
        assert!(!is_workspace_path(&without_cwd, "w/x") && is_workspace_path(&without_cwd, "/w/x"));
    }

    #[test]
    fn the_path_of_a_rule_is_relative_to_the_workspace() {
        assert_eq!(HERE.rule_paths("./.env"), ["/w/.env"]);
        assert_eq!(CommandContext { workspace: None, ..HERE }.rule_paths("a"), ["/w/src/a"]);
    }
}
