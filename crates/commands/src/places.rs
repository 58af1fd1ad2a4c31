//! Where a command would run, and what its words mean there.
//!
//! What only a disk knows, where a link leads and which file a program's name starts, comes from
//! the caller. Without an answer the words are all there is; an answer that something cannot be
//! followed is worth less than none, and never speaks for a command.

/// Where a command would run.
pub struct Places<'a> {
    /// Absolute, without a slash at the end. None where nobody knows it: then nothing lies inside.
    pub workspace: Option<&'a str>,
    /// Absolute. None where nobody knows it: then a relative path could be anywhere.
    pub cwd: Option<&'a str>,
    pub disk: &'a dyn Look,
}

/// A caller that may have looked at the disk.
pub trait Look {
    /// Where an absolute path leads, as it was written, `..` and all.
    fn real(&self, path: &str) -> Real;

    /// What a program's name would start.
    fn program(&self, name: &str) -> Started;
}

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Real {
    /// Nobody looked.
    Unknown,
    At(String),
    /// It cannot be followed: a loop, or something that may not be read.
    Nowhere,
}

/// What a program's name would start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Started {
    /// Nobody looked.
    Unknown,
    /// A file that the agent cannot replace.
    Kept {
        path: String,
    },
    /// A file that the agent can replace, because it can write `within`.
    Replaceable {
        path: String,
        within: String,
    },
    Nothing {
        why: String,
    },
}

/// For callers that know nothing about the disk.
pub struct NotLooked;

impl Look for NotLooked {
    fn real(&self, _: &str) -> Real {
        Real::Unknown
    }

    fn program(&self, _: &str) -> Started {
        Started::Unknown
    }
}

/// How surely a word is the path that it resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trail {
    Known,
    /// Its name is all that can be compared.
    Lost,
}

impl Places<'_> {
    /// The absolute path that a word means.
    pub(crate) fn resolve(&self, word: &str) -> (String, Trail) {
        let lexical = self.lexical(word);
        if self.cwd.is_none() && !word.starts_with('/') {
            return (lexical, Trail::Lost);
        }
        let cwd = self.cwd.unwrap_or_default();
        let real = match word.starts_with('/') {
            true => self.disk.real(word),
            false => self.disk.real(&format!("{cwd}/{word}")),
        };
        match real {
            Real::Unknown => (lexical, Trail::Known),
            Real::At(path) => (path, Trail::Known),
            Real::Nowhere => (lexical, Trail::Lost),
        }
    }

    /// The absolute path if no link is involved.
    pub(crate) fn lexical(&self, word: &str) -> String {
        normal(word, self.cwd)
    }

    /// What the path of a rule means: it begins in the workspace, wherever a command stands.
    pub(crate) fn of_rule(&self, path: &str) -> Vec<String> {
        let written = normal(path, self.workspace.or(self.cwd));
        match self.disk.real(&written) {
            Real::At(real) if real != written => vec![written, real],
            Real::At(_) | Real::Unknown | Real::Nowhere => vec![written],
        }
    }

    pub(crate) fn is_inside(&self, path: &str) -> bool {
        self.workspace.is_some_and(|workspace| is_below(path, workspace))
    }

    /// Whether a word is one path that resolves inside the workspace.
    pub(crate) fn holds(&self, word: &str) -> bool {
        let is_path = !word.is_empty()
            && !word.starts_with(['-', '~', '@', '+', '<', '>', '|', '!'])
            // A colon makes it an address, or a file of another host.
            && !word.contains([':', '\\', '\n', '*', '?']);
        let (path, trail) = self.resolve(word);
        is_path && trail == Trail::Known && self.is_inside(&path)
    }
}

fn normal(word: &str, base: Option<&str>) -> String {
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

    const HERE: Places<'static> =
        Places { workspace: Some("/w"), cwd: Some("/w/src"), disk: &NotLooked };

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

    /// A disk with one link out of the workspace, and one that leads nowhere.
    struct Links;

    impl Look for Links {
        fn real(&self, path: &str) -> Real {
            match path {
                "/w/src/link" => Real::At("/etc/shadow".to_owned()),
                "/w/src/loop" => Real::Nowhere,
                _ => Real::Unknown,
            }
        }

        fn program(&self, _: &str) -> Started {
            Started::Unknown
        }
    }

    #[test]
    fn what_the_disk_says_counts_more_than_the_words() {
        let places = Places { disk: &Links, ..HERE };
        for (word, expected) in [("link", false), ("loop", false), ("other", true)] {
            assert_eq!(places.holds(word), expected, "{word}");
        }
    }

    #[test]
    fn without_a_workspace_nothing_lies_inside_and_without_a_place_nothing_relative() {
        let nowhere = Places { workspace: None, ..HERE };
        assert!(!nowhere.holds("lib.rs") && !nowhere.holds("/w/x"));
        let adrift = Places { cwd: None, ..HERE };
        assert!(!adrift.holds("w/x") && adrift.holds("/w/x"));
    }

    #[test]
    fn the_path_of_a_rule_begins_in_the_workspace() {
        assert_eq!(HERE.of_rule("./.env"), ["/w/.env"]);
        assert_eq!(Places { workspace: None, ..HERE }.of_rule("a"), ["/w/src/a"]);
    }
}
