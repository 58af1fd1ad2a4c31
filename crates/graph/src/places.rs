//! Which paths are secret, guarded or a package manager's cache: the built-in place patterns, and those of the graph.
//!
//! | pattern | matches |
//! |---|---|
//! | `.env` | a file or folder of this name anywhere, and everything below the folder |
//! | `.aws/credentials` | these names in a row anywhere, and everything below |
//! | `~/…`, `./…`, `/…` | the same from the home folder, the workspace, or the root |
//! | `*`, `?` | within one name: any characters, one character |
//! | `!.env.example` | an exception |
//!
//! ASCII case is ignored, because some disks ignore it. An exception lifts what matched at the same
//! name or above it, not what matches further below. Built-in exceptions lift only built-in
//! patterns; the graph's own lift both. Nothing here touches the disk: the caller resolves links.
//!
//! See docs/decisions/0051-place-patterns.md.

pub mod built_in;

mod index;
mod name_glob;
mod pattern;

pub use pattern::{PatternEffect, PatternFault, PlacePattern, PlacePatternError};

use built_in::BUILT_IN_GROUPS;
use countersign_core::word_enum;
use index::LastNameIndex;
use pattern::AnchorDepths;
use std::borrow::Cow;

word_enum! {
    /// What makes a path special, wherever it is.
    pub enum PlaceKind {
        /// It holds credentials: reading it is already harm.
        Secret = "secret",
        /// Other programs execute it without being asked, or it configures the agent.
        Guarded = "guarded",
        /// A package manager keeps there what it fetched: reading it is ordinary.
        Cache = "cache",
        /// An agent's program keeps the plans of its sessions there: text for the person and the agent.
        Plan = "plan",
    }
}

/// The kinds of one path: none, one or several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceKinds {
    secret: bool,
    guarded: bool,
    cache: bool,
    plan: bool,
}

/// The folders that `~` and `.` stand for, absolute and with their links resolved like the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceBases<'a> {
    pub home: Option<&'a str>,
    pub workspace: Option<&'a str>,
}

/// Every pattern, ready to be compared with paths.
#[derive(Clone, Debug)]
pub struct PlacePatterns {
    entries: Vec<PatternEntry>,
    index: LastNameIndex,
}

/// One pattern that matches a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceMatch<'p> {
    pub kind: PlaceKind,
    pub pattern: &'p PlacePattern,
    /// The title of the built-in group; none for a pattern of the graph.
    pub group: Option<&'static str>,
}

/// Most paths have fewer names, so that one allocation is enough.
const USUAL_PATH_NAMES: usize = 16;

#[derive(Clone, Debug)]
struct PatternEntry {
    kind: PlaceKind,
    pattern: PlacePattern,
    group: Option<&'static str>,
}

/// How many names of the path the deepest match takes in, by effect; zero without a match.
#[derive(Clone, Copy, Default)]
struct MatchDepths {
    included: usize,
    excepted: usize,
}

#[derive(Clone, Copy, Default)]
struct KindDepths {
    built_in: MatchDepths,
    own: MatchDepths,
}

impl PlaceKinds {
    pub const NONE: Self = Self { secret: false, guarded: false, cache: false, plan: false };

    pub fn contains(self, kind: PlaceKind) -> bool {
        match kind {
            PlaceKind::Secret => self.secret,
            PlaceKind::Guarded => self.guarded,
            PlaceKind::Cache => self.cache,
            PlaceKind::Plan => self.plan,
        }
    }

    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    pub fn iter(self) -> impl Iterator<Item = PlaceKind> {
        PlaceKind::ALL.iter().copied().filter(move |kind| self.contains(*kind))
    }
}

impl KindDepths {
    fn add(&mut self, entry: &PatternEntry, depth: usize) {
        let depths = if entry.group.is_some() { &mut self.built_in } else { &mut self.own };
        let deepest = match entry.pattern.effect() {
            PatternEffect::Includes => &mut depths.included,
            PatternEffect::Excepts => &mut depths.excepted,
        };
        *deepest = depth.max(*deepest);
    }

    fn is_included(self) -> bool {
        let Self { built_in, own } = self;
        built_in.included > built_in.excepted.max(own.excepted) || own.included > own.excepted
    }
}

impl PlacePatterns {
    /// The built-in patterns, and the graph's own.
    pub fn new(secrets: &[String], guarded: &[String]) -> Result<Self, PlacePatternError> {
        let mut patterns = Self { entries: Vec::new(), index: LastNameIndex::default() };
        for group in BUILT_IN_GROUPS.iter().copied().flatten() {
            for text in group.patterns {
                patterns.add(group.kind, text, Some(group.title))?;
            }
        }
        for (kind, texts) in [(PlaceKind::Secret, secrets), (PlaceKind::Guarded, guarded)] {
            for text in texts {
                patterns.add(kind, text, None)?;
            }
        }
        Ok(patterns)
    }

    fn add(
        &mut self,
        kind: PlaceKind,
        text: &str,
        group: Option<&'static str>,
    ) -> Result<(), PlacePatternError> {
        let pattern = PlacePattern::parse(text)?;
        if let Some(last_name) = pattern.names.last() {
            self.index.insert(last_name, self.entries.len());
        }
        self.entries.push(PatternEntry { kind, pattern, group });
        Ok(())
    }

    /// The kinds of a path that is absolute, without `..`, and whose links were followed.
    pub fn find_kinds(&self, path: &str, bases: &PlaceBases<'_>) -> PlaceKinds {
        let [mut secret, mut guarded, mut cache, mut plan] = [KindDepths::default(); 4];
        self.visit_matches(path, bases, |entry, depth| match entry.kind {
            PlaceKind::Secret => secret.add(entry, depth),
            PlaceKind::Guarded => guarded.add(entry, depth),
            PlaceKind::Cache => cache.add(entry, depth),
            PlaceKind::Plan => plan.add(entry, depth),
        });
        PlaceKinds {
            secret: secret.is_included(),
            guarded: guarded.is_included(),
            cache: cache.is_included(),
            plan: plan.is_included(),
        }
    }

    /// Every pattern that matches a path, exceptions included, the shallowest first.
    pub fn find_matches(&self, path: &str, bases: &PlaceBases<'_>) -> Vec<PlaceMatch<'_>> {
        let mut found = Vec::new();
        self.visit_matches(path, bases, |entry, _| {
            let PatternEntry { kind, pattern, group } = entry;
            found.push(PlaceMatch { kind: *kind, pattern, group: *group });
        });
        found
    }

    /// Whether a pattern could end at this name. Most names are no end of any.
    pub fn may_end_at(&self, name: &str) -> bool {
        self.index.candidates(&lower_ascii(name)).next().is_some()
    }

    /// The last name of the pattern that makes a path secret; none if it is not.
    pub fn find_secret_name(&self, path: &str, bases: &PlaceBases<'_>) -> Option<String> {
        if !self.find_kinds(path, bases).contains(PlaceKind::Secret) {
            return None;
        }
        let matches = self.find_matches(path, bases);
        let includes = |one: &&PlaceMatch| {
            one.kind == PlaceKind::Secret && one.pattern.effect() == PatternEffect::Includes
        };
        let last_names = matches.iter().filter(includes).map(|one| one.pattern.text());
        let last_names = last_names.filter_map(|text| split_path(text).last());
        // A literal name leaves out the least.
        let chosen = last_names.min_by_key(|name| name.contains(['*', '?']));
        chosen.map(str::to_owned)
    }

    fn visit_matches<'p>(
        &'p self,
        path: &str,
        bases: &PlaceBases<'_>,
        mut visit: impl FnMut(&'p PatternEntry, usize),
    ) {
        let path = lower_ascii(path);
        let mut names = Vec::with_capacity(USUAL_PATH_NAMES);
        names.extend(split_path(&path));
        let depths = AnchorDepths {
            home: bases.home.and_then(|base| count_base_names(&names, base)),
            workspace: bases.workspace.and_then(|base| count_base_names(&names, base)),
        };
        for (index, name) in names.iter().enumerate() {
            let Some(path_names) = names.get(..=index) else { break };
            let candidates = self.index.candidates(name).filter_map(|at| self.entries.get(at));
            for entry in candidates.filter(|e| e.pattern.matches_end(path_names, &depths)) {
                visit(entry, index + 1);
            }
        }
    }
}

fn lower_ascii(path: &str) -> Cow<'_, str> {
    if path.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(path.to_ascii_lowercase());
    }
    Cow::Borrowed(path)
}

fn split_path(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}

/// How many names the base has, if the path is at or below it.
fn count_base_names(names: &[&str], base: &str) -> Option<usize> {
    let is_absolute = base.starts_with('/');
    let base_names = split_path(base);
    let mut count = 0;
    for base_name in base_names {
        names.get(count).filter(|name| name.eq_ignore_ascii_case(base_name))?;
        count += 1;
    }
    is_absolute.then_some(count)
}
