//! The narrower form of a command line: searches that leave secret files out, git without configured
//! programs.
//!
//! Words are inserted into the text, and the result is read again. If that is not the same line with
//! these words, or if a secret file could still be opened, there is no narrower form.
//!
//! See docs/decisions/0118-narrowed-calls.md.

use crate::context::CommandContext;
use crate::folder_reading::{ExclusionStyle, FolderReading};
use crate::folder_walk::{FolderWalk, SearchExtent, SecretsBelow, WalkEntry};
use crate::git;
use crate::judge::{LineJudgement, RuleSet};
use crate::limits;
use crate::segment_judgement::SegmentJudgement;
use crate::strict;
use crate::working_folders::FolderSet;
use countersign_core::model::command::render_argv;
use countersign_core::model::narrowed::{NarrowedCall, NarrowedPart, NarrowingKind};
use serde_json::Value;

/// A narrower form of a line, and what is read in it.
pub struct NarrowedLine {
    pub call: NarrowedCall,
    pub judged: LineJudgement,
}

/// The line with the words that a narrowed form adds. `None` if they do not fit the line.
pub fn narrow_text(line: &str, parts: &[NarrowedPart]) -> Option<String> {
    let ends = strict::find_word_ends(line)?;
    let mut insertions: Vec<(usize, String)> = Vec::new();
    for part in parts {
        let NarrowedPart::Words { command, after, words } = part else { return None };
        let at = *ends.get(*command)?.get(*after)?;
        let insertion = (at, format!(" {}", render_argv(words)));
        // A loop runs one text several times.
        if !insertions.contains(&insertion) {
            insertions.push(insertion);
        }
    }
    insertions.sort();
    let is_unique = insertions.windows(2).all(|pair| match pair {
        [(one, _), (other, _)] => one != other,
        _ => true,
    });
    let mut text = line.to_owned();
    for (at, words) in insertions.iter().rev() {
        text.is_char_boundary(*at).then(|| text.insert_str(*at, words))?;
    }
    (is_unique && !insertions.is_empty()).then_some(text)
}

/// The arguments of a tool in a narrower form. A command line is in the argument `command`.
pub fn narrow_arguments(args: &Value, narrowed: &NarrowedCall) -> Option<Value> {
    let mut args = args.clone();
    let fields = args.as_object_mut()?;
    if let Some(NarrowedPart::Words { .. }) = narrowed.parts.first() {
        let line = narrow_text(fields.get("command")?.as_str()?, &narrowed.parts)?;
        fields.insert("command".to_owned(), Value::from(line));
        return Some(args);
    }
    for part in &narrowed.parts {
        let NarrowedPart::Argument { name, value } = part else { return None };
        fields.insert(name.clone(), Value::from(value.as_str()));
    }
    (!narrowed.parts.is_empty()).then_some(args)
}

/// The words of a plain command with what a narrowed form adds.
pub fn narrow_words(argv: &[String], parts: &[NarrowedPart]) -> Option<Vec<String>> {
    let mut narrowed = argv.to_vec();
    for part in parts.iter().rev() {
        let NarrowedPart::Words { command: 0, after, words } = part else { return None };
        (*after < argv.len()).then(|| narrowed.splice(after + 1..after + 1, words.clone()))?;
    }
    (!parts.is_empty()).then_some(narrowed)
}

impl RuleSet {
    /// The form of a judged line that leaves out the secret files below the folders that it reads.
    /// `None` if it opens none, or if one could still be opened.
    pub fn narrow_searches(
        &self,
        line: &str,
        judged: &LineJudgement,
        context: &CommandContext,
    ) -> Option<NarrowedLine> {
        let searches: Vec<Search> = (0..)
            .zip(&judged.segments)
            .filter_map(|(index, segment)| Search::find(index, segment, context))
            .collect();
        if searches.is_empty() {
            return None;
        }
        let choices = [GlobChoice::Patterns, GlobChoice::Names];
        choices.into_iter().find_map(|choice| {
            let parts = searches.iter().map(|search| search.exclude(choice, context));
            let parts = parts.collect::<Option<Vec<_>>>()?;
            let text = narrow_text(line, &parts)?;
            let narrowed = self.judge(&text, context);
            let is_same = has_same_words(judged, &narrowed, &parts);
            let is_clean = |segment: &SegmentJudgement| find_secrets(segment, context).is_none();
            (is_same && narrowed.segments.iter().all(is_clean)).then_some(NarrowedLine {
                call: NarrowedCall { kind: NarrowingKind::SecretFiles, parts },
                judged: narrowed,
            })
        })
    }
}

impl SegmentJudgement {
    /// The folders in which it may run.
    pub(crate) fn folder_set(&self) -> FolderSet {
        let mut folders = FolderSet::default();
        self.folders.iter().for_each(|folder| folders.add(folder.clone()));
        folders.is_open = self.folders.is_empty();
        folders
    }
}

impl LineJudgement {
    /// Takes the paths and dangers of the same line in a narrower form.
    pub fn take_paths(&mut self, narrowed: Self) {
        (self.paths, self.dangers) = (narrowed.paths, narrowed.dangers);
        for (segment, other) in self.segments.iter_mut().zip(narrowed.segments) {
            (segment.paths, segment.dangers) = (other.paths, other.dangers);
        }
    }
}

/// The form of a single git command that reads, in which git starts no configured program.
pub fn narrow_git(judged: &LineJudgement) -> Option<NarrowedCall> {
    let [segment] = judged.segments.as_slice() else { return None };
    let is_covered = segment.covering.is_ok() || segment.class.is_some();
    let start = segment.inner_start;
    let argv = segment.segment.argv.get(start..).unwrap_or_default();
    if !is_covered || !segment.segment.is_plain() || !git::is_reading_git(argv) {
        return None;
    }
    let added = git::list_neutral_words(argv)?;
    let parts = added.into_iter().map(|(after, words)| NarrowedPart::Words {
        command: 0,
        after: start + after,
        words,
    });
    Some(NarrowedCall { kind: NarrowingKind::GitPrograms, parts: parts.collect() })
}

/// Whether an exclusion names files by the patterns of secret places, or by their own names.
#[derive(Clone, Copy)]
enum GlobChoice {
    Patterns,
    /// Where a pattern would leave out an ordinary file, too.
    Names,
}

/// A command of a line that opens secret files below a folder.
struct Search {
    command: usize,
    start: usize,
    reading: FolderReading,
    secrets: SecretsBelow,
    folders: FolderSet,
    after: usize,
    style: ExclusionStyle,
}

impl Search {
    fn find(command: usize, segment: &SegmentJudgement, context: &CommandContext) -> Option<Self> {
        let secrets = find_secrets(segment, context)?;
        let start = segment.inner_start;
        let written = segment.segment.argv.get(start..)?;
        // Words that the shell replaces keep their number only in front of the first pattern.
        let point = FolderReading::find(written)?.exclusions;
        let reading = FolderReading::find(segment.argv.get(start..)?)?;
        let style = reading.exclusions.map_or(ExclusionStyle::Exclude, |point| point.style);
        let after = point.map_or(usize::MAX, |point| point.after);
        let folders = segment.folder_set();
        Some(Self { command, start, reading, secrets, folders, after, style })
    }

    /// The words that leave the secret files out. `None` if there are none, or if they would leave out
    /// more.
    fn exclude(&self, choice: GlobChoice, context: &CommandContext) -> Option<NarrowedPart> {
        let is_listed = self.secrets.extent == SearchExtent::Complete
            && self.secrets.count == self.secrets.files.len();
        if self.after == usize::MAX || !is_listed {
            return None;
        }
        let mut globs: Vec<(&str, WalkEntry)> = Vec::new();
        for file in &self.secrets.files {
            let glob = match choice {
                GlobChoice::Patterns => file.glob.as_str(),
                GlobChoice::Names => file.name(),
            };
            if !is_plain_glob(glob) {
                return None;
            }
            if !globs.contains(&(glob, file.kind)) {
                globs.push((glob, file.kind));
            }
        }
        if globs.len() > limits::MAX_EXCLUSIONS {
            return None;
        }
        let added = globs.iter().map(|(glob, _)| (*glob).to_owned()).collect();
        let walk = FolderWalk { added, ..self.reading.walk.clone() };
        let checked = FolderReading { walk, ..self.reading.clone() };
        let rest = checked.find_secrets(&self.folders, context);
        let words = globs.iter().flat_map(|(glob, kind)| self.style.exclude(glob, *kind)).collect();
        (rest.is_empty() && rest.lost == 0).then_some(NarrowedPart::Words {
            command: self.command,
            after: self.start + self.after,
            words,
        })
    }
}

/// The globs that leave secret files out of a search by a tool that takes them as one argument.
pub fn narrow_globs(given: &str, secrets: &SecretsBelow) -> Option<String> {
    let is_listed =
        secrets.extent == SearchExtent::Complete && secrets.count == secrets.files.len();
    let mut names: Vec<&str> = secrets.files.iter().map(|file| file.name()).collect();
    names.sort_unstable();
    names.dedup();
    if !is_listed || names.len() > limits::MAX_EXCLUSIONS || !names.iter().all(|n| is_plain_glob(n))
    {
        return None;
    }
    let added = names.iter().map(|name| format!("!{name}"));
    let given = given.split_whitespace().map(str::to_owned);
    Some(given.chain(added).collect::<Vec<_>>().join(" "))
}

/// Which files a search tool opens that passes its globs to ripgrep.
pub fn find_tool_walk(globs: &str) -> FolderWalk {
    use crate::folder_reading::{list_rules, read_ripgrep_glob};
    use crate::folder_walk::{FilterOrder, NameFilter, WalkScope};
    let globs = globs.split_whitespace().flat_map(|glob| match glob.contains('{') {
        true => vec![glob],
        false => glob.split(',').filter(|part| !part.is_empty()).collect(),
    });
    let rules = list_rules(globs.map(read_ripgrep_glob));
    let filter = NameFilter { order: FilterOrder::Override, rules };
    FolderWalk { scope: WalkScope::NotIgnored, filter, ..FolderWalk::default() }
}

fn find_secrets(segment: &SegmentJudgement, context: &CommandContext) -> Option<SecretsBelow> {
    let argv = segment.argv.get(segment.inner_start..)?;
    crate::folder_reading::find_secrets_below(argv, &segment.folder_set(), context)
}

/// Characters that mean the same in a glob of every program, and in every shell inside of quotes.
fn is_plain_glob(glob: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"._-@+~*?".contains(&b);
    !glob.is_empty() && glob.bytes().all(is_plain) && glob.bytes().any(|b| !b"*?".contains(&b))
}

/// Whether the second line is the first one with these words.
fn has_same_words(before: &LineJudgement, after: &LineJudgement, parts: &[NarrowedPart]) -> bool {
    let is_same = |(command, (one, other)): (usize, (&SegmentJudgement, &SegmentJudgement))| {
        let is_own = |part: &&NarrowedPart| matches!(part, NarrowedPart::Words { command: of, .. } if *of == command);
        let mut argv = one.segment.argv.clone();
        for part in parts.iter().filter(is_own) {
            let NarrowedPart::Words { after, words, .. } = part else { return false };
            if *after >= argv.len() {
                return false;
            }
            argv.splice(after + 1..after + 1, words.clone());
        }
        argv == other.segment.argv && one.segment.redirections == other.segment.redirections
    };
    let pairs = before.segments.iter().zip(&after.segments);
    before.segments.len() == after.segments.len() && (0..).zip(pairs).all(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(line: &str, parts: &[(usize, usize, &[&str])]) -> Option<String> {
        let parts: Vec<NarrowedPart> = parts
            .iter()
            .map(|(command, after, words)| NarrowedPart::Words {
                command: *command,
                after: *after,
                words: words.iter().map(|word| (*word).to_owned()).collect(),
            })
            .collect();
        narrow_text(line, &parts)
    }

    #[test]
    fn words_are_inserted_into_the_text_as_it_was_written() {
        let exclude: &[&str] = &["--exclude=.env.*"];
        assert_eq!(
            insert("cd a && grep -rn  \"x y\" . | head -5", &[(1, 1, exclude)]).as_deref(),
            Some("cd a && grep -rn '--exclude=.env.*'  \"x y\" . | head -5")
        );
        let both = [(0, 1, exclude), (1, 0, &["-g", "!.env"][..])];
        assert_eq!(
            insert("grep -r a; rg b", &both).as_deref(),
            Some("grep -r '--exclude=.env.*' a; rg -g '!.env' b")
        );
        assert_eq!(insert("grep -r a", &[(1, 0, exclude)]), None);
        assert_eq!(insert("grep -r a", &[(0, 9, exclude)]), None);
        assert_eq!(insert("grep -r $(a)", &[(0, 0, exclude)]), None);
        assert_eq!(insert("grep -r a", &[]), None);
    }
}
