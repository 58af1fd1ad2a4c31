//! Ids as people type them: the beginning or the end of an id, if only one id fits.

use crate::failure::Failure;
use crate::limits;

pub(crate) const ID_PART_HELP: &str = "give at least 4 characters of its beginning or its end";

/// The end of an id, as lists show it.
pub(crate) fn short_id(id: &str) -> &str {
    id.get(id.len().saturating_sub(limits::SHORT_ID_CHARS)..).unwrap_or(id)
}

/// Whether `part` is the id, its beginning (with or without the prefix), or its end.
pub(crate) fn is_id_part(id: &str, part: &str) -> bool {
    let bare = id.split_once('_').map_or(id, |(_, bare)| bare);
    id == part
        || part.len() >= limits::MIN_ID_CHARS
            && (id.starts_with(part) || bare.starts_with(part) || id.ends_with(part))
}

/// The only id that matches, or an error for the operator.
pub(crate) fn pick_id(
    matches: &[String],
    part: &str,
    what: &str,
    help: &str,
) -> Result<String, Failure> {
    match matches {
        [id] => Ok(id.clone()),
        [] if part.len() < limits::MIN_ID_CHARS => {
            let message = format!("`{part}` is too short for an id");
            Err(Failure::usage(message, ID_PART_HELP))
        }
        [] => Err(Failure::usage(format!("no {what} has the id `{part}`"), help)),
        several => Err(Failure::usage(
            format!("`{part}` matches several ids: {}", several.join(", ")),
            "give more characters of it",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_end_of_an_id_names_it_but_not_its_middle_or_three_characters() {
        let id = "req_019b8d16e8e0700080000000003e22a1";
        for part in [id, "req_019b", "019b8d", "3e22a1", "22a1"] {
            assert!(is_id_part(id, part), "{part}");
        }
        for part in ["", "2a1", "8d16", "3E22A1", "op_019b"] {
            assert!(!is_id_part(id, part), "{part}");
        }
    }
}
