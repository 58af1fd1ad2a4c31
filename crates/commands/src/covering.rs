//! What covers one simple command of a line, which head it has, and where a change of folder leads.

use countersign_core::model::place::HeadOptions;

/// The program and subcommand of a command, if a yes can cover further words of the same kind: the
/// workspace contains all paths, and what they mean is known or cannot lead elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentHead {
    pub words: Vec<String>,
    pub options: HeadOptions,
}

/// Where the folder lies that a `cd` leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderLocation {
    Inside,
    /// Outside of the workspace, or secret.
    Outside,
}

/// What covers a simple command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covering {
    /// The index of a rule.
    Rule(usize),
    /// It only changes the folder, inside the workspace.
    FolderChange,
}
