//! The argv of our strict parser equals the argv that bash produces.

use countersign_commands::analyse;
use countersign_core::model::command::Command as Line;
use std::io::Write;
use std::process::{Command, Stdio};

/// Pieces of words. Most combinations are accepted, many are not.
const PIECES: &[&str] = &[
    "git",
    "push",
    "a",
    "-x",
    "--long=v",
    "x=y",
    "é",
    "'a b'",
    "\"a b\"",
    "''",
    "\"\"",
    "'$x'",
    "\"\\$x\"",
    "\"a\\\"b\"",
    "\"\\\\\"",
    "\"\\n\"",
    "'\\'",
    "'*'",
    "\"*\"",
    "'a\nb'",
    "\"a\nb\"",
    "#",
    "a#b",
    "HEAD~1",
    "~",
    "%1",
    "@",
    "+x",
    ",",
    ":",
    "'größe'",
    "'日本語'",
    "\"`\"",
    "\\ ",
    "'|'",
    "';'",
    "'&&'",
    "\"'\"",
    "'\"'",
    ".",
    "..",
    "/",
    "//x",
    "=",
    "a=~",
    "a:~",
    "{a,b}",
    "!",
    "'!'",
    "\"!\"",
    "2>&1",
    "\"\\a\"",
    "\"\\\n\"",
    "'#'",
    "if",
    "'if'",
    "-",
    "--",
    "^",
    "a^b",
    "HEAD^^",
    "@{u}",
    "a@{0}..b^{c}",
    "\"a$\"",
    "\"a$ b$|c$)\"",
    "[a]",
    "\\(",
    "\\)",
    "\\;",
    "\\!",
    "\\$x",
    "\\\"",
    "\\'",
    "\\|",
    "\\&\\&",
    "\\*",
    "\\?x",
    "\\~",
    "\\#",
    "\\\\",
    "\\\t",
    "\\{a,b\\}",
    "\\[a\\]",
    "\\=x",
    "\\<\\>",
    "\\`",
    "\\-x",
    "\\n",
    "a\\\nb",
    "\\\n",
    " \\\n ",
    "\"a\\\nb\"",
    "\"\\`\"",
    "'\\\n'",
    "#\\\n",
];
const SEPARATORS: &[&str] = &["", "", " ", " ", " ", "  ", "\t", " \t", "\n"];

/// A small deterministic generator, so that failures are reproducible.
struct LineGenerator(u64);

impl LineGenerator {
    fn next_below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn next_line(&mut self) -> String {
        let mut line = String::from(["git", "'git'", "g\"i\"t", "make"][self.next_below(4)]);
        for _ in 0..=self.next_below(8) {
            line.push_str(SEPARATORS[self.next_below(SEPARATORS.len())]);
            line.push_str(PIECES[self.next_below(PIECES.len())]);
        }
        line
    }
}

/// Generates distinct lines that our parser accepts, with their words.
fn generate_accepted_lines(count: usize) -> Vec<(String, Vec<String>)> {
    let mut generator = LineGenerator(7);
    let mut seen = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    while found.len() < count {
        let line = generator.next_line();
        if let Line::Plain { argv, .. } = analyse(&line, None).command
            && seen.insert(line.clone())
        {
            found.push((line, argv));
        }
    }
    found
}

/// Lets one bash process pass the words of every line to a function that prints them.
fn parse_with_bash(lines: &[(String, Vec<String>)]) -> Vec<Vec<String>> {
    let mut script = String::from("p() { printf '%s\\0' \"$@\"; printf '\\001\\0'; }\n");
    for (line, _) in lines {
        script.push_str(&format!("p {line}\n"));
    }
    let mut bash = Command::new("bash")
        .args(["--norc", "--noprofile", "-r"])
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = bash.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(script.as_bytes()));
    let output = bash.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<String> = text.split('\0').map(str::to_owned).collect();
    let lines = words.split(|word| word == "\u{1}").map(<[String]>::to_vec);
    lines.take(count_lines(&text)).collect()
}

fn count_lines(text: &str) -> usize {
    text.matches("\u{1}\0").count()
}

#[test]
fn our_words_equal_the_words_of_bash() {
    let lines = generate_accepted_lines(12_000);
    let theirs = parse_with_bash(&lines);
    assert_eq!(theirs.len(), lines.len());
    for ((line, ours), theirs) in lines.iter().zip(theirs) {
        assert_eq!(*ours, theirs, "{line:?}");
    }
}

/// Shows that the comparison can find a wrong parser.
#[test]
fn splitting_at_whitespace_differs_from_bash() {
    let lines = generate_accepted_lines(200);
    let naive = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let differ = lines
        .iter()
        .zip(parse_with_bash(&lines))
        .filter(|((line, _), theirs)| naive(line) != *theirs);
    assert!(differ.count() > 50);
}
