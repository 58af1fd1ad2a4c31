//! Where a text leads as a path. Targets, words of commands, paths of rules and argument facts are
//! all resolved here.
//!
//! Programs do not agree on a text. The kernel follows links before it goes up by `..`; many programs
//! remove `..` from the text first. Some expand `~` and `file:`, for others these are names. So a text
//! has one meaning, and a list of every place that some program reaches by it.
//!
//! See docs/decisions/0033-paths-are-resolved-in-one-place.md.
//! See docs/decisions/0120-what-counts-as-inside.md.

use crate::base_folders::{BaseFolders, resolve_absolute};
use crate::checkout::Checkout;
use crate::file_system::{FileSystem, LookupError};
use crate::real_path::RealPath;
use crate::scratch::is_in_scratch;
use countersign_core::model::call::Call;
use countersign_core::model::command::Command;
use countersign_core::model::place::PathLocation;
use countersign_graph::places::{PlaceBases, PlaceKind, PlacePatterns};
use std::cell::OnceCell;

/// Resolves the paths of one call.
pub struct PathResolver<'a> {
    files: &'a dyn FileSystem,
    pub(crate) folders: BaseFolders,
    /// What `~` stands for.
    pub(crate) home: Option<RealPath>,
    /// Folders for temporary files of the session, as its adapter reported them.
    scratch: Vec<String>,
    /// The worktree that holds the workspace, looked up when a path outside is met.
    checkout: OnceCell<Option<Checkout>>,
}

/// Where a text leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathReading {
    pub meaning: PathMeaning,
    /// Every place that some program reaches by the text. What cannot be followed is there as it is
    /// written.
    pub places: Vec<RealPath>,
    /// Why `places` may be incomplete.
    pub unfollowed: Option<LookupError>,
}

/// What a text means as a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathMeaning {
    At(RealPath),
    /// An address, and so no path of this machine.
    Address,
    /// This path is relative to a folder that nobody knows.
    Unplaced(String),
    /// It cannot be followed, or programs follow it to different places.
    Unknown(LookupError),
}

impl<'a> PathResolver<'a> {
    pub fn new(
        files: &'a dyn FileSystem,
        (workspace, cwd): (Option<&str>, Option<&str>),
        home: Option<&str>,
    ) -> Self {
        let folders = BaseFolders::resolve(files, workspace, cwd);
        let home = resolve_absolute(files, home);
        Self { files, folders, home, scratch: Vec::new(), checkout: OnceCell::new() }
    }

    pub fn with_scratch(mut self, folders: &[String]) -> Self {
        folders.clone_into(&mut self.scratch);
        self
    }

    /// Relative paths start in the folder where our side
    /// observed the call, else in the workspace.
    pub fn for_call(files: &'a dyn FileSystem, call: &Call, home: Option<&str>) -> Self {
        let cwd = call.command.as_ref().and_then(Command::cwd).or(call.cwd.as_deref());
        Self::new(files, (call.workspace(), cwd), home).with_scratch(&call.folders.scratch)
    }

    /// Whether the folder of the call is the workspace or lies in it.
    pub fn is_inside_workspace(&self) -> bool {
        let BaseFolders { workspace, cwd } = &self.folders;
        matches!((workspace, cwd), (Some(workspace), Some(cwd)) if cwd.is_below(workspace))
    }

    /// Where a resolved path lies. In a session that works in a folder and has no workspace, nothing is
    /// inside. Only where no folder is known at all is a path neither inside nor outside.
    pub(crate) fn find_location(
        &self,
        path: &str,
        patterns: Option<&PlacePatterns>,
    ) -> PathLocation {
        let BaseFolders { workspace, cwd } = &self.folders;
        let place = RealPath::from_text(path);
        match (workspace, cwd) {
            (None, None) => PathLocation::NoWorkspace,
            (None, Some(_)) => PathLocation::Outside,
            (Some(workspace), _) if place.is_below(workspace) => PathLocation::Inside,
            (Some(_), _) if self.is_in_scratch(&place) => PathLocation::Inside,
            (Some(_), _) if self.is_of_kind(PlaceKind::Plan, path, patterns) => {
                PathLocation::Inside
            }
            (Some(workspace), _)
                if self.is_of_kind(PlaceKind::Cache, path, patterns)
                    || self.is_in_same_repository(workspace, &place) =>
            {
                PathLocation::Readable
            }
            (Some(_), _) => PathLocation::Outside,
        }
    }

    fn is_in_scratch(&self, place: &RealPath) -> bool {
        self.scratch.iter().any(|folder| is_in_scratch(self.files, folder, place))
    }

    fn is_of_kind(&self, kind: PlaceKind, path: &str, patterns: Option<&PlacePatterns>) -> bool {
        let kinds = |patterns: &PlacePatterns| patterns.find_kinds(path, &self.place_bases());
        patterns.is_some_and(|patterns| kinds(patterns).contains(kind))
    }

    /// Whether a place lies in another worktree of the repository that holds the workspace.
    fn is_in_same_repository(&self, workspace: &RealPath, place: &RealPath) -> bool {
        let own = self.checkout.get_or_init(|| self.find_checkout(workspace));
        own.as_ref().is_some_and(|own| {
            self.find_checkout(place).is_some_and(|other| own.is_of_same_repository(&other))
        })
    }

    /// The worktree around a place.
    pub(crate) fn find_checkout(&self, place: &RealPath) -> Option<Checkout> {
        Checkout::find(self.files, place, self.home.as_ref())
    }

    /// The folders that place patterns start from.
    pub(crate) fn place_bases(&self) -> PlaceBases<'_> {
        PlaceBases {
            home: self.home.as_ref().map(RealPath::as_str),
            workspace: self.folders.workspace.as_ref().map(RealPath::as_str),
        }
    }

    /// Where a text leads from the folder of the call.
    pub fn read(&self, text: &str) -> PathReading {
        self.read_from(text, self.folders.cwd.as_ref().map(RealPath::as_str))
    }

    /// Where a text leads from `folder`, which is absolute.
    pub fn read_from(&self, text: &str, folder: Option<&str>) -> PathReading {
        let mut reading = self.read_meaning(text, folder);
        // For a program that expands nothing, `~`, `file:` and addresses are names.
        if let Some(name) = make_absolute(text, folder)
            && (text.starts_with('~') || text.contains(':'))
        {
            let literal = self.follow(&name);
            reading.places.extend(literal.places);
        }
        reading.places.dedup();
        reading
    }

    fn read_meaning(&self, text: &str, folder: Option<&str>) -> PathReading {
        let path = match parse_text(text) {
            Ok(Some(path)) => path,
            Ok(None) => return PathReading::without_places(PathMeaning::Address),
            Err(error) => return PathReading::unfollowed(error),
        };
        if path.is_empty() {
            return PathReading::unfollowed(LookupError::Empty);
        }
        let absolute = match path.strip_prefix('~') {
            Some(rest) => self.expand_home(rest).map(Some),
            None => Ok(make_absolute(&path, folder)),
        };
        match absolute {
            Ok(Some(absolute)) => self.follow(&absolute),
            Ok(None) => PathReading::without_places(PathMeaning::Unplaced(path)),
            Err(error) => PathReading::unfollowed(error),
        }
    }

    fn expand_home(&self, rest: &str) -> Result<String, LookupError> {
        match (&self.home, rest.is_empty() || rest.starts_with('/')) {
            (Some(home), true) => Ok(format!("{home}{rest}")),
            (None, true) => Err(LookupError::UnknownHome),
            (_, false) => Err(LookupError::HomeOfNamedUser),
        }
    }

    /// Follows an absolute path as the kernel does, and as a program does that first removes `..`
    /// from its text.
    pub(crate) fn follow(&self, absolute: &str) -> PathReading {
        let text = RealPath::from_text(absolute);
        let walked = self.files.resolve_path(absolute, "/");
        let by_text = match has_parents(absolute) {
            true => self.files.resolve_path(text.as_str(), "/"),
            false => walked.clone(),
        };
        let mut reading = match (walked, by_text) {
            (Ok(walked), Ok(by_text)) if walked == by_text => {
                let places = vec![walked.clone()];
                PathReading { meaning: PathMeaning::At(walked), places, unfollowed: None }
            }
            (Ok(walked), Ok(by_text)) => PathReading {
                meaning: PathMeaning::Unknown(LookupError::Ambiguous),
                places: vec![walked, by_text],
                unfollowed: None,
            },
            // The kernel refuses this one.
            (Err(error @ LookupError::ParentOfMissing(_)), Ok(by_text)) => PathReading {
                meaning: PathMeaning::Unknown(error),
                places: vec![by_text],
                unfollowed: None,
            },
            (Ok(place), Err(error)) | (Err(error), Ok(place)) => {
                let mut reading = PathReading::unfollowed(error);
                reading.places.push(place);
                reading
            }
            (Err(error), Err(_)) => PathReading::unfollowed(error),
        };
        if reading.unfollowed.is_some() {
            let rest = path_in_process_root(text.as_str());
            reading.places.push(text);
            reading.places.extend(rest.into_iter().flat_map(|rest| self.follow(&rest).places));
        }
        reading
    }
}

impl PathReading {
    const fn without_places(meaning: PathMeaning) -> Self {
        Self { meaning, places: Vec::new(), unfollowed: None }
    }

    fn unfollowed(error: LookupError) -> Self {
        let meaning = PathMeaning::Unknown(error.clone());
        Self { meaning, places: Vec::new(), unfollowed: Some(error) }
    }
}

/// `None` if the path is relative to an unknown folder.
fn make_absolute(path: &str, folder: Option<&str>) -> Option<String> {
    match path.starts_with('/') {
        true => Some(path.to_owned()),
        false => folder.map(|folder| format!("{folder}/{path}")),
    }
}

fn has_parents(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}

/// The rest of a path through the root folder of another process, which is usually our own root.
fn path_in_process_root(path: &str) -> Option<String> {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let (proc, _process) = (parts.next()?, parts.next()?);
    let mut name = parts.next()?;
    if name == "task" {
        name = parts.nth(1)?;
    }
    let rest: Vec<_> = parts.collect();
    (proc == "proc" && name == "root").then(|| format!("/{}", rest.join("/")))
}

/// The path that a text stands for; `None` for an address.
fn parse_text(text: &str) -> Result<Option<String>, LookupError> {
    let Some((scheme, rest)) = text.split_once(':') else { return Ok(Some(text.to_owned())) };
    if scheme.eq_ignore_ascii_case("file") {
        let path = rest.strip_prefix("//").unwrap_or(rest);
        let path = path.strip_prefix("localhost").unwrap_or(path);
        return match path.starts_with('/') {
            true => decode_file_url(path).map(Some),
            false => Err(LookupError::UnusualUrl(text.to_owned())),
        };
    }
    Ok((!rest.starts_with("//")).then(|| text.to_owned()))
}

/// Decodes the path of a `file:` URL. Programs differ on queries and fragments, so these are
/// refused.
fn decode_file_url(path: &str) -> Result<String, LookupError> {
    let unusual = || LookupError::UnusualUrl(format!("file:{path}"));
    if path.contains(['?', '#', '\\']) {
        return Err(unusual());
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
        let [Some(high), Some(low)] = digits else { return Err(unusual()) };
        bytes.extend(u8::try_from(high * 16 + low));
    }
    String::from_utf8(bytes).map_err(|_| unusual())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FakeFileSystem;

    /// In the folder `/w`, with a link out of it.
    fn read(text: &str) -> PathReading {
        let files = FakeFileSystem::without_links().with_link("/w/link", "/x/y");
        PathResolver::new(&files, (None, Some("/w")), Some("/home/me")).read(text)
    }

    fn places(text: &str) -> Vec<String> {
        read(text).places.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_plain_path_has_one_meaning_and_leads_there() {
        for (text, place) in
            [("a", "/w/a"), ("./a//b", "/w/a/b"), ("link/z", "/x/y/z"), ("/a/../b", "/b")]
        {
            let reading = read(text);
            assert_eq!(places(text), [place], "{text}");
            assert_eq!(reading.meaning, PathMeaning::At(reading.places[0].clone()), "{text}");
        }
    }

    #[test]
    fn a_parent_behind_a_link_leads_to_two_places() {
        assert_eq!(places("link/../a"), ["/x/a", "/w/a"]);
        assert_eq!(read("link/../a").meaning, PathMeaning::Unknown(LookupError::Ambiguous));
    }

    #[test]
    fn what_a_program_may_expand_is_also_a_name() {
        assert_eq!(places("~/a"), ["/home/me/a", "/w/~/a"]);
        assert_eq!(places("file:///a%62"), ["/ab", "/w/file:/a%62"]);
        assert_eq!(places("https://../../etc/x"), ["/etc/x"]);
        assert_eq!(read("https://../../etc/x").meaning, PathMeaning::Address);
    }

    #[test]
    fn the_root_of_a_process_is_our_root_and_may_be_another() {
        assert_eq!(places("/proc/self/root/a"), ["/a"]);
        for text in ["/proc/self/root/a", "/proc/thread-self/./root/a"] {
            assert!(matches!(read(text).meaning, PathMeaning::At(_)), "{text}");
        }
        assert_eq!(path_in_process_root("/proc/1/root/a").as_deref(), Some("/a"));
        assert_eq!(path_in_process_root("//proc/1/task/2/root").as_deref(), Some("/"));
        for text in ["/proc/1/cwd/a", "/proc", "/proc/1", "/prod/1/root/a", "/proc/1/task/root"] {
            assert_eq!(path_in_process_root(text), None, "{text}");
        }
    }
}
