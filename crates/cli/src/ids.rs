//! Ids as people type them: either end of one, as long as it is clear which is meant.

use crate::failure::Failure;
use crate::limits;

/// The end of an id, by which it can be named.
pub(crate) fn short(id: &str) -> &str {
    id.get(id.len().saturating_sub(6)..).unwrap_or(id)
}

/// Whether this is an id, its beginning (with or without the word before it), or its end.
pub(crate) fn is_part(id: &str, given: &str) -> bool {
    let bare = id.split_once('_').map_or(id, |(_, bare)| bare);
    id == given
        || given.len() >= limits::LEAST_OF_AN_ID
            && (id.starts_with(given) || bare.starts_with(given) || id.ends_with(given))
}

/// The one id that was meant, of those that fit.
pub(crate) fn only(
    fits: &[String],
    given: &str,
    what: &str,
    help: &str,
) -> Result<String, Failure> {
    match fits {
        [one] => Ok(one.clone()),
        [] if given.len() < limits::LEAST_OF_AN_ID => {
            let message = format!("`{given}` is too little of an id");
            Err(Failure::usage(message, "give at least 4 characters of its beginning or its end"))
        }
        [] => Err(Failure::usage(format!("no {what} has the id `{given}`"), help)),
        several => Err(Failure::usage(
            format!("`{given}` fits several ids: {}", several.join(", ")),
            "give more of the one you mean",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_end_of_an_id_names_it_and_its_middle_or_too_little_does_not() {
        let id = "req_019b8d16e8e0700080000000003e22a1";
        for given in [id, "req_019b", "019b8d", "3e22a1", "22a1"] {
            assert!(is_part(id, given), "{given}");
        }
        for given in ["", "2a1", "8d16", "3E22A1", "op_019b"] {
            assert!(!is_part(id, given), "{given}");
        }
    }
}
