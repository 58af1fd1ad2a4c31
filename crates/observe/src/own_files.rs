//! Whether a text leads to Countersign's own files, sockets and folders.
//!
//! A place is ours if it is one of our paths or lies below one, and also if it is the same file by
//! another name: a hard link, or a folder that is mounted twice.

use crate::file_system::{FileIdentity, FileSystem, LookupError};
use crate::path_resolver::{PathMeaning, PathResolver};
use crate::real_path::RealPath;
use countersign_core::model::place::PathAccess;
use countersign_core::model::rule_results::OwnFileResult;

/// Our own files, as they are on the disk now.
pub struct OwnFiles<'a> {
    files: &'a dyn FileSystem,
    places: Vec<OwnPlace<'a>>,
}

struct OwnPlace<'a> {
    /// As it was configured.
    path: &'a str,
    real: RealPath,
    identity: Option<FileIdentity>,
}

impl<'a> OwnFiles<'a> {
    /// Our paths may lead through links too. One that cannot be followed is compared as it is
    /// written.
    pub fn find(files: &'a dyn FileSystem, paths: &'a [String]) -> Self {
        let place = |path: &'a String| {
            let written = RealPath::from_text(path);
            let real = files.resolve_path(path, "/");
            let places = match real {
                Ok(real) if real != written => vec![written, real],
                Ok(_) | Err(_) => vec![written],
            };
            places.into_iter().map(move |real| {
                let identity = files.read_identity(real.as_str()).ok().flatten();
                OwnPlace { path, real, identity }
            })
        };
        Self { files, places: paths.iter().flat_map(place).collect() }
    }

    /// Whether one of our files lies below a folder.
    pub(crate) fn are_below(&self, folder: &RealPath) -> bool {
        self.find_below(folder).is_some()
    }

    /// Where our files really are.
    pub(crate) fn list_paths(&self) -> Vec<String> {
        self.places.iter().map(|own| own.real.to_string()).collect()
    }

    fn find_below(&self, folder: &RealPath) -> Option<&'a str> {
        self.places.iter().find(|own| own.real.is_below(folder)).map(|own| own.path)
    }

    /// What a target of a call means for our files, if anything. What is written takes everything
    /// below along.
    pub fn judge_target(
        &self,
        resolver: &PathResolver<'_>,
        (target, access): (&str, PathAccess),
    ) -> Option<OwnFileResult> {
        let reading = resolver.read(target);
        if access == PathAccess::Writes
            // The root stands for a target that nobody can name, such as a text that is no patch.
            && let mut folders = reading.places.iter().filter(|place| place.as_str() != "/")
            && let Some(own) = folders.find_map(|place| self.find_below(place))
        {
            return Some(OwnFileResult::Protected { own: own.to_owned() });
        }
        let mut unfollowed = reading.unfollowed;
        for place in &reading.places {
            match self.find_own_path(place) {
                Ok(None) => {}
                Ok(Some(own)) => return Some(OwnFileResult::Protected { own: own.to_owned() }),
                Err(error) => unfollowed = Some(error),
            }
        }
        if let PathMeaning::Unplaced(path) = &reading.meaning {
            let own = self.find_own_name(resolver, path)?;
            return Some(OwnFileResult::Protected { own: own.to_owned() });
        }
        unfollowed.map(|error| OwnFileResult::Unresolved { why: error.cause().to_owned() })
    }

    /// Which of our paths the place belongs to.
    pub(crate) fn find_own_path(&self, place: &RealPath) -> Result<Option<&'a str>, LookupError> {
        if let Some(own) = self.places.iter().find(|own| place.is_below(&own.real)) {
            return Ok(Some(own.path));
        }
        let is_same = |identity: &FileIdentity, own: &OwnPlace<'_>| {
            own.identity.as_ref().is_some_and(|own| own.inode == identity.inode)
        };
        for folder in place.ancestors() {
            let Some(identity) = self.files.read_identity(folder)? else { continue };
            if let Some(own) = self.places.iter().find(|own| is_same(&identity, own)) {
                return Ok(Some(own.path));
            }
        }
        self.find_hard_link(place)
    }

    /// A file with more than one name may have one of them in a folder of ours.
    fn find_hard_link(&self, place: &RealPath) -> Result<Option<&'a str>, LookupError> {
        let identity = self.files.read_identity(place.as_str())?;
        let Some(identity) = identity.filter(FileIdentity::has_several_names) else {
            return Ok(None);
        };
        for own in &self.places {
            if self.files.contains_file(&own.real, identity.inode)? {
                return Ok(Some(own.path));
            }
        }
        Ok(None)
    }

    /// A path in an unknown folder counts as ours if one of our files has that path, seen from any
    /// folder on the way to it.
    fn find_own_name(&self, resolver: &PathResolver<'_>, path: &str) -> Option<&'a str> {
        let mut rest = path;
        while let Some(shorter) = rest.strip_prefix("../").or_else(|| rest.strip_prefix("./")) {
            rest = shorter.trim_start_matches('/');
        }
        let leads_to = |own: &&OwnPlace<'_>| {
            own.real.ancestors().any(|folder| {
                let places = resolver.follow(&format!("{folder}/{rest}")).places;
                places.iter().any(|place| {
                    let exists = || matches!(self.files.read_identity(place.as_str()), Ok(Some(_)));
                    place.is_below(&own.real) && exists()
                })
            })
        };
        self.places.iter().find(leads_to).map(|own| own.path)
    }
}
