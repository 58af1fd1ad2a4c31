//! What must hold whatever happens: sentences about all worlds, tried on many.
//!
//! A world is a graph, a few calls that keep coming back, and a sequence of steps of agents,
//! operator and clock through the engine. The seed is fixed, so a failure comes back; setting
//! `PROPTEST_CASES` (256 by default) makes every property try more worlds, in proportion.
//!
//! See docs/decisions/0009-property-tests.md.

mod acting;
mod asking;
mod calls;
mod carrying;
mod differing;
mod emptiness;
mod endings;
mod graphs;
mod interleavings;
mod layers;
mod meeting;
mod places;
mod reach;
mod replays;
mod same_on_stores;
mod sameness;
mod steps;
mod strictness;
mod tales;
mod tightening;
mod worlds;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

type Held = Result<(), TestCaseError>;

/// Tries a property on many values; panics with the smallest one that breaks it.
fn holds<S: Strategy>(values: &S, property: impl Fn(S::Value) -> Held) {
    try_on(values, 192, property);
}

/// The same for a property whose every world costs more, or says less.
fn try_on<S: Strategy>(values: &S, cases: u32, property: impl Fn(S::Value) -> Held) {
    let asked_for = Config::default().cases;
    let config = Config {
        cases: (cases * asked_for / 256).max(1),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &[7; 16]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    if let Err(broken) = runner.run(values, property) {
        panic!("{broken}");
    }
}
