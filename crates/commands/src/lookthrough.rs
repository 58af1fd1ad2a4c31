//! The closed table of wrappers that allow rules look through: the rule is for the inner command.

use crate::reachable_commands::is_assignment;
use crate::variables::names_build_folder;
use crate::wrappers::base_name;

/// Where the inner command starts in the words, behind all wrappers; 0 without one. An error says
/// why a wrapper is not looked through.
pub(crate) fn find_inner_start(argv: &[String], variables: &[String]) -> Result<usize, String> {
    let mut start = 0;
    while let Some((program, rest)) = argv.get(start..).and_then(<[String]>::split_first) {
        let skipped = match program.as_str() {
            "timeout" => skip_timeout(rest),
            "nice" => skip_nice(rest),
            "env" => skip_env(rest, variables)?,
            "time" => skip_time(rest),
            "rtk" => skip_filter(rest),
            // With an option it looks a name up.
            "command" if !rest.first().is_some_and(|word| word.starts_with('-')) => Some(0),
            _ => return Ok(start),
        };
        match skipped {
            Some(skipped) if skipped < rest.len() => start += skipped + 1,
            _ => return Err(format!("the words of `{}` are not on its table", base_name(program))),
        }
    }
    Ok(start)
}

/// `timeout [-k DURATION] [-s SIGNAL] [--preserve-status] [--foreground] DURATION`
fn skip_timeout(words: &[String]) -> Option<usize> {
    let mut at = 0;
    loop {
        let word = words.get(at)?.as_str();
        match word {
            "-k" | "--kill-after" if is_duration(words.get(at + 1)?) => at += 2,
            "-s" | "--signal" if is_signal(words.get(at + 1)?) => at += 2,
            "--preserve-status" | "--foreground" | "-v" | "--verbose" => at += 1,
            _ => match word.split_once('=') {
                Some(("--kill-after", value)) if is_duration(value) => at += 1,
                Some(("--signal", value)) if is_signal(value) => at += 1,
                _ => return is_duration(word).then_some(at + 1),
            },
        }
    }
}

fn is_duration(word: &str) -> bool {
    let number = word.trim_end_matches(['s', 'm', 'h', 'd']);
    word.len() - number.len() <= 1
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

fn is_signal(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// `nice [-n NUMBER]`
fn skip_nice(words: &[String]) -> Option<usize> {
    match words {
        [option, number, ..] if option == "-n" => {
            let digits = number.strip_prefix('-').unwrap_or(number);
            (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(2)
        }
        [first, ..] if !first.starts_with('-') => Some(0),
        _ => None,
    }
}

/// `time [-p]`
fn skip_time(words: &[String]) -> Option<usize> {
    match words {
        [option, ..] if option == "-p" => Some(1),
        [first, ..] if !first.starts_with('-') => Some(0),
        _ => None,
    }
}

/// Programs that `rtk` starts with the same words, and whose output it shortens. Its other words are
/// commands of its own.
const FILTERED_PROGRAMS: &[&str] = &[
    "cargo",
    "diff",
    "docker",
    "eslint",
    "find",
    "gh",
    "git",
    "go",
    "golangci-lint",
    "grep",
    "jest",
    "kubectl",
    "ls",
    "mypy",
    "npm",
    "npx",
    "playwright",
    "pnpm",
    "prettier",
    "pytest",
    "ruff",
    "tree",
    "tsc",
    "vitest",
    "wc",
];

/// `rtk PROGRAM`, `rtk proxy ANYTHING`
fn skip_filter(words: &[String]) -> Option<usize> {
    match words {
        [first, second, ..] if first == "proxy" && !second.starts_with('-') => Some(1),
        [first, ..] if FILTERED_PROGRAMS.contains(&first.as_str()) => Some(0),
        _ => None,
    }
}

/// `env NAME=VALUE…`, with names that a line may set.
fn skip_env(words: &[String], variables: &[String]) -> Result<Option<usize>, String> {
    let assigned = words.iter().take_while(|word| is_assignment(word)).count();
    for word in words.iter().take(assigned) {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        // Where a folder lies is looked up only in front of the command.
        if !variables.iter().any(|allowed| allowed == name) || names_build_folder(name) {
            return Err(format!("`{name}` is not a variable that a line may set"));
        }
    }
    let is_option = words.get(assigned).is_some_and(|word| word.starts_with('-'));
    Ok((!is_option).then_some(assigned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(line: &str) -> Option<String> {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let start = find_inner_start(&argv, &["LANG".to_owned()]).ok()?;
        Some(argv[start..].join(" "))
    }

    #[test]
    fn only_the_wrappers_of_the_table_are_looked_through() {
        for (line, inner) in [
            ("ls -l", "ls -l"),
            ("timeout 5 ls", "ls"),
            ("timeout -k 1 --signal=KILL 2.5m ls -l", "ls -l"),
            ("nice ls", "ls"),
            ("nice -n 5 timeout 5 ls", "ls"),
            ("env LANG=C ls", "ls"),
            ("env ls", "ls"),
            ("time ls", "ls"),
            ("time -p git status", "git status"),
            ("command ls", "ls"),
            ("command -v ls", "command -v ls"),
            ("rtk git status", "git status"),
            ("rtk proxy make test", "make test"),
            ("xargs ls", "xargs ls"),
            ("sudo ls", "sudo ls"),
        ] {
            assert_eq!(find(line).as_deref(), Some(inner), "{line}");
        }
        for line in [
            "timeout ls",
            "timeout 5",
            "timeout --x 5 ls",
            "timeout 5sm ls",
            "nice -5 ls",
            "nice --adjustment=5 ls",
            "env -i ls",
            "env -S ls",
            "env PATH=. ls",
            "env LANG=C",
            "env LANG=C LD_PRELOAD=x ls",
            "env LANG+=C ls",
            "time -o x ls",
            "time",
            "rtk env",
            "rtk proxy -x ls",
            "rtk test x",
        ] {
            assert_eq!(find(line), None, "{line}");
        }
    }
}
