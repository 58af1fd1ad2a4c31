//! The words of a git command: which of them are git's own, and which selects what it does.

use crate::wrappers::base_name;

/// Git's own subcommands. Any other word is an alias from the configuration, or an external
/// program.
const BUILTIN_SUBCOMMANDS: &str = "add am annotate apply archive bisect blame branch bugreport bundle cat-file \
    check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry \
    cherry-pick clean clone column commit commit-graph commit-tree config count-objects credential \
    describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch \
    fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc grep \
    hash-object help hook index-pack init instaweb interpret-trailers log ls-files ls-remote \
    ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree \
    mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs \
    patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack reflog refs \
    remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm \
    send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash \
    status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index \
    update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack \
    verify-tag version whatchanged worktree write-tree";

/// Whether this word after `git` is an option or one of git's own subcommands.
pub(crate) fn is_option_or_builtin(word: &str) -> bool {
    word.starts_with('-') || BUILTIN_SUBCOMMANDS.split_whitespace().any(|own| own == word)
}

/// The word that selects what git does, and is never a path.
pub(crate) fn find_git_subcommand<'w>(mut words: impl Iterator<Item = &'w str>) -> Option<usize> {
    if base_name(words.next()?) != "git" {
        return None;
    }
    let mut rest = (1..).zip(words);
    while let Some((index, word)) = rest.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--exec-path" | "--namespace" => {
                rest.next();
            }
            option if option.starts_with('-') => {}
            _ => return Some(index),
        }
    }
    None
}
