//! Where a command would run, and what its paths and program names refer to there.
//!
//! The caller looks up links and programs on the disk. Without a lookup, paths are resolved by
//! their text alone. A lookup that fails counts against the command.

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

    /// Finds the file that a program's name would start.
    fn find_program(&self, name: &str) -> ProgramFile;
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

/// The file that a program's name would start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramFile {
    /// The disk was not consulted.
    Unknown,
    /// A file that the agent cannot replace.
    Protected {
        path: String,
    },
    /// A file that the agent can replace, because it can write to `writable`.
    Replaceable {
        path: String,
        writable: String,
    },
    NotFound {
        why: String,
    },
}

/// For callers without access to the disk.
pub struct NoDiskLookup;

impl DiskLookup for NoDiskLookup {
    fn resolve_path(&self, _: &str, _: Option<&str>) -> ResolvedPath {
        ResolvedPath::Unknown
    }

    fn find_program(&self, _: &str) -> ProgramFile {
        ProgramFile::Unknown
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
        let lexical = self.lexical_path(word);
        match self.disk.resolve_path(word, self.cwd) {
            ResolvedPath::Unknown if self.cwd.is_none() && !word.starts_with('/') => {
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

    /// The absolute path by the text alone, without following links.
    pub(crate) fn lexical_path(&self, word: &str) -> String {
        normalize(word, self.cwd)
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

    pub(crate) fn is_in_workspace(&self, path: &str) -> bool {
        self.workspace.is_some_and(|workspace| is_below(path, workspace))
    }

    /// Whether a word is one path that resolves inside the workspace.
    pub(crate) fn is_workspace_path(&self, word: &str) -> bool {
        let is_path = !word.is_empty()
            && !word.starts_with(['-', '~', '@', '+', '<', '>', '|', '!'])
            // With a colon it may be an address or a file on another host.
            && !word.contains([':', '\\', '\n', '*', '?']);
        let (places, certainty) = self.resolve(word);
        is_path
            && certainty == PathCertainty::Known
            && places.iter().all(|place| self.is_in_workspace(place))
    }
}

fn normalize(word: &str, base: Option<&str>) -> String {
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

    #[test]
    fn only_a_path_inside_the_workspace_is_a_workspace_path() {
        for word in ["lib.rs", "./a//b", "../README", "a/../b", "/w/x", "/w", "."] {
            assert!(HERE.is_workspace_path(word), "{word}");
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
            assert!(!HERE.is_workspace_path(word), "{word}");
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

        fn find_program(&self, _: &str) -> ProgramFile {
            ProgramFile::Unknown
        }
    }

    #[test]
    fn a_disk_lookup_overrides_the_text_of_a_path() {
        let context = CommandContext { disk: &Links, ..HERE };
        for (word, expected) in [("link", false), ("loop", false), ("other", true)] {
            assert_eq!(context.is_workspace_path(word), expected, "{word}");
        }
    }

    #[test]
    fn without_a_workspace_no_path_is_inside_and_without_a_cwd_no_relative_path_is() {
        let nowhere = CommandContext { workspace: None, ..HERE };
        assert!(!nowhere.is_workspace_path("lib.rs") && !nowhere.is_workspace_path("/w/x"));
        let without_cwd = CommandContext { cwd: None, ..HERE };
        assert!(!without_cwd.is_workspace_path("w/x") && without_cwd.is_workspace_path("/w/x"));
    }

    #[test]
    fn the_path_of_a_rule_is_relative_to_the_workspace() {
        assert_eq!(HERE.rule_paths("./.env"), ["/w/.env"]);
        assert_eq!(CommandContext { workspace: None, ..HERE }.rule_paths("a"), ["/w/src/a"]);
    }
}
