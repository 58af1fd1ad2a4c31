//! A target as a path: where it leads, and which folders are above it.

use crate::path_resolver::{PathMeaning, PathResolver};
use crate::real_path::RealPath;
use countersign_graph::places::{PlaceBases, PlaceKind, PlacePatterns};
use countersign_graph::policies::facts::{Fact, PathFacts};

/// Reads the path facts of all targets of one call.
pub(super) struct PathReader<'a> {
    pub(super) resolver: PathResolver<'a>,
    pub(super) patterns: &'a PlacePatterns,
}

impl PathReader<'_> {
    pub(super) fn read_path(&self, target: &str) -> Fact<PathFacts> {
        match self.resolver.read(target).meaning {
            PathMeaning::At(real) => Fact::Known(self.describe_path(&real, target)),
            PathMeaning::Address => Fact::Absent,
            PathMeaning::Unplaced(path) => self.read_bare_name(&path),
            PathMeaning::Unknown(error) => unreadable_path(target, &error.to_string()),
        }
    }

    fn describe_path(&self, real: &RealPath, written: &str) -> PathFacts {
        let PathResolver { folders, home, .. } = &self.resolver;
        let workspace = folders.workspace.as_ref();
        let mut under: Vec<_> = real.ancestors().map(str::to_owned).collect();
        for (folder, sign) in [(workspace, "."), (home.as_ref(), "~")] {
            let Some(folder) = folder else { continue };
            let rests = real.ancestors().filter_map(|path| path.strip_prefix(folder.as_str()));
            let rests = rests.filter(|rest| rest.is_empty() || rest.starts_with('/'));
            under.extend(rests.map(|rest| format!("{sign}{rest}")));
        }
        PathFacts {
            path: Some(real.as_str().to_owned()),
            name: file_name(real.as_str()),
            under,
            in_workspace: workspace.is_some_and(|folder| real.is_below(folder)),
            // A link to a secret is secret, and so is a link with the name of one.
            secret: self.is_secret(real.as_str(), &self.resolver.place_bases())
                || self.has_secret_name(written),
        }
    }

    /// In an unknown folder a bare name still has a name, but no path. A longer relative path could
    /// lead anywhere.
    fn read_bare_name(&self, path: &str) -> Fact<PathFacts> {
        if path.contains('/') || matches!(path, "." | "..") {
            return unreadable_path(path, "it is relative to an unknown folder");
        }
        Fact::Known(PathFacts {
            path: None,
            name: Some(path.to_owned()),
            under: Vec::new(),
            in_workspace: false,
            secret: self.has_secret_name(path),
        })
    }

    /// Whether a path is secret by its names alone, wherever it leads.
    fn has_secret_name(&self, written: &str) -> bool {
        let path = RealPath::from_text(&format!("/{written}"));
        self.is_secret(path.as_str(), &PlaceBases::default())
    }

    fn is_secret(&self, path: &str, bases: &PlaceBases<'_>) -> bool {
        self.patterns.find_kinds(path, bases).contains(PlaceKind::Secret)
    }
}

fn unreadable_path(path: &str, why: &str) -> Fact<PathFacts> {
    Fact::Unreadable(format!("where `{path}` leads is unknown: {why}"))
}

fn file_name(path: &str) -> Option<String> {
    path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot be set up should fall over")]
mod tests {
    use super::*;
    use crate::FakeFileSystem;

    fn known_facts(reader: &PathReader<'_>, target: &str) -> PathFacts {
        let facts = reader.read_path(target);
        facts.as_known().cloned().unwrap_or_else(|| panic!("{target}: {facts:?}"))
    }

    fn assert_unreadable(reader: &PathReader<'_>, target: &str) {
        let facts = reader.read_path(target);
        assert!(matches!(facts, Fact::Unreadable(_)), "{target}: {facts:?}");
    }

    /// The workspace `/home/me/w`, with links out of it, in the home folder `/home/me`.
    fn with_reader(check: impl Fn(&PathReader<'_>)) {
        let files = FakeFileSystem::without_links()
            .with_link("/home/me/w/out", "/etc")
            .with_link("/home/me/w/notes.txt", "../.ssh/id_rsa")
            .with_link("/home/me/w/loop", "loop");
        let resolver = PathResolver::new(&files, (Some("/home/me/w"), None), Some("/home/me"));
        check(&PathReader { resolver, patterns: &PlacePatterns::new(&[], &[]).unwrap() });
    }

    #[test]
    fn a_path_is_known_by_where_it_leads() {
        with_reader(|reader| {
            for (target, path) in [
                ("src/a.rs", "/home/me/w/src/a.rs"),
                ("./src/../b", "/home/me/w/b"),
                ("../../../etc/passwd", "/etc/passwd"),
                ("/home/me/w/../x", "/home/me/x"),
                ("out/passwd", "/etc/passwd"),
                ("~/x", "/home/me/x"),
                ("~", "/home/me"),
                ("file:///etc/pass%77d", "/etc/passwd"),
                ("file:/etc/x", "/etc/x"),
                ("FILE://localhost/etc/x", "/etc/x"),
                ("a:b", "/home/me/w/a:b"),
            ] {
                assert_eq!(known_facts(reader, target).path.as_deref(), Some(path), "{target}");
            }
        });
    }

    #[test]
    fn a_path_lies_under_every_folder_above_it_by_all_their_names() {
        with_reader(|reader| {
            let facts = known_facts(reader, "src/a.rs");
            assert!(facts.in_workspace);
            assert_eq!(facts.name.as_deref(), Some("a.rs"));
            let absolute =
                ["/home/me/w/src/a.rs", "/home/me/w/src", "/home/me/w", "/home/me", "/home", "/"];
            let from_workspace = ["./src/a.rs", "./src", "."];
            let from_home = ["~/w/src/a.rs", "~/w/src", "~/w", "~"];
            assert_eq!(facts.under, [&absolute[..], &from_workspace, &from_home].concat());
            let outside = known_facts(reader, "/home/me/w2/x");
            assert!(!outside.in_workspace && !outside.under.contains(&".".to_owned()));
        });
    }

    #[test]
    fn a_link_out_of_the_workspace_is_outside_and_one_to_a_secret_is_secret() {
        with_reader(|reader| {
            assert!(!known_facts(reader, "out/passwd").in_workspace);
            assert!(known_facts(reader, "notes.txt").secret);
            assert!(known_facts(reader, ".env").secret);
            assert!(!known_facts(reader, "src/a.rs").secret);
        });
    }

    #[test]
    fn a_path_that_cannot_be_followed_is_unreadable_and_an_address_is_no_path() {
        with_reader(|reader| {
            for target in [
                "loop",
                "loop/x",
                // The kernel follows it to `/x`, other programs to `/home/me/w/x`.
                "out/../x",
                "~root/x",
                "",
                "a\0b",
                "file://host/x",
                "file:///a%zz",
                "file:///a?b",
            ] {
                assert_unreadable(reader, target);
            }
            assert_eq!(reader.read_path("https://example.com/.env"), Fact::Absent);
        });
    }

    #[test]
    fn without_a_workspace_a_bare_name_is_only_a_name() {
        let files = FakeFileSystem::without_links();
        let patterns = PlacePatterns::new(&[], &[]).unwrap();
        let resolver = PathResolver::new(&files, (None, None), None);
        let reader = PathReader { resolver, patterns: &patterns };
        let facts = known_facts(&reader, ".env");
        assert_eq!((facts.path, facts.secret, facts.in_workspace), (None, true, false));
        assert_eq!((facts.name.as_deref(), facts.under), (Some(".env"), vec![]));
        assert_eq!(known_facts(&reader, "/etc/x").path.as_deref(), Some("/etc/x"));
        for target in ["a/b", "..", "../x", "~/x"] {
            assert_unreadable(&reader, target);
        }
    }
}
