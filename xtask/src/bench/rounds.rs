//! Rounds: every variant in turn, operation by operation, the order rotated each time.
//!
//! So each variant meets the same load and follows each other one equally often. One round
//! gives one number per variant, the median of its operations. The first round only warms up.

use super::machine_load::{LoadMeasurement, MachineLoad};
use super::statistics::quantile;
use crate::clock::Stopwatch;
use crate::failure::Failure;
use std::time::Duration;

/// One of the things compared.
pub struct Variant<'a> {
    name: &'static str,
    repeats: u32,
    operation: Operation<'a>,
}

enum Operation<'a> {
    Whole(Box<dyn FnMut() + 'a>),
    Timed(Box<dyn FnMut() -> Result<Duration, Failure> + 'a>),
}

impl<'a> Variant<'a> {
    /// All of the operation is measured. One shorter than a microsecond should be done `repeats`
    /// times inside, so that the clock's own cost does not show.
    pub fn new(name: &'static str, repeats: u32, operation: impl FnMut() + 'a) -> Self {
        Self { name, repeats, operation: Operation::Whole(Box::new(operation)) }
    }

    /// The operation says itself how long the part took that counts, or why it failed.
    pub fn with_own_timer(
        name: &'static str,
        repeats: u32,
        operation: impl FnMut() -> Result<Duration, Failure> + 'a,
    ) -> Self {
        Self { name, repeats, operation: Operation::Timed(Box::new(operation)) }
    }

    fn time(&mut self) -> Result<f64, Failure> {
        let took = match &mut self.operation {
            Operation::Whole(operation) => {
                let watch = Stopwatch::start();
                operation();
                watch.elapsed()
            }
            Operation::Timed(operation) => operation()?,
        };
        Ok(nanos(took) / f64::from(self.repeats.max(1)))
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Per variant and round.
    pub operations: usize,
    pub quiet_rounds: usize,
    /// After so many rounds measuring ends, quiet or not.
    pub max_rounds: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    pub load: MachineLoad,
    /// Nanoseconds per repeat, in the order of the variants.
    pub nanos: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub suite: String,
    pub variants: Vec<&'static str>,
    pub rounds: Vec<Round>,
}

impl Measured {
    pub fn rounds_at(&self, load: MachineLoad) -> impl Iterator<Item = &Round> {
        self.rounds.iter().filter(move |round| round.load == load)
    }

    pub fn position(&self, variant: &str) -> Option<usize> {
        self.variants.iter().position(|name| *name == variant)
    }
}

/// Measures until there are enough quiet rounds or too many rounds. The load is measured before,
/// between and after; a round is quiet if it was quiet on both sides of it.
pub fn measure(
    suite: &str,
    variants: &mut [Variant<'_>],
    plan: Plan,
    mut measure_load: impl FnMut() -> Result<LoadMeasurement, Failure>,
) -> Result<Measured, Failure> {
    let names = variants.iter().map(|variant| variant.name).collect();
    let suite = suite.to_owned();
    let mut measured = Measured { suite, variants: names, rounds: Vec::new() };
    run_round(variants, plan.operations)?;
    let mut before = measure_load()?.load();
    while measured.rounds.len() < plan.max_rounds
        && measured.rounds_at(MachineLoad::Quiet).count() < plan.quiet_rounds
    {
        let nanos = run_round(variants, plan.operations)?;
        let after = measure_load()?.load();
        measured.rounds.push(Round { load: before.max(after), nanos });
        before = after;
    }
    Ok(measured)
}

fn run_round(variants: &mut [Variant<'_>], operations: usize) -> Result<Vec<f64>, Failure> {
    let mut took: Vec<Vec<f64>> = vec![Vec::with_capacity(operations); variants.len()];
    for turn in order(variants.len(), operations) {
        if let (Some(variant), Some(times)) = (variants.get_mut(turn), took.get_mut(turn)) {
            times.push(variant.time()?);
        }
    }
    Ok(took.iter().map(|times| quantile(times, 0.5).unwrap_or(f64::NAN)).collect())
}

fn nanos(took: Duration) -> f64 {
    took.as_secs_f64() * 1e9
}

/// Whose turn it is: all variants once per operation, each time beginning with the next one.
fn order(variants: usize, operations: usize) -> impl Iterator<Item = usize> {
    (0..operations).flat_map(move |turn| (0..variants).map(move |step| (turn + step) % variants))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    const QUIET: LoadMeasurement =
        LoadMeasurement { ping_p99: Duration::ZERO, longest_gap: Duration::ZERO, syncs: 1.0 };
    const BUSY: LoadMeasurement =
        LoadMeasurement { ping_p99: Duration::MAX, longest_gap: Duration::ZERO, syncs: 1.0 };
    const PLAN: Plan = Plan { operations: 3, quiet_rounds: 2, max_rounds: 4 };

    fn variants<'a>(calls: &'a RefCell<Vec<&'static str>>) -> Vec<Variant<'a>> {
        let variant =
            |name: &'static str| Variant::new(name, 1, move || calls.borrow_mut().push(name));
        vec![variant("a"), variant("b"), variant("c")]
    }

    #[test]
    fn the_order_rotates_with_every_operation() {
        let turns: Vec<usize> = order(3, 4).collect();
        assert_eq!(turns, [0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2]);
    }

    #[test]
    fn every_variant_is_called_equally_often_after_one_round_to_warm_up() {
        let calls = RefCell::default();
        let measured = measure("s", &mut variants(&calls), PLAN, || Ok(QUIET)).unwrap();
        assert_eq!(measured.rounds.len(), 2);
        let of = |name| calls.borrow().iter().filter(|call| **call == name).count();
        assert_eq!([of("a"), of("b"), of("c")], [9, 9, 9]);
    }

    #[test]
    fn a_round_beside_a_busy_machine_is_contended() {
        let calls = RefCell::default();
        let mut load = [QUIET, QUIET, BUSY, QUIET, QUIET].into_iter();
        let measured = measure("s", &mut variants(&calls), PLAN, || {
            load.next().ok_or_else(|| Failure::new("asked too often"))
        });
        let loads: Vec<MachineLoad> =
            measured.unwrap().rounds.iter().map(|round| round.load).collect();
        assert_eq!(
            loads,
            [
                MachineLoad::Quiet,
                MachineLoad::Contended,
                MachineLoad::Contended,
                MachineLoad::Quiet
            ]
        );
    }

    #[test]
    fn an_operation_that_times_itself_is_believed_and_one_that_fails_ends_everything() {
        let mut variants = [Variant::with_own_timer("half", 2, || Ok(Duration::from_nanos(100)))];
        let measured = measure("s", &mut variants, PLAN, || Ok(QUIET)).unwrap();
        assert_eq!(measured.rounds[0].nanos, [50.0]);
        let mut variants = [Variant::with_own_timer("broken", 1, || Err(Failure::new("no disk")))];
        let failure = measure("s", &mut variants, PLAN, || Ok(QUIET)).unwrap_err();
        assert_eq!(failure.message, "no disk");
    }

    #[test]
    fn a_machine_that_stays_busy_ends_at_the_bound() {
        let calls = RefCell::default();
        let measured = measure("s", &mut variants(&calls), PLAN, || Ok(BUSY)).unwrap();
        assert_eq!(measured.rounds.len(), PLAN.max_rounds);
        assert_eq!(measured.rounds_at(MachineLoad::Quiet).count(), 0);
    }
}
