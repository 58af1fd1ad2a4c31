//! Ending every process, and starting processes without end.

use super::DangerSearch;
use super::arguments::Arguments;
use crate::loose::{LooseItem, LooseJoin, LooseScan, Word};
use countersign_core::model::danger::DangerKind::Catastrophe;

pub(super) fn check_processes(search: &mut DangerSearch, arguments: &Arguments) {
    let ends_all = match arguments.program.as_str() {
        "kill" => kills_all(arguments),
        "killall5" => !arguments.is_dry(),
        "pkill" | "killall" => matches_all(arguments),
        _ => false,
    };
    if ends_all {
        search.add(Catastrophe, "ends", "every process that it may end");
    }
}

/// A function that starts itself twice, in the background or in a pipe.
pub(super) fn check_fork_bomb(search: &mut DangerSearch, scanned: &LooseScan) {
    let names = list_functions(&scanned.items);
    if names.iter().any(|(at, name)| calls_itself(&scanned.items, *at, name)) {
        search.add(Catastrophe, "starts processes without end", "until this machine stops");
    }
}

/// `kill -9 -1`: the first `-…` is the signal, a later `-1` is every process.
fn kills_all(arguments: &Arguments) -> bool {
    let texts: Vec<String> = arguments
        .words
        .iter()
        .map(|word| word.list_readings().into_iter().next().unwrap_or_default())
        .collect();
    let mut rest = texts.iter().map(String::as_str).peekable();
    match rest.peek().copied() {
        Some("-s" | "-n" | "--signal") => {
            rest.next();
            rest.next();
        }
        Some("--") => {}
        Some(signal) if signal.starts_with('-') => {
            rest.next();
        }
        _ => {}
    }
    rest.any(|text| text == "-1")
}

/// `pkill -u USER` without a pattern, or a pattern that matches every name.
fn matches_all(arguments: &Arguments) -> bool {
    let by_user = arguments.has_option(&["-u", "-U", "--euid", "--uid", "--user"]);
    let mut operands: Vec<&Word> = arguments.operands().collect();
    if by_user && !operands.is_empty() {
        operands.remove(0);
    }
    let is_all = |word: &&Word| ["", ".", ".*", "^", "*"].contains(&word.text.as_str());
    match operands.is_empty() {
        true => by_user,
        false => operands.iter().any(is_all),
    }
}

/// Where functions are defined, and their names.
fn list_functions(items: &[LooseItem]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let LooseItem::Command(command) = item else { continue };
        let texts: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        match (texts.as_slice(), items.get(at + 1), items.get(at + 2)) {
            (["function", name, ..], _, _) => found.push((at, (*name).to_owned())),
            ([.., name], Some(LooseItem::Enter(_)), Some(LooseItem::Leave)) => {
                found.push((at + 2, (*name).to_owned()));
            }
            (_, _, _) => {}
        }
    }
    found
}

/// Whether the function that starts here runs itself beside itself.
fn calls_itself(items: &[LooseItem], start: usize, name: &str) -> bool {
    let commands = items.iter().skip(start).filter_map(|item| match item {
        LooseItem::Command(command) => Some(command),
        LooseItem::Enter(_) | LooseItem::Leave => None,
    });
    for command in commands {
        let words: Vec<&str> = command
            .words
            .iter()
            .map(|word| word.text.as_str())
            .filter(|word| !["{", "function", "do", "then"].contains(word))
            .collect();
        let is_beside = matches!(command.join, LooseJoin::Pipe | LooseJoin::Background);
        // In `function NAME { NAME | NAME & }` the name stands first, too.
        let calls = words.iter().filter(|word| **word == name).count();
        let defines = command.words.first().is_some_and(|word| word.text == "function");
        if is_beside && calls > usize::from(defines) && words.first() == Some(&name) {
            return true;
        }
        if words.contains(&"}") {
            return false;
        }
    }
    false
}
