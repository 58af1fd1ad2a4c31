//! One name of a pattern: literal, or with `*` and `?`.
//!
//! Names are compared in lower case; the caller lowers both sides.

use std::str::Chars;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NameGlob {
    Literal(String),
    Wildcard(String),
}

impl NameGlob {
    pub(super) fn new(lower_name: String) -> Self {
        let has_wildcard = lower_name.contains(['*', '?']);
        if has_wildcard { Self::Wildcard(lower_name) } else { Self::Literal(lower_name) }
    }

    pub(super) fn matches(&self, lower_name: &str) -> bool {
        match self {
            Self::Literal(literal) => literal == lower_name,
            Self::Wildcard(wildcard) => matches_wildcard(wildcard, lower_name),
        }
    }

    /// Whether every name matches.
    pub(super) fn is_universal(&self) -> bool {
        matches!(self, Self::Wildcard(wildcard) if wildcard.chars().all(|c| c == '*'))
    }
}

/// Takes at most the product of both lengths: only the last `*` is ever widened.
fn matches_wildcard(wildcard: &str, name: &str) -> bool {
    let (mut wanted, mut rest) = (wildcard.chars(), name.chars());
    // What is behind the last `*`, and where the name continues if that `*` takes one more.
    let mut widened: Option<(Chars<'_>, Chars<'_>)> = None;
    loop {
        let mut behind = wanted.clone();
        match (behind.next(), rest.clone().next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                widened = Some((behind.clone(), rest.clone()));
                wanted = behind;
            }
            (Some(expected), Some(found)) if expected == '?' || expected == found => {
                wanted = behind;
                rest.next();
            }
            (Some(_) | None, _) => {
                let Some((behind, longer)) = &mut widened else { return false };
                if longer.next().is_none() {
                    return false;
                }
                wanted = behind.clone();
                rest = longer.clone();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_within_a_name() {
        let rows = [
            ("*.pem", "server.pem", true),
            ("*.pem", ".pem", true),
            ("*.pem", "server.pem.txt", false),
            (".env.*", ".env.", true),
            (".env.*", ".env", false),
            ("a*b*c", "a1b2b3c", true),
            ("a*b*c", "acb", false),
            ("?.key", "é.key", true),
            ("??.key", "é.key", false),
            ("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
            ("*", "", true),
        ];
        for (pattern, name, expected) in rows {
            let glob = NameGlob::new(pattern.to_owned());
            assert_eq!(glob.matches(name), expected, "`{pattern}` on `{name}`");
        }
    }
}
