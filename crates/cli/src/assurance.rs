//! Detects the assurance level: how well agents are separated from the daemon. It is never
//! configured.
//!
//! With agents of other users, the level is L1 only if none of these users owns or can write
//! anything that decides: see `DecidingFiles`.

use countersign_core::model::words::Assurance;
use countersign_engine::{DATABASE_FILE, LOG_FILE};
use countersign_observe::{
    ChainEntry, ChainReader, LookupError, OthersMay, PathChain, TrustedUsers,
};
use countersign_server::{AgentAccess, Credentials, Sockets};
use std::path::{Path, PathBuf};

/// The assurance level and why it is not higher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AssuranceReport {
    pub(crate) level: Assurance,
    pub(crate) reason: String,
}

/// The paths that decide what is allowed, who is the operator, and what the record says.
#[derive(Clone, Debug)]
pub(crate) struct DecidingFiles {
    pub(crate) graph: PathBuf,
    /// The folder of policies that the graph names.
    pub(crate) policies: Option<PathBuf>,
    /// The settings file, also where there is none yet.
    pub(crate) settings: Option<PathBuf>,
    pub(crate) data: PathBuf,
    pub(crate) sockets: Sockets,
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) private_key: Option<PathBuf>,
    /// The program that runs; `None` if the system does not say.
    pub(crate) program: Option<PathBuf>,
    /// Relative paths start here.
    pub(crate) cwd: PathBuf,
}

/// What a file decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileRole {
    Graph,
    Policies,
    Settings,
    Data,
    Sockets,
    Keys,
    Program,
}

impl FileRole {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Policies => "policies",
            Self::Settings => "settings",
            Self::Data => "data",
            Self::Sockets => "sockets",
            Self::Keys => "keys",
            Self::Program => "program",
        }
    }

    /// Whether the file is a rule, which the daemon loads again when it changes.
    pub(crate) const fn is_rule(self) -> bool {
        matches!(self, Self::Graph | Self::Policies)
    }
}

/// One path that decides, with everything on the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecidingChain {
    pub(crate) role: FileRole,
    pub(crate) path: PathBuf,
    pub(crate) chain: Result<PathChain, LookupError>,
}

impl DecidingChain {
    /// One sentence about the first weakness and what to do about it.
    pub(crate) fn explain_weakness(&self) -> Option<String> {
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
    pub(crate) fn read_chains(&self) -> Vec<DecidingChain> {
        let mut inspector = Inspector {
            reader: ChainReader::new(TrustedUsers::own_user_and_root()),
            cwd: self.cwd.to_str(),
            chains: Vec::new(),
        };
        inspector.add(FileRole::Graph, &self.graph, OthersMay::Read);
        if let Some(folder) = &self.policies {
            inspector.add(FileRole::Policies, folder, OthersMay::Read);
            for file in list_folder(folder) {
                inspector.add(FileRole::Policies, &file, OthersMay::Read);
            }
        }
        if let Some(settings) = &self.settings {
            inspector.add(FileRole::Settings, settings, OthersMay::Read);
        }
        inspector.add(FileRole::Data, &self.data, OthersMay::DoNothing);
        for name in Credentials::FILES.into_iter().chain([DATABASE_FILE, LOG_FILE]) {
            inspector.add(FileRole::Data, &self.data.join(name), OthersMay::DoNothing);
        }
        if let Some(folder) = self.sockets.agent.parent() {
            inspector.add(FileRole::Sockets, folder, OthersMay::ReadAndMustEnter);
        }
        if let Some(certificate) = &self.certificate {
            inspector.add(FileRole::Keys, certificate, OthersMay::Read);
        }
        if let Some(key) = &self.private_key {
            inspector.add(FileRole::Keys, key, OthersMay::DoNothing);
        }
        if let Some(program) = &self.program {
            inspector.add(FileRole::Program, program, OthersMay::Read);
        }
        inspector.chains
    }

    pub(crate) fn detect_assurance(&self, chains: &[DecidingChain]) -> AssuranceReport {
        let weakness = match self.sockets.access {
            AgentAccess::OwnUser => {
                Some("agents that run as your own user can bypass the daemon".to_owned())
            }
            AgentAccess::Group(_) if self.program.is_none() => {
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
    fn add(&mut self, role: FileRole, path: &Path, others: OthersMay) {
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
