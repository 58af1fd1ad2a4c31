//! Scripts: files that start with `#!` and the path of their interpreter.
//!
//! Whatever else a shell would run as a script of its own has no interpreter to look for.

use crate::limits;
use std::fs::File;
use std::io::{self, Read};

/// The first line of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FirstLine {
    /// It is a binary, or a script without `#!`.
    NoScript,
    Interpreter(Interpreter),
    /// A script, but nobody can tell what runs it.
    Unclear(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interpreter {
    pub(crate) path: String,
    /// The name that `env` searches for.
    pub(crate) searched: Option<String>,
}

pub(super) fn read_first_line(file: &File) -> io::Result<FirstLine> {
    let mut start = Vec::new();
    file.take(limits::MAX_SCRIPT_LINE).read_to_end(&mut start)?;
    Ok(parse_first_line(&start))
}

fn parse_first_line(start: &[u8]) -> FirstLine {
    let Some(rest) = start.strip_prefix(b"#!") else { return FirstLine::NoScript };
    let Some(line) =
        rest.split(|byte| *byte == b'\n').next().filter(|line| line.len() < rest.len())
    else {
        return FirstLine::Unclear("its first line does not end");
    };
    let Ok(line) = std::str::from_utf8(line) else {
        return FirstLine::Unclear("its first line is not UTF-8");
    };
    // The kernel takes everything after the path as one argument.
    let line = line.trim_matches([' ', '\t']);
    let (path, argument) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let searched = match path.rsplit('/').next() {
        Some("env") => match parse_env_argument(argument.trim_matches([' ', '\t'])) {
            Some(name) => Some(name.to_owned()),
            None => return FirstLine::Unclear("its first line tells `env` more than a name"),
        },
        Some("") | None => return FirstLine::Unclear("its first line names no interpreter"),
        Some(_) => None,
    };
    FirstLine::Interpreter(Interpreter { path: path.to_owned(), searched })
}

/// The program that `env` starts, if it changes nothing else for it.
fn parse_env_argument(argument: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+/-".contains(c);
    let words = match argument.strip_prefix("-S") {
        Some(words) => words.trim_start_matches([' ', '\t']),
        None if argument.contains([' ', '\t']) => return None,
        None => argument,
    };
    let name = words.split([' ', '\t']).next()?;
    (!name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interpreter(path: &str, searched: Option<&str>) -> FirstLine {
        let searched = searched.map(str::to_owned);
        FirstLine::Interpreter(Interpreter { path: path.to_owned(), searched })
    }

    #[test]
    fn the_first_line_names_the_interpreter() {
        for (text, expected) in [
            ("#!/bin/sh\nx", interpreter("/bin/sh", None)),
            ("#! /bin/sh -e x\n", interpreter("/bin/sh", None)),
            ("#!\t/bin/sh \n", interpreter("/bin/sh", None)),
            ("#!bin/x\n", interpreter("bin/x", None)),
            ("#!/usr/bin/env node\n", interpreter("/usr/bin/env", Some("node"))),
            ("#!/usr/bin/env   python3  \n", interpreter("/usr/bin/env", Some("python3"))),
            ("#!/usr/bin/env -S node --x\n", interpreter("/usr/bin/env", Some("node"))),
            ("#!/usr/bin/env -Snode --x\n", interpreter("/usr/bin/env", Some("node"))),
            ("\u{7f}ELF", FirstLine::NoScript),
            ("", FirstLine::NoScript),
            ("echo\n", FirstLine::NoScript),
        ] {
            assert_eq!(parse_first_line(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn a_first_line_that_says_more_is_unclear() {
        for text in [
            "#!/bin/sh",
            "#!\n",
            "#!/bin/\n",
            "#!/usr/bin/env\n",
            "#!/usr/bin/env -i node\n",
            "#!/usr/bin/env node --flag\n",
            "#!/usr/bin/env -S PATH=. node\n",
            "#!/usr/bin/env -S -i node\n",
            "#!/usr/bin/env -S 'no de'\n",
            "#!/usr/bin/env -S ${X}\n",
            "#!/usr/bin/env -vS node\n",
        ] {
            let parsed = parse_first_line(text.as_bytes());
            assert!(matches!(parsed, FirstLine::Unclear(_)), "{text:?}: {parsed:?}");
        }
        assert!(matches!(parse_first_line(b"#!/\xff\n"), FirstLine::Unclear(_)));
    }
}
