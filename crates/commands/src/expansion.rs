//! Replaces the patterns of a command by the names that they match now, where a rule may cover them.

use crate::allow::CommandPlace;
use crate::context::normalize;
use crate::option_tables::{self, Effect};
use crate::pattern::expand_pattern;
use crate::strict::Segment;

/// The words of a command with its patterns replaced by what they match now.
pub(crate) fn expand_argv(
    segment: &Segment,
    start: usize,
    place: &CommandPlace,
) -> Result<Vec<String>, String> {
    if segment.patterns.is_empty() {
        return Ok(segment.argv.clone());
    }
    let table = option_tables::find_table(segment.argv.get(start..).unwrap_or_default());
    if !table
        .is_some_and(|table| table.effect == Effect::Reads && table.after_double_dash.is_none())
    {
        return Err("a pattern is expanded, and its command is not one that only reads".to_owned());
    }
    let [folder] = place.folders.known.as_slice() else {
        return Err("a pattern is expanded in a folder that is not certain".to_owned());
    };
    if place.folders.is_open {
        return Err("a pattern is expanded in a folder that is not certain".to_owned());
    }
    let mut argv = Vec::new();
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
        let literal = word.split(['*', '?']).next().unwrap_or_default();
        let parent = literal.rsplit_once('/').map_or("", |(parent, _)| parent);
        let parent = if literal.starts_with('/') && parent.is_empty() { "/" } else { parent };
        if place.written.may_change_folder(&normalize(parent, Some(folder))) {
            return Err(format!("an earlier command may change what `{word}` matches"));
        }
        for found in expand_pattern(word, folder, place.context)? {
            if !place.is_inside(&found) {
                return Err(format!("`{found}` is not inside the workspace, or a secret"));
            }
            argv.push(found);
        }
    }
    Ok(argv)
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
