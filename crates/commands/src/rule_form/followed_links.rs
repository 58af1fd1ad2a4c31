//! Programs that follow links below a folder: `grep -R` is `grep -r` where no link leads out.
//!
//! See docs/decisions/0117-links-and-lists-of-paths.md.

use crate::command_place::CommandPlace;
use crate::option_tables;

/// Flags that may stand in one word with the one that follows links.
const GREP_FLAGS: &str = "RrnilLwcoHhEFIsqvxa";
const DIFF_FLAGS: &str = "rquNwbBy";

/// The same command without following links, if that makes no difference and no secret lies below.
pub(super) fn drop_following(argv: &[String], place: &CommandPlace) -> Option<Vec<String>> {
    let (program, words) = argv.split_first()?;
    let plain: Vec<String> = match program.as_str() {
        "grep" | "egrep" | "fgrep" => replace_flag(words, GREP_FLAGS, ('R', "r"))?,
        "diff" => replace_flag(words, DIFF_FLAGS, ('r', ""))?,
        _ => return None,
    };
    let plain = [std::slice::from_ref(program), &plain].concat();
    let table = option_tables::find_table(&plain)?;
    let words = plain.get(1..)?;
    let paths = option_tables::find_paths(table, words)?;
    let mut paths: Vec<&str> =
        paths.iter().filter_map(|at| words.get(*at)).map(String::as_str).collect();
    if paths.is_empty() {
        paths.push(".");
    }
    let is_closed = |path: &str| {
        let places = place.find_inside(path).unwrap_or_default();
        let stays = |at: &String| {
            !place.written.may_change_folder(at)
                && place.context.disk.examine_below(at).stays_inside
        };
        !places.is_empty() && places.iter().all(stays)
    };
    paths.iter().all(|path| is_closed(path)).then_some(plain)
}

/// The words with the flag replaced; `None` if it is not there. Behind `--` there are no flags.
fn replace_flag(words: &[String], known: &str, (flag, by): (char, &str)) -> Option<Vec<String>> {
    let mut is_found = false;
    let mut is_open = true;
    let mut plain = Vec::new();
    for word in words {
        is_open &= word != "--";
        let flags = word.strip_prefix('-').filter(|flags| is_open && !flags.starts_with('-'));
        let flags = flags.filter(|flags| flags.contains(flag));
        match flags.filter(|flags| flags.chars().all(|c| known.contains(c))) {
            Some(flags) => {
                is_found = true;
                let rest = flags.replace(flag, by);
                plain.extend((!rest.is_empty()).then(|| format!("-{rest}")));
            }
            None => plain.push(word.clone()),
        }
    }
    is_found.then_some(plain)
}
