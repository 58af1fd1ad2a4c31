//! How a command line names a graph, and the daemon whose graph is read.

use crate::graph_search::{GraphPlaces, GraphSearch};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct GraphOption {
    /// The graph [default: the one that the daemon uses]
    #[arg(long = "graph", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

impl GraphOption {
    /// `data` is the daemon's folder, if the command line names one.
    pub fn search<'a>(&'a self, data: Option<&'a Path>, places: GraphPlaces) -> GraphSearch<'a> {
        GraphSearch { named: self.file.as_deref(), data, places }
    }
}

/// The folder of the daemon whose graph is read.
#[derive(Args)]
pub struct DaemonFolder {
    /// The daemon's folder [default: COUNTERSIGN_DATA, then the user's data folder]
    #[arg(long = "data", value_name = "DIR")]
    pub path: Option<PathBuf>,
}

/// A graph that is named with or without `--graph`.
#[derive(Args)]
pub struct GraphFileArg {
    /// The graph [default: the one that the daemon uses]
    #[arg(value_name = "FILE", conflicts_with = "graph")]
    pub file: Option<PathBuf>,
    /// The same, as an option
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
}

impl GraphFileArg {
    pub fn named_file(&self) -> Option<&Path> {
        self.file.as_deref().or(self.graph.as_deref())
    }

    pub fn search<'a>(&'a self, data: Option<&'a Path>, places: GraphPlaces) -> GraphSearch<'a> {
        GraphSearch { named: self.named_file(), data, places }
    }
}
