//! Which kinds of configured programs a subcommand may run.
//!
//! `rows` says it by subcommand; the words behind it may add more.

mod rows;

use crate::git_configuration::ProgramKind;
use crate::option_tables::shows_signature;
use ProgramKind::{Always, Editor, ExternalDiff, Pager, Transport};
use rows::{EVERYTHING, NOTHING, STATUS, find_inner_row, find_row, is_reading};

/// What a git command may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SubcommandPrograms {
    kinds: KindSet,
    hooks: Hooks,
    pub(super) submodules: SubmoduleUse,
}

/// The hooks that a subcommand may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hooks {
    All,
    Named(&'static [&'static [&'static str]]),
}

/// Whether git runs itself in submodules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubmoduleUse {
    None,
    /// In those that are checked out.
    CheckedOut,
    /// Also in those that are only in `.git/modules`.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KindSet(u32);

impl KindSet {
    const ALL: Self = Self(u32::MAX);

    const fn new(kinds: &[ProgramKind]) -> Self {
        let mut bits = 1 << Always as u32;
        let mut rest = kinds;
        while let [kind, more @ ..] = rest {
            bits |= 1 << *kind as u32;
            rest = more;
        }
        Self(bits)
    }

    const fn contains(self, kind: ProgramKind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    const fn with_kind(self, kind: ProgramKind) -> Self {
        Self(self.0 | (1 << kind as u32))
    }

    const fn without_kind(self, kind: ProgramKind) -> Self {
        Self(self.0 & !(1 << kind as u32))
    }
}

impl SubcommandPrograms {
    pub(super) const fn may_run(&self, kind: ProgramKind) -> bool {
        self.kinds.contains(kind)
    }

    pub(super) fn may_run_hook(&self, name: &str) -> bool {
        match self.hooks {
            Hooks::All => true,
            Hooks::Named(lists) => lists.iter().any(|list| list.contains(&name)),
        }
    }

    /// The same, where objects may be missing and git fetches them.
    pub(super) const fn with_lazy_fetch(self) -> Self {
        Self { kinds: self.kinds.with_kind(Transport), ..self }
    }

    pub(super) const fn with_pager(self) -> Self {
        Self { kinds: self.kinds.with_kind(Pager), ..self }
    }

    pub(super) const fn without_pager(self) -> Self {
        Self { kinds: self.kinds.without_kind(Pager), ..self }
    }

    const fn with_kind(self, kind: ProgramKind) -> Self {
        Self { kinds: self.kinds.with_kind(kind), ..self }
    }
}

/// Whether these words are `git` with a subcommand that only reads the repository, and no option in
/// front of it.
pub fn is_reading_git(argv: &[String]) -> bool {
    matches!(argv, [git, subcommand, ..] if git == "git" && is_reading(subcommand))
}

/// What a git command may run. `words` follow the subcommand.
pub(super) fn find_programs(subcommand: &str, words: &[String]) -> SubcommandPrograms {
    let words = list_options(words);
    // It opens a manual page.
    if words.iter().any(|word| word == "--help") {
        return EVERYTHING;
    }
    let inner = words.first().map(String::as_str);
    let is_verbose = |word: &String| word == "-v" || word == "--verbose";
    let row = match inner {
        _ if subcommand == "remote" && words.iter().all(is_verbose) => Some(NOTHING),
        Some(inner) => find_inner_row(subcommand, inner).or_else(|| find_row(subcommand)),
        None => find_row(subcommand),
    };
    let Some(row) = row else { return EVERYTHING };
    if is_interactive(subcommand, words) || has_option(words, "--submodule") {
        return EVERYTHING;
    }
    let mut programs = row;
    if has_option(words, "--ext-diff") {
        programs = programs.with_kind(ExternalDiff);
    }
    if subcommand == "describe" && words.iter().any(|word| word.starts_with('-')) {
        programs = STATUS;
    }
    if opens_editor(subcommand, words) {
        programs = programs.with_kind(Editor);
    }
    programs
}

/// The word that makes git verify or make signatures with whatever program is there for it.
pub(super) fn find_signature_word<'a>(subcommand: &str, words: &'a [String]) -> Option<&'a String> {
    let (letters, formats) = match subcommand {
        // Their other words are messages and names.
        "commit" | "merge" | "cherry-pick" | "revert" | "rebase" | "push" => ("S", FORMAT_OPTIONS),
        "tag" => ("suv", FORMAT_OPTIONS),
        _ => ("", &[""][..]),
    };
    let is_signing = |word: &&String| {
        let one = std::slice::from_ref(*word);
        let shows = formats.iter().any(|option| word.starts_with(option));
        (shows && shows_signature(word))
            || SIGNATURE_OPTIONS.iter().any(|option| has_option(one, option))
            || has_letter(word, letters, "mFCct")
    };
    list_options(words).iter().find(is_signing)
}

const FORMAT_OPTIONS: &[&str] = &["--format", "--pretty", "--sort"];
const SIGNATURE_OPTIONS: &[&str] =
    &["--show-signature", "--gpg-sign", "--signed", "--sign", "--verify-signatures"];

/// The words before `--`; those behind it are no options.
fn list_options(words: &[String]) -> &[String] {
    words.split(|word| word == "--").next().unwrap_or_default()
}

/// Whether a word is this option, or an abbreviation that git may accept for it.
fn has_option(words: &[String], option: &str) -> bool {
    words.iter().any(|word| {
        let name = word.split('=').next().unwrap_or_default();
        name.len() > 2 && option.starts_with(name)
    })
}

fn is_interactive(subcommand: &str, words: &[String]) -> bool {
    let letters = match subcommand {
        "add" | "stage" => "ipe",
        "commit" | "checkout" | "restore" | "reset" | "stash" => "p",
        "rebase" => "ix",
        "grep" => "O",
        _ => return false,
    };
    let options = ["--patch", "--interactive", "--edit", "--exec", "--open-files-in-pager"];
    let has_long =
        |option: &str| has_option(words, option) && (option != "--edit" || is_add(subcommand));
    options.iter().any(|option| has_long(option))
        || words.iter().any(|word| has_letter(word, letters, "mFCct"))
}

fn is_add(subcommand: &str) -> bool {
    matches!(subcommand, "add" | "stage")
}

/// Whether a cluster such as `-ap` contains one of these letters, before one that takes a value.
fn has_letter(word: &str, letters: &str, valued: &str) -> bool {
    let Some(cluster) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return false;
    };
    let first_value = cluster.find(|c| valued.contains(c) && !letters.contains(c));
    let flags = first_value.and_then(|at| cluster.get(..at)).unwrap_or(cluster);
    flags.contains(|c| letters.contains(c))
}

fn opens_editor(subcommand: &str, words: &[String]) -> bool {
    let edits =
        || has_option(words, "--edit") || words.iter().any(|word| has_letter(word, "ec", "mFCt"));
    let has_message = || {
        has_option(words, "--message") || words.iter().any(|word| has_letter(word, "mF", "CSut"))
    };
    let is_quiet = || has_option(words, "--no-edit") || has_message();
    // No merge, so nobody is asked for a message.
    let is_linear = || words.iter().any(|word| word == "--ff-only");
    match subcommand {
        "commit" => edits() || !is_quiet(),
        "merge" | "cherry-pick" | "revert" | "rebase" => edits() || !has_option(words, "--no-edit"),
        "pull" => edits() || !(has_option(words, "--no-edit") || is_linear()),
        "tag" => !has_message() && words.iter().any(|word| word.starts_with('-')),
        "branch" => has_option(words, "--edit-description"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_subcommand_without_a_row_may_run_everything() {
        for (subcommand, rest) in [
            ("gc", ""),
            ("bisect", "run x"),
            ("remote", "-v update"),
            ("remote", "add x y"),
            ("worktree", "move x y"),
            ("log", "--help"),
            ("add", "-p"),
        ] {
            let programs = find_programs(subcommand, &words(rest));
            assert_eq!(programs, EVERYTHING, "{subcommand} {rest}");
        }
        assert_eq!(find_programs("remote", &words("-v")), NOTHING);
        assert_eq!(find_programs("remote", &[]), NOTHING);
        assert!(!NOTHING.may_run(ProgramKind::Other));
        assert!(NOTHING.may_run(Always));
    }

    #[test]
    fn an_editor_opens_unless_the_words_give_the_text() {
        for (subcommand, rest, expected) in [
            ("commit", "", true),
            ("commit", "-m x", false),
            ("commit", "-am x", false),
            ("commit", "--message=x", false),
            ("commit", "--amend --no-edit", false),
            ("commit", "--amend", true),
            ("commit", "-e -m x", true),
            ("commit", "-em x", true),
            ("commit", "-me x", false),
            ("commit", "-m x --edit", true),
            ("commit", "-m x --e", true),
            ("commit", "-a -- -m", true),
            ("merge", "x", true),
            ("merge", "--no-edit x", false),
            ("pull", "", true),
            ("pull", "--ff-only", false),
            ("pull", "--no-edit origin", false),
            ("tag", "", false),
            ("tag", "-a v1", true),
            ("tag", "-a v1 -m x", false),
            ("branch", "-a", false),
            ("branch", "--edit-description", true),
            ("log", "-p", false),
        ] {
            let opens = find_programs(subcommand, &words(rest)).may_run(Editor);
            assert_eq!(opens, expected, "{subcommand} {rest}");
        }
    }

    #[test]
    fn words_that_show_signatures_are_found() {
        for (rest, expected) in [
            ("--format=%G?", true),
            ("--pretty %GK", true),
            ("--show-signature", true),
            ("--show-sig", true),
            ("--format %(signature)", true),
            ("-S x", false),
            ("-n 5", false),
            ("--stat -- %G", false),
        ] {
            assert_eq!(find_signature_word("log", &words(rest)).is_some(), expected, "{rest}");
        }
        for (subcommand, rest, expected) in [
            ("commit", "-m signature", false),
            ("commit", "-m %G", false),
            ("commit", "-S -m x", true),
            ("commit", "-aSm x", true),
            ("commit", "-mS x", false),
            ("tag", "-s v1", true),
            ("tag", "-v v1", true),
            ("tag", "--format=%(signature)", true),
            ("push", "--signed origin", true),
            ("merge", "--verify-signatures x", true),
        ] {
            let found = find_signature_word(subcommand, &words(rest)).is_some();
            assert_eq!(found, expected, "{subcommand} {rest}");
        }
    }
}
