//! Reads the words of a command by its table: which are options, values, operands and paths.

use super::operands::{FirstOperand, publishes};
use super::{
    Contacts, LaterOptions, OptionStyle, OptionTable, PathOperands, explain_uncovered_words,
};

/// The words of a command, by their indices.
pub(super) struct ReadWords {
    pub(super) operands: Vec<usize>,
    pub(super) path_operands: Vec<usize>,
    pub(super) path_values: Vec<usize>,
    pub(super) written_values: Vec<usize>,
    /// The values of the options that name a repository.
    pub(super) repositories: Vec<String>,
    /// The values of options that name tasks.
    pub(super) tasks: Vec<String>,
    /// The values of `--hostname`.
    pub(super) hosts: Vec<String>,
    /// Options that name an account, with the account: `profile dev`.
    pub(super) accounts: Vec<String>,
    /// The values of options that name no path, with the name of each option.
    pub(super) plain_values: Vec<(String, String)>,
    pub(super) first: FirstOperand,
}

pub(super) fn read_words(
    table: &'static OptionTable,
    words: &[String],
) -> Result<ReadWords, String> {
    let mut reader = WordReader { table, words, read: ReadWords::new() };
    let mut index = 0;
    while let Some(word) = words.get(index) {
        // `echo` prints what is none of its few options: `echo ---` is a line between two outputs.
        let is_letter = word.chars().nth(1).is_some_and(|c| c.is_ascii_alphanumeric());
        if table.name == "echo" && !is_letter {
            reader.read.operands.push(index);
            index += 1;
            continue;
        }
        if word == "--" && table.style != OptionStyle::SingleDash {
            reader.read_rest(index + 1)?;
            break;
        }
        index += reader.read_word(index, word)?;
    }
    Ok(reader.finish())
}

struct WordReader<'a> {
    table: &'static OptionTable,
    words: &'a [String],
    read: ReadWords,
}

impl WordReader<'_> {
    /// Reads one word with its value, and says how many words that were.
    fn read_word(&mut self, index: usize, word: &str) -> Result<usize, String> {
        if self.table.replaces_first(word) {
            self.read.first = FirstOperand::Ordinary;
        }
        match self.table.classify(word) {
            OptionReading::Operand => self.read.operands.push(index),
            OptionReading::Complete => {}
            OptionReading::CompleteWithValue { option, value } => {
                match self.table.value_kind(option) {
                    ValueKind::Plain => self.note_value(option, value)?,
                    ValueKind::Path | ValueKind::Written => {
                        return Err(format!("the path in `{word}` is not a word of its own"));
                    }
                }
            }
            OptionReading::NeedsValue { option } => {
                self.read_value(index + 1, word, option)?;
                return Ok(2);
            }
            OptionReading::NeedsPair { option } => {
                self.read_value(index + 1, word, option)?;
                self.read_value(index + 2, word, option)?;
                return Ok(3);
            }
            OptionReading::Unknown
                if self.table.later_options == LaterOptions::AnyName
                    && !self.read.operands.is_empty()
                    && is_option_name(word) => {}
            OptionReading::Unknown => {
                return Err(format!(
                    "`{word}` is not in the option table of `{}`",
                    self.table.name
                ));
            }
        }
        Ok(1)
    }

    fn read_value(&mut self, index: usize, word: &str, option: &str) -> Result<(), String> {
        let refusal = || format!("`{word}` has no value that its option table allows");
        let value = self.words.get(index).ok_or_else(refusal)?;
        if value == "-" && contains_name(&self.table.input_values, option) {
            return Ok(());
        }
        let kind = self.table.value_kind(option);
        // Where a path leads is looked up later.
        let is_allowed = kind != ValueKind::Plain || self.table.values.allows(value);
        // A value that looks like an option is refused, in case the table is wrong.
        if value.starts_with('-') || !is_allowed {
            return Err(refusal());
        }
        match kind {
            ValueKind::Path => self.read.path_values.push(index),
            ValueKind::Written if value == "/dev/null" => {}
            ValueKind::Written => self.read.written_values.push(index),
            ValueKind::Plain => self.note_value(option, value)?,
        }
        Ok(())
    }

    fn note_value(&mut self, option: &str, value: &str) -> Result<(), String> {
        self.read.plain_values.push((option.to_owned(), value.to_owned()));
        if contains_name(&self.table.task_values, option) {
            self.read.tasks.extend(value.split(',').map(str::to_owned));
        }
        if contains_name(&self.table.account_values, option) {
            self.read.accounts.push(format!("{option} {value}"));
        }
        match (self.table.contacts, option) {
            (Contacts::Repository | Contacts::Forge, "R" | "repo") => self.note_repository(value),
            (Contacts::ApiPath | Contacts::Forge, "hostname")
            | (Contacts::Database, "h" | "host")
                if is_plain_name(value) =>
            {
                self.read.hosts.push(value.to_owned());
                Ok(())
            }
            (Contacts::ApiPath | Contacts::Forge, "hostname")
            | (Contacts::Database, "h" | "host") => {
                Err(format!("`{value}` is not the name of a host"))
            }
            // `host=…` in such a value is another host.
            (Contacts::Database, "d" | "dbname" | "D" | "database") if !is_plain_name(value) => {
                Err(format!("`{value}` is not the name of a database"))
            }
            _ => Ok(()),
        }
    }

    /// Notes `-R OWNER/REPOSITORY`. With a third part it would name another host.
    fn note_repository(&mut self, value: &str) -> Result<(), String> {
        match value.split_once('/') {
            Some((owner, name)) if is_plain_name(owner) && is_plain_name(name) => {
                self.read.repositories.push(value.to_owned());
                Ok(())
            }
            _ => Err(format!("`{value}` is not a repository as `OWNER/NAME`")),
        }
    }

    /// Reads the words after `--`.
    fn read_rest(&mut self, start: usize) -> Result<(), String> {
        let rest = self.words.get(start..).unwrap_or_default();
        let Some(inner_table) = self.table.after_double_dash.as_deref() else {
            self.read.operands.extend(start..start + rest.len());
            return Ok(());
        };
        if let Some(why) = explain_uncovered_words(inner_table, rest) {
            return Err(why);
        }
        let inner = read_words(inner_table, rest)?;
        let shift = |indices: Vec<usize>| indices.into_iter().map(move |index| index + start);
        self.read.path_values.extend(shift(inner.path_operands));
        self.read.path_values.extend(shift(inner.path_values));
        self.read.written_values.extend(shift(inner.written_values));
        Ok(())
    }

    fn finish(mut self) -> ReadWords {
        let skipped = match (self.table.paths, self.read.first) {
            (PathOperands::None, _) => self.read.operands.len(),
            (PathOperands::AfterFirst, FirstOperand::Pattern) => 1,
            (PathOperands::All, _) | (PathOperands::AfterFirst, FirstOperand::Ordinary) => 0,
        };
        self.read.path_operands = self.read.operands.iter().skip(skipped).copied().collect();
        self.read
    }
}

impl ReadWords {
    pub(super) fn find_paths(&self) -> impl Iterator<Item = usize> {
        let paths = [&self.path_operands, &self.path_values, &self.written_values];
        paths.into_iter().flatten().copied()
    }

    fn new() -> Self {
        Self {
            operands: Vec::new(),
            path_operands: Vec::new(),
            path_values: Vec::new(),
            written_values: Vec::new(),
            repositories: Vec::new(),
            tasks: Vec::new(),
            hosts: Vec::new(),
            accounts: Vec::new(),
            plain_values: Vec::new(),
            first: FirstOperand::Pattern,
        }
    }
}

enum OptionReading<'w> {
    Operand,
    Complete,
    CompleteWithValue {
        option: &'w str,
        value: &'w str,
    },
    /// The next word is its value.
    NeedsValue {
        option: &'w str,
    },
    /// The next two words are its values.
    NeedsPair {
        option: &'w str,
    },
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueKind {
    Plain,
    Path,
    Written,
}

impl OptionTable {
    fn value_kind(&self, option: &str) -> ValueKind {
        if contains_name(&self.path_values, option) {
            ValueKind::Path
        } else if contains_name(&self.written_values, option) {
            ValueKind::Written
        } else {
            ValueKind::Plain
        }
    }

    /// The dashes and name of an option with a path behind `=`, and that path.
    pub(super) fn split_path_option<'w>(&self, word: &'w str) -> Option<(&'w str, &'w str)> {
        let (option, value) = word.split_once('=')?;
        let name = option.trim_start_matches('-');
        let dashes = option.len() - name.len();
        let is_long = match self.style {
            OptionStyle::SingleDash => dashes == 1,
            OptionStyle::AnyDashes => dashes == 1 || dashes == 2,
            OptionStyle::Clusters
            | OptionStyle::ClustersAndNumbers
            | OptionStyle::SeparateValues => dashes == 2,
        };
        let takes_path = self.value_kind(name) != ValueKind::Plain
            && contains_name(&self.long_valued, name)
            && !contains_name(&self.long, name);
        (is_long && takes_path).then_some((option, value))
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

    fn classify<'w>(&self, word: &'w str) -> OptionReading<'w> {
        let Some(rest) = word.strip_prefix('-') else { return OptionReading::Operand };
        match (self.style, rest.strip_prefix('-')) {
            (OptionStyle::SingleDash, _) | (OptionStyle::AnyDashes, None) => {
                self.classify_long(rest)
            }
            (_, Some(long)) => self.classify_long(long),
            (_, None) => self.classify_cluster(rest),
        }
    }

    fn classify_long<'w>(&self, long: &'w str) -> OptionReading<'w> {
        match long.split_once('=') {
            Some((option, value))
                if contains_name(&self.long_valued, option) && self.values.allows(value) =>
            {
                OptionReading::CompleteWithValue { option, value }
            }
            Some(_) => OptionReading::Unknown,
            None if contains_name(&self.long, long) => OptionReading::Complete,
            None if contains_name(&self.long_valued, long) => {
                OptionReading::NeedsValue { option: long }
            }
            None if contains_name(&self.long_pairs, long) => {
                OptionReading::NeedsPair { option: long }
            }
            None => OptionReading::Unknown,
        }
    }

    fn classify_cluster<'w>(&self, letters: &'w str) -> OptionReading<'w> {
        if self.style == OptionStyle::ClustersAndNumbers && is_number(letters) {
            return OptionReading::Complete;
        }
        for (at, letter) in letters.char_indices() {
            let (_, rest) = letters.split_at_checked(at).unwrap_or_default();
            let (option, value) = rest.split_at_checked(letter.len_utf8()).unwrap_or_default();
            if self.valued.contains(letter) {
                return match value {
                    "" => OptionReading::NeedsValue { option },
                    _ if self.style == OptionStyle::SeparateValues => OptionReading::Unknown,
                    value if self.values.allows(value) => {
                        OptionReading::CompleteWithValue { option, value }
                    }
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

pub(super) fn contains_name(names: &str, wanted: &str) -> bool {
    names.split(' ').any(|name| name == wanted && !name.is_empty())
}

/// `-v` or `--some-name`, without a value and nothing that publishes.
fn is_option_name(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    word.len() - name.len() <= 2 && is_name && !publishes(name)
}

/// A name of a host, an owner or a repository.
pub(super) fn is_plain_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
