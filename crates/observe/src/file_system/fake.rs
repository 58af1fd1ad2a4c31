//! A disk that is only told about: for stories, and for judging a line without looking anywhere.

use super::{Disk, Unresolved};
use crate::program::{Keeper, Program};
use crate::real_path::{RealPath, Seen, walk};
use std::collections::BTreeMap;

/// Every path is a folder, and no link leads away but those that were told. Every program lies in
/// `/usr/bin`, where no agent can replace it.
#[derive(Clone, Debug)]
pub struct Paper {
    links: BTreeMap<String, String>,
}

impl Paper {
    pub const fn blank() -> Self {
        Self { links: BTreeMap::new() }
    }

    /// Tells of a link at an absolute path without links.
    pub fn link(mut self, at: &str, to: &str) -> Self {
        self.links.insert(at.to_owned(), to.to_owned());
        self
    }
}

/// A disk that nobody may look at: nothing leads anywhere, so that no rule allows anything by it.
#[derive(Clone, Copy, Debug)]
pub struct Unseen;

impl Disk for Unseen {
    fn real(&self, path: &str, _: &str) -> Result<RealPath, Unresolved> {
        Err(Unresolved::Unreadable(path.to_owned(), std::io::ErrorKind::Unsupported))
    }

    fn program(&self, name: &str, _: &str) -> Result<Program, Unresolved> {
        Err(Unresolved::NoProgram(name.to_owned()))
    }
}

impl Disk for Paper {
    fn real(&self, path: &str, cwd: &str) -> Result<RealPath, Unresolved> {
        walk(path, cwd, &mut |at| {
            Ok(self.links.get(at).map_or(Seen::Folder, |to| Seen::Link(to.clone())))
        })
    }

    fn program(&self, name: &str, cwd: &str) -> Result<Program, Unresolved> {
        let written = if name.contains('/') { name.to_owned() } else { format!("/usr/bin/{name}") };
        let path = self.real(&written, cwd)?;
        Ok(Program { path, keeper: Keeper::Others, inode: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(disk: &Paper, path: &str) -> Result<String, Unresolved> {
        disk.real(path, "/w").map(|real| real.to_string())
    }

    #[test]
    fn without_links_a_path_is_what_its_words_say() {
        for (path, expected) in [
            ("a", "/w/a"),
            ("./a//b/", "/w/a/b"),
            ("../x", "/x"),
            ("../../../x", "/x"),
            ("/", "/"),
            ("/a/./b/..", "/a"),
            ("~/x", "/w/~/x"),
        ] {
            assert_eq!(check(&Paper::blank(), path), Ok(expected.to_owned()), "{path}");
        }
        assert_eq!(check(&Paper::blank(), ""), Err(Unresolved::Empty));
        assert_eq!(check(&Paper::blank(), "a\0b"), Err(Unresolved::Nul));
        assert_eq!(check(&Paper::blank(), &"a/".repeat(3000)), Err(Unresolved::TooLong));
    }

    #[test]
    fn a_path_from_nowhere_leads_nowhere() {
        let found = Paper::blank().real("a", "w");
        assert_eq!(found, Err(Unresolved::NoPlace("w".to_owned())));
    }

    #[test]
    fn a_link_that_was_told_of_is_followed() {
        let disk =
            Paper::blank().link("/w/out", "/etc").link("/w/up", "../x/y").link("/w/me", "me");
        for (path, expected) in
            [("out/passwd", "/etc/passwd"), ("out/..", "/"), ("up/../z", "/x/z")]
        {
            assert_eq!(check(&disk, path), Ok(expected.to_owned()), "{path}");
        }
        assert_eq!(check(&disk, "me"), Err(Unresolved::Loop));
    }
}
