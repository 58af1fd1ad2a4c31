//! The words of `test` and `[`: comparisons and tests of files, joined by `-a` and `-o`.
//!
//! Some shells calculate with the words that a number is compared with, and run the substitutions in
//! them. So these have to be numbers.

use countersign_shell::loose::UNKNOWN_VALUE;

const FILE_TESTS: &[&str] = &[
    "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-p", "-r", "-s", "-u", "-w", "-x", "-G", "-L",
    "-N", "-O", "-S",
];

/// Whether these are words that `test` or `[` reads as one expression, however it counts them.
pub(super) fn is_test(name: &str, words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match (name, words.split_last()) {
        ("[", Some((&"]", words))) => is_expression(words),
        ("[", _) => false,
        _ => is_expression(&words),
    }
}

fn is_expression(words: &[&str]) -> bool {
    let mut rest = words;
    loop {
        let Some(after) = skip_primary(rest) else { return false };
        rest = match after {
            [] => return true,
            ["-a" | "-o", next @ ..] => next,
            _ => return false,
        };
    }
}

/// What follows the first comparison or test.
fn skip_primary<'w, 'a>(words: &'w [&'a str]) -> Option<&'w [&'a str]> {
    match words {
        ["!", rest @ ..] if rest.first() != Some(&"!") => skip_primary(rest),
        [test, word, rest @ ..] if is_unary(test) && is_operand(word) => Some(rest),
        [left, "=" | "==" | "!=", right, rest @ ..] if is_operand(left) && is_operand(right) => {
            Some(rest)
        }
        [left, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge", right, rest @ ..]
            if is_number(left) && is_number(right) =>
        {
            Some(rest)
        }
        [word, rest @ ..] if is_operand(word) => Some(rest),
        _ => None,
    }
}

fn is_unary(word: &str) -> bool {
    matches!(word, "-z" | "-n") || FILE_TESTS.contains(&word)
}

/// A word that cannot be an operator.
fn is_operand(word: &str) -> bool {
    !word.starts_with('-') && !matches!(word, "!" | "(" | ")" | "=" | "==" | "!=" | "<" | ">" | "]")
}

/// Digits, or a status.
fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == UNKNOWN_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_covered(line: &str) -> bool {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        words.split_first().is_some_and(|(name, words)| is_test(name, words))
    }

    #[test]
    fn only_expressions_that_every_shell_reads_alike_are_covered() {
        for line in [
            "test -f a",
            "test a",
            "test ! -d a",
            "test a = b",
            "test a != b -o -s c",
            "test -f a -a 1 -eq 2",
            "[ -f a ]",
            "[ ! -x a/b ]",
            "[ \0 -ne 0 ]",
            "[ -z a ]",
        ] {
            assert!(is_covered(line), "{line}");
        }
        for line in [
            "[ -f a",
            "[ -f a ] ]",
            "[ ]",
            "test",
            "test -v a[$(id)]",
            "test -R a",
            "test a -nt b",
            "test a -ef b",
            "test a[$(id)] -eq 0",
            "test 0 -eq a[$(id)]",
            "test PATH=5 -eq 5",
            "test -1 -eq 1",
            "test ( -f a )",
            "test ! ! a",
            "test -f -f",
            "test a = -f b",
            "test -f a -f b",
            "test -f a -a",
            "test a < b",
            "test -t 0",
            "test -o a",
            "test -f a b",
        ] {
            assert!(!is_covered(line), "{line}");
        }
    }
}
