//! Option tables: the arguments that a final `*` in a rule may match.
//!
//! For a program without a table, `*` matches nothing. A table lists only options that do not run
//! a program, write a file, read operands from a file, or change configuration, directory or host.
//! With an unknown or abbreviated option the rule does not match.

mod operands;
mod table;

use crate::wrappers::base_name;
pub(crate) use operands::AllowedOperands;

/// The table of one program or subcommand.
pub(crate) struct OptionTable {
    /// The words that select this table: `git log`.
    pub(crate) name: &'static str,
    /// Short options without a value.
    pub(crate) flags: &'static str,
    /// Short options with a value, attached or as the next word.
    pub(crate) valued: &'static str,
    /// Long options without a value, separated by spaces.
    pub(crate) long: &'static str,
    /// Long options with a value after `=`, or as the next word if they are not in `long` too.
    pub(crate) long_valued: &'static str,
    pub(crate) values: AllowedValues,
    pub(crate) style: OptionStyle,
    pub(crate) operands: AllowedOperands,
    /// Which operands are paths.
    pub(crate) paths: PathOperands,
    /// Long options whose value is a path.
    pub(crate) path_values: &'static str,
    /// Options, short and long, that replace the first operand of `PathOperands::AfterFirst`.
    pub(crate) first_by_option: &'static str,
    pub(crate) effect: Effect,
    pub(crate) input: StandardInput,
    /// The table for words after `--` that another program receives. Without one they are operands.
    pub(crate) after_double_dash: Option<&'static OptionTable>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathOperands {
    All,
    None,
    /// The first one is a pattern or a script.
    AfterFirst,
}

/// What a program does to the files of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It writes nothing.
    Reads,
    /// It writes only what git keeps for itself.
    WritesGitData,
    /// It changes files.
    Edits,
    /// It builds or runs the code of the workspace, which may write anything.
    Runs,
    /// It may write anything.
    Unknown,
}

/// What a program does with its standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandardInput {
    Data,
    /// It may follow instructions in it.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllowedValues {
    Any,
    /// No value that names a file: kubectl reads the file in `-o jsonpath-file=…`.
    NoFileReferences,
    /// No format with a signature: git runs the configured verifier for `%G?` and `%(signature)`.
    NoSignatureFormats,
}

impl AllowedValues {
    fn allows(self, value: &str) -> bool {
        match self {
            Self::Any => true,
            Self::NoFileReferences => !value.contains("file"),
            Self::NoSignatureFormats => !value.contains("%G") && !value.contains("signature"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionStyle {
    /// `-abc`, `-n 5`, `--long`.
    Clusters,
    /// The same, and `-5` as a number.
    ClustersAndNumbers,
    /// `-name`, as in find and Go programs.
    SingleDash,
}

/// The table for a rule with these words: the one with the longest matching name.
///
/// A program that is given by its path uses the table of its file name.
pub(crate) fn find_table(words: &[String]) -> Option<&'static OptionTable> {
    let (program, rest) = words.split_first()?;
    let program = base_name(program);
    let name_matches = |table: &&OptionTable| {
        // Most tables are of other programs, and every command of a line looks for its own.
        let Some(subcommand) = table.name.strip_prefix(program) else { return false };
        let mut words = rest.iter().map(String::as_str);
        subcommand.is_empty()
            || subcommand.strip_prefix(' ').is_some_and(|names| {
                names.split(' ').all(|name| words.next().is_some_and(|word| word == name))
            })
    };
    table::all_tables().filter(name_matches).max_by_key(|table| table.name.len())
}

/// Why the table does not cover these words, or `None` if it does.
pub(crate) fn explain_uncovered_words(
    table: &'static OptionTable,
    words: &[String],
) -> Option<String> {
    let read = match read_words(table, words) {
        Ok(read) => read,
        Err(why) => return Some(why),
    };
    let operands: Vec<String> =
        read.operands.iter().filter_map(|index| words.get(*index)).cloned().collect();
    let refused = table.operands.find_refused(&operands);
    refused.map(|word| format!("`{word}` is not an allowed operand of `{}`", table.name))
}

/// Which of these words are paths; `None` if the table does not know them all.
pub(crate) fn find_paths(table: &'static OptionTable, words: &[String]) -> Option<Vec<usize>> {
    let read = read_words(table, words).ok()?;
    let skipped = match table.paths {
        PathOperands::All => 0,
        PathOperands::None => read.operands.len(),
        PathOperands::AfterFirst => usize::from(!read.has_first_by_option),
    };
    let mut paths: Vec<usize> = read.operands.into_iter().skip(skipped).collect();
    paths.extend(read.path_values);
    Some(paths)
}

/// The words of a command, by their indices.
struct ReadWords {
    operands: Vec<usize>,
    path_values: Vec<usize>,
    has_first_by_option: bool,
}

fn read_words(table: &'static OptionTable, words: &[String]) -> Result<ReadWords, String> {
    let mut read =
        ReadWords { operands: Vec::new(), path_values: Vec::new(), has_first_by_option: false };
    let mut rest = words.iter().enumerate();
    while let Some((index, word)) = rest.next() {
        if word == "--" && table.style != OptionStyle::SingleDash {
            match table.after_double_dash {
                Some(inner_table) => {
                    let inner: Vec<String> = rest.map(|(_, word)| word.clone()).collect();
                    if let Some(why) = explain_uncovered_words(inner_table, &inner) {
                        return Err(why);
                    }
                }
                None => read.operands.extend(rest.map(|(index, _)| index)),
            }
            break;
        }
        read.has_first_by_option |= table.replaces_first(word);
        match table.classify(word) {
            OptionReading::Operand => read.operands.push(index),
            OptionReading::Complete if table.has_path_value(word) && word.contains('=') => {
                return Err(format!("`{word}` has a path behind `=`"));
            }
            OptionReading::Complete => {}
            OptionReading::NeedsValue => {
                // A value that looks like an option is refused, in case the table is wrong.
                let is_allowed =
                    |value: &String| !value.starts_with('-') && table.values.allows(value);
                match rest.next().filter(|(_, value)| is_allowed(value)) {
                    Some((value, _)) if table.has_path_value(word) => read.path_values.push(value),
                    Some(_) => {}
                    None => {
                        return Err(format!("`{word}` has no value that its option table allows"));
                    }
                }
            }
            OptionReading::Unknown => {
                return Err(format!("`{word}` is not in the option table of `{}`", table.name));
            }
        }
    }
    Ok(read)
}

enum OptionReading {
    Operand,
    Complete,
    /// The next word is its value.
    NeedsValue,
    Unknown,
}

impl OptionTable {
    fn has_path_value(&self, word: &str) -> bool {
        let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
        word.starts_with('-') && contains_name(self.path_values, name)
    }

    /// Whether an option gives what the first operand would be.
    fn replaces_first(&self, word: &str) -> bool {
        let Some(rest) = word.strip_prefix('-') else { return false };
        let mut names = self.first_by_option.split(' ').filter(|name| !name.is_empty());
        match rest.strip_prefix('-') {
            Some(long) => {
                let long = long.split('=').next().unwrap_or_default();
                names.any(|name| name == long)
            }
            None => names.any(|name| name.len() == 1 && rest.contains(name)),
        }
    }

    fn classify(&self, word: &str) -> OptionReading {
        let Some(rest) = word.strip_prefix('-') else { return OptionReading::Operand };
        match self.style {
            OptionStyle::SingleDash => self.classify_long(rest),
            OptionStyle::Clusters | OptionStyle::ClustersAndNumbers => match rest.strip_prefix('-')
            {
                Some(long) => self.classify_long(long),
                None => self.classify_cluster(rest),
            },
        }
    }

    fn classify_long(&self, long: &str) -> OptionReading {
        match long.split_once('=') {
            Some((name, value))
                if contains_name(self.long_valued, name) && self.values.allows(value) =>
            {
                OptionReading::Complete
            }
            Some(_) => OptionReading::Unknown,
            None if contains_name(self.long, long) => OptionReading::Complete,
            None if contains_name(self.long_valued, long) => OptionReading::NeedsValue,
            None => OptionReading::Unknown,
        }
    }

    fn classify_cluster(&self, letters: &str) -> OptionReading {
        if self.style == OptionStyle::ClustersAndNumbers && is_number(letters) {
            return OptionReading::Complete;
        }
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            if self.valued.contains(letter) {
                return match rest.as_str() {
                    "" => OptionReading::NeedsValue,
                    value if self.values.allows(value) => OptionReading::Complete,
                    _ => OptionReading::Unknown,
                };
            }
            if !self.flags.contains(letter) {
                return OptionReading::Unknown;
            }
        }
        // A lone `-` means standard input, whose content nobody has seen.
        if letters.is_empty() { OptionReading::Unknown } else { OptionReading::Complete }
    }
}

fn contains_name(names: &str, wanted: &str) -> bool {
    names.split(' ').any(|name| name == wanted && !name.is_empty())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_covered(rule: &str, line: &str) -> bool {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let rest = if line.is_empty() { Vec::new() } else { words(line) };
        find_table(&words(rule))
            .is_some_and(|table| explain_uncovered_words(table, &rest).is_none())
    }

    #[test]
    fn only_options_on_the_table_are_covered() {
        for (rule, line) in [
            ("git log", "-p -1"),
            ("git log", "--oneline -n 5 HEAD~1"),
            ("grep", "-rn x src"),
            ("kubectl get", "pods -o wide"),
            ("tar -tzf", "a.tgz"),
            ("cargo fmt", "--all -- --check"),
            ("grep", "-n -- -rf README"),
            ("head", "-c200 x"),
            ("head", "-n 5 x"),
            ("sort", "-k2 x"),
            ("cargo test", "--workspace -- --nocapture"),
            ("go test", "-run X -count=1 ./..."),
            ("find", ". -name x -type f"),
            ("sed", "-n 1,20p x"),
            ("ls", ""),
            ("uniq", "-c x"),
        ] {
            assert!(is_covered(rule, line), "{rule}: {line}");
        }
        for (rule, line) in [
            ("git log", "--format=%G?"),
            ("git log", "--pretty %GK"),
            ("git log", "--output=x"),
            ("git log", "--onelin"),
            ("git", "log"),
            ("sort", "-ox"),
            ("sort", "-no x"),
            ("sort", "--outp=x"),
            ("head", "-n -x"),
            ("head", "-n"),
            ("cargo test", "--workspace -- --logfile x"),
            ("go test", "-exec x"),
            ("find", ". -delete"),
            ("find", ". -exec x"),
            ("sed", "-n wx f"),
            ("sed", "-i 1p f"),
            ("uniq", "a b"),
            ("kubectl get", "x -o jsonpath-file=y"),
            ("kubectl get", "-ojsonpath-file=y"),
            ("kubectl get", "--output=go-template-file=y"),
            ("printf", "%n a[$(id)]"),
            ("rg", "-z x"),
            ("grep", "-f x"),
            ("unknown", "x"),
            ("git push", "origin :x"),
            ("git push", "origin +x"),
            ("git push", "ext::sh x"),
            ("curl", "file:///x"),
            ("cat", "-"),
        ] {
            assert!(!is_covered(rule, line), "{rule}: {line}");
        }
    }

    #[test]
    fn no_table_lists_an_option_twice_or_with_its_dashes() {
        for table in table::all_tables() {
            for names in [table.long, table.long_valued] {
                let names: Vec<&str> = names.split(' ').filter(|name| !name.is_empty()).collect();
                for (at, name) in names.iter().enumerate() {
                    let whole = !name.starts_with('-') && !name.ends_with('-');
                    assert!(whole && !name.contains('='), "{}: {name}", table.name);
                    assert!(!names[..at].contains(name), "{}: {name}", table.name);
                }
            }
            let both = table.flags.chars().find(|letter| table.valued.contains(*letter));
            assert_eq!(both, None, "{}", table.name);
        }
    }
}
