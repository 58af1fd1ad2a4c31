//! SPDX licence expressions, as far as Cargo packages use them.
//!
//! `AND` binds tighter than `OR`. The old `MIT/Apache-2.0` is read as `OR`, as crates.io does.
//! What cannot be read is no licence.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expression {
    /// A licence, with its exception if it has one: `Apache-2.0 WITH LLVM-exception`.
    Licence(String),
    AnyOf(Vec<Expression>),
    AllOf(Vec<Expression>),
}

impl Expression {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let spaced = text.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let mut words = spaced.split_whitespace().peekable();
        let read = any_of(&mut words)?;
        words.next().is_none().then_some(read)
    }

    pub(super) fn is_met_by(&self, allowed: &[&str]) -> bool {
        match self {
            Self::Licence(name) => allowed.contains(&name.as_str()),
            Self::AnyOf(parts) => parts.iter().any(|part| part.is_met_by(allowed)),
            Self::AllOf(parts) => parts.iter().all(|part| part.is_met_by(allowed)),
        }
    }
}

type LicenceWords<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut LicenceWords<'_>) -> Option<Expression> {
    let mut parts = vec![all_of(words)?];
    while words.next_if_eq(&"OR").is_some() {
        parts.push(all_of(words)?);
    }
    one_or(parts, Expression::AnyOf)
}

fn all_of(words: &mut LicenceWords<'_>) -> Option<Expression> {
    let mut parts = vec![single(words)?];
    while words.next_if_eq(&"AND").is_some() {
        parts.push(single(words)?);
    }
    one_or(parts, Expression::AllOf)
}

fn single(words: &mut LicenceWords<'_>) -> Option<Expression> {
    let word = words.next()?;
    if word == "(" {
        let inner = any_of(words)?;
        return words.next_if_eq(&")").map(|_| inner);
    }
    let name = licence_name(word)?;
    if words.next_if_eq(&"WITH").is_none() {
        return Some(Expression::Licence(name.to_owned()));
    }
    let exception = licence_name(words.next()?)?;
    Some(Expression::Licence(format!("{name} WITH {exception}")))
}

fn licence_name(word: &str) -> Option<&str> {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '+'));
    (plain && !matches!(word, "OR" | "AND" | "WITH")).then_some(word)
}

fn one_or(
    mut parts: Vec<Expression>,
    many: fn(Vec<Expression>) -> Expression,
) -> Option<Expression> {
    if parts.len() > 1 { Some(many(parts)) } else { parts.pop() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(text: &str) -> Option<bool> {
        Expression::parse(text).map(|read| read.is_met_by(&["MIT", "Apache-2.0", "A WITH B"]))
    }

    #[test]
    fn one_allowed_side_of_or_is_enough() {
        assert_eq!(met("MIT OR GPL-3.0-only"), Some(true));
        assert_eq!(met("GPL-3.0-only/MIT"), Some(true));
        assert_eq!(met("GPL-3.0-only OR MPL-2.0"), Some(false));
    }

    #[test]
    fn both_sides_of_and_are_needed_and_it_binds_tighter() {
        assert_eq!(met("MIT AND Apache-2.0"), Some(true));
        assert_eq!(met("MIT AND GPL-3.0-only"), Some(false));
        assert_eq!(met("GPL-3.0-only AND MPL-2.0 OR MIT"), Some(true));
        assert_eq!(met("GPL-3.0-only AND (MPL-2.0 OR MIT)"), Some(false));
    }

    #[test]
    fn a_licence_with_an_exception_is_another_licence() {
        assert_eq!(met("A WITH B"), Some(true));
        assert_eq!(met("MIT WITH B"), Some(false));
    }

    #[test]
    fn what_cannot_be_read_is_no_expression() {
        for text in ["", "MIT OR", "OR MIT", "(MIT", "MIT)", "MIT MIT", "MIT WITH", "M;T"] {
            assert_eq!(Expression::parse(text), None, "{text}");
        }
    }
}
