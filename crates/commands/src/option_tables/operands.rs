//! Restricts the operands of programs for which not every operand is harmless.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllowedOperands {
    Any,
    None,
    /// The program would write to a second one.
    AtMostOne,
    /// Names of remotes and branches: no address, path, deletion or force prefix.
    RefNames,
    /// Nothing that could name another host.
    NoColon,
    /// HTTP addresses without credentials and patterns.
    WebAddresses,
    /// A jq filter first, which must not load other files or the environment.
    Filter,
    /// A sed script that only prints lines by number, then files.
    PrintedLines,
    /// Folders for `find`; no parentheses, negation or comma.
    Folders,
    /// `+FORMAT` only.
    Format,
}

impl AllowedOperands {
    /// The first operand that is not allowed.
    pub(super) fn find_refused(self, operands: &[String]) -> Option<&String> {
        let find_unless =
            |is_allowed: fn(&str) -> bool| operands.iter().find(|word| !is_allowed(word));
        match self {
            Self::Any => None,
            Self::None => operands.first(),
            Self::AtMostOne => operands.get(1),
            Self::RefNames => find_unless(is_name),
            Self::NoColon => find_unless(|word| !word.contains(':')),
            Self::WebAddresses => find_unless(is_address),
            Self::Filter => operands.first().filter(|filter| {
                let mut words = filter.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                words.any(|word| matches!(word, "import" | "include" | "env" | "ENV"))
            }),
            Self::PrintedLines => operands.first().filter(|script| !prints_lines(script)),
            Self::Folders => find_unless(|word| !word.starts_with(['(', ')', '!', ','])),
            Self::Format => find_unless(|word| word.starts_with('+')),
        }
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !word.contains("..")
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b))
}

fn is_address(word: &str) -> bool {
    let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !rest.contains(['@', '\\', '{', '}', '[', ']', ' ', '\n'])
            && rest.is_ascii()
    })
}

/// `5p`, `1,20p`, `$p`.
fn prints_lines(script: &str) -> bool {
    script.strip_suffix('p').is_some_and(|range| {
        let mut ends = range.split(',');
        let is_line =
            |end: &str| end == "$" || (!end.is_empty() && end.bytes().all(|b| b.is_ascii_digit()));
        range.matches(',').count() < 2 && ends.all(is_line)
    })
}
