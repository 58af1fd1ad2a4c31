//! What each subcommand may run before its words are looked at.
//!
//! The rows say what git 2.39 and 2.47 were seen to do, and lean towards too much. A subcommand
//! without a row may run everything.

use super::SubmoduleUse::CheckedOut;
use super::{Hooks, KindSet, SubcommandPrograms, SubmoduleUse};
use crate::git_configuration::ProgramKind;
use ProgramKind::{
    BlameFile, Editor, ExternalDiff, FileMonitor, Filter, Hook, Maintenance, MergeDriver, Pager,
    Signature, SubmoduleDiff, TextConversion, Trailer, Transport, Verification,
};

const INDEX_HOOKS: &[&str] = &["post-index-change"];
const REF_HOOKS: &[&str] = &["reference-transaction"];
const COMMIT_HOOKS: &[&str] = &[
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-rewrite",
    "pre-merge-commit",
    "pre-auto-gc",
];
const CHECKOUT_HOOKS: &[&str] = &["post-checkout"];
const MERGE_HOOKS: &[&str] = &["post-merge", "pre-rebase"];
const FETCH_HOOKS: &[&str] = &["pre-auto-gc"];
const PUSH_HOOKS: &[&str] = &["pre-push"];

pub(super) const EVERYTHING: SubcommandPrograms =
    SubcommandPrograms { kinds: KindSet::ALL, hooks: Hooks::All, submodules: SubmoduleUse::All };
pub(super) const NOTHING: SubcommandPrograms = reading(&[]);
pub(super) const COMMIT_READER: SubcommandPrograms =
    reading(&[FileMonitor, TextConversion, Verification, SubmoduleDiff, Pager]);
pub(super) const STATUS: SubcommandPrograms =
    writing(&[FileMonitor, Filter, TextConversion, SubmoduleDiff], &[INDEX_HOOKS], CheckedOut);

const CHECKOUT: SubcommandPrograms = writing(
    &[FileMonitor, Filter, MergeDriver, SubmoduleDiff],
    &[INDEX_HOOKS, REF_HOOKS, CHECKOUT_HOOKS],
    CheckedOut,
);
const FETCH: SubcommandPrograms = writing(
    &[FileMonitor, Transport, Maintenance],
    &[INDEX_HOOKS, REF_HOOKS, FETCH_HOOKS],
    SubmoduleUse::All,
);

const fn reading(kinds: &[ProgramKind]) -> SubcommandPrograms {
    let kinds = KindSet::new(kinds);
    SubcommandPrograms { kinds, hooks: Hooks::Named(&[]), submodules: SubmoduleUse::None }
}

/// For a subcommand that runs these hooks.
const fn writing(
    kinds: &[ProgramKind],
    hooks: &'static [&'static [&'static str]],
    submodules: SubmoduleUse,
) -> SubcommandPrograms {
    let kinds = KindSet::new(kinds).with_kind(Hook);
    SubcommandPrograms { kinds, hooks: Hooks::Named(hooks), submodules }
}

/// A row: subcommands, and what they may run before their words are looked at.
type Row = (&'static [&'static str], SubcommandPrograms);

/// Subcommands that read the repository. Some of them refresh the index or a reference on the way,
/// for which there are hooks.
const READING_ROWS: &[Row] = &[
    (&["log", "show", "whatchanged", "reflog", "range-diff"], COMMIT_READER),
    (&["shortlog"], reading(&[FileMonitor, Verification, Pager])),
    (
        &["diff", "diff-files", "diff-index", "diff-tree"],
        writing(
            &[FileMonitor, Filter, ExternalDiff, TextConversion, SubmoduleDiff, Pager],
            &[INDEX_HOOKS],
            CheckedOut,
        ),
    ),
    (&["status"], STATUS),
    (&["grep"], reading(&[FileMonitor, TextConversion, Pager])),
    (&["blame", "annotate"], reading(&[FileMonitor, Filter, TextConversion, BlameFile, Pager])),
    (&["ls-files"], reading(&[FileMonitor, Filter])),
    (&["cat-file"], reading(&[FileMonitor, Filter, TextConversion])),
    (&["rev-list", "for-each-ref"], reading(&[FileMonitor, Verification])),
    (&["rev-parse", "ls-tree", "merge-base", "name-rev", "show-ref"], reading(&[FileMonitor])),
    (&["count-objects", "check-ignore", "check-attr", "describe"], reading(&[FileMonitor])),
    (&["cherry", "show-branch"], reading(&[FileMonitor, TextConversion, Pager])),
    (&["branch"], writing(&[FileMonitor, Verification, Pager], &[REF_HOOKS], SubmoduleUse::None)),
];

/// The others: they change the repository, reach another one, or are not about one.
const OTHER_ROWS: &[Row] = &[
    (&["symbolic-ref"], writing(&[FileMonitor], &[REF_HOOKS], SubmoduleUse::None)),
    (&["clean"], writing(&[FileMonitor, Filter], &[INDEX_HOOKS], SubmoduleUse::None)),
    (&["version"], NOTHING),
    (&["config"], reading(&[Editor, Pager])),
    (&["ls-remote"], reading(&[Transport])),
    (
        &["tag"],
        writing(
            &[FileMonitor, Verification, Signature, Trailer, Pager],
            &[REF_HOOKS],
            SubmoduleUse::None,
        ),
    ),
    (&["add", "stage", "rm", "mv"], writing(&[FileMonitor, Filter], &[INDEX_HOOKS], CheckedOut)),
    (
        &["restore", "reset", "stash"],
        writing(
            &[FileMonitor, Filter, MergeDriver, TextConversion, ExternalDiff, SubmoduleDiff, Pager],
            &[INDEX_HOOKS, REF_HOOKS, CHECKOUT_HOOKS],
            CheckedOut,
        ),
    ),
    (&["checkout", "switch"], CHECKOUT),
    (
        &["commit"],
        writing(
            &[FileMonitor, Filter, TextConversion, SubmoduleDiff, Signature, Trailer, Maintenance],
            &[INDEX_HOOKS, REF_HOOKS, COMMIT_HOOKS],
            CheckedOut,
        ),
    ),
    (
        &["merge", "cherry-pick", "revert", "rebase"],
        writing(
            MERGING,
            &[INDEX_HOOKS, REF_HOOKS, COMMIT_HOOKS, CHECKOUT_HOOKS, MERGE_HOOKS],
            CheckedOut,
        ),
    ),
    (&["fetch"], FETCH),
    (
        &["pull"],
        writing(
            PULLING,
            &[INDEX_HOOKS, REF_HOOKS, COMMIT_HOOKS, CHECKOUT_HOOKS, MERGE_HOOKS, FETCH_HOOKS],
            SubmoduleUse::All,
        ),
    ),
    (
        &["push"],
        writing(&[FileMonitor, Transport, Signature], &[REF_HOOKS, PUSH_HOOKS], SubmoduleUse::All),
    ),
];

/// A fetch, and then a merge or a rebase.
const PULLING: &[ProgramKind] = &[
    FileMonitor,
    Filter,
    MergeDriver,
    TextConversion,
    SubmoduleDiff,
    Signature,
    Verification,
    Maintenance,
    Transport,
];

const MERGING: &[ProgramKind] = &[
    FileMonitor,
    Filter,
    MergeDriver,
    TextConversion,
    SubmoduleDiff,
    Signature,
    Verification,
    Maintenance,
];

pub(super) fn find_row(subcommand: &str) -> Option<SubcommandPrograms> {
    let mut rows = READING_ROWS.iter().chain(OTHER_ROWS);
    rows.find(|(names, _)| names.contains(&subcommand)).map(|(_, programs)| *programs)
}

pub(super) fn is_reading(subcommand: &str) -> bool {
    READING_ROWS.iter().any(|(names, _)| names.contains(&subcommand))
}

/// The same for a subcommand that does one thing or another by its first word.
pub(super) fn find_inner_row(subcommand: &str, inner: &str) -> Option<SubcommandPrograms> {
    match (subcommand, inner) {
        ("stash", "list") => Some(COMMIT_READER),
        ("remote", "get-url") => Some(NOTHING),
        ("remote", "show") => Some(reading(&[Transport])),
        ("remote", "prune") => Some(writing(&[Transport], &[REF_HOOKS], SubmoduleUse::None)),
        ("remote", "update") => Some(FETCH),
        ("worktree", "list") => Some(reading(&[FileMonitor])),
        ("worktree", "add") => Some(CHECKOUT),
        ("worktree", "remove") => Some(STATUS),
        _ => None,
    }
}
