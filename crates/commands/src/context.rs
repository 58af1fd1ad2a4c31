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
    /// Resolves an absolute path, which may contain `..` and links.
    fn resolve_path(&self, path: &str) -> ResolvedPath;

    /// Finds the file that a program's name would start.
    fn find_program(&self, name: &str) -> ProgramFile;
}

/// The target of a path after following links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedPath {
    /// The disk was not consulted.
    Unknown,
    At(String),
    /// It cannot be followed: a loop of links, or a folder without read permission.
    Unresolvable,
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
    fn resolve_path(&self, _: &str) -> ResolvedPath {
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
    /// The absolute path that a word refers to.
    pub(crate) fn resolve(&self, word: &str) -> (String, PathCertainty) {
        let lexical = self.lexical_path(word);
        if self.cwd.is_none() && !word.starts_with('/') {
            return (lexical, PathCertainty::NameOnly);
        }
        let cwd = self.cwd.unwrap_or_default();
        let real = match word.starts_with('/') {
            true => self.disk.resolve_path(word),
            false => self.disk.resolve_path(&format!("{cwd}/{word}")),
        };
        match real {
            ResolvedPath::Unknown => (lexical, PathCertainty::Known),
            ResolvedPath::At(path) => (path, PathCertainty::Known),
            ResolvedPath::Unresolvable => (lexical, PathCertainty::NameOnly),
        }
    }

    /// The absolute path by the text alone, without following links.
    pub(crate) fn lexical_path(&self, word: &str) -> String {
        normalize(word, self.cwd)
    }

    /// The absolute paths of a rule's path, which is relative to the workspace and not to `cwd`.
    pub(crate) fn rule_paths(&self, path: &str) -> Vec<String> {
        let lexical = normalize(path, self.workspace.or(self.cwd));
        match self.disk.resolve_path(&lexical) {
            ResolvedPath::At(real) if real != lexical => vec![lexical, real],
            ResolvedPath::At(_) | ResolvedPath::Unknown | ResolvedPath::Unresolvable => {
                vec![lexical]
            }
        }
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
        let (path, certainty) = self.resolve(word);
        is_path && certainty == PathCertainty::Known && self.is_in_workspace(&path)
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
        fn resolve_path(&self, path: &str) -> ResolvedPath {
            match path {
                "/w/src/link" => ResolvedPath::At("/etc/shadow".to_owned()),
                "/w/src/loop" => ResolvedPath::Unresolvable,
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
