//! How a command line names a graph, and the daemon whose graph is read.

use crate::graph_search::GraphSearch;
use crate::settings::Settings;
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct GraphOption {
    /// The graph [default: the one that the daemon uses]
    #[arg(long = "graph", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

impl GraphOption {
    /// `data` is the daemon's folder, if the command line names one.
    pub(crate) fn search<'a>(
        &'a self,
        data: Option<&'a Path>,
        settings: &'a Settings,
    ) -> GraphSearch<'a> {
        GraphSearch { named: self.file.as_deref(), data, settings }
    }
}

/// The folder of the daemon whose graph is read.
#[derive(Args)]
pub(crate) struct DaemonFolder {
    /// The daemon's folder [default: COUNTERSIGN_DATA, then the user's data folder]
    #[arg(long = "data", value_name = "DIR")]
    pub(crate) path: Option<PathBuf>,
}

/// A graph that is named with or without `--graph`.
#[derive(Args)]
pub(crate) struct GraphFileArg {
    /// The graph [default: the one that the daemon uses]
    #[arg(value_name = "FILE", conflicts_with = "graph")]
    pub(crate) file: Option<PathBuf>,
    /// The same, as an option
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
}

impl GraphFileArg {
    pub(crate) fn named_file(&self) -> Option<&Path> {
        self.file.as_deref().or(self.graph.as_deref())
    }

    pub(crate) fn search<'a>(
        &'a self,
        data: Option<&'a Path>,
        settings: &'a Settings,
    ) -> GraphSearch<'a> {
        GraphSearch { named: self.named_file(), data, settings }
    }
}
