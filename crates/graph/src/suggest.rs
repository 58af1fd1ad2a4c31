//! "Did you mean": finds the known word that is most similar to a misspelled one.

/// Below this similarity a suggestion confuses more than it helps.
const MIN_SIMILARITY: f64 = 0.8;

pub(crate) fn find_nearest<'w>(
    given: &str,
    known: impl IntoIterator<Item = &'w str>,
) -> Option<&'w str> {
    known
        .into_iter()
        .map(|word| (strsim::jaro_winkler(given, word), word))
        .filter(|(likeness, _)| *likeness >= MIN_SIMILARITY)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, word)| word)
}

/// The help for a misspelled word, or `fallback` if no known word is similar.
pub(crate) fn did_you_mean<'w>(
    given: &str,
    known: impl IntoIterator<Item = &'w str>,
    fallback: &str,
) -> String {
    find_nearest(given, known)
        .map_or_else(|| fallback.to_owned(), |word| format!("did you mean `{word}`?"))
}
