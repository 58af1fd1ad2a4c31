//! Places: where the paths of a call lead, as far as that matters for its decision; and bounds,
//! which keep a grant where its card was.
//!
//! The engine looks at the disk. Here its findings are data, so that a replay needs no disk.
//!
//! See docs/decisions/0049-places.md.

mod pinned_program;

pub use pinned_program::PinnedProgram;

use crate::model::danger::Danger;
use crate::model::names::{Action, Tool};
use crate::model::words::{Detector, Risk, words};
use serde::{Deserialize, Serialize};

words! {
    /// A place that makes a call more than its ordinary action. In order of precedence.
    Place {
        /// Reads or writes a secret.
        Secret = "secret",
        /// Writes a file that other programs execute by themselves, or that configures the agent.
        WriteGuarded = "write_guarded",
        WriteOutside = "write_outside",
        ReadOutside = "read_outside",
    }
}

impl Place {
    /// The risk that a call at this place has at least, if its domain has no action for the place.
    pub const fn risk(self) -> Risk {
        match self {
            Self::Secret | Self::WriteGuarded | Self::WriteOutside => Risk::High,
            Self::ReadOutside => Risk::Moderate,
        }
    }

    /// Whether no rule and no grant for the ordinary action reaches this place.
    pub const fn is_kept_apart(self) -> bool {
        match self {
            Self::Secret | Self::WriteGuarded | Self::WriteOutside => true,
            Self::ReadOutside => false,
        }
    }

    /// The action of the same domain that stands for the deed at this place.
    pub fn action_for(self, action: &Action) -> Option<Action> {
        Action::new(action.domain(), &format!("{}{}", action.verb(), self.suffix())).ok()
    }

    /// The action of which `action` is the deed at this place; none if it stands for no such place.
    pub fn base_of(self, action: &Action) -> Option<Action> {
        let verb = action.verb().strip_suffix(self.suffix())?;
        Action::new(action.domain(), verb).ok()
    }

    /// Whether an action that stands for a place stands for this one.
    pub fn is_named_by(self, action: &Action) -> bool {
        action.verb().ends_with(self.suffix())
    }

    const fn suffix(self) -> &'static str {
        match self {
            Self::Secret => "_secret",
            Self::WriteGuarded => "_guarded",
            Self::WriteOutside | Self::ReadOutside => "_outside_workspace",
        }
    }
}

/// What the patterns of secret and guarded files say about a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathKinds {
    pub is_secret: bool,
    pub is_guarded: bool,
}

/// Where a path lies, with every link followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathLocation {
    Inside,
    /// Inside for reading: another worktree of the repository, or what a package manager fetched.
    Readable,
    Outside,
    /// Nobody knows in which folder the session works.
    NoWorkspace,
}

/// What a call does with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathAccess {
    Reads,
    Writes,
    /// Nobody knows what the program does with it.
    Unknown,
}

impl Place {
    /// The places of a path, in order of precedence.
    pub fn list(kinds: PathKinds, location: PathLocation, access: PathAccess) -> Vec<Self> {
        let is_guarded = kinds.is_guarded && access != PathAccess::Reads;
        let outside = match (location, access) {
            (PathLocation::Inside | PathLocation::NoWorkspace, _)
            | (PathLocation::Readable, PathAccess::Reads) => None,
            (PathLocation::Readable | PathLocation::Outside, PathAccess::Writes) => {
                Some(Self::WriteOutside)
            }
            // An unknown program names many paths, and changes few of them.
            (PathLocation::Readable, PathAccess::Unknown)
            | (PathLocation::Outside, PathAccess::Reads | PathAccess::Unknown) => {
                Some(Self::ReadOutside)
            }
        };
        let secret = kinds.is_secret.then_some(Self::Secret);
        let guarded = is_guarded.then_some(Self::WriteGuarded);
        [secret, guarded, outside].into_iter().flatten().collect()
    }
}

/// Where a call acts. A grant with bounds covers nothing elsewhere.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    Workspace,
    /// A folder outside of the workspace, with every link followed, and what lies below it.
    Folder(String),
    /// One path outside of the workspace, and nothing below it: a folder that holds almost everything,
    /// or a file in one.
    Path(String),
    /// Empty if the words name one, and nobody can say which.
    Host(String),
    /// A remote of a git repository by its name alone, where nobody looked at the disk.
    Remote(String),
    /// A remote of a git repository, with where it leads.
    GitRemote(GitRemote),
    /// A repository of a forge, as `OWNER/REPOSITORY`.
    Repository(String),
    /// An account, a project or a cluster that the words name: `profile dev`.
    Account(String),
    /// The remote, registry, account or cluster that is configured.
    Configured,
    /// One tool of an MCP server, whose definition nobody looked at.
    Tool(Tool),
    /// One tool of an MCP server, with the definition that the operator saw: its SHA-256, in
    /// hexadecimal. The tool with another definition is outside.
    ToolAs {
        tool: Tool,
        definition: String,
    },
}

/// A remote of a git repository, as the configuration on the disk says at the decision.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitRemote {
    /// Empty if the words do not say which one it is.
    pub name: String,
    pub repository: GitRepository,
    /// Where it leads, without credentials. Empty if nobody knows: then neither a head nor an action is
    /// offered.
    pub addresses: Vec<String>,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GitRepository {
    /// The one that git finds from the workspace.
    Own,
    /// Another one, by the folder of its data.
    At(String),
    Unknown,
}

impl GitRemote {
    pub fn is_unknown(&self) -> bool {
        self.addresses.is_empty()
    }
}

impl Bound {
    /// The tool of an MCP server that it names, if it names one.
    pub fn tool(&self) -> Option<&Tool> {
        match self {
            Self::Tool(tool) | Self::ToolAs { tool, .. } => Some(tool),
            Self::Workspace
            | Self::Folder(_)
            | Self::Path(_)
            | Self::Host(_)
            | Self::Remote(_)
            | Self::GitRemote(_)
            | Self::Repository(_)
            | Self::Account(_)
            | Self::Configured => None,
        }
    }

    /// Whether nobody knows where it is. A grant with bounds does not hold there.
    pub fn is_unknown(&self) -> bool {
        let is_unknown_remote = matches!(self, Self::GitRemote(remote) if remote.is_unknown());
        is_unknown_remote || matches!(self, Self::Host(host) if host.is_empty())
    }

    /// Whether a grant of the exact command holds at what the command contacts. `bounds` are the
    /// remotes that the card showed. Without them it holds everywhere but in a repository that is
    /// known to be another than the workspace's own.
    pub fn cover_command(bounds: Option<&[Self]>, acts: &[Self]) -> bool {
        acts.iter().all(|act| match (act, bounds) {
            (Self::GitRemote(_), Some(bounds)) => bounds.contains(act),
            (Self::GitRemote(remote), None) => !matches!(remote.repository, GitRepository::At(_)),
            (_, _) => true,
        })
    }

    fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Folder(folder), Self::Folder(path)) => is_below(path, folder),
            (_, other) if other.is_unknown() => false,
            (one, other) => one == other,
        }
    }

    /// Whether it names a place on the disk outside of the workspace.
    pub fn is_outside(&self) -> bool {
        matches!(self, Self::Folder(_) | Self::Path(_))
    }

    /// Whether a grant for reading outside covers a read within `acts`. What such a read does in the
    /// workspace needs no grant.
    pub fn cover_reading(bounds: &[Self], acts: &[Self]) -> bool {
        let mut outside = acts.iter().filter(|act| **act != Self::Workspace).peekable();
        outside.peek().is_some()
            && outside.all(|act| act.is_outside() && bounds.iter().any(|bound| bound.contains(act)))
    }

    /// Whether a grant with these bounds covers a call that acts within `acts`.
    pub fn cover(bounds: &[Self], acts: &[Self]) -> bool {
        match acts {
            [] => bounds.is_empty(),
            acts => acts.iter().all(|act| bounds.iter().any(|bound| bound.contains(act))),
        }
    }
}

/// Whether `path` is `folder` or lies below it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Workspace => f.write_str("in this workspace"),
            Self::Folder(folder) => write!(f, "in {folder}"),
            Self::Path(path) => write!(f, "at {path}"),
            Self::Host(host) if host.is_empty() => f.write_str("at an unknown host"),
            Self::Host(host) => write!(f, "at {host}"),
            Self::Remote(remote) => write!(f, "at the remote {remote}"),
            Self::GitRemote(remote) => write!(f, "at {remote}"),
            Self::Repository(repository) => write!(f, "in the repository {repository}"),
            Self::Account(name) => write!(f, "with the {name}"),
            Self::Configured => f.write_str("at the hosts that its configuration names"),
            Self::Tool(tool) | Self::ToolAs { tool, .. } => write!(f, "by the tool {tool}"),
        }
    }
}

impl std::fmt::Display for GitRemote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.name.as_str(), self.addresses.as_slice()) {
            ("", _) => f.write_str("an unknown remote")?,
            (name, []) => write!(f, "the remote {name} (address unknown)")?,
            (name, addresses) => write!(f, "the remote {name} ({})", addresses.join(", "))?,
        }
        match &self.repository {
            GitRepository::Own => Ok(()),
            GitRepository::At(folder) => write!(f, " of {folder}"),
            GitRepository::Unknown => f.write_str(" in an unknown repository"),
        }
    }
}

/// The program and subcommand of a command, with which a grant can cover further words of the same
/// kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandHead {
    /// Empty if the command can pass by its class only.
    pub words: Vec<String>,
    /// The action of the class that covers the command, where the line as a whole has another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Action>,
    #[serde(default, skip_serializing_if = "HeadOptions::are_known")]
    pub options: HeadOptions,
    /// Where the command acts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Bound>,
}

/// What is known about the options behind a head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadOptions {
    /// A table lists them, and others are not covered.
    #[default]
    Known,
    /// The program has no table.
    Unknown,
}

impl HeadOptions {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn are_known(&self) -> bool {
        *self == Self::Known
    }
}

/// What the disk and the tables of commands say about one simple command of a line, or about the
/// targets of a call without one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// The action of the class that covers the command; none if no class does, and for targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Action>,
    /// The heads of its commands; empty if one of them has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<CommandHead>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detectors: Vec<Detector>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dangers: Vec<Danger>,
    /// The places of each path, in order of precedence. An ordinary path has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Vec<Place>>,
    /// Whether a yes to it can reach further than this call.
    #[serde(default, skip_serializing_if = "ConsentReach::is_open")]
    pub widest: ConsentReach,
    /// Where it acts, each bound once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Bound>,
}

/// How far a yes to a command can reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentReach {
    #[default]
    Open,
    /// A shell, an interpreter or a wrapper runs whatever its words and files contain.
    Once,
}

impl ConsentReach {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_open(&self) -> bool {
        *self == Self::Open
    }
}

words! {
    /// Where an action of a call comes from.
    ActionOrigin {
        /// The call names it, or its tool stands for it.
        Call = "call",
        /// A class of commands stands for it.
        Class = "class",
    }
}

words! {
    /// Whether an action stands for a place, as `read_secret` does.
    StandsForPlace {
        No = "no",
        Yes = "yes",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot be set up should fall over")]
mod tests {
    use super::*;

    #[test]
    fn a_bound_contains_what_lies_below_its_folder_and_nothing_beside_it() {
        let folder = |path: &str| Bound::Folder(path.to_owned());
        let granted = [folder("/srv/data"), Bound::Workspace];
        for acts in [vec![folder("/srv/data/x")], vec![folder("/srv/data"), Bound::Workspace]] {
            assert!(Bound::cover(&granted, &acts), "{acts:?}");
        }
        for acts in [
            vec![folder("/srv/data2")],
            vec![folder("/srv")],
            vec![Bound::Workspace, Bound::Host("example.org".to_owned())],
            vec![],
        ] {
            assert!(!Bound::cover(&granted, &acts), "{acts:?}");
        }
        assert!(Bound::cover(&[], &[]) && !Bound::cover(&[], &[Bound::Workspace]));
    }

    #[test]
    fn a_remote_is_where_it_leads_and_an_unknown_one_is_only_itself() {
        let remote = |repository: GitRepository, addresses: &[&str]| {
            let addresses = addresses.iter().map(|&address| address.to_owned()).collect();
            Bound::GitRemote(GitRemote { name: "origin".to_owned(), repository, addresses })
        };
        let known = remote(GitRepository::Own, &["https://example.org/a"]);
        let moved = remote(GitRepository::Own, &["https://example.com/a"]);
        let nested = remote(GitRepository::At("/w/n/.git".to_owned()), &["https://example.org/a"]);
        let unknown = remote(GitRepository::Own, &[]);
        let covers = |bound: &Bound, act: &Bound| {
            Bound::cover(std::slice::from_ref(bound), std::slice::from_ref(act))
        };
        assert!(covers(&known, &known) && !covers(&known, &moved) && !covers(&known, &nested));
        assert!(!covers(&unknown, &unknown));
        let command = |bounds: Option<&[Bound]>, act: &Bound| {
            Bound::cover_command(bounds, &[Bound::Workspace, act.clone()])
        };
        let shown = [known.clone()];
        assert!(command(Some(&shown), &known) && !command(Some(&shown), &moved));
        assert!(command(None, &known) && command(None, &unknown) && !command(None, &nested));
        assert!(command(None, &remote(GitRepository::Unknown, &[])));
    }

    #[test]
    fn each_place_names_an_action_of_the_same_domain() {
        let edit = Action::parse("files.edit").unwrap();
        let names: Vec<_> =
            Place::ALL.iter().map(|place| place.action_for(&edit).unwrap().to_string()).collect();
        assert_eq!(
            names,
            [
                "files.edit_secret",
                "files.edit_guarded",
                "files.edit_outside_workspace",
                "files.edit_outside_workspace"
            ]
        );
    }
}
