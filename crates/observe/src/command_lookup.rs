//! Looks up the paths and programs of one command line, for the rules that judge it.

mod below;

use crate::file_system::{FileKind, FileSystem, LookupError, Protection};
use crate::git_config::read_git;
use crate::ignored::is_ignored;
use crate::limits;
use crate::own_files::OwnFiles;
use crate::path_resolver::{PathMeaning, PathResolver};
use crate::places::{MissingTarget, OutsideBounds, find_kinds};
use crate::real_path::RealPath;
use crate::secrets_below::find_secrets_below;
use countersign_commands::{
    BelowReport, CodeFile, CommandContext, DiskLookup, FolderWalk, GitReading, Landmark, PathEntry,
    PinnedFile, ProgramFile, ResolvedPath, SecretsBelow,
};
use countersign_core::model::place::{Bound, PathAccess, PathKinds, PathLocation};
use countersign_graph::places::PlacePatterns;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A bounded number of lookups for one command line.
pub struct CommandLookup<'a> {
    files: &'a dyn FileSystem,
    resolver: PathResolver<'a>,
    own_files: OwnFiles<'a>,
    patterns: Option<&'a PlacePatterns>,
    lookups: Cell<usize>,
    /// Several readers of a line ask for the same words.
    resolved: RefCell<HashMap<(String, Option<String>), ResolvedPath>>,
    locations: RefCell<HashMap<String, PathLocation>>,
    /// The commands of a line mostly run in one folder.
    git_readings: RefCell<HashMap<String, GitReading>>,
    /// A line is read several times, and a search takes long.
    secrets_below: RefCell<HashMap<(String, FolderWalk), SecretsBelow>>,
}

impl<'a> CommandLookup<'a> {
    /// A workspace that is not an absolute path is unknown. Without a `cwd`, the line runs in the
    /// workspace.
    pub fn new(
        files: &'a dyn FileSystem,
        (workspace, cwd): (Option<&str>, Option<&str>),
        home: Option<&str>,
    ) -> Self {
        let resolver = PathResolver::new(files, (workspace, cwd), home);
        Self {
            files,
            resolver,
            own_files: OwnFiles::find(files, &[]),
            patterns: None,
            lookups: Cell::new(0),
            resolved: RefCell::default(),
            locations: RefCell::default(),
            git_readings: RefCell::default(),
            secrets_below: RefCell::default(),
        }
    }

    /// Folders for temporary files of the session.
    pub fn with_scratch(mut self, folders: &[String]) -> Self {
        self.resolver = self.resolver.with_scratch(folders);
        self
    }

    /// Tells secret and guarded files apart by these patterns.
    pub fn with_patterns(mut self, patterns: &'a PlacePatterns) -> Self {
        self.patterns = Some(patterns);
        self
    }

    /// A path that is one of our own files by another name then leads to our path as well.
    pub fn with_own_files(mut self, paths: &'a [String]) -> Self {
        self.own_files = OwnFiles::find(self.files, paths);
        self
    }

    pub fn context(&self) -> CommandContext<'_> {
        CommandContext {
            workspace: self.resolver.folders.workspace.as_ref().map(RealPath::as_str),
            cwd: self.resolver.folders.cwd.as_ref().map(RealPath::as_str),
            disk: self,
        }
    }

    fn resolve_on_disk(&self, path: &str, folder: Option<&str>) -> ResolvedPath {
        if !self.try_count_lookup() {
            return ResolvedPath::Unresolvable(Vec::new());
        }
        let reading = self.resolver.read_from(path, folder);
        let mut places: Vec<_> = reading.places.iter().map(ToString::to_string).collect();
        let own = reading.places.iter().map(|place| self.own_files.find_own_path(place));
        let own: Result<Vec<_>, _> = own.collect();
        let is_followed = reading.unfollowed.is_none() && own.is_ok() && !places.is_empty();
        places.extend(own.into_iter().flatten().flatten().map(str::to_owned));
        match is_followed {
            true => ResolvedPath::At(places),
            false => ResolvedPath::Unresolvable(places),
        }
    }

    /// Counts one more lookup. False if that is too many.
    fn try_count_lookup(&self) -> bool {
        self.lookups.set(self.lookups.get() + 1);
        self.lookups.get() <= limits::MAX_LOOKUPS
    }
}

impl DiskLookup for CommandLookup<'_> {
    fn resolve_path(&self, path: &str, folder: Option<&str>) -> ResolvedPath {
        let key = (path.to_owned(), folder.map(str::to_owned));
        if let Some(known) = self.resolved.borrow().get(&key) {
            return known.clone();
        }
        let resolved = self.resolve_on_disk(path, folder);
        self.resolved.borrow_mut().insert(key, resolved.clone());
        resolved
    }

    fn list_own_paths(&self) -> Vec<String> {
        self.own_files.list_paths()
    }

    fn find_home(&self) -> Option<String> {
        self.resolver.home.as_ref().map(ToString::to_string)
    }

    fn contains_own_files(&self, folder: &str) -> bool {
        self.own_files.are_below(&RealPath::from_text(folder))
    }

    fn find_location(&self, path: &str) -> PathLocation {
        if let Some(known) = self.locations.borrow().get(path) {
            return *known;
        }
        let location = match self.try_count_lookup() {
            true => self.resolver.find_location(path, self.patterns),
            false => PathLocation::Outside,
        };
        self.locations.borrow_mut().insert(path.to_owned(), location);
        location
    }

    fn find_kinds(&self, path: &str) -> PathKinds {
        match self.patterns {
            Some(patterns) => find_kinds(patterns, &self.resolver.place_bases(), path),
            None => PathKinds::default(),
        }
    }

    fn find_kinds_below(&self, path: &str) -> PathKinds {
        match self.patterns {
            Some(patterns) => {
                below::find_kinds_below(self.files, patterns, &self.resolver.place_bases(), path)
            }
            None => PathKinds::default(),
        }
    }

    fn find_secrets_below(&self, path: &str, walk: &FolderWalk) -> SecretsBelow {
        let Some(patterns) = self.patterns else { return SecretsBelow::default() };
        let key = (path.to_owned(), walk.clone());
        if let Some(known) = self.secrets_below.borrow().get(&key) {
            return known.clone();
        }
        let found =
            find_secrets_below(self.files, patterns, &self.resolver.place_bases(), (path, walk));
        self.secrets_below.borrow_mut().insert(key, found.clone());
        found
    }

    fn examine_below(&self, path: &str) -> BelowReport {
        let bases = self.resolver.place_bases();
        match self.patterns {
            Some(patterns) => below::examine_below(self.files, patterns, &bases, path),
            None => BelowReport::default(),
        }
    }

    fn has_files(&self) -> bool {
        self.files.has_files()
    }

    fn read_project_file(&self, folder: &str, name: &str) -> Option<String> {
        if !self.try_count_lookup() {
            return None;
        }
        let PathMeaning::At(place) = self.resolver.read_from(name, Some(folder)).meaning else {
            return None;
        };
        let workspace = self.resolver.folders.workspace.as_ref();
        if workspace.is_some_and(|workspace| !place.is_below(workspace)) {
            return None;
        }
        let content = self.files.read_file(place.as_str(), limits::MAX_PROJECT_FILE_BYTES);
        String::from_utf8(content.ok()?).ok()
    }

    fn is_own_process(&self, id: &str) -> bool {
        let is_number = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
        let program = |id: &str| self.files.read_stamp(&format!("/proc/{id}/exe")).ok().flatten();
        is_number
            && program(id)
                .is_some_and(|one| program("self").is_some_and(|own| own.inode == one.inode))
    }

    fn find_bound(&self, path: &str, access: PathAccess) -> Bound {
        if !self.try_count_lookup() {
            return Bound::Path(path.to_owned());
        }
        let place = RealPath::from_text(path);
        let outside = OutsideBounds { files: self.files, resolver: &self.resolver };
        outside.find(&place, MissingTarget::File, access)
    }

    fn find_code(&self, path: &str, folder: Option<&str>) -> CodeFile {
        if !self.files.is_available() || !self.files.has_files() {
            return CodeFile::Unknown;
        }
        if !self.try_count_lookup() {
            return CodeFile::Missing;
        }
        let PathMeaning::At(place) = self.resolver.read_from(path, folder).meaning else {
            return CodeFile::Missing;
        };
        match self.files.read_kind(&place) {
            Ok(Some(FileKind::Other)) => {
                let hash = self.files.hash_file(&place);
                CodeFile::Found(PinnedFile { path: place.to_string(), hash })
            }
            Ok(None | Some(FileKind::Folder)) | Err(_) => CodeFile::Missing,
        }
    }

    fn read_entry(&self, path: &str, folder: Option<&str>) -> PathEntry {
        if !self.try_count_lookup() {
            return PathEntry::Unknown;
        }
        let PathMeaning::At(place) = self.resolver.read_from(path, folder).meaning else {
            return PathEntry::Unknown;
        };
        match self.files.read_kind(&place) {
            Ok(Some(FileKind::Folder)) => PathEntry::Folder,
            Ok(Some(FileKind::Other)) => PathEntry::Other,
            Ok(None) => PathEntry::Missing,
            Err(_) => PathEntry::Unknown,
        }
    }

    fn list_folder(&self, folder: &str) -> Option<Vec<String>> {
        if !self.try_count_lookup() {
            return None;
        }
        let PathMeaning::At(place) = self.resolver.read_from(folder, None).meaning else {
            return None;
        };
        self.files.list_folder(&place).ok()
    }

    fn is_ignored(&self, path: &str) -> bool {
        self.try_count_lookup() && is_ignored(self.files, path)
    }

    fn find_landmark(&self, path: &str) -> Option<Landmark> {
        if self.resolver.home.as_ref().is_some_and(|home| home.as_str() == path) {
            return Some(Landmark::Home);
        }
        let (above, _) = path.rsplit_once('/')?;
        let above = if above.is_empty() { "/" } else { above };
        if !self.try_count_lookup() {
            return None;
        }
        let device = |path: &str| {
            let identity = self.files.read_identity(path).ok().flatten();
            identity.filter(|one| one.kind == FileKind::Folder).map(|one| one.inode.device)
        };
        // A folder on another device than the one above it is where that device is mounted.
        let is_mount = device(path).is_some_and(|own| device(above).is_some_and(|up| up != own));
        is_mount.then_some(Landmark::Mount)
    }

    fn read_git_configuration(&self, folder: &str) -> GitReading {
        if !self.files.has_files() {
            return GitReading::NotConsulted;
        }
        if let Some(reading) = self.git_readings.borrow().get(folder) {
            return reading.clone();
        }
        if !self.try_count_lookup() {
            return GitReading::Unreadable { why: "the line needs too many lookups".to_owned() };
        }
        let home = self.resolver.home.as_ref().map(RealPath::as_str);
        let reading = read_git(self.files, folder, home);
        self.git_readings.borrow_mut().insert(folder.to_owned(), reading.clone());
        reading
    }

    fn find_program(&self, name: &str, folder: Option<&str>) -> ProgramFile {
        if !self.try_count_lookup() {
            return ProgramFile::NotFound { why: "the line needs too many lookups".to_owned() };
        }
        let program = match self.files.find_program(name, folder.unwrap_or_default()) {
            Ok(program) => program,
            Err(LookupError::ProgramNotFound(_)) if !name.contains('/') => {
                return ProgramFile::Absent { name: name.to_owned() };
            }
            Err(error) => return ProgramFile::NotFound { why: error.to_string() },
        };
        let path = program.path.to_string();
        match program.protection {
            Protection::Protected => ProgramFile::Protected { path },
            Protection::Replaceable { writable, shim, files } => {
                ProgramFile::Replaceable { path, writable, shim, files }
            }
        }
    }
}

#[cfg(test)]
mod tests;
