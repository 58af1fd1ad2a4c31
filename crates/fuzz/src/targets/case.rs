//! A case file: read strictly, and run to the same end each time.

use super::{coding, places};
use crate::seeds;
use crate::target::{Held, Target, Traits};
use countersign_graph::Problems;
use countersign_stories::{parse_case, run_with_coverage};
use std::io;
use std::path::Path;

pub(super) const TARGET: Target = Target {
    name: "case",
    what: "a case is refused with places, or runs to the same end twice",
    longest: 8 << 10,
    words: &[
        "- {wait: 1h}\n",
        "- {restart: true}\n",
        "- {review: true}\n",
        "99999999999d",
        "&a ",
        "*a",
    ],
    seeds: cases,
    hold,
};

fn cases() -> io::Result<Vec<Vec<u8>>> {
    let is_case = |path: &Path| path.extension().is_some_and(|ending| ending == "yaml");
    let mut found = seeds::own(TARGET.name)?;
    found.extend(seeds::below(&seeds::folder("cases"), is_case)?);
    let beside = |path: &Path| is_case(path) && path.parent().is_some_and(|p| p.ends_with("cases"));
    found.extend(seeds::below(&seeds::folder("graphs"), beside)?);
    Ok(found)
}

fn hold(bytes: &[u8]) -> Held {
    let mut traits = Traits::default();
    let case = match parse_case("case", bytes) {
        Ok(case) => case,
        Err(problems) => {
            places::refused(&problems, &mut traits)?;
            return Ok(traits);
        }
    };
    match (run_with_coverage(&case, coding()), run_with_coverage(&case, coding())) {
        (Ok((failures, traced)), Ok((again, _))) if failures == again => {
            for failure in &failures {
                traits.say(first(&failure.expected), first(&failure.got));
                failure.reasons.iter().for_each(|reason| traits.say("reason", reason));
            }
            traced.words.iter().for_each(|word| traits.note(word));
        }
        (Err(problems), Err(again)) if problems == again => {
            places::refused(&Problems::new("case", bytes, problems), &mut traits)?;
        }
        (one, two) => return Err(format!("it ran to two ends: `{one:?}` and `{two:?}`")),
    }
    Ok(traits)
}

fn first(words: &str) -> &str {
    words.split(' ').next().unwrap_or_default()
}
