//! The commands that read what lies below folders, and where words that leave files out can stand in
//! them.
//!
//! See docs/decisions/0118-narrowed-calls.md.

mod options;

use crate::context::CommandContext;
use crate::folder_walk::{
    FilterOrder, FolderWalk, LinkUse, NameFilter, NameRule, RuleMeaning, SecretsBelow, WalkEntry,
    WalkScope,
};
use crate::working_folders::FolderSet;
use crate::wrappers::base_name;
use options::{OptionSpec, ReadCommand};

/// What a command reads below folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FolderReading {
    /// The folders, from the one that the command runs in.
    pub(crate) roots: Vec<String>,
    pub(crate) walk: FolderWalk,
    /// Where exclusions can stand.
    pub(crate) exclusions: Option<ExclusionPoint>,
}

/// The word behind which exclusions stand, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExclusionPoint {
    pub(crate) after: usize,
    pub(crate) style: ExclusionStyle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExclusionStyle {
    /// `--exclude=` and `--exclude-dir=`
    Grep,
    /// `-g '!…'`
    Ripgrep,
    /// `--exclude=`, for files and folders
    Exclude,
}

impl ExclusionStyle {
    /// The words that leave a name out.
    pub(crate) fn exclude(self, glob: &str, kind: WalkEntry) -> Vec<String> {
        match (self, kind) {
            (Self::Grep, WalkEntry::Folder) => vec![format!("--exclude-dir={glob}")],
            (Self::Grep, WalkEntry::File) | (Self::Exclude, _) => vec![format!("--exclude={glob}")],
            (Self::Ripgrep, _) => vec!["-g".to_owned(), format!("!{glob}")],
        }
    }
}

/// Whether a program can read below folders, whatever its words.
pub(crate) fn may_read_below(program: &str) -> bool {
    const PROGRAMS: &[&str] = &[
        "grep", "egrep", "fgrep", "rgrep", "rg", "tar", "bsdtar", "zip", "diff", "cp", "rsync",
        "scp", "find",
    ];
    PROGRAMS.contains(&base_name(program))
}

impl FolderReading {
    /// `None` if the command reads no more than the files that its words name.
    pub(crate) fn find(argv: &[String]) -> Option<Self> {
        let (program, words) = argv.split_first()?;
        match base_name(program) {
            name @ ("grep" | "egrep" | "fgrep" | "rgrep") => read_grep(name, words),
            "rg" => read_ripgrep(words),
            "tar" | "bsdtar" => read_tar(words),
            "zip" => read_zip(words),
            "diff" => read_diff(words),
            "cp" | "rsync" | "scp" => read_copy(words),
            "find" => read_find(words),
            _ => None,
        }
    }

    /// The secret files that it opens in these folders.
    pub(crate) fn find_secrets(
        &self,
        folders: &FolderSet,
        context: &CommandContext,
    ) -> SecretsBelow {
        let mut found = SecretsBelow::default();
        for root in &self.roots {
            // No class covers a line of which nobody knows where it runs.
            for place in context.find_certain(root, folders).unwrap_or_default() {
                found.add(context.disk.find_secrets_below(&place, &self.walk));
            }
        }
        found
    }
}

/// The secret files that a command opens below folders that it reads.
pub(crate) fn find_secrets_below(
    argv: &[String],
    folders: &FolderSet,
    context: &CommandContext,
) -> Option<SecretsBelow> {
    let reading = FolderReading::find(argv)?;
    Some(reading.find_secrets(folders, context)).filter(|found| !found.is_empty())
}

fn read_grep(name: &str, words: &[String]) -> Option<FolderReading> {
    let spec = OptionSpec {
        letters: "efABCmdD",
        names: "regexp file after-context before-context context max-count binary-files devices \
                directories include exclude exclude-from exclude-dir label group-separator",
    };
    let read = ReadCommand::new(words, &spec);
    let is_abbreviated = |option: &str| {
        let name = option.trim_start_matches('-');
        let longs = ["recursive", "dereference-recursive"];
        option.starts_with("--") && name.len() > 2 && longs.iter().any(|one| one.starts_with(name))
    };
    let recurses = name == "rgrep"
        || read.has_letter(&['r', 'R'])
        || read.options.iter().any(|option| is_abbreviated(&option.name))
        || read.values(&["-d", "--directories"]).any(|value| value == "recurse");
    if !recurses {
        return None;
    }
    let has_pattern = read.values(&["-e", "-f", "--regexp", "--file"]).next().is_some();
    let rules = read.options.iter().filter_map(|option| {
        let effect = match option.name.as_str() {
            "--include" => RuleMeaning::OpenFile,
            "--exclude" => RuleMeaning::SkipFile,
            "--exclude-dir" => RuleMeaning::SkipFolder,
            _ => return None,
        };
        Some((effect, option.value.as_deref()?))
    });
    let walk = FolderWalk {
        links: read.find_links('R', "--dereference-recursive"),
        filter: NameFilter { order: FilterOrder::LastMatch, rules: list_rules(rules) },
        ..FolderWalk::default()
    };
    let roots = read.operands.iter().skip(usize::from(!has_pattern));
    Some(FolderReading {
        roots: here_if_none(roots.map(|(_, word)| word.clone()).collect()),
        walk,
        exclusions: read.find_point(ExclusionStyle::Grep),
    })
}

fn read_ripgrep(words: &[String]) -> Option<FolderReading> {
    let read = ReadCommand::new(
        words,
        &OptionSpec {
            letters: "gtTmdCABeMrjEf",
            names: "after-context before-context color colors context context-separator dfa-size-limit \
                encoding engine field-context-separator field-match-separator file generate glob \
                hostname-bin hyperlink-format iglob ignore-file max-columns max-count max-depth \
                maxdepth max-filesize path-separator pre pre-glob regex-size-limit regexp replace \
                sort sortr threads type type-add type-clear type-not",
        },
    );
    if read.has_name(&["--files", "--type-list", "--version", "--help", "--pcre2-version"]) {
        return None;
    }
    let unrestricted = read.count_letter('u') + read.count_name("--unrestricted");
    let skips_ignored =
        unrestricted == 0 && !read.options.iter().any(|one| one.name.starts_with("--no-ignore"));
    let opens_hidden = unrestricted > 1 || read.has_letter(&['.']) || read.has_name(&["--hidden"]);
    let scope = match (opens_hidden, skips_ignored) {
        (true, true) => WalkScope::NotIgnored,
        (true, false) => WalkScope::Everything,
        (false, true) => WalkScope::NeitherHiddenNorIgnored,
        (false, false) => WalkScope::NotHidden,
    };
    let globs = read.values(&["-g", "--glob", "--iglob"]).map(read_ripgrep_glob);
    let has_pattern = read.values(&["-e", "-f", "--regexp", "--file"]).next().is_some();
    let walk = FolderWalk {
        scope,
        links: read.find_links('L', "--follow"),
        filter: NameFilter { order: FilterOrder::Override, rules: list_rules(globs) },
        ..FolderWalk::default()
    };
    let roots = read.operands.iter().skip(usize::from(!has_pattern));
    Some(FolderReading {
        roots: here_if_none(roots.map(|(_, word)| word.clone()).collect()),
        walk,
        exclusions: read.find_point(ExclusionStyle::Ripgrep),
    })
}

/// `!` leaves out. A glob with a path is not understood: it may open anything, and leaves out nothing.
pub(crate) fn read_ripgrep_glob(glob: &str) -> (RuleMeaning, &str) {
    let (effect, glob) = match glob.strip_prefix('!') {
        Some(glob) => (RuleMeaning::Skip, glob),
        None => (RuleMeaning::Open, glob),
    };
    let name = glob.strip_prefix("**/").unwrap_or(glob);
    match (name.contains('/'), effect) {
        (false, _) => (effect, name),
        (true, RuleMeaning::Skip) => (effect, ""),
        (true, _) => (RuleMeaning::OpenFile, "*"),
    }
}

fn read_tar(words: &[String]) -> Option<FolderReading> {
    // The first word may be letters without a dash.
    let mut words = words.to_vec();
    let is_bundle = |word: &&mut String| {
        !word.starts_with('-') && word.chars().all(|letter| letter.is_ascii_alphabetic())
    };
    let is_old = words.first_mut().filter(is_bundle).map(|first| first.insert(0, '-')).is_some();
    let spec = OptionSpec {
        letters: "fCTXbLNgKVIFH",
        names: "file directory files-from exclude exclude-from blocking-factor tape-length newer \
                listed-incremental starting-file label use-compress-program info-script format \
                transform xform owner group mode mtime sort strip-components",
    };
    let read = match is_old {
        true => ReadCommand::new_bundled(&words, &spec),
        false => ReadCommand::new(&words, &spec),
    };
    let creates =
        read.has_letter(&['c', 'r', 'u']) || read.has_name(&["--create", "--append", "--update"]);
    if !creates {
        return None;
    }
    let rules = read.values(&["--exclude"]).map(|glob| (RuleMeaning::Skip, glob));
    let folder = read.values(&["-C", "--directory"]).last();
    let is_listed = read.values(&["-T", "--files-from"]).next().is_some();
    let roots: Vec<String> = match (folder, is_listed) {
        (_, true) => Vec::new(),
        (Some(folder), false) => {
            read.operands.iter().map(|(_, word)| format!("{folder}/{word}")).collect()
        }
        (None, false) => read.operands.iter().map(|(_, word)| word.clone()).collect(),
    };
    let walk = FolderWalk {
        links: read.find_links('h', "--dereference"),
        filter: NameFilter { order: FilterOrder::AnySkips, rules: list_rules(rules) },
        ..FolderWalk::default()
    };
    // Exclusions hold for what follows them.
    let first = read.operands.first().map_or(words.len(), |(at, _)| *at);
    let exclusions = read.find_point(ExclusionStyle::Exclude).filter(|point| point.after <= first);
    Some(FolderReading { roots: here_if_none(roots), walk, exclusions })
}

fn read_zip(words: &[String]) -> Option<FolderReading> {
    let read = ReadCommand::new(words, &OptionSpec { letters: "bntPZsx", names: "" });
    let recurses = read.has_letter(&['r', 'R']) || read.has_name(&["--recurse-paths"]);
    let roots: Vec<String> = read.operands.iter().skip(1).map(|(_, word)| word.clone()).collect();
    recurses.then(|| FolderReading::without_filter(roots))
}

fn read_diff(words: &[String]) -> Option<FolderReading> {
    let read = ReadCommand::new(
        words,
        &OptionSpec {
            letters: "UCxXWISFD",
            names: "unified context exclude exclude-from width ignore-matching-lines starting-file \
                show-function-line ifdef label from-file to-file tabsize horizon-lines",
        },
    );
    if !read.has_letter(&['r']) && !read.has_name(&["--recursive"]) {
        return None;
    }
    let rules = read.values(&["-x", "--exclude"]).map(|glob| (RuleMeaning::Skip, glob));
    let walk = FolderWalk {
        links: LinkUse::Followed,
        filter: NameFilter { order: FilterOrder::AnySkips, rules: list_rules(rules) },
        ..FolderWalk::default()
    };
    let roots = read.operands.iter().map(|(_, word)| word.clone()).collect();
    let exclusions = read.find_point(ExclusionStyle::Exclude);
    Some(FolderReading { roots, walk, exclusions })
}

/// What is copied can be read where it goes.
fn read_copy(words: &[String]) -> Option<FolderReading> {
    let read = ReadCommand::new(
        words,
        &OptionSpec {
            letters: "tSefMBTFPiolcJ",
            names: "target-directory suffix rsh exclude include filter files-from exclude-from",
        },
    );
    let recurses =
        read.has_letter(&['r', 'R', 'a']) || read.has_name(&["--recursive", "--archive"]);
    let mut roots: Vec<String> = read.operands.iter().map(|(_, word)| word.clone()).collect();
    if read.values(&["-t", "--target-directory"]).next().is_none() {
        roots.pop();
    }
    // What is on another host is not below a folder here.
    roots.retain(|root| !root.contains(':'));
    (recurses && !roots.is_empty()).then(|| FolderReading::without_filter(roots))
}

/// `find … -exec cat {} +`: what its programs are given, they can open.
fn read_find(words: &[String]) -> Option<FolderReading> {
    let runs = ["-exec", "-execdir", "-ok", "-okdir"];
    let at = words.iter().position(|word| runs.contains(&word.as_str()))?;
    let (tests, _) = words.split_at_checked(at)?;
    let is_test = |word: &&String| word.starts_with(['-', '(', '!']) && word.len() > 1;
    let options = ["-L", "-H", "-P"];
    let start = tests.iter().take_while(|word| options.contains(&word.as_str())).count();
    let tests = tests.get(start..).unwrap_or_default();
    let roots: Vec<String> = tests.iter().take_while(|word| !is_test(word)).cloned().collect();
    let tests = tests.get(roots.len()..).unwrap_or_default();
    let branches = ["-o", "-or", "!", "-not", "(", ")", ",", "\\(", "\\)"];
    let is_plain = !tests.iter().any(|word| branches.contains(&word.as_str()));
    let named = tests.windows(2).filter_map(|pair| match pair {
        [test, glob] if test == "-name" && is_plain => Some((RuleMeaning::OpenFile, glob.as_str())),
        _ => None,
    });
    let walk = FolderWalk {
        links: match words.first().map(String::as_str) {
            Some("-L") => LinkUse::Followed,
            _ => LinkUse::Skipped,
        },
        filter: NameFilter { order: FilterOrder::LastMatch, rules: list_rules(named.take(1)) },
        ..FolderWalk::default()
    };
    Some(FolderReading { roots: here_if_none(roots), walk, exclusions: None })
}

impl FolderReading {
    fn without_filter(roots: Vec<String>) -> Self {
        Self { roots, walk: FolderWalk::default(), exclusions: None }
    }
}

const HERE: &str = ".";

fn here_if_none(roots: Vec<String>) -> Vec<String> {
    if roots.is_empty() { vec![HERE.to_owned()] } else { roots }
}

/// One rule for each alternative in braces. A glob that is not understood opens everything, and leaves
/// out nothing.
pub(crate) fn list_rules<'a>(globs: impl Iterator<Item = (RuleMeaning, &'a str)>) -> Vec<NameRule> {
    let mut rules = Vec::new();
    for (effect, glob) in globs {
        let (head, inner, tail) = match glob.split_once('{') {
            Some((head, rest)) => match rest.split_once('}') {
                Some((inner, tail)) => (head, inner, tail),
                None => (glob, "", ""),
            },
            None => (glob, "", ""),
        };
        for part in inner.split(',') {
            let glob = format!("{head}{part}{tail}");
            let is_understood = !glob.contains(['[', ']', '{', '}', '\\']) && !glob.is_empty();
            match (is_understood, effect) {
                (true, _) => rules.push(NameRule::new(effect, &glob)),
                (false, RuleMeaning::Open | RuleMeaning::OpenFile) => {
                    rules.push(NameRule::new(RuleMeaning::OpenFile, "*"));
                }
                (false, _) => {}
            }
        }
    }
    rules
}

#[cfg(test)]
mod tests;
