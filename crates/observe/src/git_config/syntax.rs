//! The syntax of git's configuration files, read byte by byte as git reads them.

use super::GitError;
use crate::file_system::git_cache::WrittenSetting;

/// Parses a whole file.
pub(super) fn parse_settings(path: &str, bytes: &[u8]) -> Result<Vec<WrittenSetting>, GitError> {
    // Git ends a value there, and other programs do not.
    if bytes.contains(&0) {
        return Err(GitError::Form(path.to_owned()));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| GitError::NotUtf8(path.to_owned()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = Parser { rest: text.chars(), line: 1, is_at_end: false };
    parser.parse().ok_or_else(|| GitError::Syntax { path: path.to_owned(), line: parser.line })
}

struct Parser<'a> {
    rest: std::str::Chars<'a>,
    line: usize,
    is_at_end: bool,
}

impl Parser<'_> {
    /// `None` at the first line that git refuses.
    fn parse(&mut self) -> Option<Vec<WrittenSetting>> {
        let mut settings = Vec::new();
        let mut section = String::new();
        loop {
            match self.next_char() {
                '\n' if self.is_at_end => return Some(settings),
                c if is_space(c) => {}
                '#' | ';' => self.skip_line(),
                '[' => {
                    section = self.parse_section()?;
                    section.push('.');
                }
                c if c.is_ascii_alphabetic() => {
                    let (name, value) = self.parse_setting(c)?;
                    settings.push(WrittenSetting { key: format!("{section}{name}"), value });
                }
                _ => return None,
            }
        }
    }

    /// The next character; a line feed at the end, and for a line that ends with CR LF.
    fn next_char(&mut self) -> char {
        let Some(c) = self.rest.next() else {
            self.is_at_end = true;
            return '\n';
        };
        let is_crlf = c == '\r' && self.rest.as_str().starts_with('\n');
        if is_crlf {
            self.rest.next();
        }
        if is_crlf || c == '\n' {
            self.line += 1;
            return '\n';
        }
        c
    }

    fn skip_line(&mut self) {
        while self.next_char() != '\n' {}
    }

    /// Behind `[`.
    fn parse_section(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            match self.next_char() {
                _ if self.is_at_end => return None,
                ']' => return (!name.is_empty()).then_some(name),
                c if is_space(c) => return self.parse_subsection(name, c),
                c if is_key_char(c) || c == '.' => name.push(c.to_ascii_lowercase()),
                _ => return None,
            }
        }
    }

    /// `"…"]`, behind the name of a section and a space.
    fn parse_subsection(&mut self, mut name: String, space: char) -> Option<String> {
        let mut c = space;
        while is_space(c) {
            if c == '\n' {
                return None;
            }
            c = self.next_char();
        }
        if c != '"' {
            return None;
        }
        name.push('.');
        loop {
            match self.next_char() {
                '\n' => return None,
                '"' => break,
                '\\' => match self.next_char() {
                    '\n' => return None,
                    c => name.push(c),
                },
                c => name.push(c),
            }
        }
        (self.next_char() == ']').then_some(name)
    }

    fn parse_setting(&mut self, first: char) -> Option<(String, Option<String>)> {
        let mut name = first.to_ascii_lowercase().to_string();
        let mut c = self.next_char();
        while !self.is_at_end && is_key_char(c) {
            name.push(c.to_ascii_lowercase());
            c = self.next_char();
        }
        while c == ' ' || c == '\t' {
            c = self.next_char();
        }
        match c {
            '\n' => Some((name, None)),
            '=' => Some((name, Some(self.parse_value()?))),
            _ => None,
        }
    }

    fn parse_value(&mut self) -> Option<String> {
        let mut value = String::new();
        let mut is_quoted = false;
        // Where trailing blanks start.
        let mut blanks = 0;
        loop {
            let c = self.next_char();
            if c == '\n' {
                if is_quoted {
                    return None;
                }
                break;
            }
            if is_space(c) && !is_quoted {
                if blanks == 0 {
                    blanks = value.len();
                }
                if !value.is_empty() {
                    value.push(c);
                }
                continue;
            }
            if !is_quoted && (c == ';' || c == '#') {
                self.skip_line();
                break;
            }
            blanks = 0;
            match c {
                '\\' => match self.next_char() {
                    '\n' => {}
                    't' => value.push('\t'),
                    'b' => value.push('\u{8}'),
                    'n' => value.push('\n'),
                    c @ ('\\' | '"') => value.push(c),
                    _ => return None,
                },
                '"' => is_quoted = !is_quoted,
                c => value.push(c),
            }
        }
        if blanks > 0 {
            value.truncate(blanks);
        }
        Some(value)
    }
}

const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

const fn is_key_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Vec<(String, Option<String>)>> {
        let settings = parse_settings("f", text.as_bytes()).ok()?;
        Some(settings.into_iter().map(|setting| (setting.key, setting.value)).collect())
    }

    fn check(text: &str, expected: &[(&str, Option<&str>)]) {
        let owned =
            |(key, value): &(&str, Option<&str>)| ((*key).to_owned(), value.map(str::to_owned));
        assert_eq!(parse(text), Some(expected.iter().map(owned).collect()), "{text:?}");
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        check("", &[]);
        check("\u{feff}[a]\r\nb = c\r\n", &[("a.b", Some("c"))]);
        check("[Core] Pager=x # c\n; d\n", &[("core.pager", Some("x"))]);
        check("[a \"B.c\\\"d\\\\\"]\nE", &[("a.B.c\"d\\.e", None)]);
        check("[a.B]\nc =", &[("a.b.c", Some(""))]);
        check("[a]b=\"x ; y\" z ", &[("a.b", Some("x ; y z"))]);
        check("[a]b=x\\\n  y\\t\\n", &[("a.b", Some("x  y\t\n"))]);
        check("b=1\n[a]b", &[("b", Some("1")), ("a.b", None)]);
        check("[a]\n\tb = 1\n\tb = 2", &[("a.b", Some("1")), ("a.b", Some("2"))]);
    }

    #[test]
    fn what_git_refuses_is_refused_with_its_line() {
        for text in [
            "[a", "[a\n]", "[]", "[a \"b]", "[a \"b\"", "[a b]", "1=2", "[a]b c", "[a]b=\"x",
            "[a]b=\\x", "[a_b]",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
        let error = parse_settings("f", b"[a]\nb = 1\n\n= 2\n");
        assert_eq!(error, Err(GitError::Syntax { path: "f".to_owned(), line: 4 }));
        assert_eq!(parse_settings("f", b"[a]b=\xff"), Err(GitError::NotUtf8("f".to_owned())));
        assert_eq!(parse_settings("f", b"[a]b=\0"), Err(GitError::Form("f".to_owned())));
    }
}
