//! Replaces the patterns of a command by the names that they match now, and `$?` by an unknown value,
//! where a rule may cover them.
//!
//! See docs/decisions/0069-escapes-statuses-and-patterns-without-a-match.md.

use crate::command_place::CommandPlace;
use crate::loose::UNKNOWN_VALUE;
use crate::option_tables::{self, ProgramEffect};
use crate::pattern::expand_pattern;
use crate::strict::{Segment, SegmentOrigin};

/// Commands that print or compare their words. Elsewhere a number could be a file or an option.
const STATUS_READERS: &[&str] = &["echo", "printf", "test", "["];

/// The words of a command with what the shell expands replaced by its value.
pub(crate) fn expand_argv(
    segment: &Segment,
    start: usize,
    place: &CommandPlace,
) -> Result<Vec<String>, String> {
    match (segment.patterns.is_empty(), segment.statuses.is_empty()) {
        (true, true) => Ok(segment.argv.clone()),
        (false, true) => expand_patterns(segment, start, place),
        (true, false) => hide_statuses(segment, start),
        (false, false) => Err("a pattern and a status are expanded".to_owned()),
    }
}

/// The words with an unknown value in the place of each status, so that no rule names it.
fn hide_statuses(segment: &Segment, start: usize) -> Result<Vec<String>, String> {
    let mut argv = segment.argv.clone();
    for at in &segment.statuses {
        if let Some(word) = argv.get_mut(*at) {
            *word = hide_status(word);
        }
    }
    let words = argv.get(start..).unwrap_or_default();
    let table = option_tables::find_table(words)
        .filter(|table| STATUS_READERS.contains(&table.name.as_str()))
        .ok_or("a status is expanded, and its command does more than to print or compare it")?;
    let paths = option_tables::find_paths(table, words.get(1..).unwrap_or_default());
    let is_path = |at: &&usize| {
        paths.as_ref().is_none_or(|paths| paths.iter().any(|path| path + start + 1 == **at))
    };
    match segment.statuses.iter().find(is_path) {
        Some(_) => Err("a status is expanded in a path".to_owned()),
        None => Ok(argv),
    }
}

/// Every `$` of such a word begins a status.
fn hide_status(word: &str) -> String {
    let mut hidden = String::new();
    let mut parts = word.split('$');
    hidden.extend(parts.next());
    for part in parts {
        let rest = part.strip_prefix('?').or_else(|| part.split_once('}').map(|(_, rest)| rest));
        hidden.push(UNKNOWN_VALUE);
        hidden.extend(rest);
    }
    hidden
}

/// The words with patterns replaced by what they match now.
fn expand_patterns(
    segment: &Segment,
    start: usize,
    place: &CommandPlace,
) -> Result<Vec<String>, String> {
    let table = option_tables::find_table(segment.argv.get(start..).unwrap_or_default());
    if !table.is_some_and(|table| {
        table.effect == ProgramEffect::Reads && table.after_double_dash.is_none()
    }) {
        return Err("a pattern is expanded, and its command is not one that only reads".to_owned());
    }
    let [folder] = place.folders.known.as_slice() else {
        return Err("a pattern is expanded in a folder that is not certain".to_owned());
    };
    if place.folders.is_open {
        return Err("a pattern is expanded in a folder that is not certain".to_owned());
    }
    let mut argv = Vec::new();
    let mut unmatched = Vec::new();
    let mut after_dashes = false;
    for (index, word) in segment.argv.iter().enumerate() {
        after_dashes |= word == "--";
        if !segment.patterns.contains(&index) {
            argv.push(word.clone());
            continue;
        }
        if word.starts_with('-') && !after_dashes && !matches_anything(word, folder, place) {
            // `--include=*.rs`: no name starts like that, so the shell passes the word on as it is.
            argv.push(word.clone());
            continue;
        }
        if word.starts_with(['*', '?', '-']) && !after_dashes {
            return Err(format!("what `{word}` matches could be an option"));
        }
        check_parent(word, place)?;
        let mut found = expand_pattern(word, folder, place.context)?;
        if segment.origin == SegmentOrigin::Loop && !found.iter().all(|found| is_one_word(found)) {
            return Err(format!("a name that `{word}` matches may be split into words"));
        }
        if found.is_empty() {
            // Nothing matches, so the shell passes the word on as it is.
            unmatched.push(argv.len());
            found.push(word.clone());
        }
        for found in found {
            if !place.is_inside(&found) {
                return Err(format!("`{found}` is not inside the workspace, or a secret"));
            }
            argv.push(found);
        }
    }
    check_unmatched(&unmatched, &argv, start, place)?;
    Ok(argv)
}

/// Whether an unquoted variable with this value is one word, and the same one.
fn is_one_word(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&b))
}

/// What a pattern matches is certain only if its folder is inside, and no other command of the line
/// writes there.
fn check_parent(word: &str, place: &CommandPlace) -> Result<(), String> {
    let literal = word.split(['*', '?']).next().unwrap_or_default();
    let parent = match literal.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((parent, _)) => parent,
        None => ".",
    };
    let places = place.context.find_inside(parent, place.folders);
    let places = places.ok_or_else(|| format!("`{parent}` is not inside the workspace"))?;
    match places.iter().any(|place_of_parent| place.written.may_change_folder(place_of_parent)) {
        true => Err(format!("an earlier command may change what `{word}` matches")),
        false => Ok(()),
    }
}

/// A shell with `nullglob` leaves out a pattern that matches nothing. Then no other word may get
/// another meaning, and what the command reads without the word must be inside.
fn check_unmatched(
    unmatched: &[usize],
    argv: &[String],
    start: usize,
    place: &CommandPlace,
) -> Result<(), String> {
    let free = option_tables::find_free_operands(argv.get(start..).unwrap_or_default());
    let free = free.unwrap_or_default();
    let is_free = |at: &usize| free.iter().any(|free| free + start == *at);
    let wrong = unmatched.iter().find(|at| !is_free(at) || !place.is_inside("."));
    match wrong.and_then(|at| argv.get(*at)) {
        Some(word) => Err(format!("the pattern `{word}` matches nothing")),
        None => Ok(()),
    }
}

/// Whether a pattern in the form of an option matches a name in the folder now, or may do so.
fn matches_anything(word: &str, folder: &str, place: &CommandPlace) -> bool {
    let literal = word.split(['*', '?']).next().unwrap_or_default();
    let is_option = literal.starts_with("--") && literal.contains('=') && !literal.contains('/');
    let names = place.context.disk.list_folder(folder);
    let Some(names) = names.filter(|_| is_option && !place.written.may_change_folder(folder))
    else {
        return true;
    };
    names.iter().any(|name| name.starts_with(literal))
}
