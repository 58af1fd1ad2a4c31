//! A second, small reader of shell words, to hold the strict one against.
//!
//! It knows the quotes of POSIX and of bash and nothing of rules or tables. Where it sees anything
//! that some shell could expand, it says so; then the strict reader must not have accepted.

/// One simple command as a shell would split it.
pub(super) type Words = Vec<String>;

/// The simple commands of a line, if every shell would take every word literally.
pub(super) fn read(text: &str) -> Option<Vec<Words>> {
    let mut reader = Reader { rest: text.chars().collect(), ..Reader::default() };
    reader.rest.reverse();
    while let Some(c) = reader.rest.pop() {
        reader.take(c)?;
    }
    reader.end_command();
    Some(reader.commands)
}

#[derive(Default)]
struct Reader {
    /// Backwards.
    rest: Vec<char>,
    word: Option<String>,
    command: Words,
    commands: Vec<Words>,
}

impl Reader {
    fn take(&mut self, c: char) -> Option<()> {
        match c {
            ' ' | '\t' => self.end_word(),
            '\n' | ';' | '|' => self.end_command(),
            '&' => match self.rest.pop() {
                Some('&') => self.end_command(),
                _ => return None,
            },
            '\'' => self.single()?,
            '"' => self.double()?,
            '>' => self.quiet()?,
            '2' if self.word.is_none() && self.rest.last() == Some(&'>') => {
                self.rest.pop();
                self.quiet()?;
            }
            // History, globs, expansions, groups, comments, escapes and assignments by position.
            '\\' | '$' | '`' | '*' | '?' | '[' | ']' | '{' | '}' | '(' | ')' | '<' | '!' | '^' => {
                return None;
            }
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

    fn single(&mut self) -> Option<()> {
        let word = self.word.get_or_insert_default();
        loop {
            match self.rest.pop()? {
                '\'' => return Some(()),
                c => word.push(c),
            }
        }
    }

    fn double(&mut self) -> Option<()> {
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

    /// Behind `>` or `2>`: the error stream to the output, or anything to nowhere.
    fn quiet(&mut self) -> Option<()> {
        self.end_word();
        if self.rest.last() == Some(&'&') {
            self.rest.pop();
            return (self.rest.pop() == Some('1') && self.at_end_of_word()).then_some(());
        }
        while matches!(self.rest.last(), Some(' ' | '\t')) {
            self.rest.pop();
        }
        let nowhere = "/dev/null".chars().all(|c| self.rest.pop() == Some(c));
        (nowhere && self.at_end_of_word()).then_some(())
    }

    fn at_end_of_word(&self) -> bool {
        self.rest.last().is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | ';' | '|' | '&'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_splits_them() {
        let words = |text: &str| read(text).map(|found| found.join(&"|".to_owned()).join(" "));
        assert_eq!(words("git 'a b' \"c\\\"d\"").as_deref(), Some("git a b c\"d"));
        assert_eq!(words("a 2>&1 | b >/dev/null; c").as_deref(), Some("a | b | c"));
        for text in
            ["echo $x", "a `b`", "ls *", "a & b", "a > f", "echo \"$x\"", "'open", "~/x", "a \\b"]
        {
            assert_eq!(words(text), None, "{text}");
        }
    }
}
