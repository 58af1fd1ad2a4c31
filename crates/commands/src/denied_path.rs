//! Whether a word of a command leads to a denied path, in any reading.

use crate::context::{CommandContext, PathCertainty, PathEntry, is_below, normalize};
use crate::limits;
use crate::loose::{UNKNOWN_VALUE, Word};
use crate::working_folders::FolderSet;

/// A denied path as it is compared with words: absolute and in lower case.
pub(crate) struct DeniedPath {
    pub(crate) rule: usize,
    path: String,
    /// The end of the path by which it is recognised from an unknown folder: below the workspace the
    /// whole path from there, elsewhere its last two names.
    tail: Vec<String>,
}

/// When a word counts as a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathWord {
    /// The table of its command says so, or it is the target of a redirection.
    Always,
    /// Its command has no table: if it contains a slash, or names something existing.
    IfPathLike,
}

impl DeniedPath {
    pub(crate) fn new(rule: usize, path: &str, workspace: Option<&str>) -> Self {
        let inside = workspace.and_then(|workspace| path.strip_prefix(workspace));
        let inside = inside.filter(|rest| rest.starts_with('/'));
        let names: Vec<String> = split_names(&inside.unwrap_or(path).to_lowercase());
        let skipped = if inside.is_some() { 0 } else { names.len().saturating_sub(2) };
        let tail = names.into_iter().skip(skipped).collect();
        Self { rule, path: path.to_lowercase(), tail }
    }

    fn has_tail(&self, text: &str) -> bool {
        let names = split_names(&text.to_lowercase());
        !self.tail.is_empty() && names.windows(self.tail.len()).any(|part| part == self.tail)
    }
}

/// Compares the words of a command with all denied paths.
pub(crate) struct DeniedPathSearch<'a> {
    pub(crate) denied: &'a [DeniedPath],
    pub(crate) kind: PathWord,
    pub(crate) folders: &'a FolderSet,
    pub(crate) context: &'a CommandContext<'a>,
}

impl DeniedPathSearch<'_> {
    /// The rule of the first denied path that the word leads to or below.
    pub(crate) fn find_rule(&self, word: &Word) -> Option<usize> {
        let found = match word.is_literal() || is_home_path(&word.text) {
            true => path_candidates(&word.text).find_map(|part| self.match_literal(part)),
            false => expand_braces(&word.text)
                .iter()
                .find_map(|text| path_candidates(text).find_map(|part| self.match_expanded(part))),
        };
        found.map(|denied| denied.rule)
    }

    fn match_tail(&self, text: &str) -> Option<&DeniedPath> {
        self.denied.iter().find(|denied| denied.has_tail(text))
    }

    fn match_literal(&self, part: &str) -> Option<&DeniedPath> {
        if part.is_empty() {
            return None;
        }
        let is_absolute = part.starts_with(['/', '~']);
        if self.folders.is_open
            && !is_absolute
            && let Some(denied) = self.match_tail(part)
        {
            return Some(denied);
        }
        let known = self.folders.known.iter().map(|folder| Some(folder.as_str()));
        let unplaced = self.folders.known.is_empty().then_some(None);
        known.chain(unplaced).find_map(|folder| self.match_from(part, folder))
    }

    fn match_from(&self, part: &str, folder: Option<&str>) -> Option<&DeniedPath> {
        let (mut places, certainty) = self.context.resolve_from(part, folder);
        // Links of a process lead to a different place in each of them.
        let is_uncertain = certainty == PathCertainty::NameOnly || part.contains("/proc/");
        if is_uncertain && let Some(denied) = self.match_tail(part) {
            return Some(denied);
        }
        if folder.is_some() || part.starts_with('/') {
            places.push(normalize(part, folder));
        }
        places.iter_mut().for_each(|place| *place = place.to_lowercase());
        let leads_there =
            |denied: &&DeniedPath| places.iter().any(|place| is_below(place, &denied.path));
        self.denied.iter().find(leads_there).filter(|_| self.is_path(part, folder))
    }

    fn is_path(&self, part: &str, folder: Option<&str>) -> bool {
        self.kind == PathWord::Always
            || part.contains('/')
            || self.context.disk.read_entry(part, folder) != PathEntry::Missing
    }

    /// The word contains patterns or unknown values.
    fn match_expanded(&self, part: &str) -> Option<&DeniedPath> {
        if let Some((_, tail)) = part.rsplit_once(UNKNOWN_VALUE) {
            // Only whole names count: the value may end anywhere.
            return tail.split_once('/').and_then(|(_, names)| self.match_tail(names));
        }
        if !part.contains(['*', '?', '[']) {
            return self.match_literal(part);
        }
        let match_from = |folder: Option<&str>| {
            let patterns = place_pattern(self.context, part, folder);
            self.denied.iter().find(|denied| {
                let names = split_names(&denied.path);
                patterns.iter().any(|pattern| {
                    pattern.len() >= names.len()
                        && pattern.iter().zip(&names).all(|(one, name)| could_match(one, name))
                })
            })
        };
        match part.starts_with(['/', '~']) {
            true => match_from(None),
            false => self.folders.known.iter().find_map(|folder| match_from(Some(folder))),
        }
    }
}

/// The names of the absolute paths that a pattern stands for, in lower case: as it is written, and with
/// the part in front of its first wildcard followed on the disk.
pub(crate) fn place_pattern(
    context: &CommandContext,
    pattern: &str,
    folder: Option<&str>,
) -> Vec<Vec<String>> {
    let wild = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    let end = pattern.get(..wild).and_then(|front| front.rfind('/'));
    let mut placed = Vec::new();
    if !pattern.starts_with('~') {
        placed.push(normalize(pattern, folder));
    }
    if let Some((front, rest)) = end.and_then(|end| pattern.split_at_checked(end)) {
        let front = if front.is_empty() { "/" } else { front };
        let (places, _) = context.resolve_from(front, folder);
        placed.extend(places.iter().map(|place| format!("{place}{rest}")));
    }
    placed.iter().map(|path| split_names(&path.to_lowercase())).collect()
}

/// Whether a pattern matches a path or a folder above it.
pub(crate) fn matches_at_or_above(pattern: &[String], path: &str) -> bool {
    let names = split_names(&path.to_lowercase());
    pattern.len() <= names.len()
        && pattern.iter().zip(&names).all(|(pattern, name)| could_match(pattern, name))
}

fn is_home_path(text: &str) -> bool {
    text.starts_with('~') && !text.contains([UNKNOWN_VALUE, '*', '?', '[', '{'])
}

fn split_names(path: &str) -> Vec<String> {
    let names = path.split('/').filter(|name| !name.is_empty() && *name != ".");
    names.map(str::to_owned).collect()
}

/// The word itself, and the paths it may contain: `--file=P`, `-fP`, `host:P`, `@P`.
pub(crate) fn path_candidates(word: &str) -> impl Iterator<Item = &str> {
    let attached = word.strip_prefix('-').and_then(|rest| {
        let mut chars = rest.chars();
        chars.next();
        Some(chars.as_str()).filter(|rest| !rest.is_empty())
    });
    let after_separator = word.split_once(['=', ':', '@']).map(|(_, rest)| rest);
    let has_pieces = word.contains(['=', ':', '@', ',']);
    let pieces = word.split(['=', ':', '@', ',']).filter(move |_| has_pieces);
    std::iter::once(word).chain(attached).chain(after_separator).chain(pieces)
}

/// The words that braces stand for: `a{b,c}` is `ab` and `ac`. Beyond the limit, as written.
pub(crate) fn expand_braces(text: &str) -> Vec<String> {
    let mut ready = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        let inner = text.rsplit_once('{').and_then(|(head, rest)| {
            rest.split_once('}')
                .map(|(list, tail)| (head.to_owned(), list.to_owned(), tail.to_owned()))
        });
        match inner {
            Some((head, list, tail))
                if list.contains(',') && ready.len() + open.len() < limits::MAX_BRACE_READINGS =>
            {
                open.extend(list.split(',').map(|one| format!("{head}{one}{tail}")));
            }
            _ => ready.push(text),
        }
    }
    ready
}

/// Whether a pattern could match a name. A bracket matches anything.
pub(crate) fn could_match(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && pattern.starts_with(['*', '?', '[']) {
        return false;
    }
    let pattern: Vec<char> = match pattern.split_once('[') {
        Some((head, _)) => head.chars().chain(['*']).collect(),
        None => pattern.chars().collect(),
    };
    let name: Vec<char> = name.chars().collect();
    // The usual backtracking match: only the last star can take more.
    let (mut at, mut from, mut star) = (0, 0, None);
    while let Some(c) = name.get(from) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(p) if *p == '?' || p == c => {
                at += 1;
                from += 1;
            }
            _ => match star {
                Some((star_at, star_from)) => {
                    star = Some((star_at, star_from + 1));
                    at = star_at + 1;
                    from = star_from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|p| *p == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_as_in_a_shell_and_a_bracket_matches_anything() {
        for (pattern, name) in [
            ("*", "a"),
            ("a*c", "abbc"),
            ("*.rs", "x.rs"),
            ("?", "a"),
            (".e*", ".env"),
            ("a[bc]", "ab"),
        ] {
            assert!(could_match(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("*", ".a"), ("a*c", "abd"), ("?", "ab"), ("?env", ".env"), ("b[x]", "a"), ("ab", "a")]
        {
            assert!(!could_match(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn braces_are_expanded_to_their_words() {
        let mut words = expand_braces("a{b,c}d{e,f}");
        words.sort();
        assert_eq!(words, ["abde", "abdf", "acde", "acdf"]);
        assert_eq!(expand_braces("{a}"), ["{a}"]);
        assert!(expand_braces(&"{a,b}".repeat(20)).len() <= 2 * limits::MAX_BRACE_READINGS);
    }
}
