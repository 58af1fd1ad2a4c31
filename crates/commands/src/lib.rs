//! Shell command lines: read strictly for what may run, loosely for what may not, and judged by
//! rules on argv.
//!
//! Plain words, quoted or not, are a command; anything that a shell could expand, join or redirect
//! is `NotPlain`, and then no command grant covers it. Pure: nothing here runs a program, looks at
//! a disk, or knows a list of safe commands.

mod aliases;
mod allow;
mod breadth;
mod chars;
mod deny;
mod detect;
mod git;
mod judge;
pub mod limits;
mod loose;
mod places;
mod protect;
mod reach;
mod rule;
mod score;
mod strict;
mod subject;
mod tools;
mod wrappers;

use countersign_core::model::command::is_open_argument;
use countersign_core::model::command::{Analysed, Command};

pub use breadth::{Breadth, breadth};
pub use judge::{Cause, Exec, Judged, Judgement, Rules, Verdict, Warning};
pub use places::{Look, NotLooked, Places, Real, Started};
pub use rule::{
    Body, Effect, End, Rule, RuleError, Token, body as parse_body, rules as parse_rules,
};
pub use score::{Expected, Miss};
pub use strict::{Join, Refusal, Segment};

/// Analyses one command line that would run in `cwd`.
pub fn analyse(text: &str, cwd: Option<&str>) -> Analysed {
    let cwd = cwd.map(str::to_owned);
    match plain(text) {
        Some(argv) => {
            let detectors = detect::detectors(&argv);
            Analysed { command: Command::Plain { argv, cwd }, detectors }
        }
        None => Analysed {
            command: Command::NotPlain { text: text.to_owned(), cwd },
            detectors: Vec::new(),
        },
    }
}

/// The commands of a line, where it is nothing but plain commands in a row.
pub fn stages(text: &str) -> Result<Vec<Segment>, Refusal> {
    if chars::intake(text) != chars::Intake::Fine {
        return Err(Refusal { at: 0, why: "characters that a terminal does not show" });
    }
    strict::read(text)
}

/// The words of one simple command that is nothing else.
fn plain(text: &str) -> Option<Vec<String>> {
    if chars::intake(text) != chars::Intake::Fine {
        return None;
    }
    let [Segment { argv, redirections, .. }] =
        <[Segment; 1]>::try_from(strict::read(text).ok()?).ok()?;
    // A literal `<name>` would be taken for an argument that a standing command leaves open.
    let is_plain = redirections.is_empty() && !argv.iter().any(|word| is_open_argument(word));
    is_plain.then_some(argv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_literal_is_the_same_command() {
        let plain = analyse("git push origin", None);
        assert!(plain.command.is_plain());
        for text in ["git push 'origin'", "'git'  push \"origin\"", "git push origin\n"] {
            assert_eq!(analyse(text, None), plain, "{text:?}");
        }
    }

    #[test]
    fn more_than_one_simple_command_is_not_plain() {
        for text in
            ["", "a; b", "a | b", "a 2>&1", "a\nb", "a >/dev/null", "git push '<remote>'", "a $b"]
        {
            assert!(!analyse(text, None).command.is_plain(), "{text:?}");
        }
    }

    #[test]
    fn what_is_shown_of_a_command_reads_back_as_the_same_words() {
        for text in ["git commit -m 'a b'", "echo '' \"it's\" '\"' 'a\nb'", "x HEAD~1 '*'"] {
            let command = analyse(text, None).command;
            assert!(command.is_plain());
            assert_eq!(analyse(&command.to_string(), None).command, command, "{text}");
        }
    }
}
