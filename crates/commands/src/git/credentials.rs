//! Credential helpers that come with git, with an operating system or with the command line of a
//! forge. They answer git's question for a password and do nothing else, so they count as git itself.
//!
//! Git starts them by name: from its own folder first, then from the search path. A program that the
//! agent could have put there counts as any other configured program.
//!
//! See docs/decisions/0071-credential-helpers.md.

use crate::context::{DiskLookup, ProgramFile};
use crate::git_configuration::{GitConfiguration, KnownHelper};

/// Where the programs of helpers are looked up.
pub(super) struct HelperLookup<'a> {
    pub(super) disk: &'a dyn DiskLookup,
    /// The word by which git was called.
    pub(super) program: &'a str,
    pub(super) folder: &'a str,
}

impl HelperLookup<'_> {
    /// Why the program that git would start for this helper may be another one.
    pub(super) fn explain_foreign(
        &self,
        helper: KnownHelper,
        configuration: &GitConfiguration,
    ) -> Option<String> {
        // Git takes a subcommand without a program for an alias.
        if configuration.aliases.iter().any(|alias| alias.starts_with("credential-")) {
            return Some("names a helper for which there is an alias".to_owned());
        }
        match helper {
            KnownHelper::OfGit(name) => {
                let name = format!("git-credential-{name}");
                if self.has_own_program(&name) { None } else { self.explain_program(&name) }
            }
            KnownHelper::OfForge(program) => self.explain_program(program),
        }
    }

    /// Whether git finds the program in its own folder. Who can write there can also replace the
    /// programs that git starts for every fetch.
    fn has_own_program(&self, name: &str) -> bool {
        let git = match self.find_program(self.program) {
            ProgramFile::Protected { path } | ProgramFile::Replaceable { path, .. } => path,
            ProgramFile::Unknown | ProgramFile::Absent { .. } | ProgramFile::NotFound { .. } => {
                return false;
            }
        };
        let is_there = |folder: String| {
            let file = self.find_program(&format!("{folder}/{name}"));
            matches!(file, ProgramFile::Protected { .. } | ProgramFile::Replaceable { .. })
        };
        list_own_folders(&git).into_iter().any(is_there)
    }

    fn find_program(&self, name: &str) -> ProgramFile {
        self.disk.find_program(name, Some(self.folder))
    }

    fn explain_program(&self, name: &str) -> Option<String> {
        match self.find_program(name) {
            ProgramFile::Protected { .. } => None,
            ProgramFile::Replaceable { files, .. }
                if files.iter().all(|file| is_of_homebrew(&file.path)) =>
            {
                None
            }
            ProgramFile::Replaceable { .. } => {
                Some(format!("names `{name}`, which the agent can replace"))
            }
            ProgramFile::Absent { name } => {
                Some(format!("names a program: no program `{name}` was found"))
            }
            ProgramFile::NotFound { why } => Some(format!("names a program: {why}")),
            ProgramFile::Unknown => Some("names a program".to_owned()),
        }
    }
}

/// Where git keeps its own programs, by the path of git itself.
fn list_own_folders(git: &str) -> Vec<String> {
    let Some(prefix) = git.strip_suffix("/bin/git") else { return Vec::new() };
    let mut folders = vec![format!("{prefix}/libexec/git-core"), format!("{prefix}/lib/git-core")];
    if prefix == "/usr" {
        // On macOS, `/usr/bin/git` starts the git of the developer tools.
        let tools =
            ["/Library/Developer/CommandLineTools", "/Applications/Xcode.app/Contents/Developer"];
        folders.extend(tools.iter().map(|tools| format!("{tools}/usr/libexec/git-core")));
    }
    folders
}

/// The folders of Homebrew belong to the person who installs with it.
fn is_of_homebrew(path: &str) -> bool {
    path.starts_with("/opt/homebrew/") || path.starts_with("/usr/local/Cellar/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{PinnedFile, ResolvedPath};
    use crate::git_configuration::{Certainty, GitSetting, RepositoryFiles, find_known_helper};

    /// The programs on a disk: those that the agent cannot replace, and the others.
    struct Programs {
        protected: &'static [&'static str],
        replaceable: &'static [&'static str],
    }

    impl DiskLookup for Programs {
        fn resolve_path(&self, _: &str, _: Option<&str>) -> ResolvedPath {
            ResolvedPath::Unknown
        }

        fn find_program(&self, name: &str, _: Option<&str>) -> ProgramFile {
            let is_it = |path: &&&str| **path == name || path.ends_with(&format!("/bin/{name}"));
            if let Some(path) = self.protected.iter().find(is_it) {
                return ProgramFile::Protected { path: (*path).to_owned() };
            }
            match self.replaceable.iter().find(is_it) {
                Some(path) => ProgramFile::Replaceable {
                    path: (*path).to_owned(),
                    writable: "/".to_owned(),
                    shim: None,
                    files: vec![PinnedFile { path: (*path).to_owned(), hash: Err(String::new()) }],
                },
                None => ProgramFile::NotFound { why: format!("there is no `{name}`") },
            }
        }
    }

    fn is_foreign(value: &str, programs: &Programs) -> bool {
        is_foreign_with(value, programs, &[])
    }

    fn is_foreign_with(value: &str, programs: &Programs, settings: &[GitSetting]) -> bool {
        let configuration = GitConfiguration::new(settings, RepositoryFiles::default());
        let lookup = HelperLookup { disk: programs, program: "git", folder: "/w" };
        find_known_helper(value)
            .is_none_or(|helper| lookup.explain_foreign(helper, &configuration).is_some())
    }

    const SYSTEM: Programs = Programs {
        protected: &[
            "/usr/bin/git",
            "/usr/lib/git-core/git-credential-store",
            "/usr/lib/git-core/git-credential-cache",
            "/usr/local/bin/git-credential-manager",
            "/usr/bin/gh",
        ],
        replaceable: &[
            "/home/me/bin/git-credential-store",
            "/home/me/bin/git-credential-libsecret",
        ],
    };

    #[test]
    fn a_known_helper_is_no_foreign_program_where_the_agent_cannot_replace_it() {
        for value in [
            "store",
            "cache",
            "cache --timeout=3600",
            "cache --timeout 60",
            "manager",
            "!gh auth git-credential",
            "!/usr/bin/gh auth git-credential",
        ] {
            assert!(!is_foreign(value, &SYSTEM), "{value}");
        }
        for value in [
            "libsecret",
            "osxkeychain",
            "store --file=x",
            "cache --socket x",
            "cache --timeout=",
            "cache --timeout=1;x",
            "Store",
            "store ",
            "./store",
            "/usr/lib/git-core/git-credential-store",
            "!git credential-store",
            "!gh auth git-credential; x",
            "!gh  auth git-credential",
            "!gh auth git-credential ",
            "!./gh auth git-credential",
            "!/opt/homebrew/bin/gh auth git-credential",
            "!x",
            "x",
            "!",
        ] {
            assert!(is_foreign(value, &SYSTEM), "{value}");
        }
    }

    #[test]
    fn helpers_of_homebrew_count_as_its_git_does() {
        let homebrew = Programs {
            protected: &[],
            replaceable: &[
                "/opt/homebrew/Cellar/git/2/bin/git",
                "/opt/homebrew/Cellar/git/2/libexec/git-core/git-credential-osxkeychain",
                "/opt/homebrew/bin/gh",
                "/home/me/bin/git-credential-manager",
            ],
        };
        assert!(!is_foreign("osxkeychain", &homebrew));
        assert!(!is_foreign("!gh auth git-credential", &homebrew));
        assert!(!is_foreign("!/opt/homebrew/bin/gh auth git-credential", &homebrew));
        assert!(is_foreign("manager", &homebrew));
    }

    #[test]
    fn an_alias_in_the_place_of_a_helper_makes_it_foreign() {
        let alias = GitSetting {
            key: "alias.credential-manager".to_owned(),
            value: Some("!x".to_owned()),
            certainty: Certainty::Certain,
            file: "x".into(),
        };
        assert!(is_foreign_with("manager", &SYSTEM, &[alias]));
    }
}
