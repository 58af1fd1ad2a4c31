//! A target as a path: where it really leads, and what it lies under.

use super::secrets::is_secret;
use crate::{Disk, RealPath};
use countersign_core::model::call::Call;
use countersign_core::model::command::Command;
use countersign_graph::policies::facts::{Fact, PathFacts};

/// The folders that paths are seen from.
pub(super) struct Grounds<'a> {
    disk: &'a dyn Disk,
    workspace: Option<RealPath>,
    /// Where relative paths begin.
    cwd: Option<RealPath>,
    home: Option<RealPath>,
}

impl<'a> Grounds<'a> {
    /// The workspace is the session's project, where that is a path; what is relative begins there,
    /// unless our side saw the call elsewhere.
    pub(super) fn of(disk: &'a dyn Disk, call: &Call, home: Option<&str>) -> Self {
        let project = call.project.as_ref().map(|project| project.as_str());
        let whole = |path: Option<&str>| {
            path.filter(|path| path.starts_with('/')).and_then(|path| disk.real(path, "/").ok())
        };
        let workspace = whole(project);
        let seen = call.command.as_ref().and_then(Command::cwd).or(call.cwd.as_deref());
        let cwd = match seen {
            None => workspace.clone(),
            Some(cwd) => disk.real(cwd, workspace.as_ref().map_or("", RealPath::as_str)).ok(),
        };
        Self { disk, workspace, cwd, home: whole(home) }
    }

    pub(super) fn facts(&self, target: &str) -> Fact<PathFacts> {
        let written = match meant(target) {
            Meant::Path(path) => path,
            Meant::Elsewhere => return Fact::Absent,
            Meant::Unclear(why) => return Fact::Unreadable(why),
        };
        if written.is_empty() {
            return Fact::Unreadable("the path is empty".to_owned());
        }
        let Some(whole) = self.whole(&written) else { return nowhere(&written) };
        match whole.and_then(|whole| self.disk.real(&whole, "/").map_err(|e| e.to_string())) {
            Ok(real) => Fact::Known(self.known(&real, &written)),
            Err(why) => Fact::Unreadable(format!("where `{written}` leads is unknown: {why}")),
        }
    }

    /// The path from the root, links and all; none if it is relative to nobody knows what.
    fn whole(&self, written: &str) -> Option<Result<String, String>> {
        if let Some(below) = written.strip_prefix('~') {
            return Some(match (&self.home, below.is_empty() || below.starts_with('/')) {
                (Some(home), true) => Ok(format!("{home}{below}")),
                (None, true) => Err("nobody knows the home folder".to_owned()),
                (_, false) => Err("it begins with the name of somebody's home".to_owned()),
            });
        }
        if written.starts_with('/') {
            return Some(Ok(written.to_owned()));
        }
        self.cwd.as_ref().map(|cwd| Ok(format!("{cwd}/{written}")))
    }

    fn known(&self, real: &RealPath, written: &str) -> PathFacts {
        let mut under: Vec<_> = real.ancestors().map(str::to_owned).collect();
        for (folder, sign) in [(&self.workspace, "."), (&self.home, "~")] {
            let Some(folder) = folder else { continue };
            let below = real.ancestors().filter_map(|above| above.strip_prefix(folder.as_str()));
            let below = below.filter(|rest| rest.is_empty() || rest.starts_with('/'));
            under.extend(below.map(|rest| format!("{sign}{rest}")));
        }
        let in_workspace = self.workspace.as_ref().is_some_and(|folder| real.is_below(folder));
        PathFacts {
            path: Some(real.as_str().to_owned()),
            name: last(real.as_str()),
            under,
            in_workspace,
            // A link to a secret is one, and so is what only looks like one.
            secret: is_secret(real.as_str()) || is_secret(written),
        }
    }
}

enum Meant {
    Path(String),
    /// An address: no path of this machine.
    Elsewhere,
    Unclear(String),
}

/// What a target says when it is read as a path.
fn meant(target: &str) -> Meant {
    let Some((scheme, rest)) = target.split_once(':') else {
        return Meant::Path(target.to_owned());
    };
    if scheme.eq_ignore_ascii_case("file") {
        return match rest.strip_prefix("//").unwrap_or(rest) {
            path if path.starts_with('/') => decoded(path),
            path => match path.strip_prefix("localhost") {
                Some(path) if path.starts_with('/') => decoded(path),
                _ => Meant::Unclear(format!("`{target}` names a file in an unusual way")),
            },
        };
    }
    if rest.starts_with("//") { Meant::Elsewhere } else { Meant::Path(target.to_owned()) }
}

/// The path of a file address; query and fragment are read in more than one way.
fn decoded(path: &str) -> Meant {
    let unclear = || Meant::Unclear(format!("`file:{path}` names a file in an unusual way"));
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
    String::from_utf8(bytes).map_or_else(|_| unclear(), Meant::Path)
}

/// A bare name has no path, but it is a name; anything longer could lead anywhere.
fn nowhere(written: &str) -> Fact<PathFacts> {
    if written.contains('/') || matches!(written, "." | "..") {
        let why = "it is relative, and nobody knows to which folder";
        return Fact::Unreadable(format!("where `{written}` leads is unknown: {why}"));
    }
    Fact::Known(PathFacts {
        path: None,
        name: Some(written.to_owned()),
        under: Vec::new(),
        in_workspace: false,
        secret: is_secret(written),
    })
}

fn last(path: &str) -> Option<String> {
    path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paper;

    fn look(grounds: &Grounds<'_>, target: &str) -> PathFacts {
        let found = grounds.facts(target);
        found.as_known().cloned().unwrap_or_else(|| panic!("{target}: {found:?}"))
    }

    /// A workspace at `/home/me/w` with a link out of it, and a home.
    fn with_grounds(check: impl Fn(&Grounds<'_>)) {
        let disk = Paper::blank()
            .link("/home/me/w/out", "/etc")
            .link("/home/me/w/notes.txt", "../.ssh/id_rsa")
            .link("/home/me/w/loop", "loop");
        let real = |path: &str| disk.real(path, "/").ok();
        let workspace = real("/home/me/w");
        let cwd = workspace.clone();
        check(&Grounds { disk: &disk, workspace, cwd, home: real("/home/me") });
    }

    #[test]
    fn a_path_is_where_it_leads() {
        with_grounds(|grounds| {
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
                assert_eq!(look(grounds, target).path.as_deref(), Some(path), "{target}");
            }
        });
    }

    #[test]
    fn a_path_lies_under_every_folder_above_it_by_all_their_names() {
        with_grounds(|grounds| {
            let found = look(grounds, "src/a.rs");
            assert!(found.in_workspace);
            assert_eq!(found.name.as_deref(), Some("a.rs"));
            let absolute =
                ["/home/me/w/src/a.rs", "/home/me/w/src", "/home/me/w", "/home/me", "/home", "/"];
            let from_workspace = ["./src/a.rs", "./src", "."];
            let from_home = ["~/w/src/a.rs", "~/w/src", "~/w", "~"];
            assert_eq!(found.under, [&absolute[..], &from_workspace, &from_home].concat());
            let outside = look(grounds, "/home/me/w2/x");
            assert!(!outside.in_workspace && !outside.under.contains(&".".to_owned()));
        });
    }

    #[test]
    fn a_link_out_of_the_workspace_is_outside_and_one_to_a_secret_is_secret() {
        with_grounds(|grounds| {
            assert!(!look(grounds, "out/passwd").in_workspace);
            assert!(look(grounds, "notes.txt").secret);
            assert!(look(grounds, ".env").secret);
            assert!(!look(grounds, "src/a.rs").secret);
        });
    }

    #[test]
    fn what_cannot_be_followed_is_unreadable_and_an_address_is_no_path() {
        with_grounds(|grounds| {
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
                let found = grounds.facts(target);
                assert!(matches!(found, Fact::Unreadable(_)), "{target}: {found:?}");
            }
            assert_eq!(grounds.facts("https://example.com/.env"), Fact::Absent);
        });
    }

    #[test]
    fn without_a_workspace_a_bare_name_is_only_a_name() {
        let disk = Paper::blank();
        let grounds = Grounds { disk: &disk, workspace: None, cwd: None, home: None };
        let found = look(&grounds, ".env");
        assert_eq!((found.path, found.secret, found.in_workspace), (None, true, false));
        assert_eq!((found.name.as_deref(), found.under), (Some(".env"), vec![]));
        assert_eq!(look(&grounds, "/etc/x").path.as_deref(), Some("/etc/x"));
        for target in ["a/b", "..", "../x", "~/x"] {
            let found = grounds.facts(target);
            assert!(matches!(found, Fact::Unreadable(_)), "{target}: {found:?}");
        }
    }
}
