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
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Project;
use countersign_core::model::narrowed::NarrowingKind;
use countersign_core::model::time::Time;
use countersign_core::model::words::Surface;
use countersign_engine::{Clock, Engine, Entropy, LayerTrust, Memory};
use countersign_graph::LoadedGraph;
use countersign_observe::RealFileSystem;
use countersign_report::RecordDefaults;
use countersign_setup::{GraphFile, GraphPlaces, trust_in};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// For engines whose ids are thrown away.
pub struct ZeroEntropy;

impl Entropy for ZeroEntropy {
    fn bits(&self) -> u64 {
        0
    }
}

/// A folder as a project: the one that is named, or the current one.
fn folder_project(option: Option<&Path>) -> Result<Project, Failure> {
    let help = "name an existing folder";
    let folder = option.unwrap_or(Path::new("."));
    let absolute =
        std::path::absolute(folder).map_err(|error| Failure::file("find", folder, &error, help))?;
    let text = absolute.to_str().unwrap_or_default();
    Project::parse(text).map_err(|error| Failure::new(error.to_string(), help))
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

    /// What the operator has accepted, according to the daemon's folder.
    fn layer_trust(&self, data: Option<&Path>) -> LayerTrust {
        trust_in(data.map(Path::to_owned).or_else(|| self.data().ok()))
    }

    /// An engine on an empty record, for questions about the graph.
    fn open_engine(
        &self,
        data: Option<&Path>,
        file: &GraphFile,
        loaded: LoadedGraph,
    ) -> Result<Engine<Memory>, Failure> {
        // As for a daemon: the operator's graph is no agent's business, and nobody's repository.
        let own = std::fs::canonicalize(&file.path).ok();
        let own = own.and_then(|path| path.to_str().map(str::to_owned));
        let engine = Engine::new(Memory::empty(), (self.clock)(), Box::new(ZeroEntropy))
            .with_file_system(Box::new(self.file_system()))
            .with_layer_trust(self.layer_trust(data))
            .with_protected_paths(own.into_iter().collect())
            .with_home(self.home.clone());
        engine.load_graph(loaded)?;
        engine.open(|_| Ok(()))?;
        engine.set_surface(Surface::Reachable)?;
        Ok(engine)
    }

    /// The graph as it decides in a folder: with the rules of the folder's repository.
    fn effective_graph(
        &self,
        data: Option<&Path>,
        file: &GraphFile,
        folder: &Project,
    ) -> Result<Arc<Graph>, Failure> {
        let graph = self.open_engine(data, file, file.loaded.clone())?.graph_for(folder)?;
        Ok(graph.unwrap_or_else(|| Arc::new(file.loaded.graph.clone())))
    }

    fn file_system(&self) -> RealFileSystem {
        self.files.clone()
    }
}
