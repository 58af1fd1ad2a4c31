//! The search: seeds first, then mutations of what led somewhere.
//!
//! Without coverage, what an input did is told by its traits: an input that shows a new one joins
//! the pool that the next mutations start from. From the same seed the same inputs follow.

use crate::mutate::{Sources, mutate};
use crate::target::{Target, Traits};
use crate::{guard, limits, seeds, shrink};
use countersign_reference::rng::Rng;
use std::collections::HashSet;
use std::io;
use std::time::Duration;

/// An input that broke something, made small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub input: Vec<u8>,
    pub why: String,
}

/// What came of a search.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub tried: u64,
    pub seeds: usize,
    pub kept: usize,
    pub traits: usize,
    pub findings: Vec<Finding>,
}

pub struct Search<'t> {
    target: &'t Target,
    patience: Duration,
    rng: Rng,
    pool: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    seen: HashSet<u64>,
    report: Report,
}

impl<'t> Search<'t> {
    /// Over all seeds of the target.
    pub fn new(target: &'t Target, seed: u64, patience: Duration) -> io::Result<Self> {
        Ok(Self::over(target, (target.seeds)()?, seed, patience))
    }

    pub fn over(target: &'t Target, pool: Vec<Vec<u8>>, seed: u64, patience: Duration) -> Self {
        let words = seeds::words(target, &pool);
        let report = Report { seeds: pool.len(), ..Report::default() };
        let rng = Rng::new(seed);
        Self { target, patience, rng, pool, words, seen: HashSet::new(), report }
    }

    /// Every seed, then mutations until told to stop; `watch` sees each input before it is run.
    pub fn run(mut self, mut watch: impl FnMut(&[u8], &Report) -> Watched) -> Report {
        for at in 0..self.pool.len() {
            let seed = self.pool.get(at).cloned().unwrap_or_default();
            if watch(&seed, &self.report) == Watched::Stop {
                return self.ended();
            }
            self.hold(&seed);
        }
        while self.report.findings.len() < limits::FINDINGS {
            let input = self.next();
            if watch(&input, &self.report) == Watched::Stop {
                break;
            }
            if self.hold(&input) == Led::SomewhereNew && self.pool.len() < limits::POOL {
                self.pool.push(input);
                self.report.kept += 1;
            }
        }
        self.ended()
    }

    fn ended(self) -> Report {
        Report { traits: self.seen.len(), ..self.report }
    }

    /// A mutation of something in the pool.
    fn next(&mut self) -> Vec<u8> {
        let parent = self.parent();
        let longest = self.target.longest;
        let sources = Sources { words: &self.words, pool: &self.pool, longest };
        mutate(&parent, &mut self.rng, &sources)
    }

    /// What was found last is tried more often, and so is what is short: it is quick, and most of
    /// its bytes matter.
    fn parent(&mut self) -> Vec<u8> {
        let recent = self.pool.len().saturating_sub(64);
        let skipped = if self.rng.chance(30) { recent } else { 0 };
        let from = self.pool.get(skipped..).unwrap_or_default();
        let drawn = if self.rng.chance(60) { 4 } else { 1 };
        let candidates = (0..drawn).filter_map(|_| self.rng.pick(from));
        candidates.min_by_key(|input| input.len()).cloned().unwrap_or_default()
    }

    fn hold(&mut self, input: &[u8]) -> Led {
        self.report.tried += 1;
        match guard::hold(self.target, input, self.patience) {
            Ok(traits) => self.learn(&traits),
            Err(why) => {
                self.found(input, why);
                Led::Nowhere
            }
        }
    }

    fn learn(&mut self, traits: &Traits) -> Led {
        let before = self.seen.len();
        self.seen.extend(traits.iter());
        if self.seen.len() > before { Led::SomewhereNew } else { Led::Nowhere }
    }

    fn found(&mut self, input: &[u8], why: String) {
        let kind = kind(&why);
        if self.report.findings.iter().any(|finding| self::kind(&finding.why) == kind) {
            return;
        }
        let again = |input: &[u8]| guard::hold(self.target, input, self.patience);
        let small =
            shrink::shrink(input, |input| again(input).is_err_and(|e| self::kind(&e) == kind));
        // The sentence of the small one: that is the input which will be looked at.
        let why = again(&small).err().unwrap_or(why);
        self.report.findings.push(Finding { input: small, why });
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    GoOn,
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Led {
    SomewhereNew,
    Nowhere,
}

/// What two inputs with one bug have in common: the place of a panic, or what the sentence says
/// before it quotes.
fn kind(why: &str) -> String {
    let first = why.lines().next().unwrap_or_default();
    if first.starts_with("panic: ") {
        return first.to_owned();
    }
    first.split('`').next().unwrap_or_default().to_owned()
}
