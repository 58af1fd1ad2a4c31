//! One name of a pattern: literal, or with `*` and `?`.
//!
//! Names are compared in lower case; the caller lowers both sides.

use countersign_commands::matches_glob;

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
            Self::Wildcard(wildcard) => matches_glob(wildcard, lower_name),
        }
    }

    /// Whether every name matches.
    pub(super) fn is_universal(&self) -> bool {
        matches!(self, Self::Wildcard(wildcard) if wildcard.chars().all(|c| c == '*'))
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
