//! The paths that the commands of a line name, and the places where they lie.
//!
//! A word is a path where the table of its command says so. If the command has no table, a word counts
//! if it contains a slash or names something existing. What a shell would expand is not known here:
//! no rule, class or lasting grant covers such a line.

use crate::context::{CommandContext, PathEntry, is_below, normalize};
use crate::denied_path::path_candidates;
use crate::folder_reading::find_secrets_below;
use crate::git;
use crate::git_words::find_git_subcommand;
use crate::loose::Word;
use crate::option_tables::{self, CommandDestination, ProgramEffect, find_destinations};
use crate::reachable_commands::{OperandCheck, Visitor};
use crate::reached_folders::ReachedFolders;
use crate::working_folders::FolderSet;
use crate::written_paths::{find_effect, find_output_words};
use countersign_core::model::place::{Bound, PathAccess, PathKinds, PathLocation, Place};

/// The places of the paths, and what bounds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinePaths {
    /// The places of each path, every combination once. An ordinary path has none.
    pub places: Vec<Vec<Place>>,
    pub within: Vec<Bound>,
}

impl LinePaths {
    fn add_places(&mut self, places: Vec<Place>) {
        if !self.places.contains(&places) {
            self.places.push(places);
        }
    }

    pub(crate) fn add_bound(&mut self, bound: Bound) {
        if !self.within.contains(&bound) {
            self.within.push(bound);
        }
    }

    /// Adds a resolved path that is written.
    pub(crate) fn add_written(&mut self, context: &CommandContext, path: &str) {
        self.add_places(context.find_places(path, PathAccess::Writes));
        self.add_path_bounds(context, path, PathAccess::Writes);
    }

    /// Whom the command contacts. One that no table knows is bound by nothing wider than its words.
    pub(crate) fn add_destinations(
        &mut self,
        argv: &[String],
        folders: &FolderSet,
        context: &CommandContext,
    ) {
        let destinations = find_destinations(argv);
        match git::find_remotes(argv, &destinations, folders, context) {
            Some(remotes) => remotes.into_iter().for_each(|remote| self.add_bound(remote)),
            None => destinations.into_iter().for_each(|one| self.add_destination(one)),
        }
    }

    fn add_destination(&mut self, destination: CommandDestination) {
        match destination {
            CommandDestination::Host(host) => self.add_bound(Bound::Host(host)),
            CommandDestination::Remote(remote) => self.add_bound(Bound::Remote(remote)),
            CommandDestination::Repository(name) => self.add_bound(Bound::Repository(name)),
            CommandDestination::Account(name) => self.add_bound(Bound::Account(name)),
            CommandDestination::Configured => self.add_bound(Bound::Configured),
            // No grant with bounds holds there.
            CommandDestination::Unnamed => self.add_bound(Bound::Host(String::new())),
            CommandDestination::Unknown => {}
        }
    }

    pub(crate) fn extend(&mut self, other: Self) {
        other.places.into_iter().for_each(|places| self.add_places(places));
        other.within.into_iter().for_each(|bound| self.add_bound(bound));
    }
}

impl CommandContext<'_> {
    /// Adds where a word leads from each of these folders.
    fn add_path(&self, paths: &mut LinePaths, word: &str, access: PathAccess, from: &FolderSet) {
        let known = from.known.iter().map(|folder| Some(folder.as_str()));
        let nowhere = from.known.is_empty().then_some(None);
        for folder in known.chain(nowhere) {
            if folder.is_none() && !word.starts_with(['/', '~']) {
                self.add_path_by_name(paths, word, access);
                continue;
            }
            for place in self.resolve_from(word, folder).0 {
                paths.add_places(self.find_places(&place, access));
                paths.add_path_bounds(self, &place, access);
            }
        }
    }

    /// Adds what a path is by its names, where nobody knows the folder that it starts from.
    fn add_path_by_name(&self, paths: &mut LinePaths, word: &str, access: PathAccess) {
        let kinds = self.disk.find_kinds(&normalize(&format!("/{word}"), None));
        let places = Place::list(kinds, PathLocation::NoWorkspace, access);
        if !places.is_empty() {
            paths.add_places(places);
        }
    }

    /// The places of a resolved path.
    pub(crate) fn find_places(&self, path: &str, access: PathAccess) -> Vec<Place> {
        let location = match is_device(path) {
            true => PathLocation::Inside,
            false => self.find_location(path),
        };
        Place::list(self.disk.find_kinds(path), location, access)
    }

    /// Adds the folders in which a command runs. One that reads may read there what its words do not
    /// name.
    pub(crate) fn add_folders(&self, paths: &mut LinePaths, folders: &FolderSet, argv: &[String]) {
        let access = match find_effect(argv) {
            ProgramEffect::Reads => PathAccess::Reads,
            _ => PathAccess::Unknown,
        };
        folders.known.iter().for_each(|folder| paths.add_path_bounds(self, folder, access));
        let program = argv.first().map(String::as_str).unwrap_or_default();
        if access != PathAccess::Reads || IGNORES_FOLDER.contains(&program) {
            return;
        }
        for folder in &folders.known {
            let places = self.find_places(folder, PathAccess::Reads);
            if !places.is_empty() {
                paths.add_places(places);
            }
        }
    }
}

impl LinePaths {
    /// Adds what bounds a resolved path.
    fn add_path_bounds(&mut self, context: &CommandContext, place: &str, access: PathAccess) {
        if is_device(place) {
            return;
        }
        match context.find_location(place) {
            PathLocation::NoWorkspace => {}
            PathLocation::Inside => self.add_bound(Bound::Workspace),
            PathLocation::Readable if access == PathAccess::Reads => {
                self.add_bound(Bound::Workspace);
            }
            PathLocation::Readable | PathLocation::Outside => {
                self.add_bound(context.disk.find_bound(place, access));
            }
        }
    }
}

/// Programs that read nothing of the folder that they run in.
const IGNORES_FOLDER: &[&str] = &[
    "echo", "printf", "pwd", "true", "false", "sleep", "date", "seq", "basename", "dirname",
    "which", "whoami", "id", "uname", "hostname", "nproc", "uptime", "ps", "pgrep",
];

/// Devices that hold nothing.
fn is_device(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/zero")
}

/// The paths of one command.
pub(crate) fn find_command_paths(
    argv: &[String],
    folders: &FolderSet,
    context: &CommandContext,
    outputs: OutputFiles,
) -> LinePaths {
    let mut paths = LinePaths::default();
    let literal = |word: &String| !word.contains(crate::loose::UNKNOWN_VALUE);
    match find_table_paths(argv, outputs) {
        Some(found) => {
            for (at, access) in found {
                if let Some(word) = argv.get(at).filter(|word| literal(word)) {
                    context.add_path(&mut paths, word, access, folders);
                }
            }
            for path in option_tables::find_inner_paths(argv).iter().filter(|path| literal(path)) {
                context.add_path(&mut paths, path, PathAccess::Reads, folders);
            }
        }
        None => {
            let subcommand = find_git_subcommand(argv.iter().map(String::as_str));
            let words = argv.iter().enumerate().skip(1);
            for (_, word) in words.filter(|(at, word)| Some(*at) != subcommand && literal(word)) {
                add_unknown_word(&mut paths, word, folders, context);
            }
        }
    }
    add_reached_folders(&mut paths, argv, folders, context);
    if find_secrets_below(argv, folders, context).is_some() {
        paths.add_places(vec![Place::Secret]);
    }
    paths
}

/// Whether the output files of a command that does not edit are among its paths. They are an edit of
/// their own, as a redirection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFiles {
    Included,
    Apart,
}

/// Adds the places of what lies below the folders that a command deletes, moves or changes as a whole.
fn add_reached_folders(
    paths: &mut LinePaths,
    argv: &[String],
    folders: &FolderSet,
    context: &CommandContext,
) {
    let Some(reached) = ReachedFolders::find(argv) else { return };
    let Some(workspace) = context.workspace else { return };
    let words = reached.paths.iter().filter_map(|at| argv.get(*at));
    let here = [".".to_owned()];
    let words = words.chain(if reached.paths.is_empty() { here.iter() } else { [].iter() });
    let places: Vec<String> =
        words.flat_map(|word| context.find_certain(word, folders).unwrap_or_default()).collect();
    let mut ordinary = 0;
    for place in places {
        let mut kinds = match is_below(workspace, &place) {
            true => PathKinds { is_guarded: true, ..context.disk.find_kinds_below(&place) },
            false => context.disk.find_kinds_below(&place),
        };
        kinds.is_guarded &= !reached.spares_git;
        let found = [(kinds.is_secret, Place::Secret), (kinds.is_guarded, Place::WriteGuarded)];
        ordinary += usize::from(kinds == PathKinds::default());
        for (_, place) in found.into_iter().filter(|(is_found, _)| *is_found) {
            paths.add_places(vec![place]);
        }
    }
    // One question is enough where nothing but such folders is reached.
    let is_special = paths.places.iter().any(|places| !places.is_empty());
    if ordinary == 0 && is_special && !reached.has_target {
        paths.places.retain(|places| !places.is_empty());
    }
}

/// The words that are paths by the table of the command, and what it does with each.
fn find_table_paths(argv: &[String], outputs: OutputFiles) -> Option<Vec<(usize, PathAccess)>> {
    let table = option_tables::find_table(argv)?;
    let skipped = table.name.split(' ').count();
    let paths = option_tables::find_paths(table, argv.get(skipped..)?)?;
    let written = option_tables::find_written_words(argv)?;
    let other = match table.effect {
        ProgramEffect::Unknown => PathAccess::Unknown,
        ProgramEffect::Reads
        | ProgramEffect::Runs
        | ProgramEffect::WritesGitData
        | ProgramEffect::ChangesElsewhere
        | ProgramEffect::Edits
        | ProgramEffect::Formats
        | ProgramEffect::Deletes => PathAccess::Reads,
    };
    let access = |index: usize| match written.contains(&index) {
        true => PathAccess::Writes,
        false => other,
    };
    let apart = match outputs {
        OutputFiles::Included => Vec::new(),
        OutputFiles::Apart => find_output_words(argv),
    };
    let paths = paths.into_iter().map(|index| index + skipped).filter(|at| !apart.contains(at));
    Some(paths.map(|at| (at, access(at))).collect())
}

fn add_unknown_word(
    paths: &mut LinePaths,
    word: &str,
    folders: &FolderSet,
    context: &CommandContext,
) {
    // An address is no path, unless it is that of a file.
    if word.contains("://") && !word.contains("file:/") {
        return;
    }
    let exists = |part: &str| {
        let entry = |folder: &String| context.disk.read_entry(part, Some(folder));
        folders
            .known
            .iter()
            .any(|folder| matches!(entry(folder), PathEntry::Folder | PathEntry::Other))
    };
    for part in path_candidates(word).filter(|part| !part.is_empty() && !part.starts_with('-')) {
        if part.contains('/') || part.starts_with('~') || exists(part) {
            context.add_path(paths, part, PathAccess::Unknown, folders);
        }
    }
}

/// Collects the paths of every command that a line could run.
pub(crate) struct PathCollector<'a> {
    context: &'a CommandContext<'a>,
    pub(crate) found: LinePaths,
}

impl<'a> PathCollector<'a> {
    pub(crate) fn new(context: &'a CommandContext<'a>) -> Self {
        Self { context, found: LinePaths::default() }
    }
}

impl Visitor for PathCollector<'_> {
    fn visit_loose_word(&mut self, _word: &Word, _folders: &FolderSet) {}

    fn visit_redirect_target(&mut self, word: &Word, folders: &FolderSet) {
        if !word.text.contains(crate::loose::UNKNOWN_VALUE) {
            self.context.add_path(&mut self.found, &word.text, PathAccess::Writes, folders);
        }
    }

    fn visit_command(
        &mut self,
        words: &[Word],
        folders: &FolderSet,
        outer: OperandCheck,
    ) -> OperandCheck {
        let argv: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
        let paths = find_command_paths(&argv, folders, self.context, OutputFiles::Included);
        self.found.extend(paths);
        outer
    }
}
