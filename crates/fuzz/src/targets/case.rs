//! A case file: it is refused with positions, or runs to the same result each time.

use super::{coding_graph, problems};
use crate::seeds;
use crate::target::{Features, Target, TargetResult};
use countersign_graph::Problems;
use countersign_stories::{parse_case, run_with_coverage};
use std::io;
use std::path::Path;

pub(super) const TARGET: Target = Target {
    name: "case",
    property: "a case is refused with positions, or runs twice to the same result",
    max_bytes: 8 << 10,
    words: &[
        "- {wait: 1h}\n",
        "- {restart: true}\n",
        "- {review: true}\n",
        "99999999999d",
        "&a ",
        "*a",
    ],
    seeds: load_cases,
    check,
};

fn load_cases() -> io::Result<Vec<Vec<u8>>> {
    let is_case = |path: &Path| path.extension().is_some_and(|ending| ending == "yaml");
    let mut found = seeds::load_seeds(TARGET.name)?;
    found.extend(seeds::read_files_below(&seeds::repository_folder("cases"), is_case)?);
    let is_graph_case =
        |path: &Path| is_case(path) && path.parent().is_some_and(|p| p.ends_with("cases"));
    found.extend(seeds::read_files_below(&seeds::repository_folder("graphs"), is_graph_case)?);
    Ok(found)
}

fn check(bytes: &[u8]) -> TargetResult {
    let mut features = Features::default();
    let case = match parse_case("case", bytes) {
        Ok(case) => case,
        Err(problems) => {
            problems::check_refusal(&problems, &mut features)?;
            return Ok(features);
        }
    };
    match (run_with_coverage(&case, coding_graph()), run_with_coverage(&case, coding_graph())) {
        (Ok((failures, coverage)), Ok((again, _))) if failures == again => {
            for failure in &failures {
                features.add_message(first_word(&failure.expected), first_word(&failure.got));
                failure.reasons.iter().for_each(|reason| features.add_message("reason", reason));
            }
            coverage.words.iter().for_each(|word| features.add(word));
        }
        (Err(problems), Err(again)) if problems == again => {
            problems::check_refusal(&Problems::new("case", bytes, problems), &mut features)?;
        }
        (one, two) => return Err(format!("two runs differ: `{one:?}` and `{two:?}`")),
    }
    Ok(features)
}

fn first_word(words: &str) -> &str {
    words.split(' ').next().unwrap_or_default()
}
