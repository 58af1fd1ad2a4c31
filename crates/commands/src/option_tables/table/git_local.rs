//! Subcommands of git that change only this repository. Where an option makes a subcommand discard
//! changes, it has a table of its own and the plain table does not list the option. Without options
//! that start an editor, run a program (`--exec`, `--strategy`, `--gpg-sign`) or skip hooks.

use super::prelude::*;

/// Writes only what git keeps for itself.
const fn recorder(name: &'static str, flags: &'static str, valued: &'static str) -> OptionTable {
    editor(name, flags, valued).effect(ProgramEffect::WritesGitData)
}

/// Takes commits or branches, and changes the files of the work tree.
const fn mover(name: &'static str, flags: &'static str, valued: &'static str) -> OptionTable {
    editor(name, flags, valued).operands(Revisions).paths(PathOperands::None)
}

/// `-X` takes `ours`, `theirs` and the like; `-m` a parent's number.
const PICKER: OptionTable = mover("git cherry-pick", "nx", "mX")
    .long("abort continue skip quit no-commit ff allow-empty keep-redundant-commits")
    .long_valued("mainline strategy-option")
    .values(AllowedValues::Plain);

const SWITCH: OptionTable = mover("git switch", "qdt", "c")
    .long("quiet detach track no-track guess no-guess")
    .long_valued("create")
    .operands(FewRefNames(2));

/// After `--` there would be files whose changes are discarded.
static NO_WORDS: OptionTable = reader("git checkout --", "", "").operands(None);

const STASH: OptionTable = editor("git stash push", "uaqkS", "m")
    .long("include-untracked all quiet keep-index no-keep-index staged")
    .long_valued("message");

const UNSTASH: OptionTable = mover("git stash pop", "q", "").long("index quiet");

const TAG: OptionTable = recorder("git tag -a", "a", "m")
    .long("annotate no-sign")
    .long_valued("message")
    .operands(FewRefNames(2))
    .paths(PathOperands::None);

pub(super) const GIT_LOCAL: &[OptionTable] = &[
    recorder("git add", "AunvN", "").long(
        "all update verbose dry-run intent-to-add no-all ignore-removal ignore-errors renormalize",
    ),
    // If a hook would run, no rule covers it: without hooks it writes only git's own data.
    editor("git commit", "aqsv", "mFC")
        .long(
            "all amend no-edit quiet signoff allow-empty verbose no-gpg-sign dry-run short \
               porcelain only include no-post-rewrite status no-status allow-empty-message",
        )
        .long_valued("message file author date reuse-message fixup squash cleanup")
        .input_values("F file")
        .path_values("F file")
        .effect(ProgramEffect::WritesGitData)
        .reads_input(),
    SWITCH,
    SWITCH.with_name("git switch -c"),
    SWITCH.with_name("git checkout -b"),
    // Without `--` git takes a word for a file if there is no branch of that name.
    mover("git checkout", "qdt", "")
        .long("quiet detach track no-track")
        .operands(FewRefNames(1))
        .after_dashes(&NO_WORDS),
    recorder("git branch -m", "", "").operands(FewRefNames(2)).paths(PathOperands::None),
    recorder("git branch -c", "", "").operands(FewRefNames(2)).paths(PathOperands::None),
    recorder("git branch -d", "qr", "").operands(RefNames).paths(PathOperands::None).no_head(),
    recorder("git branch -u", "", "").operands(FewRefNames(2)).paths(PathOperands::None),
    recorder("git branch --set-upstream-to", "", "")
        .operands(FewRefNames(2))
        .paths(PathOperands::None),
    STASH,
    STASH.with_name("git stash save").paths(PathOperands::None),
    STASH.with_name("git stash").operands(None),
    UNSTASH,
    UNSTASH.with_name("git stash apply"),
    mover("git merge", "qnv", "mX")
        .long(
            "abort continue quit ff no-ff ff-only squash no-squash commit no-commit no-edit stat \
               no-stat quiet verbose autostash no-autostash no-gpg-sign allow-unrelated-histories",
        )
        .long_valued("message strategy-option"),
    mover("git rebase", "qv", "X")
        .long(
            "abort continue skip quit quiet verbose autostash no-autostash autosquash \
               no-autosquash rebase-merges keep-base root update-refs no-update-refs no-gpg-sign \
               apply merge stat no-stat fork-point no-fork-point",
        )
        .long_valued("onto strategy-option"),
    PICKER,
    PICKER.with_name("git revert").long("abort continue skip quit no-commit no-edit"),
    TAG,
    TAG.with_name("git tag -m"),
    // The form of `git tag NAME`.
    TAG.with_name("git tag create"),
    recorder("git restore --staged", "qS", "s").long("quiet staged").long_valued("source"),
    recorder("git restore -S", "q", "s").long("quiet staged").long_valued("source"),
    recorder("git reset", "qN", "").long("soft mixed quiet no-refresh intent-to-add"),
    recorder("git rm --cached", "rqn", "").long("quiet dry-run ignore-unmatch"),
    editor("git mv", "vkn", "").long("verbose dry-run"),
    editor("git worktree add", "qd", "b").long("quiet detach track no-track checkout"),
    recorder("git worktree prune", "nv", "").long("dry-run verbose").operands(None),
    editor("git init", "q", "b").long("quiet bare").long_valued("initial-branch"),
    editor("git submodule init", "", ""),
    recorder("git config", "", "")
        .long("local global add unset replace-all bool int")
        .operands(GitSetting)
        .paths(PathOperands::None),
    recorder("git remote add", "", "").operands(RemoteAddress).paths(PathOperands::None).no_head(),
    recorder("git remote set-url", "", "")
        .operands(RemoteAddress)
        .paths(PathOperands::None)
        .no_head(),
    recorder("git remote remove", "", "").operands(FewRefNames(1)).paths(PathOperands::None),
    recorder("git remote rename", "", "").operands(FewRefNames(2)).paths(PathOperands::None),
    // What follows discards changes or forgets commits.
    deleter("git checkout --", "", ""),
    deleter("git checkout HEAD --", "", ""),
    deleter("git checkout .", "", "").operands(None),
    deleter("git checkout --ours", "", ""),
    deleter("git checkout --theirs", "", ""),
    deleter("git checkout -f", "q", "").operands(FewRefNames(1)).paths(PathOperands::None),
    deleter("git restore", "qW", "s").long("quiet worktree ours theirs").long_valued("source"),
    deleter("git restore --staged --worktree", "q", "s").long("quiet").long_valued("source"),
    deleter("git restore --worktree --staged", "q", "s").long("quiet").long_valued("source"),
    deleter("git reset --hard", "q", "").operands(Revisions).paths(PathOperands::None),
    deleter("git clean", "fdxXq", "e").long("force quiet").long_valued("exclude"),
    deleter("git stash drop", "q", "").operands(Revisions).paths(PathOperands::None),
    deleter("git stash clear", "", "").operands(None),
    deleter("git branch -D", "qr", "").operands(RefNames).paths(PathOperands::None),
    deleter("git branch -M", "", "").operands(FewRefNames(2)).paths(PathOperands::None),
    deleter("git branch -f", "", "").operands(Revisions).paths(PathOperands::None),
    deleter("git tag -d", "", "").operands(RefNames).paths(PathOperands::None),
    deleter("git rm", "rqfn", "").long("quiet force dry-run ignore-unmatch cached"),
    deleter("git worktree remove", "f", "").long("force"),
];
