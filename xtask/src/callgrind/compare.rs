//! Counts of now beside counts recorded, and whether the gate opens.
//!
//! A gain beyond the margin stops too: unrecorded, it would hide the next loss.

use super::Counts;
use crate::failure::{CiResult, judge};
use std::collections::BTreeSet;
use std::fmt;

/// Share by which a count may move either way.
const MARGIN: f64 = 0.03;

pub(super) struct CountComparison {
    rows: Vec<CountRow>,
}

struct CountRow {
    case: String,
    state: State,
}

enum State {
    Both {
        recorded: f64,
        counted: f64,
    },
    /// Counted, but never recorded.
    New(f64),
    /// RecordedCounts, but no longer counted.
    Gone(f64),
}

impl CountComparison {
    pub(super) fn new(recorded: &Counts, counted: &Counts) -> Self {
        let cases: BTreeSet<&String> = recorded.keys().chain(counted.keys()).collect();
        let rows = cases.into_iter().filter_map(|case| {
            let state = match (recorded.get(case), counted.get(case)) {
                (Some(&recorded), Some(&counted)) => State::Both { recorded, counted },
                (None, Some(&counted)) => State::New(counted),
                (Some(&recorded), None) => State::Gone(recorded),
                (None, None) => return None,
            };
            Some(CountRow { case: case.clone(), state })
        });
        Self { rows: rows.collect() }
    }

    pub(super) fn judge(&self) -> CiResult {
        if self.rows.is_empty() {
            return judge(&["no case was counted".to_owned()], "");
        }
        let found: Vec<String> = self.rows.iter().filter_map(CountRow::finding).collect();
        judge(&found, format!("{} case(s) within 3 %", self.rows.len()))
    }
}

impl CountRow {
    fn finding(&self) -> Option<String> {
        let case = &self.case;
        let bless = "run `cargo xtask callgrind --bless`";
        match self.state {
            State::New(_) => Some(format!("`{case}` is not recorded; {bless}")),
            State::Gone(_) => Some(format!("`{case}` is recorded but not counted; {bless}")),
            State::Both { recorded, counted } => {
                let change = counted / recorded - 1.0;
                if change > MARGIN {
                    let more = change * 100.0;
                    Some(format!(
                        "`{case}` costs {more:.1} % more; repair it, or say why and {bless}"
                    ))
                } else if change < -MARGIN {
                    let less = -change * 100.0;
                    Some(format!("`{case}` costs {less:.1} % less: record the gain; {bless}"))
                } else {
                    None
                }
            }
        }
    }
}

impl fmt::Display for CountComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| case | recorded | now | change |\n|---|---:|---:|---:|")?;
        for CountRow { case, state } in &self.rows {
            match state {
                State::New(counted) => writeln!(f, "| {case} | – | {counted:.1} | new |")?,
                State::Gone(recorded) => writeln!(f, "| {case} | {recorded:.1} | – | gone |")?,
                State::Both { recorded, counted } => {
                    let change = (counted / recorded - 1.0) * 100.0;
                    writeln!(f, "| {case} | {recorded:.1} | {counted:.1} | {change:+.1} % |")?;
                }
            }
        }
        write!(f, "(instructions per operation)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, f64)]) -> Counts {
        pairs.iter().map(|(case, count)| ((*case).to_owned(), *count)).collect()
    }

    fn sentence(recorded: &[(&str, f64)], counted: &[(&str, f64)]) -> String {
        match CountComparison::new(&counts(recorded), &counts(counted)).judge() {
            Ok(done) => done.message,
            Err(failure) => failure.message,
        }
    }

    #[test]
    fn a_count_within_the_margin_passes() {
        assert_eq!(sentence(&[("a", 1000.0)], &[("a", 1029.0)]), "1 case(s) within 3 %");
        assert_eq!(sentence(&[("a", 1000.0)], &[("a", 971.0)]), "1 case(s) within 3 %");
    }

    #[test]
    fn a_loss_and_a_gain_beyond_the_margin_both_stop() {
        let loss = sentence(&[("a", 1000.0)], &[("a", 1040.0)]);
        assert_eq!(
            loss,
            "`a` costs 4.0 % more; repair it, or say why and run `cargo xtask callgrind --bless`"
        );
        let gain = sentence(&[("a", 1000.0)], &[("a", 500.0)]);
        assert_eq!(
            gain,
            "`a` costs 50.0 % less: record the gain; run `cargo xtask callgrind --bless`"
        );
    }

    #[test]
    fn a_case_on_one_side_only_stops() {
        assert!(sentence(&[], &[("a", 1.0)]).starts_with("`a` is not recorded"));
        assert!(sentence(&[("a", 1.0)], &[]).starts_with("`a` is recorded but not counted"));
    }

    #[test]
    fn nothing_counted_is_not_a_pass() {
        assert_eq!(sentence(&[], &[]), "no case was counted");
    }

    #[test]
    fn the_table_shows_every_case() {
        let text =
            CountComparison::new(&counts(&[("a", 100.0), ("b", 7.0)]), &counts(&[("a", 99.0)]));
        let expected = "| case | recorded | now | change |\n|---|---:|---:|---:|\n\
                        | a | 100.0 | 99.0 | -1.0 % |\n| b | 7.0 | – | gone |\n\
                        (instructions per operation)";
        assert_eq!(text.to_string(), expected);
    }
}
