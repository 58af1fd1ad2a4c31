//! Where the targets of a call lie: inside the workspace or outside, secret, guarded; and the host or
//! folder that bounds a yes to the call.
//!
//! See docs/decisions/0049-places.md.

use crate::argument_facts::find_host;
use crate::file_system::{FileKind, FileSystem, LookupError};
use crate::path_resolver::{PathMeaning, PathResolver};
use crate::real_path::RealPath;
use countersign_core::model::place::{Bound, PathAccess, PathKinds, PathLocation, Place};
use countersign_graph::places::{PlaceBases, PlaceKind, PlacePatterns};

/// Classifies paths of one call.
pub struct PlaceReader<'a> {
    files: &'a dyn FileSystem,
    patterns: &'a PlacePatterns,
    resolver: PathResolver<'a>,
    /// What a target is of which nothing is on the disk.
    missing: MissingTarget,
    without_workspace: WithoutWorkspace,
}

/// What a written path is if the session has no workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutWorkspace {
    /// Neither inside nor outside.
    Unplaced,
    Outside,
}

/// What a call takes its target for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingTarget {
    File,
    /// It searches or lists what is there.
    Folder,
}

/// Where one target leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetPlaces {
    /// The places of every path that some program reaches by the target.
    pub paths: Vec<Vec<Place>>,
    pub within: Vec<Bound>,
    /// Why it cannot be followed.
    pub unfollowed: Option<LookupError>,
}

impl<'a> PlaceReader<'a> {
    pub fn new(
        files: &'a dyn FileSystem,
        patterns: &'a PlacePatterns,
        resolver: PathResolver<'a>,
        missing: MissingTarget,
    ) -> Self {
        let without_workspace = WithoutWorkspace::Unplaced;
        Self { files, patterns, resolver, missing, without_workspace }
    }

    pub fn place_writes_without_workspace(mut self, without_workspace: WithoutWorkspace) -> Self {
        self.without_workspace = without_workspace;
        self
    }

    /// Where a target leads that is a path.
    pub fn read_path(&self, target: &str, access: PathAccess) -> TargetPlaces {
        let mut found = TargetPlaces::default();
        // A text of several lines is no path; it may be a patch that nobody could read.
        if target.contains('\n') {
            found.unfollowed = Some(LookupError::SeveralLines);
            return found;
        }
        if !self.files.is_available() {
            found.paths.push(self.find_places_by_name(target, access));
            return found;
        }
        let reading = self.resolver.read(target);
        found.unfollowed = reading.unfollowed;
        for place in &reading.places {
            found.paths.push(self.find_places(place.as_str(), access));
            found.within.extend(self.find_bound(place));
        }
        if let PathMeaning::Unplaced(path) = &reading.meaning {
            found.paths.push(self.find_places_by_name(path, access));
        }
        found.within.dedup();
        found
    }

    /// The places of a path of which only the names are known.
    fn find_places_by_name(&self, path: &str, access: PathAccess) -> Vec<Place> {
        let path = RealPath::from_text(&format!("/{path}"));
        let kinds = find_kinds(self.patterns, &PlaceBases::default(), path.as_str());
        Place::list(kinds, self.find_unknown_location(access), access)
    }

    /// The host that a target names, as a bound.
    pub fn read_host(target: &str) -> Option<Bound> {
        find_host(target).map(Bound::Host)
    }

    fn find_places(&self, path: &str, access: PathAccess) -> Vec<Place> {
        let bases = self.resolver.place_bases();
        let location = self.find_location(path, access);
        Place::list(find_kinds(self.patterns, &bases, path), location, access)
    }

    fn find_unknown_location(&self, access: PathAccess) -> PathLocation {
        match (access, self.without_workspace) {
            (PathAccess::Writes, WithoutWorkspace::Outside) => PathLocation::Outside,
            _ if self.resolver.has_no_inside() => PathLocation::Outside,
            _ => PathLocation::NoWorkspace,
        }
    }

    fn find_location(&self, path: &str, access: PathAccess) -> PathLocation {
        match &self.resolver.folders.workspace {
            None => self.find_unknown_location(access),
            Some(workspace) if is_below(path, workspace.as_str()) => PathLocation::Inside,
            Some(_) => PathLocation::Outside,
        }
    }

    /// The workspace, or the folder outside of it that the path lies in. Folders that hold
    /// everything, and links to nothing, are no bounds: then it is the path itself.
    fn find_bound(&self, place: &RealPath) -> Option<Bound> {
        match &self.resolver.folders.workspace {
            None if self.without_workspace == WithoutWorkspace::Unplaced
                && !self.resolver.has_no_inside() =>
            {
                return None;
            }
            Some(workspace) if place.is_below(workspace) => return Some(Bound::Workspace),
            None | Some(_) => {}
        }
        Some(find_outside_bound(self.files, &self.resolver, place, self.missing))
    }
}

/// What bounds a path outside of the workspace.
pub(crate) fn find_outside_bound(
    files: &dyn FileSystem,
    resolver: &PathResolver,
    place: &RealPath,
    missing: MissingTarget,
) -> Bound {
    let kind = files.read_identity(place.as_str()).ok().flatten().map(|file| file.kind);
    let folder = match (kind, missing) {
        (Some(FileKind::Folder), _) | (None, MissingTarget::Folder) => place.as_str(),
        (Some(FileKind::Other), _) | (None, MissingTarget::File) => {
            place.ancestors().nth(1).unwrap_or("/")
        }
    };
    let holds = |path: &RealPath| is_below(path.as_str(), folder);
    let workspace = resolver.folders.workspace.as_ref();
    let is_wide = workspace.is_some_and(holds) || resolver.home.as_ref().is_some_and(holds);
    match is_wide || folder == "/" {
        true => Bound::Path(place.to_string()),
        false => Bound::Folder(folder.to_owned()),
    }
}

/// What the patterns say about a resolved path.
pub(crate) fn find_kinds(
    patterns: &PlacePatterns,
    bases: &PlaceBases<'_>,
    path: &str,
) -> PathKinds {
    let kinds = patterns.find_kinds(path, bases);
    PathKinds {
        is_secret: kinds.contains(PlaceKind::Secret),
        is_guarded: kinds.contains(PlaceKind::Guarded),
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
