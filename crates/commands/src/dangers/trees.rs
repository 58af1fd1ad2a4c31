//! Recursive deletes, moves and changes of owner or mode.

use super::DangerSearch;
use super::arguments::Arguments;
use super::landmarks::{LastLink, NamedFolder, find_folder};
use crate::loose::{LooseItem, LooseScan, Word};
use crate::working_folders::FolderSet;
use crate::wrappers::base_name;

/// What a command does to whole folders.
struct TreeDeed<'w> {
    does: &'static str,
    operands: Vec<&'w Word>,
    last_link: LastLink,
}

/// Programs that delete a folder with what is in it.
const DELETING: &[&str] = &["rm", "grm", "srm", "wipe", "trash", "trash-put", "rimraf", "del-cli"];
const POWERSHELL_DELETING: &[&str] = &["remove-item", "ri", "rd", "rmdir", "del", "erase"];

/// Conditions of `find` that leave something out.
const FIND_FILTERS: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newer",
    "-size",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-perm",
    "-empty",
    "-inum",
    "-links",
    "-lname",
    "-samefile",
    "-nouser",
    "-nogroup",
    "-used",
    "-newermt",
    "-anewer",
    "-cnewer",
    "-fstype",
];

pub(super) fn check_trees(search: &mut DangerSearch, arguments: &Arguments, folders: &FolderSet) {
    let Some(deed) = read_deed(arguments) else { return };
    let find = |word: &Word| find_folder(word, deed.last_link, folders, search.context);
    let mut found: Vec<NamedFolder> = deed.operands.iter().filter_map(|word| find(word)).collect();
    if deed.operands.is_empty() {
        // `xargs` gives it what another command of the line prints.
        found.extend(search.printed.iter().filter_map(find));
    }
    for NamedFolder { kind, what } in found {
        // "in everything" reads badly.
        let is_root = deed.does.ends_with(" in") && what == "everything on this machine";
        let what = if is_root { "the root folder /".to_owned() } else { what };
        search.add(kind, deed.does, what);
    }
}

fn read_deed<'w>(arguments: &Arguments<'w>) -> Option<TreeDeed<'w>> {
    let is_recursive = arguments.has_letter(&['r', 'R']) || arguments.has_long("--recursive");
    let deed = |does, operands| Some(TreeDeed { does, operands, last_link: LastLink::Kept });
    let operands = || arguments.operands().collect::<Vec<_>>();
    match arguments.program.as_str() {
        name if DELETING.contains(&name) => {
            let always = ["rimraf", "trash", "trash-put", "del-cli"].contains(&name);
            (is_recursive || always).then(|| deed("deletes", operands()))?
        }
        name if POWERSHELL_DELETING.contains(&name) && is_powershell_recursive(arguments) => {
            deed("deletes", operands().into_iter().filter(|word| !is_switch(&word.text)).collect())
        }
        "find" | "gfind" | "fd" | "fdfind" => deed("deletes", read_find(arguments)?),
        "mv" | "gmv" => deed("moves away", read_moved(arguments)),
        "rsync" => deed("deletes files of", read_rsync(arguments)?),
        "chmod" | "gchmod" if is_recursive => {
            let operands = operands();
            let (mode, rest) = operands.split_first()?;
            let does = match is_open_mode(&mode.text) {
                true => "recursively makes everything writable for everybody in",
                false => "recursively changes the mode of",
            };
            let reference = arguments.has_option(&["--reference"]);
            let rest = if reference { operands.clone() } else { rest.to_vec() };
            Some(TreeDeed { does, operands: rest, last_link: LastLink::Followed })
        }
        "chown" | "chgrp" | "gchown" | "setfacl" | "chattr" | "chcon" | "restorecon" | "icacls"
            if is_recursive =>
        {
            let does = "recursively changes owner or rights of";
            Some(TreeDeed { does, operands: operands(), last_link: LastLink::Followed })
        }
        _ => None,
    }
}

/// Whether a mode lets everybody write.
pub(super) fn is_open_mode(mode: &str) -> bool {
    let octal = mode.trim_start_matches('0');
    let is_octal = !octal.is_empty() && octal.bytes().all(|b| b.is_ascii_digit());
    match is_octal {
        true => octal.ends_with(['2', '3', '6', '7']),
        false => mode.split(',').any(|part| {
            let (who, what) = part.split_once(['+', '=']).unwrap_or((part, ""));
            (who.is_empty() || who.contains(['a', 'o'])) && what.contains('w')
        }),
    }
}

fn is_switch(text: &str) -> bool {
    text.starts_with('/') && text.len() == 2
}

fn is_powershell_recursive(arguments: &Arguments) -> bool {
    let mut texts = arguments.texts().map(str::to_ascii_lowercase);
    texts.any(|text| text == "/s" || (text.len() > 3 && "-recurse".starts_with(&text)))
}

/// The folders below which `find` deletes everything.
fn read_find<'w>(arguments: &Arguments<'w>) -> Option<Vec<&'w Word>> {
    let texts: Vec<&str> = arguments.texts().collect();
    let deletes = texts.contains(&"-delete")
        || texts.windows(2).any(|pair| {
            let runs = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
            let program = pair.get(1).map(|program| base_name(program)).unwrap_or_default();
            pair.first().is_some_and(|option| runs.contains(option))
                && ["rm", "shred", "unlink", "mv"].contains(&program)
        });
    let is_filter = |at: usize, text: &str| {
        let value = texts.get(at + 1).copied().unwrap_or_default();
        FIND_FILTERS.contains(&text) && value != "*"
    };
    let is_filtered = texts.iter().enumerate().any(|(at, text)| is_filter(at, text));
    if !deletes || is_filtered {
        return None;
    }
    let starts = |word: &&Word| !word.text.starts_with(['-', '(', '!']);
    let leading = arguments
        .words
        .iter()
        .skip_while(|word| ["-L", "-H", "-P", "-O3"].contains(&word.text.as_str()));
    Some(leading.take_while(starts).collect())
}

/// What `mv` moves: all operands but the last, or all with `-t`.
fn read_moved<'w>(arguments: &Arguments<'w>) -> Vec<&'w Word> {
    let mut operands: Vec<&Word> = arguments.operands().collect();
    if !arguments.has_option(&["-t", "--target-directory"]) {
        operands.pop();
    }
    operands
}

/// Where `rsync --delete` deletes what its source does not have.
fn read_rsync<'w>(arguments: &Arguments<'w>) -> Option<Vec<&'w Word>> {
    let deletes = arguments.texts().any(|text| text.starts_with("--del"));
    let target = arguments.operands().last()?;
    (deletes && !arguments.is_dry() && !arguments.has_letter(&['n'])).then(|| vec![target])
}

/// What commands print that another one may read as operands.
pub(super) fn list_printed(scanned: &LooseScan) -> Vec<Word> {
    let has_reader = scanned.items.iter().any(|item| match item {
        LooseItem::Command(command) => command
            .words
            .iter()
            .any(|word| ["xargs", "parallel", "read"].contains(&base_name(&word.text))),
        LooseItem::Enter(_) | LooseItem::Leave => false,
    });
    if !has_reader {
        return Vec::new();
    }
    let mut printed = Vec::new();
    for item in &scanned.items {
        let LooseItem::Command(command) = item else { continue };
        let Some(arguments) = Arguments::new(&command.words) else { continue };
        match arguments.program.as_str() {
            "echo" | "printf" | "ls" => printed.extend(arguments.operands().map(|word| {
                let text = word.text.trim_end_matches("\\n").trim_end_matches("\\0").to_owned();
                Word { text, ..word.clone() }
            })),
            "find" => {
                let is_filtered = arguments.texts().any(|text| FIND_FILTERS.contains(&text));
                let starts = arguments.words.iter().take_while(|word| !word.text.starts_with('-'));
                printed.extend(starts.filter(|_| !is_filtered).cloned());
            }
            _ => {}
        }
    }
    for input in &scanned.inputs {
        let word = |text: &str| Word { text: text.to_owned(), ..Word::default() };
        printed.extend(input.text.split_whitespace().take(8).map(word));
    }
    printed
}

#[cfg(test)]
mod tests {
    use super::is_open_mode;

    #[test]
    fn a_mode_is_open_if_everybody_may_write() {
        for mode in ["777", "0777", "666", "a+w", "o+w", "+w", "a=rwx", "u+x,o+rw", "1777", "2"] {
            assert!(is_open_mode(mode), "{mode}");
        }
        for mode in ["755", "644", "u+w", "g+w", "o-w", "a+r", "700", "u=rwx,g=rx", "+x"] {
            assert!(!is_open_mode(mode), "{mode}");
        }
    }
}
