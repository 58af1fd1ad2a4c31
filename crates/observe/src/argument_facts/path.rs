//! A target as a path: where it leads, and which folders are above it.

use super::secrets::is_secret;
use crate::base_folders::{BaseFolders, resolve_absolute};
use crate::file_system::FileSystem;
use crate::real_path::RealPath;
use countersign_core::model::call::Call;
use countersign_core::model::command::Command;
use countersign_graph::policies::facts::{Fact, PathFacts};

/// Reads the path facts of all targets of one call.
pub(super) struct PathReader<'a> {
    files: &'a dyn FileSystem,
    folders: BaseFolders,
    home: Option<RealPath>,
}

impl<'a> PathReader<'a> {
    /// The workspace is the session's project. Relative paths start in the folder where our side
    /// observed the call, else in the workspace.
    pub(super) fn new(files: &'a dyn FileSystem, call: &Call, home: Option<&str>) -> Self {
        let project = call.project.as_ref().map(|project| project.as_str());
        let cwd = call.command.as_ref().and_then(Command::cwd).or(call.cwd.as_deref());
        let folders = BaseFolders::resolve(files, project, cwd);
        Self { files, folders, home: resolve_absolute(files, home) }
    }

    pub(super) fn read_path(&self, target: &str) -> Fact<PathFacts> {
        let path = match parse_target(target) {
            PathTarget::Path(path) => path,
            PathTarget::Address => return Fact::Absent,
            PathTarget::Unclear(why) => return Fact::Unreadable(why),
        };
        if path.is_empty() {
            return Fact::Unreadable("the path is empty".to_owned());
        }
        let real = match self.make_absolute(&path) {
            None => return read_bare_name(&path),
            Some(Err(why)) => Err(why.to_owned()),
            Some(Ok(absolute)) => {
                self.files.resolve_path(&absolute, "/").map_err(|error| error.to_string())
            }
        };
        match real {
            Ok(real) => Fact::Known(self.describe_path(&real, &path)),
            Err(why) => unreadable_path(&path, &why),
        }
    }

    /// The absolute path, with its links. `None` if the path is relative to an unknown folder.
    fn make_absolute(&self, path: &str) -> Option<Result<String, &'static str>> {
        if let Some(rest) = path.strip_prefix('~') {
            return Some(match (&self.home, rest.is_empty() || rest.starts_with('/')) {
                (Some(home), true) => Ok(format!("{home}{rest}")),
                (None, true) => Err("the home folder is unknown"),
                (_, false) => Err("it starts with the home folder of a named user"),
            });
        }
        if path.starts_with('/') {
            return Some(Ok(path.to_owned()));
        }
        self.folders.cwd.as_ref().map(|cwd| Ok(format!("{cwd}/{path}")))
    }

    fn describe_path(&self, real: &RealPath, written: &str) -> PathFacts {
        let workspace = self.folders.workspace.as_ref();
        let mut under: Vec<_> = real.ancestors().map(str::to_owned).collect();
        for (folder, sign) in [(workspace, "."), (self.home.as_ref(), "~")] {
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
            secret: is_secret(real.as_str()) || is_secret(written),
        }
    }
}

enum PathTarget {
    Path(String),
    /// An address, and so no path of this machine.
    Address,
    Unclear(String),
}

fn parse_target(target: &str) -> PathTarget {
    let Some((scheme, rest)) = target.split_once(':') else {
        return PathTarget::Path(target.to_owned());
    };
    if scheme.eq_ignore_ascii_case("file") {
        return match rest.strip_prefix("//").unwrap_or(rest) {
            path if path.starts_with('/') => decode_file_url(path),
            path => match path.strip_prefix("localhost") {
                Some(path) if path.starts_with('/') => decode_file_url(path),
                _ => PathTarget::Unclear(format!("`{target}` is an unusual file URL")),
            },
        };
    }
    match rest.starts_with("//") {
        true => PathTarget::Address,
        false => PathTarget::Path(target.to_owned()),
    }
}

/// Decodes the path of a `file:` URL. Programs differ on queries and fragments, so these are
/// unclear.
fn decode_file_url(path: &str) -> PathTarget {
    let unclear = || PathTarget::Unclear(format!("`file:{path}` is an unusual file URL"));
    if path.contains(['?', '#', '\\']) {
        return unclear();
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits =
            [rest.next(), rest.next()].map(|digit| digit.and_then(|d| (d as char).to_digit(16)));
        let [Some(high), Some(low)] = digits else { return unclear() };
        bytes.extend(u8::try_from(high * 16 + low));
    }
    String::from_utf8(bytes).map_or_else(|_| unclear(), PathTarget::Path)
}

/// In an unknown folder a bare name still has a name, but no path. A longer relative path could
/// lead anywhere.
fn read_bare_name(path: &str) -> Fact<PathFacts> {
    if path.contains('/') || matches!(path, "." | "..") {
        return unreadable_path(path, "it is relative to an unknown folder");
    }
    Fact::Known(PathFacts {
        path: None,
        name: Some(path.to_owned()),
        under: Vec::new(),
        in_workspace: false,
        secret: is_secret(path),
    })
}

fn unreadable_path(path: &str, why: &str) -> Fact<PathFacts> {
    Fact::Unreadable(format!("where `{path}` leads is unknown: {why}"))
}

fn file_name(path: &str) -> Option<String> {
    path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

#[cfg(test)]
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
        let folders = BaseFolders::resolve(&files, Some("/home/me/w"), None);
        let home = resolve_absolute(&files, Some("/home/me"));
        check(&PathReader { files: &files, folders, home });
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
                ("out/../x", "/x"),
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
        let folders = BaseFolders::resolve(&files, None, None);
        let reader = PathReader { files: &files, folders, home: None };
        let facts = known_facts(&reader, ".env");
        assert_eq!((facts.path, facts.secret, facts.in_workspace), (None, true, false));
        assert_eq!((facts.name.as_deref(), facts.under), (Some(".env"), vec![]));
        assert_eq!(known_facts(&reader, "/etc/x").path.as_deref(), Some("/etc/x"));
        for target in ["a/b", "..", "../x", "~/x"] {
            assert_unreadable(&reader, target);
        }
    }
}
