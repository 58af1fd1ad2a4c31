//! The commands about rules: the graph and its policies, one rule for a command, what a line or a call
//! would meet, and simulations.
//!
//! They read the graph and the record, and write only the graph, as the operator says. Settings, clock
//! and environment come from the binary.

mod check;
mod command_rule;
mod explain;
mod graph;
mod limits;
mod simulate;

pub use check::{CheckArgs, check, parse_confidence};
pub use command_rule::{
    EXAMPLES as RULE_EXAMPLES, RuleArgs, RuleCommand, allow, block, change_rules,
};
pub use explain::{CommandsCommand, explain};
pub use graph::{GraphCommand, pluralize, refuse_if_locked, run_graph_command};
pub use simulate::{SimulateArgs, simulate};

use countersign_console::Failure;
use countersign_core::model::narrowed::NarrowingKind;
use countersign_core::model::time::Time;
use countersign_engine::{Clock, Entropy};
use countersign_observe::RealFileSystem;
use countersign_report::RecordDefaults;
use countersign_setup::GraphPlaces;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// For engines whose ids are thrown away.
pub struct ZeroEntropy;

impl Entropy for ZeroEntropy {
    fn bits(&self) -> u64 {
        0
    }
}

/// What the binary knows from its settings and its environment.
pub struct RulesContext {
    pub places: GraphPlaces,
    pub record: RecordDefaults,
    pub home: Option<String>,
    /// The disk as seen by an agent that runs as our own user.
    pub files: RealFileSystem,
    pub clock: fn() -> Box<dyn Clock>,
    /// The program that proves what a graph newly allows.
    pub solver: OsString,
    /// The kinds of narrower forms that are used.
    pub narrowing: Vec<NarrowingKind>,
}

impl RulesContext {
    fn now(&self) -> Time {
        (self.clock)().now()
    }

    fn graph_places(&self) -> GraphPlaces {
        self.places.clone()
    }

    fn graph_folder(&self) -> Option<&Path> {
        self.places.config.as_deref()
    }

    fn data(&self) -> Result<PathBuf, Failure> {
        self.record.data()
    }

    fn file_system(&self) -> RealFileSystem {
        self.files.clone()
    }
}
