//! Option tables: what may follow the words of a rule that ends in `*`.
//!
//! A tool without a table matches no `*`. A table holds only options that neither run a program,
//! write a file, read operands from one, nor change configuration, directory or host; unknown,
//! abbreviated and half-understood options make the rule not match.

mod operands;
mod table;

use crate::wrappers::base_name;
pub(crate) use operands::Operands;

/// One tool, or one of its subcommands.
pub(crate) struct Tool {
    /// The words that select it: `git log`.
    pub(crate) name: &'static str,
    /// Letters that take no value.
    pub(crate) flags: &'static str,
    /// Letters that take one, attached or as the next word.
    pub(crate) valued: &'static str,
    /// Long options without a value, separated by blanks.
    pub(crate) long: &'static str,
    /// Long options with a value behind `=`, or as the next word if they are not in `long` too.
    pub(crate) long_valued: &'static str,
    pub(crate) values: Values,
    pub(crate) style: Style,
    pub(crate) operands: Operands,
    /// Options behind `--`, which another program will read; operands if there are none.
    pub(crate) passed: Option<&'static Tool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    Any,
    /// kubectl reads what `-o jsonpath-file=…` names.
    NotFromFiles,
    /// git runs the configured verifier for `%G?` and `%(signature)`.
    Unsigned,
}

impl Values {
    fn fit(self, value: &str) -> bool {
        match self {
            Self::Any => true,
            Self::NotFromFiles => !value.contains("file"),
            Self::Unsigned => !value.contains("%G") && !value.contains("signature"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `-abc`, `-n 5`, `--long`.
    Clusters,
    /// The same, and `-5` is a number.
    Numbers,
    /// `-name`, as find and Go write them.
    Single,
}

/// The table for a rule whose words these are: the longest name that they begin with.
///
/// A program that the rule names by its path has the table of its name.
pub(crate) fn of(words: &[String]) -> Option<&'static Tool> {
    let (program, rest) = words.split_first()?;
    let begins = |tool: &&Tool| {
        let mut words = std::iter::once(base_name(program)).chain(rest.iter().map(String::as_str));
        tool.name.split(' ').all(|name| words.next().is_some_and(|word| word == name))
    };
    table::all().filter(begins).max_by_key(|tool| tool.name.len())
}

/// Why these further words are not covered, if so.
pub(crate) fn uncovered(tool: &'static Tool, words: &[String]) -> Option<String> {
    let mut operands = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" && tool.style != Style::Single {
            let rest: Vec<String> = words.cloned().collect();
            match tool.passed {
                Some(passed) => {
                    return uncovered(passed, &rest).or_else(|| refuse(tool, &operands));
                }
                None => operands.extend(rest),
            }
            break;
        }
        match tool.reads(word) {
            Reading::Operand => operands.push(word.clone()),
            Reading::Option => {}
            Reading::Valued => {
                // A value that looks like an option could be one, if the table is wrong.
                let fits = |value: &String| !value.starts_with('-') && tool.values.fit(value);
                if !words.next().is_some_and(fits) {
                    return Some(format!("`{word}` has no value that is understood"));
                }
            }
            Reading::Unknown => {
                return Some(format!("`{word}` is not on the table of `{}`", tool.name));
            }
        }
    }
    refuse(tool, &operands)
}

fn refuse(tool: &Tool, operands: &[String]) -> Option<String> {
    let bad = tool.operands.refused(operands)?;
    Some(format!("`{bad}` is not an operand on the table of `{}`", tool.name))
}

enum Reading {
    Operand,
    Option,
    /// The next word is its value.
    Valued,
    Unknown,
}

impl Tool {
    fn reads(&self, word: &str) -> Reading {
        let Some(rest) = word.strip_prefix('-') else { return Reading::Operand };
        match self.style {
            Style::Single => self.long(rest),
            Style::Clusters | Style::Numbers => match rest.strip_prefix('-') {
                Some(long) => self.long(long),
                None => self.cluster(rest),
            },
        }
    }

    fn long(&self, long: &str) -> Reading {
        match long.split_once('=') {
            Some((name, value)) if lists(self.long_valued, name) && self.values.fit(value) => {
                Reading::Option
            }
            Some(_) => Reading::Unknown,
            None if lists(self.long, long) => Reading::Option,
            None if lists(self.long_valued, long) => Reading::Valued,
            None => Reading::Unknown,
        }
    }

    fn cluster(&self, letters: &str) -> Reading {
        if self.style == Style::Numbers && is_number(letters) {
            return Reading::Option;
        }
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            if self.valued.contains(letter) {
                return match rest.as_str() {
                    "" => Reading::Valued,
                    value if self.values.fit(value) => Reading::Option,
                    _ => Reading::Unknown,
                };
            }
            if !self.flags.contains(letter) {
                return Reading::Unknown;
            }
        }
        // A lone `-` is standard input: what comes from there nobody has seen.
        if letters.is_empty() { Reading::Unknown } else { Reading::Option }
    }
}

fn lists(names: &str, wanted: &str) -> bool {
    names.split(' ').any(|name| name == wanted && !name.is_empty())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(rule: &str, line: &str) -> bool {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let rest = if line.is_empty() { Vec::new() } else { words(line) };
        of(&words(rule)).is_some_and(|tool| uncovered(tool, &rest).is_none())
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
            assert!(covered(rule, line), "{rule}: {line}");
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
            assert!(!covered(rule, line), "{rule}: {line}");
        }
    }

    #[test]
    fn no_table_holds_an_option_twice_or_with_its_dashes() {
        for tool in table::all() {
            for names in [tool.long, tool.long_valued] {
                let names: Vec<&str> = names.split(' ').filter(|name| !name.is_empty()).collect();
                for (at, name) in names.iter().enumerate() {
                    let whole = !name.starts_with('-') && !name.ends_with('-');
                    assert!(whole && !name.contains('='), "{}: {name}", tool.name);
                    assert!(!names[..at].contains(name), "{}: {name}", tool.name);
                }
            }
            let both = tool.flags.chars().find(|letter| tool.valued.contains(*letter));
            assert_eq!(both, None, "{}", tool.name);
        }
    }
}
