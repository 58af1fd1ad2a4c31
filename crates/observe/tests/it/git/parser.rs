//! Our reading of configuration files equals git's, on generated files.

use super::sandbox::Sandbox;
use countersign_observe::list_git_settings;

/// Pieces that the syntax gives a meaning to, and a few that it does not.
const PIECES: &[&str] = &[
    "[a]",
    "[a",
    "]",
    "[A \"b\"]",
    "[a \"B c\"]",
    "[a.B]",
    "[a \"\\\"\\\\\\x\"]",
    "[a\t\"b\"]",
    "[a \"b\"",
    "[]",
    "[a-1]",
    "[a.b \"c\"]",
    "b",
    "B-c",
    "1",
    "_",
    "=",
    " = ",
    "=x",
    " ",
    "\t",
    "\n",
    "\n",
    "\n\t",
    "\r\n",
    "\r",
    "\"",
    "\"x ;y\"",
    "\"\"",
    ";",
    "# c",
    "\\\n",
    "\\\\",
    "\\t",
    "\\n",
    "\\b",
    "\\\"",
    "\\x",
    "\\",
    "x  y",
    "é",
    "\u{feff}",
    "\u{b}",
    "name = value\n",
    "[s]\n\tk = v\n",
    "k\n",
    "'",
    "=\"a\\\nb\"",
    "true",
    "\u{1}",
];

struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(count).unwrap()).unwrap()
    }

    /// Mostly well-formed lines, so that git accepts many files, and pieces in any order.
    fn next_file(&mut self) -> String {
        let mut text = String::new();
        if self.below(8) == 0 {
            text.push('\u{feff}');
        }
        for _ in 0..1 + self.below(6) {
            match self.below(8) {
                0 => (0..self.below(4)).for_each(|_| text.push_str(self.pick(PIECES))),
                1 | 2 => text.push_str(self.pick(SECTIONS)),
                _ => {
                    text.push_str(self.pick(&["k", "Key", "a-1", "\tk", " k"]));
                    text.push_str(self.pick(&["=", " = ", "\t=  ", " ", "= "]));
                    (0..self.below(5)).for_each(|_| text.push_str(self.pick(VALUES)));
                }
            }
            text.push_str(self.pick(&["\n", "\n", "\r\n", "\n\n", " \n", ""]));
        }
        text
    }

    fn pick(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }
}

const SECTIONS: &[&str] = &[
    "[a]",
    "[A.b]",
    "[a \"B c\"]",
    "[a \"\\\"\\\\\\x\"]",
    "[a\t\"b\"]",
    "[a-1] k = v",
    "[a.b \"c.d\"]",
    "  [a] ; x",
];

const VALUES: &[&str] = &[
    "x", "x  y", "\t", " ", "\"", "\"x ;y\"", "\"\"", ";", "#", "\\\n", "\\\r\n", "\\\\", "\\t",
    "\\\"", "\\n", "é", "\r", "'", "=", "[", "]", "\u{b}", "true",
];

/// What git lists, in the form `key\nvalue\0`; `None` if it refuses the file.
fn list_by_git(sandbox: &Sandbox, git: &str, file: &str) -> Option<String> {
    let words = [git, "config", "--file", file, "--list", "-z"].map(str::to_owned);
    let output = sandbox.run("home", &words);
    output.status.success().then(|| unify_blanks(&String::from_utf8(output.stdout).unwrap()))
}

fn list_by_us(text: &str) -> Option<String> {
    let settings = list_git_settings(text.as_bytes())?;
    let write = |(key, value): (String, Option<String>)| match value {
        Some(value) => format!("{key}\n{value}\0"),
        None => format!("{key}\0"),
    };
    Some(unify_blanks(&settings.into_iter().map(write).collect::<String>()))
}

/// Git before 2.45 reads every blank in a value as a space.
fn unify_blanks(list: &str) -> String {
    list.replace(['\t', '\r'], " ")
}

fn check_files(git: &str, seed: u64) {
    let sandbox = Sandbox::new();
    let mut random = Random(seed);
    let mut accepted = 0;
    for number in 0..1_200 {
        let text = random.next_file();
        sandbox.write("home/generated", &text);
        let by_git = list_by_git(&sandbox, git, "generated");
        accepted += usize::from(by_git.as_ref().is_some_and(|list| !list.is_empty()));
        assert_eq!(list_by_us(&text), by_git, "file {number}: {text:?}");
    }
    assert!(accepted > 500, "{accepted} files with settings are too few");
}

#[test]
fn our_reading_of_a_generated_file_equals_that_of_git() {
    check_files("git", 0x5eed_0001);
}

/// The system may have a second git.
#[test]
fn our_reading_of_a_generated_file_equals_that_of_the_systems_git() {
    check_files("/usr/bin/git", 0x5eed_0002);
}
