//! The search: tries all seeds, then mutations of the inputs in a pool.
//!
//! Features stand in for coverage: an input with a new feature joins the pool that later mutations
//! start from. The same seed gives the same inputs.

use crate::mutate::{Sources, mutate};
use crate::target::{Features, Target};
use crate::{limits, runner, seeds, shrink};
use countersign_reference::rng::Rng;
use std::collections::HashSet;
use std::io;
use std::time::Duration;

/// An input that breaks the property, shrunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub input: Vec<u8>,
    pub message: String,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct FuzzReport {
    pub inputs_tried: u64,
    pub seeds: usize,
    pub inputs_kept: usize,
    pub features: usize,
    pub findings: Vec<Finding>,
}

pub struct FuzzSearch<'t> {
    target: &'t Target,
    time_limit: Duration,
    rng: Rng,
    pool: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    seen_features: HashSet<u64>,
    report: FuzzReport,
}

impl<'t> FuzzSearch<'t> {
    /// Starts from all seeds of the target.
    pub fn new(target: &'t Target, seed: u64, time_limit: Duration) -> io::Result<Self> {
        Ok(Self::with_seeds(target, (target.seeds)()?, seed, time_limit))
    }

    pub fn with_seeds(
        target: &'t Target,
        pool: Vec<Vec<u8>>,
        seed: u64,
        time_limit: Duration,
    ) -> Self {
        let words = seeds::collect_words(target, &pool);
        let report = FuzzReport { seeds: pool.len(), ..FuzzReport::default() };
        let rng = Rng::new(seed);
        Self { target, time_limit, rng, pool, words, seen_features: HashSet::new(), report }
    }

    /// Tries every seed, then mutations. `watch` sees each input before it runs and may stop the search.
    pub fn run(mut self, mut watch: impl FnMut(&[u8], &FuzzReport) -> SearchControl) -> FuzzReport {
        for index in 0..self.pool.len() {
            let seed = self.pool.get(index).cloned().unwrap_or_default();
            if watch(&seed, &self.report) == SearchControl::Stop {
                return self.finish();
            }
            self.check_input(&seed);
        }
        while self.report.findings.len() < limits::MAX_FINDINGS {
            let input = self.next_input();
            if watch(&input, &self.report) == SearchControl::Stop {
                break;
            }
            if self.check_input(&input) == Novelty::New && self.pool.len() < limits::MAX_POOL_INPUTS
            {
                self.pool.push(input);
                self.report.inputs_kept += 1;
            }
        }
        self.finish()
    }

    fn finish(self) -> FuzzReport {
        FuzzReport { features: self.seen_features.len(), ..self.report }
    }

    /// A mutation of an input from the pool.
    fn next_input(&mut self) -> Vec<u8> {
        let parent = self.pick_parent();
        let max_bytes = self.target.max_bytes;
        let sources = Sources { words: &self.words, pool: &self.pool, max_bytes };
        mutate(&parent, &mut self.rng, &sources)
    }

    /// Prefers recent inputs, and short ones: they run fast, and most of their bytes matter.
    fn pick_parent(&mut self) -> Vec<u8> {
        let recent = self.pool.len().saturating_sub(64);
        let skipped = if self.rng.chance(30) { recent } else { 0 };
        let from = self.pool.get(skipped..).unwrap_or_default();
        let draws = if self.rng.chance(60) { 4 } else { 1 };
        let candidates = (0..draws).filter_map(|_| self.rng.pick(from));
        candidates.min_by_key(|input| input.len()).cloned().unwrap_or_default()
    }

    fn check_input(&mut self, input: &[u8]) -> Novelty {
        self.report.inputs_tried += 1;
        match runner::run_with_time_limit(self.target, input, self.time_limit) {
            Ok(features) => self.learn_features(&features),
            Err(message) => {
                self.add_finding(input, message);
                Novelty::Known
            }
        }
    }

    fn learn_features(&mut self, features: &Features) -> Novelty {
        let before = self.seen_features.len();
        self.seen_features.extend(features.iter());
        if self.seen_features.len() > before { Novelty::New } else { Novelty::Known }
    }

    fn add_finding(&mut self, input: &[u8], message: String) {
        let kind = failure_kind(&message);
        if self.report.findings.iter().any(|finding| failure_kind(&finding.message) == kind) {
            return;
        }
        let check_again =
            |input: &[u8]| runner::run_with_time_limit(self.target, input, self.time_limit);
        let small = shrink::shrink_input(input, |input| {
            check_again(input).is_err_and(|e| failure_kind(&e) == kind)
        });
        // The message for the shrunk input, because that is the one people will look at.
        let message = check_again(&small).err().unwrap_or(message);
        self.report.findings.push(Finding { input: small, message });
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchControl {
    Continue,
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Novelty {
    New,
    Known,
}

/// Identifies a bug across inputs: the position of a panic, or the message up to its first quote.
fn failure_kind(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    if first.starts_with("panic: ") {
        return first.to_owned();
    }
    first.split('`').next().unwrap_or_default().to_owned()
}
