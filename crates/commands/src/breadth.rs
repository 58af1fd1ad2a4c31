//! How far an allow rule reaches beyond the words that it shows, for whoever reviews rules.
//!
//! It decides nothing: a rule that is broad covers what it covers.

use crate::rule::{Body, Effect, End, Rule, Token};
use crate::tools;
use crate::wrappers::base_name;

/// In which way a rule is broad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breadth {
    /// It runs code that lies in the workspace, where the agent writes.
    RunsTheWorkspace,
    /// It talks to other machines, with words that the agent chooses.
    ReachesOut,
    /// It reads every file that its user can read, not only those of the workspace.
    ReadsAnywhere,
}

/// Programs that build, test or run what they find, with the subcommand that does if not all do.
const RUNNERS: &[(&str, &[&str])] = &[
    ("make", &[]),
    ("gmake", &[]),
    ("just", &[]),
    ("ninja", &[]),
    ("cmake", &[]),
    ("rake", &[]),
    ("tox", &[]),
    ("nox", &[]),
    ("pytest", &[]),
    ("jest", &[]),
    ("vitest", &[]),
    ("mocha", &[]),
    ("ant", &[]),
    ("mvn", &[]),
    ("gradle", &[]),
    ("gradlew", &[]),
    ("sbt", &[]),
    ("bazel", &["build", "run", "test"]),
    ("cargo", &["test", "run", "build", "bench", "check", "clippy", "doc", "nextest", "install"]),
    ("go", &["test", "run", "generate", "build", "vet"]),
    ("npm", &["test", "run", "start", "exec", "install", "ci"]),
    ("pnpm", &["test", "run", "start", "exec", "install", "dlx"]),
    ("yarn", &[]),
    ("npx", &[]),
    ("bundle", &["exec", "install"]),
    ("composer", &["install", "run-script"]),
    ("dotnet", &["test", "run", "build"]),
    ("swift", &["test", "run", "build"]),
    ("poetry", &["run", "install"]),
    ("uv", &["run", "sync", "pip"]),
    ("pip", &["install"]),
    ("python", &["-m"]),
    ("python3", &["-m"]),
];

/// Programs that reach other machines, likewise.
const TALKERS: &[(&str, &[&str])] = &[
    ("curl", &[]),
    ("wget", &[]),
    ("scp", &[]),
    ("rsync", &[]),
    ("gh", &[]),
    ("glab", &[]),
    ("kubectl", &[]),
    ("docker", &[]),
    ("aws", &[]),
    ("git", &["push", "fetch", "pull", "clone", "ls-remote", "submodule"]),
    ("ping", &[]),
    ("dig", &[]),
    ("host", &[]),
    ("nslookup", &[]),
];

/// Programs that show the contents of whatever file they are given.
const READERS: &[&str] = &[
    "cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "sed", "sort", "uniq", "cut", "nl",
    "wc", "od", "xxd", "hexdump", "strings", "diff", "cmp", "comm", "paste", "join", "tac", "rev",
    "less", "more", "jq", "yq", "file", "base64", "fold", "column", "tr", "awk",
];

/// How an allow rule is broad, if it is.
pub fn breadth(rule: &Rule) -> Option<Breadth> {
    let (Effect::Allow, Body::Command { tokens, end }) = (rule.effect, &rule.body) else {
        return None;
    };
    let mut words = tokens.iter().map(|token| match token {
        Token::Word(word) => word.as_str(),
        Token::InWorkspace => "",
    });
    let program = base_name(words.next().unwrap_or_default());
    let second = words.next();
    let named = |list: &[(&str, &[&str])]| {
        list.iter().any(|(name, with)| {
            *name == program && (with.is_empty() || second.is_some_and(|word| with.contains(&word)))
        })
    };
    if named(RUNNERS) {
        return Some(Breadth::RunsTheWorkspace);
    }
    let has_table = || rule.words().as_deref().and_then(tools::of).is_some();
    if *end == End::Exact || !has_table() {
        return None;
    }
    if named(TALKERS) {
        return Some(Breadth::ReachesOut);
    }
    // With a path outside of the repository, `git diff` compares any two files.
    let reads = READERS.contains(&program) || (program, second) == ("git", Some("diff"));
    reads.then_some(Breadth::ReadsAnywhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_broad_by_what_it_runs_reaches_or_reads() {
        for (rule, expected) in [
            ("cargo test", Some(Breadth::RunsTheWorkspace)),
            ("python3 -m pytest", Some(Breadth::RunsTheWorkspace)),
            ("cargo fmt *", None),
            ("git push *", Some(Breadth::ReachesOut)),
            ("git push origin main", None),
            ("curl *", Some(Breadth::ReachesOut)),
            ("cat *", Some(Breadth::ReadsAnywhere)),
            ("cat <path:ws>", None),
            ("git log *", None),
            ("git diff *", Some(Breadth::ReadsAnywhere)),
            ("git diff --stat", None),
            ("ls *", None),
            ("unknown *", None),
        ] {
            let rule = crate::parse_body(Effect::Allow, rule).unwrap();
            assert_eq!(breadth(&rule), expected, "{}", rule.text);
        }
        assert_eq!(breadth(&crate::parse_body(Effect::Deny, "cat *").unwrap()), None);
    }
}
