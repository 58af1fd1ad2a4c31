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
    reader.documents.is_empty().then_some(reader.commands)
}

#[derive(Default)]
struct LiteralReader {
    /// The remaining characters, in reverse.
    rest: Vec<char>,
    word: Option<String>,
    command: ShellWords,
    commands: Vec<ShellWords>,
    /// The delimiters of here-documents that start behind this line.
    documents: Vec<String>,
}

impl LiteralReader {
    fn take_char(&mut self, c: char) -> Option<()> {
        match c {
            ' ' | '\t' => self.end_word(),
            '\n' => {
                self.end_command();
                for delimiter in std::mem::take(&mut self.documents) {
                    self.read_document(&delimiter)?;
                }
            }
            ';' | '|' => self.end_command(),
            '#' if self.word.is_none() => {
                while self.rest.last().is_some_and(|c| *c != '\n') {
                    self.rest.pop();
                }
            }
            // Other words that start with it are expanded by some shells.
            '=' if self.word.is_none() => {
                let word = self.word.get_or_insert_default();
                word.push('=');
                while self.rest.last() == Some(&'=') {
                    word.extend(self.rest.pop());
                }
                return self.is_at_word_end().then_some(());
            }
            '<' => {
                let delimiter = self.read_delimiter()?;
                self.documents.push(delimiter);
            }
            '&' => match self.rest.pop() {
                Some('&') => self.end_command(),
                _ => return None,
            },
            '\'' => self.read_single_quoted()?,
            '"' => self.read_double_quoted()?,
            '\\' => match self.rest.pop()? {
                '\n' => {}
                c if c.is_ascii_punctuation() || matches!(c, ' ' | '\t') => {
                    self.word.get_or_insert_default().push(c);
                }
                _ => return None,
            },
            // These are literal as whole words: `[ ! a ]`.
            '[' | ']' | '!' if self.word.is_none() && self.is_at_word_end() => {
                self.word = Some(c.to_string());
            }
            '$' => self.read_status()?,
            '>' => self.read_harmless_redirection()?,
            '2' if self.word.is_none() && self.rest.last() == Some(&'>') => {
                self.rest.pop();
                self.read_harmless_redirection()?;
            }
            // History, globs, expansions, groups and escapes.
            '`' | '*' | '?' | '[' | ']' | '{' | '}' | '(' | ')' | '!' | '^' => {
                return None;
            }
            // A home folder, at the start of a word.
            '~' if self.word.is_none() => return None,
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

    fn take_text(&mut self, text: &str) -> bool {
        let found = text.chars().eq(self.rest.iter().rev().take(text.chars().count()).copied());
        if found {
            self.rest.truncate(self.rest.len() - text.chars().count());
        }
        found
    }

    /// After the first `<`: another one, and a quoted name.
    fn read_delimiter(&mut self) -> Option<String> {
        self.end_word();
        if self.rest.pop() != Some('<') {
            return None;
        }
        while matches!(self.rest.last(), Some(' ' | '\t')) {
            self.rest.pop();
        }
        let quote = self.rest.pop().filter(|c| matches!(c, '\'' | '"'))?;
        let mut name = String::new();
        loop {
            match self.rest.pop()? {
                c if c == quote => break,
                c if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
                _ => return None,
            }
        }
        (!name.is_empty() && self.is_at_word_end()).then_some(name)
    }

    fn read_document(&mut self, delimiter: &str) -> Option<String> {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            let mut has_end = false;
            while let Some(c) = self.rest.pop() {
                if c == '\n' {
                    has_end = true;
                    break;
                }
                line.push(c);
            }
            if line == delimiter {
                return Some(text);
            }
            if !has_end {
                return None;
            }
            text.push_str(&line);
            text.push('\n');
        }
    }

    /// After `"$(cat `: a here-document and nothing else.
    fn read_cat_document(&mut self) -> Option<String> {
        while matches!(self.rest.last(), Some(' ' | '\t')) {
            self.rest.pop();
        }
        let word = self.word.take();
        let delimiter = self.take_text("<").then(|| self.read_delimiter()).flatten()?;
        self.word = word;
        while matches!(self.rest.last(), Some(' ' | '\t')) {
            self.rest.pop();
        }
        self.take_text("\n").then_some(())?;
        let text = self.read_document(&delimiter)?;
        while matches!(self.rest.last(), Some(' ' | '\t' | '\n')) {
            self.rest.pop();
        }
        (self.take_text(")") && self.rest.last() == Some(&'"')).then_some(())?;
        Some(text.trim_end_matches('\n').to_owned())
    }

    fn read_double_quoted(&mut self) -> Option<()> {
        self.word.get_or_insert_default();
        if self.take_text("$(cat ") {
            let text = self.read_cat_document()?;
            self.word.get_or_insert_default().push_str(&text);
        }
        let mut word = self.word.get_or_insert_default();
        loop {
            match self.rest.pop()? {
                '"' => return Some(()),
                '$' => {
                    self.read_status()?;
                    word = self.word.get_or_insert_default();
                }
                '`' | '!' => return None,
                '\\' => match self.rest.pop()? {
                    '\n' => {}
                    c @ ('"' | '\\' | '$' | '`') => word.push(c),
                    c => word.extend(['\\', c]),
                },
                c => word.push(c),
            }
        }
    }

    /// After `$`: a status is a number. It stands in the word as it was written.
    fn read_status(&mut self) -> Option<()> {
        let texts = ["?", "{PIPESTATUS[0]}", "{PIPESTATUS[1]}"];
        let found = texts.into_iter().find(|text| self.take_text(text))?;
        let word = self.word.get_or_insert_default();
        word.push('$');
        word.push_str(found);
        Some(())
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
        assert_eq!(words("[ ! a\\ \\;b ] \\\n $?").as_deref(), Some("[ ! a ;b ] $?"));
        assert_eq!(words("a # it's\nb").as_deref(), Some("a | b"));
        assert_eq!(words("cat <<'E'\n$(x) '\nE\nb ===").as_deref(), Some("cat | b ==="));
        let message = "git -m\"$(cat <<'E'\nit's\nE\n)\"";
        assert_eq!(words(message).as_deref(), Some("git -mit's"));
        for text in [
            "echo $x",
            "a `b`",
            "ls *",
            "a & b",
            "a > f",
            "echo \"$x\"",
            "'open",
            "~/x",
            "a \\b",
            "a \\",
            "a [b]",
            "a!b",
            "a ${x}",
            "=x",
            "a <<E\nE",
            "a <f",
        ] {
            assert_eq!(words(text), None, "{text}");
        }
    }
}
