//! One scenario: what it says, on which graph, and how it is played.

use super::graph::GRAPH;
use super::play::Play;
use super::{
    TrialResult, asking_ahead, consent_graph, conversation, gated_functions, safety_classes,
};

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

pub const GATED_FUNCTIONS: &str = "gated-functions";
pub const CONSENT_GRAPH: &str = "consent-graph";
pub const ASKING_AHEAD: &str = "asking-ahead";
pub const SAFETY_CLASSES: &str = "safety-classes";
pub const CONVERSATION: &str = "conversation";

/// The groups of scenarios by name. Each is what one of the earlier systems describes.
pub fn list_groups() -> [(&'static str, Vec<&'static Scenario>); 5] {
    [
        (GATED_FUNCTIONS, gated_functions::list()),
        (CONSENT_GRAPH, consent_graph::list()),
        (ASKING_AHEAD, asking_ahead::list()),
        (SAFETY_CLASSES, safety_classes::list()),
        (CONVERSATION, conversation::list()),
    ]
}
