//! Ids as people type them: the beginning of an id, if only one id starts so.

use crate::failure::Failure;
use countersign_terminal::shorten_id;

pub const ID_BEGINNING_HELP: &str = "give its letter and some of its digits, as lists show them";

/// The beginning of an id, as lists show it.
pub fn short_id(id: &str) -> &str {
    shorten_id(id, [])
}

/// The beginnings of these ids, each long enough that no other of them starts so.
pub fn short_ids(ids: &[String]) -> Vec<String> {
    let shorten = |id: &String| shorten_id(id, ids.iter().map(String::as_str)).to_owned();
    ids.iter().map(shorten).collect()
}

/// The only id that matches, or an error for the operator.
pub fn pick_id(
    matches: &[String],
    beginning: &str,
    what: &str,
    help: &str,
) -> Result<String, Failure> {
    match matches {
        [id] => Ok(id.clone()),
        [] if beginning.len() < 2 => {
            let message = format!("`{beginning}` is too short for an id");
            Err(Failure::usage(message, ID_BEGINNING_HELP))
        }
        [] => Err(Failure::usage(format!("no {what} has the id `{beginning}`"), help)),
        several => Err(Failure::usage(
            format!("`{beginning}` can be several: {}", short_ids(several).join(", ")),
            "give more characters of it",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ambiguous_beginning_lists_what_it_can_be() {
        let ids = ["r3e22a1019b8d16e8e07000800000000", "r3e22b7019b8d16e8e07000800000000"];
        let ids = ids.map(str::to_owned);
        let failure = pick_id(&ids, "r3e", "request", "").err().map(|failure| failure.line());
        let line = failure.unwrap_or_default();
        assert!(line.contains("`r3e` can be several: r3e22a1, r3e22b7"), "{line}");
        assert_eq!(pick_id(&ids[..1], "r3e", "request", "").ok(), Some(ids[0].clone()));
    }
}
