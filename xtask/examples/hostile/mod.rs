//! What the trials are made with: a place for daemons, and the daemons.

pub mod acts;
pub mod daemon;
pub mod files;
pub mod floods;
pub mod hammer;
pub mod hang;
pub mod hooks;
pub mod kills;
pub mod operator;
pub mod races;
pub mod wire;
pub mod world;

use countersign_scratch::{Fsync, PostgresServer, Suspended};
use daemon::Daemon;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use xtask::bench::runs::Context;
use xtask::failure::Failure;
use xtask::hostile::{Database, Extent, Options};

pub type TrialResult<T> = Result<T, Failure>;

/// How long anything may take that is not measured, before the trial gives up.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A PostgreSQL server for all rows, each of which has a database of its own.
pub struct Server {
    server: PostgresServer,
    databases: AtomicUsize,
}

impl Server {
    /// None if no row needs it. Only daemons are killed, so nothing has to reach the disk.
    pub fn start(options: &Options) -> TrialResult<Option<Self>> {
        if !options.rows().iter().any(|row| row.databases().contains(&Database::Postgres)) {
            return Ok(None);
        }
        let server = PostgresServer::start(Fsync::Off).map_err(Failure::new)?;
        Ok(Some(Self { server, databases: AtomicUsize::new(0) }))
    }

    fn create_database(&self) -> TrialResult<String> {
        let name = format!("trial_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let client = postgres::Client::connect(&self.server.address(), postgres::NoTls);
        let mut client = client.context("the database server")?;
        client.batch_execute(&format!("CREATE DATABASE {name}")).context("a database")?;
        let folder = self.server.folder().display();
        Ok(format!("postgres:host={folder} user=postgres dbname={name}"))
    }
}

/// A temporary folder, and a database, for the daemons of one row.
pub struct Site<'m> {
    pub extent: Extent,
    pub database: Database,
    program: &'m Path,
    server: Option<&'m Server>,
    store: String,
    folder: TempDir,
}

impl<'m> Site<'m> {
    pub fn new(
        program: &'m Path,
        server: Option<&'m Server>,
        database: Database,
        extent: Extent,
    ) -> TrialResult<Self> {
        let store = match (database, server) {
            (Database::Sqlite, _) => "sqlite".to_owned(),
            (Database::Postgres, Some(server)) => server.create_database()?,
            (Database::Postgres, None) => return Err(Failure::new("no database server runs")),
        };
        let folder = tempfile::tempdir().context("a temporary folder")?;
        Ok(Self { extent, database, program, server, store, folder })
    }

    /// Another node of the same record, with a folder of its own.
    pub fn start_node(&self, name: &str, graph: &str) -> TrialResult<Daemon> {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).context("a folder for the daemon")?;
        std::fs::write(folder.join("graph.yaml"), graph).context("the graph")?;
        Daemon::start(self.program, &folder, &self.store)
    }

    /// Two nodes where the database allows it. The operator uses the first, agents use both.
    pub fn start_nodes(&self) -> TrialResult<Vec<Daemon>> {
        let names = match self.database {
            Database::Sqlite => &["one"][..],
            Database::Postgres => &["one", "two"],
        };
        names.iter().map(|name| self.start_node(name, world::GRAPH)).collect()
    }

    /// Where the files of the trial itself can lie, outside of any daemon's folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn suspend_database(&self) -> TrialResult<Suspended> {
        let server = self.server.ok_or_else(|| Failure::new("no database server runs"))?;
        server.server.suspend().map_err(Failure::new)
    }
}

/// The first and the last node, which are the same if there is only one.
pub fn ends(nodes: &[Daemon]) -> TrialResult<(&Daemon, &Daemon)> {
    nodes.first().zip(nodes.last()).ok_or_else(|| Failure::new("no daemon was started"))
}

/// The node of a thread, so that threads use all nodes alike.
pub fn node_of(nodes: &[Daemon], thread: usize) -> TrialResult<&Daemon> {
    nodes.get(thread % nodes.len().max(1)).ok_or_else(|| Failure::new("no daemon was started"))
}
