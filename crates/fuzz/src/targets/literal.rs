//! A second, small parser of shell words, to compare with the strict one.
//!
//! It knows the quotes of POSIX and bash, and no rules or tables. If it sees anything that a shell
//! could expand, it returns nothing, and the strict parser must not have accepted the text.

/// One simple command as a shell would split it.
pub(super) type ShellWords = Vec<String>;

/// The simple commands of a line, if every shell takes every word literally.
pub(super) fn split_literally(text: &str) -> Option<Vec<ShellWords>> {
    let mut reader = LiteralReader { rest: text.chars().collect(), ..LiteralReader::default() };
    reader.rest.reverse();
    while let Some(c) = reader.rest.pop() {
        reader.take_char(c)?;
    }
    reader.end_command();
    Some(reader.commands)
}

#[derive(Default)]
struct LiteralReader {
    /// The remaining characters, in reverse.
    rest: Vec<char>,
    word: Option<String>,
    command: ShellWords,
    commands: Vec<ShellWords>,
}

impl LiteralReader {
    fn take_char(&mut self, c: char) -> Option<()> {
        match c {
            ' ' | '\t' => self.end_word(),
            '\n' | ';' | '|' => self.end_command(),
            '&' => match self.rest.pop() {
                Some('&') => self.end_command(),
                _ => return None,
            },
            '\'' => self.read_single_quoted()?,
            '"' => self.read_double_quoted()?,
            '>' => self.read_harmless_redirection()?,
            '2' if self.word.is_none() && self.rest.last() == Some(&'>') => {
                self.rest.pop();
                self.read_harmless_redirection()?;
            }
            // History, globs, expansions, groups and escapes.
            '\\' | '$' | '`' | '*' | '?' | '[' | ']' | '{' | '}' | '(' | ')' | '<' | '!' | '^' => {
                return None;
            }
            // Comments, home folders and assignments, at the start of a word.
            '#' | '~' | '=' if self.word.is_none() => return None,
            c if !c.is_ascii_graphic() => return None,
            c => self.word.get_or_insert_default().push(c),
        }
        Some(())
    }

    fn end_word(&mut self) {
        self.command.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.command.is_empty() {
            self.commands.push(std::mem::take(&mut self.command));
        }
    }

    fn read_single_quoted(&mut self) -> Option<()> {
        let word = self.word.get_or_insert_default();
        loop {
            match self.rest.pop()? {
                '\'' => return Some(()),
                c => word.push(c),
            }
        }
    }

    fn read_double_quoted(&mut self) -> Option<()> {
        let word = self.word.get_or_insert_default();
        loop {
            match self.rest.pop()? {
                '"' => return Some(()),
                '$' | '`' | '!' => return None,
                '\\' => match self.rest.pop()? {
                    '\n' => return None,
                    c @ ('"' | '\\' | '$' | '`') => word.push(c),
                    c => word.extend(['\\', c]),
                },
                c => word.push(c),
            }
        }
    }

    /// After `>` or `2>`: only `&1` and `/dev/null` are harmless.
    fn read_harmless_redirection(&mut self) -> Option<()> {
        self.end_word();
        if self.rest.last() == Some(&'&') {
            self.rest.pop();
            return (self.rest.pop() == Some('1') && self.is_at_word_end()).then_some(());
        }
        while matches!(self.rest.last(), Some(' ' | '\t')) {
            self.rest.pop();
        }
        let nowhere = "/dev/null".chars().all(|c| self.rest.pop() == Some(c));
        (nowhere && self.is_at_word_end()).then_some(())
    }

    fn is_at_word_end(&self) -> bool {
        self.rest.last().is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | ';' | '|' | '&'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_splits_them() {
        let words =
            |text: &str| split_literally(text).map(|found| found.join(&"|".to_owned()).join(" "));
        assert_eq!(words("git 'a b' \"c\\\"d\"").as_deref(), Some("git a b c\"d"));
        assert_eq!(words("a 2>&1 | b >/dev/null; c").as_deref(), Some("a | b | c"));
        for text in
            ["echo $x", "a `b`", "ls *", "a & b", "a > f", "echo \"$x\"", "'open", "~/x", "a \\b"]
        {
            assert_eq!(words(text), None, "{text}");
        }
    }
}
