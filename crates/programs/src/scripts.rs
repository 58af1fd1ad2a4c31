//! The closed sets of sed scripts and awk programs that only print, delete or replace text.
//!
//! Sed and awk can run programs and write files. What is not certain to do neither, in any of their
//! implementations, is refused.

/// Whether a sed script consists only of `p`, `d`, `q`, `=` and `s` without the flags that execute
/// or write, each with an optional address. An empty one is refused: on BSD an empty word after `-i`
/// is the suffix of the backup, and the script comes after it.
pub(super) fn is_plain_sed(script: &str) -> bool {
    if script.is_empty() {
        return false;
    }
    let mut cursor = ScriptCursor { rest: script };
    loop {
        cursor.skip_while(|c| c == ';' || c.is_ascii_whitespace());
        if cursor.rest.is_empty() {
            return true;
        }
        if cursor.skip_sed_command().is_none() {
            return false;
        }
        let is_end = |c: char| c == ';' || c.is_ascii_whitespace();
        if !cursor.rest.is_empty() && !cursor.rest.starts_with(is_end) {
            return false;
        }
    }
}

/// Whether an awk program only computes with fields, variables, texts and patterns, and prints.
pub(super) fn is_plain_awk(program: &str) -> bool {
    let mut cursor = ScriptCursor { rest: program };
    let (mut depth, mut before) = (0_usize, ' ');
    while let Some(c) = cursor.next() {
        let is_plain = match c {
            '{' => {
                depth += 1;
                true
            }
            '}' => match depth.checked_sub(1) {
                Some(outer) => {
                    depth = outer;
                    true
                }
                None => false,
            },
            // Inside an action, `>` writes to a file.
            '>' => depth == 0,
            '"' => cursor.skip_awk_string().is_some(),
            // After a value it would be a division, and what follows no pattern.
            '/' => "{}(!~&|,; \n".contains(before) && cursor.skip_text('/').is_some(),
            '$' | ',' | ';' | '(' | ')' | '!' | '=' | '<' | '~' | '+' | '-' | '%' => true,
            '[' | ']' | '*' | '?' | ':' | '.' => true,
            '&' => cursor.next() == Some('&'),
            '|' => cursor.next() == Some('|') && depth == 0,
            c if c.is_ascii_digit() || c.is_ascii_whitespace() => true,
            c if c.is_ascii_alphabetic() => cursor.skip_awk_word(c),
            _ => false,
        };
        if !is_plain {
            return false;
        }
        before = if c == ' ' { before } else { c };
    }
    depth == 0
}

/// The names in capitals that a program may use. Others read the environment or choose files.
const AWK_NAMES: &[&str] = &[
    "NR", "NF", "FNR", "FS", "OFS", "RS", "ORS", "BEGIN", "END", "RSTART", "RLENGTH", "SUBSEP",
    "FILENAME",
];
/// Functions that run programs, or read and write files.
const AWK_COMMANDS: &[&str] = &["system", "getline", "close", "fflush", "extension"];

struct ScriptCursor<'a> {
    rest: &'a str,
}

impl ScriptCursor<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn skip_while(&mut self, is_skipped: impl Fn(char) -> bool) -> usize {
        let before = self.rest.len();
        self.rest = self.rest.trim_start_matches(is_skipped);
        before - self.rest.len()
    }

    fn skip(&mut self, wanted: char) -> bool {
        let found = self.rest.strip_prefix(wanted);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn skip_digits(&mut self) -> usize {
        self.skip_while(|c| c.is_ascii_digit())
    }

    fn skip_sed_command(&mut self) -> Option<()> {
        if self.skip_sed_address()? && self.skip(',') {
            self.skip('+');
            self.skip_sed_address()?.then_some(())?;
        }
        self.skip_while(|c| c == ' ');
        self.skip('!');
        match self.next()? {
            'p' | 'd' | 'q' | '=' => Some(()),
            's' => {
                let end = self.next().filter(|c| "/|#,@:%".contains(*c))?;
                self.skip_text(end)?;
                self.skip_text(end)?;
                self.skip_while(|c| matches!(c, 'g' | 'p' | 'i' | 'I') || c.is_ascii_digit());
                Some(())
            }
            _ => None,
        }
    }

    /// Skips a line number, `$` or a pattern, and says whether there was one.
    fn skip_sed_address(&mut self) -> Option<bool> {
        if self.skip('/') {
            self.skip_text('/')?;
            return Some(true);
        }
        Some(self.skip_digits() > 0 || self.skip('$'))
    }

    /// Skips up to an end that is not escaped. In a bracket expression some implementations see an
    /// end and others do not, so there it is refused.
    fn skip_text(&mut self, end: char) -> Option<()> {
        let mut in_brackets = false;
        loop {
            match self.next()? {
                '\n' => return None,
                '\\' => {
                    self.next().filter(|c| *c != '\n')?;
                }
                c if c == end => return (!in_brackets).then_some(()),
                '[' if !in_brackets => {
                    self.skip('^');
                    if self.rest.starts_with(']') {
                        return None;
                    }
                    in_brackets = true;
                }
                ']' => in_brackets = false,
                _ => {}
            }
        }
    }

    fn skip_awk_word(&mut self, first: char) -> bool {
        let rest = self.rest;
        let length = self.skip_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let word = format!("{first}{}", rest.get(..length).unwrap_or_default());
        match word.bytes().any(|b| b.is_ascii_lowercase()) {
            true => !AWK_COMMANDS.contains(&word.as_str()),
            false => AWK_NAMES.contains(&word.as_str()),
        }
    }

    fn skip_awk_string(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                '\n' => return None,
                '\\' => {
                    self.next().filter(|c| *c != '\n')?;
                }
                '"' => return Some(()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sed_scripts_that_print_delete_or_replace_are_plain() {
        for script in [
            "1,20p",
            "5p",
            "$p",
            "/fn main/,/^}/p",
            "10q",
            "s/a/b/g",
            "s|a/b|c|",
            "1d;3,$d",
            "/x/d",
            "s/[a-z]*/X/2p",
            "1,5p; 8p",
            "/a/,+3p",
            "2!d",
            "s/a\\/w/b/",
            "$=",
        ] {
            assert!(is_plain_sed(script), "{script}");
        }
        for script in [
            "",
            "w x",
            "1w x",
            "s/a/b/w x",
            "s/a/b/e",
            "s/a/b/gw x",
            "e id",
            "1e",
            "r /etc/passwd",
            "R x",
            "1,5pw x",
            "p w x",
            "s/[/]/e;w x/",
            "s/[]/]/w x/",
            "s/a/b",
            "s/a\nb/c/",
            "y/a/b/",
            "{p}",
            "b",
            "a text",
            "i\\",
            "c x",
            "s/a/b/m",
            "s/a/b/;w x",
            "s xaxbxw y",
            "s/a/\\\n/",
            "1,w x",
            "F",
            "q5",
            "W x",
            "\\,a,p",
            "s;a;b;w x",
        ] {
            assert!(!is_plain_sed(script), "{script}");
        }
    }

    #[test]
    fn only_awk_programs_that_print_fields_are_plain() {
        for program in [
            "{print $1}",
            "{print $NF}",
            "NR==5",
            "NR>=1 && NR<=20",
            "NR>=1&&NR<=20{print}",
            "/fn /{print NR, $0}",
            "{print $1 \": \" $2}",
            "$3 > 5",
            "NF > 2 || NR == 1",
            "/a/ && !/b/",
            "{print FNR\":\"$0}",
            "length($0) > 100",
            "END{print NR}",
            "{printf \"%s\\n\", $1}",
            "{ {print} }",
            "{n[$1]++} END{for (k in n) print k, n[k]}",
            "{s += $1} END{print s}",
            "{print \"[\" $1 \"]\"}",
            "/a/{if ($2 ~ /b/) {sub(/x/, \"y\"); print}}",
        ] {
            assert!(is_plain_awk(program), "{program}");
        }
        for program in [
            "{system(\"id\")}",
            "BEGIN{system($0)}",
            "{print > \"x\"}",
            "{print >> \"x\"}",
            "{print | \"sh\"}",
            "\"id\" | getline",
            "{\"id\" | getline x}",
            "{x = ENVIRON[1]; print x}",
            "BEGIN{ARGV[1] = 1}",
            "{print SYMTAB[1]}",
            "{fflush()}",
            "{\"id\" | getline}",
            "{print $1 > FILENAME}",
            "{ {print > \"x\"} }",
            "{print} }",
            "@load \"x\"",
            "{print $1",
            "{close(x)}",
            "/a",
            "{print ENVIRON[1]}",
            "{getline<\"x\"}",
            "{print \"a}",
            "}{",
            "{print 1 /x/ 2 > \"y\" /z/}",
            "1 / system(\"id\") / 1",
        ] {
            assert!(!is_plain_awk(program), "{program}");
        }
    }
}
