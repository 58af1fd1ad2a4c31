//! "Did you mean": the known word that is nearest to a misspelt one.

use crate::lists::Listed;

/// Below this likeness a suggestion confuses more than it helps.
const ALIKE: f64 = 0.8;

pub(crate) fn nearest<'w>(
    given: &str,
    known: impl IntoIterator<Item = &'w str>,
) -> Option<&'w str> {
    known
        .into_iter()
        .map(|word| (strsim::jaro_winkler(given, word), word))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, word)| word)
}

/// The help for a misspelt word, or `otherwise` where nothing is near.
pub(crate) fn help<'w>(
    given: &str,
    known: impl IntoIterator<Item = &'w str>,
    otherwise: &str,
) -> String {
    nearest(given, known)
        .map_or_else(|| otherwise.to_owned(), |word| format!("did you mean `{word}`?"))
}

/// The help for a verb that no list of its domain names.
pub(crate) fn verb(given: &str, listed: &[Listed<'_>]) -> String {
    let otherwise = "add it to one of the domain's three lists";
    help(given, listed.iter().map(|listed| listed.verb), otherwise)
}
