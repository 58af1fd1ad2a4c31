//! Goals: a bound on the ratio of two variants of the same run.
//!
//! The ratio is taken round by round, so that both sides saw the same load. A goal is met
//! only if the whole band lies on the right side of its bound.

use super::machine_load::MachineLoad;
use super::rounds::Measured;
use super::statistics::Band;
use std::fmt;

/// Fewer quiet rounds than this prove nothing either way.
pub const QUIET_ROUNDS: usize = 9;

/// `time of over / time of under`, bounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    pub over: &'static str,
    pub under: &'static str,
    pub bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    Met,
    Missed,
    /// Too few quiet rounds; neither a pass nor a failure.
    Inconclusive,
}

impl Goal {
    pub fn judge(&self, measured: &Measured) -> Judgement {
        let ratios = self.ratios(measured, MachineLoad::Quiet);
        let enough = ratios.len() >= QUIET_ROUNDS;
        match Band::from_values(&ratios).filter(|_| enough) {
            None => Judgement::Inconclusive,
            Some(band) if self.bound.holds(band) => Judgement::Met,
            Some(_) => Judgement::Missed,
        }
    }

    /// One ratio per round under this load; a variant that was not measured has none.
    pub fn ratios(&self, measured: &Measured, load: MachineLoad) -> Vec<f64> {
        let places = measured.position(self.over).zip(measured.position(self.under));
        let Some((over, under)) = places else { return Vec::new() };
        let rounds = measured.rounds_at(load);
        rounds
            .filter_map(|round| Some(round.nanos.get(over)? / round.nanos.get(under)?))
            .filter(|ratio| ratio.is_finite())
            .collect()
    }
}

impl Bound {
    fn holds(self, band: Band) -> bool {
        match self {
            Self::AtMost(bound) => band.high <= bound,
            Self::AtLeast(bound) => band.low >= bound,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(bound) => write!(f, "≤ {bound}"),
            Self::AtLeast(bound) => write!(f, "≥ {bound}"),
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Met => "holds",
            Self::Missed => "missed",
            Self::Inconclusive => "inconclusive",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::rounds::Round;

    const GOAL: Goal = Goal { over: "ours", under: "limit", bound: Bound::AtMost(10.0) };

    /// Rounds in which ours takes the given times and the limit takes 10 ns.
    fn measured(quiet: &[f64], contended: &[f64]) -> Measured {
        let round = |load| move |ours: &f64| Round { load, nanos: vec![*ours, 10.0] };
        let rounds = quiet
            .iter()
            .map(round(MachineLoad::Quiet))
            .chain(contended.iter().map(round(MachineLoad::Contended)))
            .collect();
        Measured { suite: "decide".into(), variants: vec!["ours", "limit"], rounds }
    }

    #[test]
    fn a_band_on_the_right_side_meets_the_goal() {
        assert_eq!(GOAL.judge(&measured(&[90.0; 9], &[])), Judgement::Met);
    }

    #[test]
    fn a_band_that_reaches_over_the_bound_misses_it() {
        let mut times = [90.0; 9];
        times[..3].fill(110.0);
        assert_eq!(GOAL.judge(&measured(&times, &[])), Judgement::Missed);
    }

    #[test]
    fn eight_quiet_rounds_are_no_verdict_however_many_others_there_are() {
        assert_eq!(GOAL.judge(&measured(&[90.0; 8], &[90.0; 50])), Judgement::Inconclusive);
    }

    #[test]
    fn contended_rounds_neither_help_nor_harm() {
        assert_eq!(GOAL.judge(&measured(&[90.0; 9], &[9000.0; 50])), Judgement::Met);
    }

    #[test]
    fn at_least_looks_at_the_low_end() {
        let goal = Goal { bound: Bound::AtLeast(9.0), ..GOAL };
        assert_eq!(goal.judge(&measured(&[90.0; 9], &[])), Judgement::Met);
        let mut times = [90.0; 9];
        times[..3].fill(80.0);
        assert_eq!(goal.judge(&measured(&times, &[])), Judgement::Missed);
    }

    #[test]
    fn a_variant_that_was_not_measured_is_no_verdict() {
        let goal = Goal { under: "absent", ..GOAL };
        assert_eq!(goal.judge(&measured(&[90.0; 9], &[])), Judgement::Inconclusive);
    }
}
