//! One scenario: what it says, on which graph, and how it is played.

use super::graph::GRAPH;
use super::play::Play;
use super::{TrialResult, seed_000, seed_001, seed_002, seed_003, seed_004};

pub struct Scenario {
    pub sentence: &'static str,
    pub graph: &'static str,
    pub play: PlayFn,
}

pub type PlayFn = fn(&mut Play) -> TrialResult<()>;

impl Scenario {
    /// On the graph that most scenarios share.
    pub const fn new(sentence: &'static str, play: PlayFn) -> Self {
        Self { sentence, graph: GRAPH, play }
    }

    pub const fn on_graph(graph: &'static str, sentence: &'static str, play: PlayFn) -> Self {
        Self { sentence, graph, play }
    }
}

/// The seeds by number, each with its scenarios.
pub fn list_seeds() -> [(&'static str, Vec<&'static Scenario>); 5] {
    [
        ("000", seed_000::list()),
        ("001", seed_001::list()),
        ("002", seed_002::list()),
        ("003", seed_003::list()),
        ("004", seed_004::list()),
    ]
}
