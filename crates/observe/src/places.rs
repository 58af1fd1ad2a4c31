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
        Self { files, patterns, resolver, missing }
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
            found.within.extend(self.find_bound(place, access));
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
        Place::list(kinds, PathLocation::NoWorkspace, access)
    }

    /// The host that a target names, as a bound.
    pub fn read_host(target: &str) -> Option<Bound> {
        find_host(target).map(Bound::Host)
    }

    fn find_places(&self, path: &str, access: PathAccess) -> Vec<Place> {
        let bases = self.resolver.place_bases();
        let location = self.resolver.find_location(path, Some(self.patterns));
        Place::list(find_kinds(self.patterns, &bases, path), location, access)
    }

    /// The workspace, or what the path lies in outside of it.
    fn find_bound(&self, place: &RealPath, access: PathAccess) -> Option<Bound> {
        match self.resolver.find_location(place.as_str(), Some(self.patterns)) {
            PathLocation::NoWorkspace => None,
            PathLocation::Inside => Some(Bound::Workspace),
            PathLocation::Readable if access == PathAccess::Reads => Some(Bound::Workspace),
            PathLocation::Readable | PathLocation::Outside => {
                let outside = OutsideBounds { files: self.files, resolver: &self.resolver };
                Some(outside.find(place, self.missing, access))
            }
        }
    }
}

/// What bounds paths outside of the workspace.
pub(crate) struct OutsideBounds<'a> {
    pub(crate) files: &'a dyn FileSystem,
    pub(crate) resolver: &'a PathResolver<'a>,
}

impl OutsideBounds<'_> {
    /// For reading, the repository that the path lies in; otherwise its folder. Folders that hold
    /// everything, and links to nothing, are no bounds: then it is the path itself.
    pub(crate) fn find(
        &self,
        place: &RealPath,
        missing: MissingTarget,
        access: PathAccess,
    ) -> Bound {
        let kind = self.files.read_identity(place.as_str()).ok().flatten().map(|file| file.kind);
        let folder = match (kind, missing) {
            (Some(FileKind::Folder), _) | (None, MissingTarget::Folder) => place.as_str(),
            (Some(FileKind::Other), _) | (None, MissingTarget::File) => {
                place.ancestors().nth(1).unwrap_or("/")
            }
        };
        let checkout = match access {
            PathAccess::Reads => self.resolver.find_checkout(&RealPath::from_text(folder)),
            PathAccess::Writes | PathAccess::Unknown => None,
        };
        let root = checkout.map(|checkout| checkout.root.to_string());
        let found = root.into_iter().chain([folder.to_owned()]).find(|one| !self.is_wide(one));
        found.map_or_else(|| Bound::Path(place.to_string()), Bound::Folder)
    }

    /// Whether a folder holds the workspace or a home.
    fn is_wide(&self, folder: &str) -> bool {
        let holds = |path: &RealPath| is_below(path.as_str(), folder);
        let workspace = self.resolver.folders.workspace.as_ref();
        workspace.is_some_and(holds)
            || self.resolver.home.as_ref().is_some_and(holds)
            || folder == "/"
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
