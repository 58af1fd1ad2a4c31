//! Heads of programs without an option table: the program and its first word, or a script of the
//! workspace.
//!
//! Every developer has tools of their own, and tables will never name them all. What the further
//! words mean is unknown, so a yes reaches only to words that cannot lead elsewhere: no other program,
//! no host, no path outside of the workspace.
//!
//! See docs/decisions/0099-heads-for-every-program.md.
//! See docs/decisions/0133-programs-of-ones-own.md.

use crate::breadth::{always_runs_workspace_code, reaches_other_machines};
use crate::command_place::CommandPlace;
use crate::context::{PinnedFile, ProgramFile};
use crate::interpreted_code::find_code_files;
use crate::limits::{MAX_FILE_NAME_BYTES, MAX_OPEN_HEAD_WORDS};
use crate::option_tables;
use crate::subject::{can_run_other_programs, explain_untrusted_program};
use crate::wrappers::base_name;
use countersign_programs::own_programs::{has_no_head, is_switch, leaves_or_deletes};

/// The head of a command that no table describes, and what a class may make of it.
#[derive(Debug)]
pub(crate) struct OpenHead {
    pub(crate) words: Vec<String>,
    /// The rule by which a class stands for such commands; none if their words say that something
    /// leaves the machine, is deleted or is started.
    pub(crate) class_rule: Option<[&'static str; 2]>,
    /// The script, which a yes pins.
    pub(crate) code: Vec<PinnedFile>,
}

/// As classes write it: a program without a table, with plain words.
const OWN_PROGRAM: [&str; 2] = ["PROGRAM", "WORD"];
/// A script of the workspace, or an interpreter and such a script.
const OWN_SCRIPT: [&str; 2] = ["PROGRAM", "SCRIPT"];

/// The head of a command whose program has no table, if a yes may cover further words.
pub(crate) fn find_open_head(
    argv: &[String],
    program_file: &ProgramFile,
    place: &CommandPlace,
) -> Option<OpenHead> {
    let (program, words) = argv.split_first()?;
    let is_fixed = match program_file {
        ProgramFile::Protected { .. } | ProgramFile::Absent { .. } => true,
        ProgramFile::Replaceable { files, .. } => files.iter().all(|file| file.hash.is_ok()),
        ProgramFile::Unknown | ProgramFile::NotFound { .. } => false,
    };
    let is_trusted = explain_untrusted_program(program, program_file, place.context).is_none();
    if !is_fixed || !is_trusted || words.len() > MAX_OPEN_HEAD_WORDS {
        return None;
    }
    let stays = |words: &[String]| words.iter().all(|word| stays_here(word, place));
    if program.contains('/') {
        let script = find_own_script(program, place)?;
        return stays(words).then(|| OpenHead::of_script(vec![script], words, Vec::new()));
    }
    if can_run_other_programs(program) {
        let [folder] = place.folders.known.as_slice() else { return None };
        let (script, further) = words.split_first()?;
        let path = find_own_script(script, place)?;
        let code = find_code_files(argv, Some(folder), place.context)?;
        return stays(further)
            .then(|| OpenHead::of_script(vec![program.clone(), path], further, code));
    }
    let is_named = option_tables::find_table(argv).is_some()
        || always_runs_workspace_code(program)
        || has_no_head(program);
    if is_named || !stays(words) {
        return None;
    }
    OpenHead::of_program(program, words, place)
}

impl OpenHead {
    /// The name of a script says as much as a subcommand.
    fn of_script(head: Vec<String>, further: &[String], code: Vec<PinnedFile>) -> Self {
        let name = head.last().map(|path| base_name(path));
        let name = name.map(|name| name.split('.').next().unwrap_or(name).to_owned());
        let is_local = !leaves_or_deletes(name.as_slice()) && !leaves_or_deletes(further);
        let class_rule = is_local.then_some(OWN_SCRIPT);
        Self { words: head, class_rule, code }
    }

    fn of_program(program: &str, words: &[String], place: &CommandPlace) -> Option<Self> {
        let first = words.iter().find(|word| !is_switch(word));
        let head = match first {
            Some(first) if is_plain_word(first) => vec![program.to_owned(), first.clone()],
            // A file of the workspace, or no operand at all.
            Some(first) if first.contains(['/', '.']) && place.is_inside(first) => {
                vec![program.to_owned()]
            }
            None => vec![program.to_owned()],
            Some(_) => return None,
        };
        let is_local = !leaves_or_deletes(words) && !reaches_other_machines(program);
        Some(Self { words: head, class_rule: is_local.then_some(OWN_PROGRAM), code: Vec::new() })
    }
}

/// Where a script lies, if that is one place inside of the workspace. The head names the place: the
/// same words lead elsewhere from another folder.
fn find_own_script(word: &str, place: &CommandPlace) -> Option<String> {
    let mut places = place.find_inside(word).filter(|_| !place.written.has_edits)?.into_iter();
    let only = places.next()?;
    (places.all(|other| other == only) && place.context.workspace.is_some()).then_some(only)
}

fn is_plain_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Whether a word cannot lead to another program, another machine or a path that is not inside.
fn stays_here(word: &str, place: &CommandPlace) -> bool {
    if word == "--" {
        return false;
    }
    match word.starts_with('-').then(|| word.split_once('=')) {
        // An option alone. With a slash, a path may be attached to it.
        Some(None) => !word.contains(['/', '~', ':', '@']),
        Some(Some((_, value))) => value.is_empty() || is_local_value(value, place),
        None => is_local_value(word, place),
    }
}

/// Of a text, what it begins with counts: `curl x` in one word may be a command for another program.
fn is_local_value(word: &str, place: &CommandPlace) -> bool {
    let first = word.split_whitespace().next().unwrap_or_default();
    // No file has such a name.
    let is_long_text =
        first != word && word.split('/').any(|name| name.len() > MAX_FILE_NAME_BYTES);
    !is_remote(first)
        && !first.starts_with('~')
        && !names_program(first, place)
        && place.is_inside(first)
        && (is_long_text || place.is_inside(word))
}

/// A URL, `user@host` or `host:path`. A colon at the end belongs to a sentence.
fn is_remote(word: &str) -> bool {
    let is_location = word.split_once(':').is_some_and(|(_, after)| !after.is_empty());
    word.contains("://") || is_location || word.contains('@')
}

fn names_program(word: &str, place: &CommandPlace) -> bool {
    let is_name = !word.is_empty() && !word.contains('/');
    is_name
        && place.folders.known.iter().any(|folder| {
            let found = place.context.disk.find_program(word, Some(folder));
            !matches!(found, ProgramFile::Absent { .. })
        })
}
