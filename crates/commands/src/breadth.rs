//! Tells reviewers of allow rules which ones allow more than their words show.
//!
//! Used for warnings only; it does not change what a rule covers.

use crate::option_tables;
use crate::rule::{CommandRule, RuleBody, RuleEffect, RuleEnd, RuleToken};
use crate::wrappers::base_name;

/// How a rule is broad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleBreadth {
    /// It runs code from the workspace, which the agent can write.
    RunsWorkspaceCode,
    /// It talks to other machines with arguments that the agent chooses.
    ReachesOtherMachines,
}

/// Programs that build, test or run code of the workspace, with the subcommands that do so. An
/// empty list means all of them.
const WORKSPACE_RUNNERS: &[(&str, &[&str])] = &[
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
    ("bunx", &[]),
    ("corepack", &[]),
    ("mise", &["exec", "x", "run"]),
    ("pdm", &["run"]),
    ("pipenv", &["run"]),
    ("rye", &["run"]),
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

/// Programs that reach other machines, in the same form.
const NETWORK_PROGRAMS: &[(&str, &[&str])] = &[
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

/// How an allow rule is broad, or `None` if it is not.
pub fn find_breadth(rule: &CommandRule) -> Option<RuleBreadth> {
    let (RuleEffect::Allow, RuleBody::Command { tokens, end }) = (rule.effect, &rule.body) else {
        return None;
    };
    let mut words = tokens.iter().map(|token| match token {
        RuleToken::Word(word) => word.as_str(),
        RuleToken::InWorkspace | RuleToken::UnlistedTask => "",
    });
    let program = base_name(words.next().unwrap_or_default());
    let subcommand = words.next();
    let is_in = |list: &[(&str, &[&str])]| is_listed(list, program, subcommand);
    if is_in(WORKSPACE_RUNNERS) {
        return Some(RuleBreadth::RunsWorkspaceCode);
    }
    let has_table =
        || rule.literal_words().as_deref().and_then(option_tables::find_table).is_some();
    if *end == RuleEnd::Exact || !has_table() {
        return None;
    }
    is_in(NETWORK_PROGRAMS).then_some(RuleBreadth::ReachesOtherMachines)
}

/// Whether a command builds, tests or runs code of the workspace.
pub(crate) fn runs_workspace_code(argv: &[String]) -> bool {
    let program = argv.first().map_or("", |word| base_name(word));
    is_listed(WORKSPACE_RUNNERS, program, argv.get(1).map(String::as_str))
}

/// Whether a program builds, tests or runs code of the workspace, whatever its words are.
pub(crate) fn always_runs_workspace_code(program: &str) -> bool {
    let mut listed = WORKSPACE_RUNNERS.iter();
    listed.any(|(name, subcommands)| *name == program && subcommands.is_empty())
}

/// Whether a program reaches other machines, whatever its words are.
pub(crate) fn reaches_other_machines(program: &str) -> bool {
    let mut listed = NETWORK_PROGRAMS.iter();
    listed.any(|(name, subcommands)| *name == program && subcommands.is_empty())
}

fn is_listed(list: &[(&str, &[&str])], program: &str, subcommand: Option<&str>) -> bool {
    list.iter().any(|(name, subcommands)| {
        *name == program
            && (subcommands.is_empty()
                || subcommand.is_some_and(|word| subcommands.contains(&word)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_broad_by_what_it_runs_reaches_or_reads() {
        for (rule, expected) in [
            ("cargo test", Some(RuleBreadth::RunsWorkspaceCode)),
            ("python3 -m pytest", Some(RuleBreadth::RunsWorkspaceCode)),
            ("cargo fmt *", None),
            ("git push *", Some(RuleBreadth::ReachesOtherMachines)),
            ("git push origin main", None),
            ("curl *", Some(RuleBreadth::ReachesOtherMachines)),
            ("cat *", None),
            ("cat <path:ws>", None),
            ("git log *", None),
            ("git diff *", None),
            ("git diff --stat", None),
            ("ls *", None),
            ("unknown *", None),
        ] {
            let rule = crate::parse_body(RuleEffect::Allow, rule).unwrap();
            assert_eq!(find_breadth(&rule), expected, "{}", rule.text);
        }
        assert_eq!(find_breadth(&crate::parse_body(RuleEffect::Deny, "cat *").unwrap()), None);
    }
}
