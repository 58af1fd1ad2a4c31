//! Finds the graph that a command reads: the one that the daemon uses.
//!
//! A named file comes first. Then the running daemon is asked. Without one, the search is the one
//! that `countersign serve` would do: the settings, the user's config folder, the data folder. A
//! repository's own rules are no graph: they stand beside it.
//!
//! See docs/decisions/0045-which-graph-a-command-reads.md.

use crate::files::exists;
use crate::graph_file::{GraphFile, GraphOrigin};
use crate::limits;
use countersign_client::{Connection, OperatorClient};
use countersign_console::Failure;
use std::path::{Path, PathBuf};

/// File names of a graph that no option names.
pub const GRAPH_NAMES: [&str; 4] =
    ["countersign.toml", "countersign.yaml", "countersign.yml", "countersign.json"];

pub struct FoundGraph {
    pub path: PathBuf,
    pub origin: GraphOrigin,
}

/// Where to look, and for whom.
pub struct GraphSearch<'a> {
    /// The file that the command line names.
    pub named: Option<&'a Path>,
    /// The daemon's folder, if the command line names one.
    pub data: Option<&'a Path>,
    pub places: GraphPlaces,
}

/// Where graphs are, as far as settings and environment say.
#[derive(Clone, Debug)]
pub struct GraphPlaces {
    /// The daemon's folder.
    pub data: Option<PathBuf>,
    /// The graph that a setting names, and which one.
    pub setting: Option<(PathBuf, &'static str)>,
    /// The user's config folder for Countersign.
    pub config: Option<PathBuf>,
}

impl GraphSearch<'_> {
    /// The graph that the daemon uses, or would use.
    pub fn find(&self) -> Result<FoundGraph, Failure> {
        self.find_if_any()?.map_err(|none| none.into_failure())
    }

    /// Finds and loads it.
    pub fn open(&self) -> Result<GraphFile, Failure> {
        self.find()?.open()
    }

    /// None if there is no graph at all.
    pub fn open_if_any(&self) -> Result<Option<GraphFile>, Failure> {
        match self.find_if_any()? {
            Ok(found) => found.open().map(Some),
            Err(_) => Ok(None),
        }
    }

    fn find_if_any(&self) -> Result<Result<FoundGraph, NoGraph>, Failure> {
        if self.named.is_none()
            && let Some(found) = self.ask_daemon()
        {
            return Ok(Ok(found));
        }
        self.search_disk()
    }

    /// For the daemon itself: the graph to load, if there is one.
    pub fn find_for_daemon(&self) -> Result<Option<FoundGraph>, Failure> {
        self.search_disk().map(Result::ok)
    }

    fn data_folder(&self) -> Option<PathBuf> {
        self.data.map(Path::to_owned).or_else(|| self.places.data.clone())
    }

    fn ask_daemon(&self) -> Option<FoundGraph> {
        let socket = self.data_folder()?.join("operator.sock");
        let client = OperatorClient::new(Connection::new(&socket, limits::DOCTOR_TIMEOUT));
        let status = client.status().ok()?;
        let path = shorten_path(Path::new(&status.graph_file?.path));
        Some(FoundGraph { path, origin: GraphOrigin::Daemon(status.graph) })
    }

    fn search_disk(&self) -> Result<Result<FoundGraph, NoGraph>, Failure> {
        let found = |path: &Path, origin| FoundGraph { path: path.into(), origin };
        if let Some(path) = self.named {
            return Ok(Ok(found(path, GraphOrigin::CommandLine)));
        }
        if let Some((path, name)) = &self.places.setting {
            return Ok(Ok(found(path, GraphOrigin::Setting(name))));
        }
        let data = self.data_folder();
        let config = self.places.config.as_deref().map(graphs_in);
        let (path, origin) = match config.as_deref() {
            None | Some([]) => {
                let own = data.map(|folder| folder.join("countersign.yaml"));
                match own.filter(|path| exists(path)) {
                    Some(path) => (path, GraphOrigin::DataFolder),
                    None => {
                        let config = self.places.config.clone();
                        return Ok(Err(NoGraph { config }));
                    }
                }
            }
            Some([path]) => (path.clone(), GraphOrigin::ConfigFolder),
            Some(several) => return Err(ambiguous_graph_error(several)),
        };
        Ok(Ok(FoundGraph { path, origin }))
    }
}

impl FoundGraph {
    pub fn open(self) -> Result<GraphFile, Failure> {
        let mut file = GraphFile::read(self.path).1?;
        file.origin = self.origin;
        Ok(file)
    }
}

/// No graph, and where one was looked for.
struct NoGraph {
    config: Option<PathBuf>,
}

impl NoGraph {
    fn into_failure(self) -> Failure {
        let places = match self.config {
            None => "your config folder".to_owned(),
            Some(config) => format!("`{}`", config.display()),
        };
        Failure::new(
            format!("there is no graph in {places}, so nothing is allowed"),
            "write one with `countersign graph new coding`, or name one with `--graph FILE`",
        )
    }
}

fn graphs_in(folder: &Path) -> Vec<PathBuf> {
    GRAPH_NAMES.iter().map(|name| folder.join(name)).filter(|path| exists(path)).collect()
}

/// Relative to the working folder, if it is in there.
fn shorten_path(path: &Path) -> PathBuf {
    let folder = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&folder).unwrap_or(path).to_owned()
}

fn ambiguous_graph_error(found: &[PathBuf]) -> Failure {
    let names: Vec<_> = found.iter().map(|path| format!("`{}`", path.display())).collect();
    Failure::new(
        format!("there are {} graphs in one folder: {}", found.len(), names.join(", ")),
        "keep one of them, or name one with `--graph FILE`",
    )
}
