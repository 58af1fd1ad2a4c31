//! Splitting at blanks, for lines in which blanks are all there is to split at.

/// Words at the head of a line that a shell takes for its own.
const RESERVED: [&str; 16] = [
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "in", "function", "select", "time",
];

/// The words of a plain literal command, or none if a shell could read the line otherwise.
pub(crate) fn plain_words(text: &str) -> Option<Vec<String>> {
    if !text.bytes().all(|byte| byte == b' ' || byte == b'\t' || is_plain(byte)) {
        return None;
    }
    let argv: Vec<String> = text.split_ascii_whitespace().map(str::to_owned).collect();
    let program = argv.first()?;
    // `NAME=value` in front is an assignment, not a program.
    let is_program = !program.contains('=') && !RESERVED.contains(&program.as_str());
    is_program.then_some(argv)
}

/// Bytes that mean themselves in every shell, wherever they stand in a word.
const fn is_plain(byte: u8) -> bool {
    matches!(byte,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9'
        | b'_' | b'-' | b'.' | b'/' | b':' | b'=' | b'@' | b'%' | b'+' | b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_separate_and_do_not_count() {
        let argv = plain_words("git  push\torigin   main ");
        assert_eq!(argv, Some(["git", "push", "origin", "main"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn what_a_shell_could_read_otherwise_is_not_plain() {
        for text in [
            "",
            "   ",
            "git push && rm -rf x",
            "git push; id",
            "git push | cat",
            "echo $HOME",
            "echo `id`",
            "echo *",
            "ls ~",
            "echo 'a b'",
            "echo \"a\"",
            "a\\ b",
            "cat < f",
            "x > f",
            "git push\nid",
            "A=1 git push",
            "git push # note",
            "! true",
            "{ id",
            "if true",
            "echo é",
            "git\u{a0}push",
            "git\u{200b} push",
            "git push &",
            "(id)",
            "a\rb",
            "a\0b",
            "echo ^a",
            "time ls",
        ] {
            assert_eq!(plain_words(text), None, "{text:?}");
        }
    }
}
