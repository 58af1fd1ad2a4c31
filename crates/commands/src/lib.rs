//! Shell command lines as argv, under a grammar so strict that no shell reads them otherwise.
//!
//! Plain words and blanks are a command; anything that a shell could expand, join, redirect or
//! quote is `NotPlain`, and then no command grant covers it. Pure: nothing here runs or looks up
//! a program.

mod detect;
mod split;

use countersign_core::command::{Analysed, Command};

/// Analyses one command line that would run in `cwd`.
pub fn analyse(text: &str, cwd: Option<&str>) -> Analysed {
    let cwd = cwd.map(str::to_owned);
    match split::plain_words(text) {
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
