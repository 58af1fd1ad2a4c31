//! The words that keep git from running programs that a configuration names.
//!
//! `countersign run` executes a git command with these. Three remain, because they are a part of the
//! result: content filters, merge drivers and signatures. They run only after a person said yes,
//! because no rule covers a command that they are configured for.

use crate::wrappers::base_name;

/// Settings for every subcommand. None of them relaxes what somebody may have configured: a protocol
/// is only forbidden, and a signature that has to be verified still is.
const NEUTRAL_SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=ssh",
    "core.askPass=",
    // `:` is git's own word for "take the text as it is".
    "core.editor=:",
    "sequence.editor=:",
    "core.alternateRefsCommand=true",
    "credential.helper=",
    "log.showSignature=false",
    "diff.submodule=short",
    "status.submoduleSummary=false",
    "interactive.diffFilter=cat",
    "maintenance.auto=false",
    "gc.auto=0",
    // The first `core.gitProxy` wins, so one behind it cannot disable it.
    "protocol.git.allow=never",
    "protocol.ext.allow=never",
    "protocol.fd.allow=never",
];

/// Git's own verifiers, for subcommands that verify signatures but make none.
const DEFAULT_VERIFIERS: &[&str] = &[
    "gpg.program=gpg",
    "gpg.openpgp.program=gpg",
    "gpg.x509.program=gpgsm",
    "gpg.ssh.program=ssh-keygen",
];

const VERIFYING: &[&str] = &[
    "log",
    "show",
    "whatchanged",
    "shortlog",
    "reflog",
    "diff",
    "rev-list",
    "branch",
    "for-each-ref",
    "stash",
    "verify-commit",
    "verify-tag",
];

/// Subcommands with the options that disable a program.
const OPTIONS: &[(&[&str], &[&str])] = &[
    (&["diff", "log", "show", "whatchanged", "format-patch"], &["--no-ext-diff", "--no-textconv"]),
    (&["blame", "annotate", "grep"], &["--no-textconv"]),
    (&["fetch", "ls-remote", "pull"], &["--upload-pack=git-upload-pack"]),
    (&["push"], &["--receive-pack=git-receive-pack"]),
];

/// Options in front of a subcommand whose value is the next word.
const VALUED_OPTIONS: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--exec-path",
    "--super-prefix",
    "--attr-source",
];

/// The argv that runs this git command without the programs that a configuration names. `None` if
/// the program is not git.
pub(crate) fn neutralize(argv: &[String]) -> Option<Vec<String>> {
    let mut words = argv.to_vec();
    for (after, added) in list_neutral_words(argv)?.into_iter().rev() {
        words.splice(after + 1..after + 1, added);
    }
    Some(words)
}

/// The words that are added, and the index of the word behind which they stand. `None` if the program
/// is not git.
pub(crate) fn list_neutral_words(argv: &[String]) -> Option<Vec<(usize, Vec<String>)>> {
    let (_, rest) = argv.split_first().filter(|(program, _)| base_name(program) == "git")?;
    let at = find_subcommand(rest);
    let subcommand = rest.get(at);
    let is_among =
        |names: &[&str]| subcommand.is_some_and(|subcommand| names.contains(&subcommand.as_str()));
    let verifiers = if is_among(VERIFYING) { DEFAULT_VERIFIERS } else { &[] };
    let mut front = vec!["--no-pager".to_owned()];
    for setting in NEUTRAL_SETTINGS.iter().chain(verifiers) {
        front.extend(["-c".to_owned(), (*setting).to_owned()]);
    }
    let options = OPTIONS.iter().filter(|(names, _)| is_among(names));
    let behind: Vec<String> =
        options.flat_map(|(_, options)| *options).map(|option| (*option).to_owned()).collect();
    let behind = (!behind.is_empty()).then_some((at + 1, behind));
    Some([(0, front)].into_iter().chain(behind).collect())
}

/// The index of the subcommand, or the number of words if there is none.
fn find_subcommand(words: &[String]) -> usize {
    let mut index = 0;
    while let Some(word) = words.get(index).filter(|word| word.starts_with('-')) {
        index += if VALUED_OPTIONS.contains(&word.as_str()) { 2 } else { 1 };
    }
    index.min(words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<&str>) {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let settings = |list: &[&str]| {
            list.iter().map(|one| format!("-c {one}")).collect::<Vec<_>>().join(" ")
        };
        let expected = expected.map(|text| {
            let text = text.replace("SETTINGS", &settings(NEUTRAL_SETTINGS));
            text.replace("VERIFIERS", &settings(DEFAULT_VERIFIERS))
        });
        assert_eq!(neutralize(&argv).map(|argv| argv.join(" ")), expected, "{line}");
    }

    #[test]
    fn a_git_command_gets_the_options_that_disable_configured_programs() {
        check("git status", Some("git --no-pager SETTINGS status"));
        check("git", Some("git --no-pager SETTINGS"));
        let diff =
            "/usr/bin/git --no-pager SETTINGS VERIFIERS diff --no-ext-diff --no-textconv --stat";
        check("/usr/bin/git diff --stat", Some(diff));
        check("git grep -n x", Some("git --no-pager SETTINGS grep --no-textconv -n x"));
        let diff = "git --no-pager SETTINGS VERIFIERS -C x diff --no-ext-diff --no-textconv";
        check("git -C x diff", Some(diff));
        check("git -C", Some("git --no-pager SETTINGS -C"));
        let push = "git --no-pager SETTINGS push --receive-pack=git-receive-pack origin main";
        check("git push origin main", Some(push));
        check("ls git", None);
    }
}
