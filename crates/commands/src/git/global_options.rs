//! The options in front of git's subcommand. `git -C DIR status` is `git status` in DIR: rules, paths
//! and the configuration are looked at there.
//!
//! See docs/decisions/0072-the-form-of-a-command.md.

use crate::command_place::CommandPlace;
use crate::context::{PathCertainty, PathEntry, is_plain_path};
use crate::working_folders::FolderSet;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PagerOption {
    AsConfigured,
    Off,
}

/// The options in front of a subcommand, and what follows them.
pub(super) struct GlobalOptions<'a> {
    /// The values of `-C`. Each starts where the one before leads.
    folders: Vec<&'a str>,
    pub(super) pager: PagerOption,
    /// The subcommand and its words; empty without one.
    pub(super) rest: &'a [String],
}

/// Options that choose neither a folder nor a setting nor a program.
const PLAIN_OPTIONS: &[&str] = &[
    "--no-pager",
    "-P",
    "--no-optional-locks",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--literal-pathspecs",
];

/// Options that are a subcommand themselves.
const LAST_OPTIONS: &[&str] = &["--version", "-v", "-h"];

impl<'a> GlobalOptions<'a> {
    /// `words` follow `git`. An error says which option may change what git runs.
    pub(super) fn read(words: &'a [String]) -> Result<Self, String> {
        let mut front = Self { folders: Vec::new(), pager: PagerOption::AsConfigured, rest: words };
        while let Some((option, rest)) = front.rest.split_first() {
            let value = rest.first().map(String::as_str);
            let skipped = match (option.as_str(), value) {
                ("-C", Some(folder)) => {
                    front.folders.push(folder);
                    2
                }
                ("-c", Some(setting)) if is_harmless_setting(setting) => 2,
                ("--no-pager" | "-P", _) => {
                    front.pager = PagerOption::Off;
                    1
                }
                (plain, _) if PLAIN_OPTIONS.contains(&plain) => 1,
                (last, None) if LAST_OPTIONS.contains(&last) => 1,
                (option, _) if option.starts_with('-') => {
                    let why = "in front of the subcommand may change what git runs";
                    return Err(format!("`{option}` {why}"));
                }
                _ => break,
            };
            front.rest = front.rest.get(skipped..).unwrap_or_default();
        }
        Ok(front)
    }
}

/// A setting that changes only how git prints, with a value that is no path.
fn is_harmless_setting(setting: &str) -> bool {
    let Some((key, value)) = setting.split_once('=') else { return false };
    let key = key.to_ascii_lowercase();
    let is_word = value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    match key.as_str() {
        "core.pager" => value == "cat",
        "core.fsmonitor" => value == "false",
        "color.ui"
        | "color.diff"
        | "color.status"
        | "color.branch"
        | "core.quotepath"
        | "diff.algorithm"
        | "diff.noprefix"
        | "diff.mnemonicprefix"
        | "diff.renames" => is_word,
        _ => key.starts_with("advice.") && is_word,
    }
}

/// Where a git command runs with the `-C` in front of its subcommand.
pub(crate) struct GitEntry {
    /// Without the options in front of the subcommand.
    pub(crate) argv: Vec<String>,
    /// `None` without `-C`.
    pub(crate) folders: Option<FolderSet>,
}

/// Follows the `-C` of a git command. `None` if there is nothing in front of its subcommand, or an
/// option that `check_configuration` refuses.
pub(crate) fn enter_folders(
    argv: &[String],
    place: &CommandPlace,
) -> Result<Option<GitEntry>, String> {
    let Some((program, words)) = argv.split_first() else { return Ok(None) };
    let Ok(front) = GlobalOptions::read(words) else { return Ok(None) };
    if front.rest.is_empty() || front.rest.len() == words.len() {
        return Ok(None);
    }
    let argv = [std::slice::from_ref(program), front.rest].concat();
    if front.folders.is_empty() {
        return Ok(Some(GitEntry { argv, folders: None }));
    }
    let folders = find_folders(&front.folders, place)?;
    Ok(Some(GitEntry { argv, folders: Some(folders) }))
}

/// Where a program acts that enters these folders one after the other.
pub(crate) fn find_folders(entered: &[&str], place: &CommandPlace) -> Result<FolderSet, String> {
    let mut folders = FolderSet::default();
    for start in &place.folders.known {
        let follow = |folder: String, word: &&str| find_folder(word, &folder, place);
        folders.add(entered.iter().try_fold(start.clone(), follow)?);
    }
    if place.folders.is_open || folders.is_open || folders.known.is_empty() {
        return Err("it starts in a folder that is not known".to_owned());
    }
    Ok(folders)
}

/// The existing folder that a word leads to. Git enters it as the kernel does, links first.
fn find_folder(word: &str, from: &str, place: &CommandPlace) -> Result<String, String> {
    let refused = || Err(format!("`{word}` does not lead to one existing folder"));
    let (places, certainty) = place.context.resolve_from(word, Some(from));
    let ([folder], PathCertainty::Known) = (places.as_slice(), certainty) else { return refused() };
    if !is_plain_path(word) || place.context.disk.read_entry(word, Some(from)) != PathEntry::Folder
    {
        return refused();
    }
    if place.written.covers(folder) {
        return Err(format!("an earlier command may have replaced `{word}`"));
    }
    Ok(folder.clone())
}
