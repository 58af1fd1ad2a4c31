//! What callgrind counts of command rules: `rules-probe <family> <characters>`.
//!
//! A family is a piece of text that is repeated to the given length; each one tries to make some
//! part of the judgement cost more than its share. With no characters only the rules are set up.

use countersign_commands::{CommandContext, NoDiskLookup, RuleSet};
use std::hint::black_box;
use std::process::ExitCode;

const FAMILIES: &[(&str, &str, &str)] = &[
    ("words", "ls ", "a "),
    ("options", "git log ", "-p "),
    ("options-unknown", "git log ", "--a=b "),
    ("quotes", "ls ", "'a'\"b\" "),
    ("quotes-open", "ls ", "'\""),
    ("long-word", "ls ", "a"),
    ("long-path", "cat ", "a/"),
    ("climbing-path", "cat ", "a/../"),
    ("commas", "cat ", "a,"),
    ("colons", "cat ", "a:"),
    ("joins", "", "ls;"),
    ("pipes", "", "ls|"),
    ("newlines", "ls", "\n"),
    ("assignments", "", "A=1 "),
    ("env", "", "env "),
    ("env-options", "", "env -x "),
    ("sudo", "", "sudo -u "),
    ("xargs", "", "xargs -x git "),
    ("bash", "", "bash "),
    ("bash-c", "", "bash -c git "),
    ("eval", "", "eval "),
    ("find", "", "find -exec git "),
    ("braces", "", "{ git "),
    ("brace-words", "ls ", "{a,"),
    ("groups", "", "("),
    ("substitutions", "", "$("),
    ("substitutions-closed", "ls ", "$(a) "),
    ("in-quotes", "ls \"", "$(a)"),
    ("defaults", "ls ", "${a:-"),
    ("backticks", "ls ", "`a` "),
    ("backticks-escaped", "ls `", "\\`"),
    ("backslashes", "ls `", "\\\\"),
    ("documents", "ls ", "<<E "),
    ("documents-ended", "ls ", "<<E\nE\n"),
    ("here-strings", "ls ", "<<<a "),
    ("redirections", "ls ", ">abc "),
    ("comments", "ls ", "# a\n"),
    ("hashes", "ls ", "# "),
    ("continued", "ls ", "\\\n"),
    ("dollar-continued", "ls ", "$\\\n"),
    ("loops", "for f in 1 2 3 4 5 6 7 8; do ls ", "$f "),
    ("loop-words", "for f in ", "a "),
    ("escapes", "ls ", "\\( "),
    ("statuses", "echo ", "$? "),
    ("variables", "x=a; ls ", "$x "),
    ("cases", "", "case a in b) "),
    ("our-name", "ls ", "countersig"),
    ("our-port", "ls ", "777 "),
    ("denied-words", "git ", "push "),
    ("denied-options", "git ", "-f "),
    ("ansi", "ls ", "$'\\x61' "),
    ("wide", "ls '", "日"),
];

const RULES: &str = "allow ls *; allow git log *; allow cat <path:ws>; deny rm *; \
                     deny git push origin --force *; deny git -x push; deny path ./.env; \
                     deny path ./secrets";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [only] if only == "--list" => {
            FAMILIES.iter().for_each(|(name, ..)| println!("{name}"));
            ExitCode::SUCCESS
        }
        [family, characters] => probe(family, characters).unwrap_or_else(usage),
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: rules-probe --list | <family> <characters>");
    ExitCode::from(2)
}

fn probe(family: &str, characters: &str) -> Option<ExitCode> {
    let (_, head, piece) = FAMILIES.iter().find(|(name, ..)| *name == family)?;
    let characters: usize = characters.parse().ok()?;
    let rules = RuleSet::parse(RULES).ok()?;
    let places = CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };
    if characters > 0 {
        let text: String = head.chars().chain(piece.chars().cycle()).take(characters).collect();
        black_box(rules.judge(black_box(&text), &places));
    }
    Some(ExitCode::SUCCESS)
}
