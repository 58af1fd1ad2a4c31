//! Detects the assurance level: how well agents are separated from the daemon. It is never
//! configured.
//!
//! With agents of other users, the level is L1 only if none of these users owns or can write
//! anything that decides: see `DecidingFiles`.
//!
//! See docs/decisions/0035-what-assurance-depends-on.md.

use crate::graph_file::GraphFile;
use countersign_core::model::words::Assurance;
use countersign_core::word_enum;
use countersign_engine::{DATABASE_FILE, LOG_FILE};
use countersign_observe::{
    ChainEntry, ChainReader, LookupError, OtherUsersAccess, PathChain, TrustedUsers,
};
use countersign_server::{AgentAccess, Credentials, Sockets};
use std::path::{Path, PathBuf};

/// The assurance level and why it is not higher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssuranceReport {
    pub level: Assurance,
    pub reason: String,
}

/// The paths that decide what is allowed, who is the operator, and what the record says.
#[derive(Clone, Debug)]
pub struct DecidingFiles {
    pub graph: PathBuf,
    /// The folder of policies that the graph names.
    pub policies: Option<PathBuf>,
    pub daemon: DaemonFiles,
}

/// Those of the daemon, whatever its graph is.
#[derive(Clone, Debug)]
pub struct DaemonFiles {
    /// The settings file, also where there is none yet.
    pub settings: Option<PathBuf>,
    pub data: PathBuf,
    pub sockets: Sockets,
    pub certificate: Option<PathBuf>,
    pub private_key: Option<PathBuf>,
    /// The program that runs; `None` if the system does not say.
    pub program: Option<PathBuf>,
    /// Relative paths start here.
    pub cwd: PathBuf,
}

impl DaemonFiles {
    pub fn with_graph(self, graph: &GraphFile) -> DecidingFiles {
        DecidingFiles {
            graph: graph.path.clone(),
            policies: graph.policy_folder.clone(),
            daemon: self,
        }
    }
}

word_enum! {
    /// What a file decides.
    pub enum FileRole {
        Graph = "graph",
        Policies = "policies",
        Settings = "settings",
        Data = "data",
        Sockets = "sockets",
        Keys = "keys",
        Program = "program",
    }
}

impl FileRole {
    /// Whether the file is a rule, which the daemon loads again when it changes.
    pub const fn is_rule(self) -> bool {
        matches!(self, Self::Graph | Self::Policies)
    }
}

/// One path that decides, with everything on the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidingChain {
    pub role: FileRole,
    pub path: PathBuf,
    pub chain: Result<PathChain, LookupError>,
}

impl DecidingChain {
    /// One sentence about the first weakness and what to do about it.
    pub fn explain_weakness(&self) -> Option<String> {
        let role = self.role.word();
        match &self.chain {
            Err(error) => {
                Some(format!("{role}: {} cannot be checked: {error}", self.path.display()))
            }
            Ok(chain) => {
                let (sentence, remedy) =
                    chain.find_weak_entry().and_then(ChainEntry::explain_weakness)?;
                Some(format!("{role}: {sentence}; do: {remedy}"))
            }
        }
    }
}

impl DecidingFiles {
    /// Reads all chains. Two equal results mean that no rule has changed in between.
    pub fn read_chains(&self) -> Vec<DecidingChain> {
        let mut inspector = Inspector {
            reader: ChainReader::new(TrustedUsers::own_user_and_root()),
            cwd: self.daemon.cwd.to_str(),
            chains: Vec::new(),
        };
        inspector.add(FileRole::Graph, &self.graph, OtherUsersAccess::Read);
        if let Some(folder) = &self.policies {
            inspector.add(FileRole::Policies, folder, OtherUsersAccess::Read);
            for file in list_folder(folder) {
                inspector.add(FileRole::Policies, &file, OtherUsersAccess::Read);
            }
        }
        if let Some(settings) = &self.daemon.settings {
            inspector.add(FileRole::Settings, settings, OtherUsersAccess::Read);
        }
        inspector.add(FileRole::Data, &self.daemon.data, OtherUsersAccess::DoNothing);
        for name in Credentials::FILES.into_iter().chain([DATABASE_FILE, LOG_FILE]) {
            inspector.add(
                FileRole::Data,
                &self.daemon.data.join(name),
                OtherUsersAccess::DoNothing,
            );
        }
        if let Some(folder) = self.daemon.sockets.agent.parent() {
            inspector.add(FileRole::Sockets, folder, OtherUsersAccess::ReadAndMustEnter);
        }
        if let Some(certificate) = &self.daemon.certificate {
            inspector.add(FileRole::Keys, certificate, OtherUsersAccess::Read);
        }
        if let Some(key) = &self.daemon.private_key {
            inspector.add(FileRole::Keys, key, OtherUsersAccess::DoNothing);
        }
        if let Some(program) = &self.daemon.program {
            inspector.add(FileRole::Program, program, OtherUsersAccess::Read);
        }
        inspector.chains
    }

    pub fn detect_assurance(&self, chains: &[DecidingChain]) -> AssuranceReport {
        let weakness = match self.daemon.sockets.access {
            AgentAccess::OwnUser => {
                Some("agents that run as your own user can bypass the daemon".to_owned())
            }
            AgentAccess::Group(_) if self.daemon.program.is_none() => {
                Some("program: the system does not say which file runs".to_owned())
            }
            AgentAccess::Group(_) => chains.iter().find_map(DecidingChain::explain_weakness),
        };
        match weakness {
            Some(reason) => AssuranceReport { level: Assurance::Shared, reason },
            None => AssuranceReport {
                level: Assurance::Separated,
                reason: "agents run as other users; your own user is enough to answer".to_owned(),
            },
        }
    }
}

struct Inspector<'c> {
    reader: ChainReader<'static>,
    cwd: Option<&'c str>,
    chains: Vec<DecidingChain>,
}

impl Inspector<'_> {
    fn add(&mut self, role: FileRole, path: &Path, others: OtherUsersAccess) {
        let chain = match (path.to_str(), self.cwd) {
            // An empty path is the current folder.
            (Some(""), Some(cwd)) => self.reader.read_chain(cwd, cwd, others),
            (Some(path), Some(cwd)) => self.reader.read_chain(path, cwd, others),
            _ => Err(LookupError::LinkNotUtf8(path.display().to_string())),
        };
        self.chains.push(DecidingChain { role, path: path.to_owned(), chain });
    }
}

/// The entries of a folder by name; none if it cannot be read, which its own chain tells.
fn list_folder(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}
