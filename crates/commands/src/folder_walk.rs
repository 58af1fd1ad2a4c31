//! Which files a program opens below a folder, as its words say; and the secret files among them.
//!
//! Where the words are not understood in full, more files count as opened than are.
//!
//! See docs/decisions/0118-narrowed-calls.md.

/// Which files a program opens below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FolderWalk {
    pub scope: WalkScope,
    pub links: LinkUse,
    pub filter: NameFilter,
    /// Names that a narrowed form leaves out besides.
    pub added: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WalkScope {
    #[default]
    Everything,
    /// Without what ignore files name.
    NotIgnored,
    NotHidden,
    NeitherHiddenNorIgnored,
}

impl WalkScope {
    pub const fn skips_hidden(self) -> bool {
        matches!(self, Self::NotHidden | Self::NeitherHiddenNorIgnored)
    }

    pub const fn skips_ignored(self) -> bool {
        matches!(self, Self::NotIgnored | Self::NeitherHiddenNorIgnored)
    }
}

/// What a program does with links that it meets below a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LinkUse {
    #[default]
    Skipped,
    Followed,
}

/// The patterns of names that a program was given, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NameFilter {
    pub order: FilterOrder,
    pub rules: Vec<NameRule>,
}

/// What several patterns mean together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FilterOrder {
    /// What one pattern leaves out is left out: `tar`, `diff`.
    #[default]
    AnySkips,
    /// The last match counts. Without one, files are opened unless the first pattern opens some: `grep`.
    LastMatch,
    /// The last match counts. Without one, files are opened unless any pattern opens some: `rg`.
    Override,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NameRule {
    pub effect: RuleMeaning,
    pub glob: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleMeaning {
    OpenFile,
    SkipFile,
    SkipFolder,
    /// Files and folders.
    Open,
    Skip,
}

/// What the patterns of a program say about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameVerdict {
    /// A pattern names it, so it is opened even if it is hidden or ignored.
    Named,
    Opened,
    Skipped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkEntry {
    File,
    Folder,
}

impl NameFilter {
    pub fn judge(&self, name: &str, kind: WalkEntry) -> NameVerdict {
        let matching = |rule: &&NameRule| rule.covers(kind) && matches_glob(&rule.glob, name);
        match (self.order, self.rules.iter().rfind(matching)) {
            (FilterOrder::AnySkips, found) => match found {
                Some(_) => NameVerdict::Skipped,
                None => NameVerdict::Opened,
            },
            (_, Some(rule)) if rule.effect.skips() => NameVerdict::Skipped,
            (_, Some(_)) => NameVerdict::Named,
            (_, None) if kind == WalkEntry::File && self.opens_only_named() => NameVerdict::Skipped,
            (_, None) => NameVerdict::Opened,
        }
    }

    /// Whether files that no pattern matches are left out.
    pub fn opens_only_named(&self) -> bool {
        let mut rules = self.rules.iter().filter(|rule| rule.covers(WalkEntry::File));
        match self.order {
            FilterOrder::AnySkips => false,
            FilterOrder::LastMatch => rules.next().is_some_and(|rule| !rule.effect.skips()),
            FilterOrder::Override => rules.any(|rule| !rule.effect.skips()),
        }
    }
}

impl NameRule {
    pub fn new(effect: RuleMeaning, glob: &str) -> Self {
        Self { effect, glob: glob.to_owned() }
    }

    const fn covers(&self, kind: WalkEntry) -> bool {
        match self.effect {
            RuleMeaning::OpenFile | RuleMeaning::SkipFile => matches!(kind, WalkEntry::File),
            RuleMeaning::SkipFolder => matches!(kind, WalkEntry::Folder),
            RuleMeaning::Open | RuleMeaning::Skip => true,
        }
    }
}

impl RuleMeaning {
    const fn skips(self) -> bool {
        matches!(self, Self::SkipFile | Self::SkipFolder | Self::Skip)
    }
}

/// `*` is any text and `?` one character. Takes at most the product of both lengths: only the last `*`
/// is ever widened.
pub fn matches_glob(glob: &str, name: &str) -> bool {
    let (mut wanted, mut rest) = (glob.chars(), name.chars());
    // What is behind the last `*`, and where the name continues if that `*` takes one more.
    let mut widened: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let mut behind = wanted.clone();
        match (behind.next(), rest.clone().next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                widened = Some((behind.clone(), rest.clone()));
                wanted = behind;
            }
            (Some(expected), Some(found)) if expected == '?' || expected == found => {
                wanted = behind;
                rest.next();
            }
            (Some(_) | None, _) => {
                let Some((behind, longer)) = &mut widened else { return false };
                if longer.next().is_none() {
                    return false;
                }
                wanted = behind.clone();
                rest = longer.clone();
            }
        }
    }
}

/// The secret files that a program opens below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretsBelow {
    /// The first of them.
    pub files: Vec<SecretFile>,
    pub count: usize,
    /// Ordinary files and folders that the names of `FolderWalk::added` would leave out.
    pub lost: usize,
    pub extent: SearchExtent,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchExtent {
    #[default]
    Complete,
    /// There are more names below than a decision looks at, or a folder cannot be read.
    Partial,
}

/// One secret file, or a folder that is one as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretFile {
    /// From the folder that is searched.
    pub path: String,
    pub kind: WalkEntry,
    /// The last name of the place pattern that matches it.
    pub glob: String,
}

impl SecretFile {
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

impl SecretsBelow {
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.extent == SearchExtent::Complete
    }

    pub fn add(&mut self, other: Self) {
        let room = crate::limits::MAX_NAMED_SECRETS.saturating_sub(self.files.len());
        self.files.extend(other.files.into_iter().take(room));
        self.count += other.count;
        self.lost += other.lost;
        if other.extent == SearchExtent::Partial {
            self.extent = SearchExtent::Partial;
        }
    }

    /// What they are, for a card: three names and the count.
    pub fn describe(&self) -> String {
        let names: Vec<&str> = self.files.iter().take(3).map(|file| file.path.as_str()).collect();
        let more = self.count.saturating_sub(names.len());
        let unsearched = "more files than Countersign looks through, maybe secret ones";
        match (names.is_empty(), more, self.extent) {
            (true, _, _) => unsearched.to_owned(),
            (false, _, SearchExtent::Partial) => format!("{}, and {unsearched}", names.join(", ")),
            (false, 0, SearchExtent::Complete) => names.join(", "),
            (false, more, SearchExtent::Complete) => {
                format!("{} and {more} more", names.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use NameVerdict::{Named, Opened, Skipped};
    use RuleMeaning::{Open, OpenFile, Skip, SkipFile, SkipFolder};

    fn judge(order: FilterOrder, rules: &[(RuleMeaning, &str)], name: &str) -> NameVerdict {
        let rules = rules.iter().map(|(effect, glob)| NameRule::new(*effect, glob)).collect();
        NameFilter { order, rules }.judge(name, WalkEntry::File)
    }

    #[test]
    fn the_last_pattern_that_matches_counts() {
        use FilterOrder::{AnySkips, LastMatch, Override};
        for (order, rules, name, expected) in [
            (LastMatch, vec![], ".env", Opened),
            (LastMatch, vec![(OpenFile, "*.py")], ".env", Skipped),
            (LastMatch, vec![(OpenFile, "*.py")], "a.py", Named),
            (LastMatch, vec![(SkipFile, ".env"), (OpenFile, "*.py")], "x", Opened),
            (LastMatch, vec![(OpenFile, ".env"), (SkipFile, ".env")], ".env", Skipped),
            (LastMatch, vec![(SkipFile, ".env"), (OpenFile, ".env")], ".env", Named),
            (LastMatch, vec![(SkipFolder, ".env")], ".env", Opened),
            (Override, vec![(Skip, ".env")], "x", Opened),
            (Override, vec![(Skip, ".env"), (Open, "*.py")], "x", Skipped),
            (AnySkips, vec![(Skip, ".env")], ".env", Skipped),
            (AnySkips, vec![(Skip, ".env")], "x", Opened),
        ] {
            assert_eq!(judge(order, &rules, name), expected, "{rules:?} {name}");
        }
    }

    #[test]
    fn a_card_names_three_files_and_the_count() {
        let file = |path: &str| SecretFile {
            path: path.to_owned(),
            kind: WalkEntry::File,
            glob: ".env".to_owned(),
        };
        let files: Vec<SecretFile> = ["a/.env", ".env", "x.pem"].map(file).to_vec();
        let mut found = SecretsBelow { files, count: 5, ..SecretsBelow::default() };
        assert_eq!(found.describe(), "a/.env, .env, x.pem and 2 more");
        found.extent = SearchExtent::Partial;
        assert!(found.describe().contains("and more files than"), "{}", found.describe());
    }
}
