//! Paths as words: resolved lexically against the working directory.
//!
//! What only a disk knows, where a symbolic link leads, comes from the caller; without an answer
//! the words are all there is.

/// Where a command would run.
pub struct Places<'a> {
    /// Absolute, without a slash at the end.
    pub workspace: &'a str,
    pub cwd: &'a str,
    /// The real path behind an absolute one as it was written, `..` and all, where the caller has
    /// looked at the disk.
    pub real: &'a dyn Fn(&str) -> Option<String>,
}

/// For callers that know nothing about the disk.
pub fn unknown(_: &str) -> Option<String> {
    None
}

impl Places<'_> {
    /// The absolute path that a word means.
    pub(crate) fn resolve(&self, word: &str) -> String {
        let whole =
            if word.starts_with('/') { word.to_owned() } else { format!("{}/{word}", self.cwd) };
        (self.real)(&whole).unwrap_or_else(|| self.lexical(word))
    }

    /// The absolute path if no link is involved.
    pub(crate) fn lexical(&self, word: &str) -> String {
        let mut parts: Vec<&str> = Vec::new();
        let base = if word.starts_with('/') { "" } else { self.cwd };
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

    pub(crate) fn is_inside(&self, path: &str) -> bool {
        is_below(path, self.workspace)
    }

    /// Whether a word is one path that resolves inside the workspace.
    pub(crate) fn holds(&self, word: &str) -> bool {
        let is_path = !word.is_empty()
            && !word.starts_with(['-', '~', '@', '+', '<', '>', '|', '!'])
            // A colon makes it an address, or a file of another host.
            && !word.contains([':', '\\', '\n', '*', '?']);
        is_path && self.is_inside(&self.resolve(word))
    }
}

/// Whether `path` is `folder` or lies below it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Places<'static> = Places { workspace: "/w", cwd: "/w/src", real: &unknown };

    #[test]
    fn a_path_is_held_only_inside_the_workspace() {
        for word in ["lib.rs", "./a//b", "../README", "a/../b", "/w/x", "/w", "."] {
            assert!(HERE.holds(word), "{word}");
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
            assert!(!HERE.holds(word), "{word}");
        }
    }

    #[test]
    fn what_the_disk_says_counts_more_than_the_words() {
        let link = |path: &str| (path == "/w/src/link").then(|| "/etc/shadow".to_owned());
        let places = Places { real: &link, ..HERE };
        assert!(!places.holds("link"));
        assert!(places.holds("other"));
    }
}
