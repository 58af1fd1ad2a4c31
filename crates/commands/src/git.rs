//! Keeps git from running programs that a repository's own configuration names.
//!
//! They do not show in the command line, so no rule can see them. An approved git command is
//! executed with the settings below, which disable those programs. Two remain: a content filter
//! (`filter.NAME.clean`) cannot be disabled without changing what `git add` does, and a merge
//! driver runs only in merges, which no option table covers.

use crate::wrappers::base_name;

/// Settings for every subcommand.
const NEUTRAL_SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=ssh",
    "core.askPass=",
    "credential.helper=",
    "log.showSignature=false",
    "protocol.ext.allow=never",
];

/// Subcommands that show file contents, with the options that disable external programs.
const DIFF_OPTIONS: &[(&[&str], &[&str])] = &[
    (&["diff", "log", "show", "whatchanged", "format-patch"], &["--no-ext-diff", "--no-textconv"]),
    (&["blame", "annotate", "grep"], &["--no-textconv"]),
];

/// The argv that runs this git command without the programs that the repository names. `None` if
/// the program is not git.
pub(crate) fn neutralize(argv: &[String]) -> Option<Vec<String>> {
    let (program, rest) = argv.split_first().filter(|(program, _)| base_name(program) == "git")?;
    let mut words = vec![program.clone(), "--no-pager".to_owned()];
    for setting in NEUTRAL_SETTINGS {
        words.extend(["-c".to_owned(), (*setting).to_owned()]);
    }
    let subcommand = rest.first();
    words.extend(subcommand.cloned());
    let showing = DIFF_OPTIONS.iter().filter(|(names, _)| {
        subcommand.is_some_and(|subcommand| names.contains(&subcommand.as_str()))
    });
    words.extend(showing.flat_map(|(_, options)| *options).map(|option| (*option).to_owned()));
    words.extend(rest.iter().skip(1).cloned());
    Some(words)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<&str>) {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let settings: Vec<String> =
            NEUTRAL_SETTINGS.iter().map(|one| format!("-c {one}")).collect();
        let expected = expected.map(|text| text.replace("SETTINGS", &settings.join(" ")));
        assert_eq!(neutralize(&argv).map(|argv| argv.join(" ")), expected, "{line}");
    }

    #[test]
    fn a_git_command_gets_the_options_that_disable_configured_programs() {
        check("git status", Some("git --no-pager SETTINGS status"));
        check("git", Some("git --no-pager SETTINGS"));
        let diff = "/usr/bin/git --no-pager SETTINGS diff --no-ext-diff --no-textconv --stat";
        check("/usr/bin/git diff --stat", Some(diff));
        check("git grep -n x", Some("git --no-pager SETTINGS grep --no-textconv -n x"));
        check("git -C x diff", Some("git --no-pager SETTINGS -C x diff"));
        check("ls git", None);
    }
}
