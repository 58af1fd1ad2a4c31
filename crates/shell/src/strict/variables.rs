//! Variables that the line itself sets, and whose values are literal or name a folder: in a loop, or in
//! a statement of their own.
//!
//! See docs/decisions/0070-loops-and-variables-of-a-line.md.

use super::WordForm;
use super::segment::{FolderName, Splitting};
use crate::variables::explain_refused_variable;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) value: VariableValue,
    /// A pattern stands for each of the names that it matches.
    pub(super) form: WordForm,
    pub(super) scope: ValueScope,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VariableValue {
    Text(String),
    /// `changes` counts the `cd` in front of the assignment.
    Folder {
        folder: FolderName,
        rest: String,
        changes: usize,
    },
    /// It was set where it may not have happened.
    Uncertain,
}

/// How far a value is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueScope {
    List,
    /// It was set behind `&&`: only what follows behind another `&&` can rely on it.
    Chain,
}

/// A folder at the beginning of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedFolder {
    pub(super) folder: FolderName,
    pub(super) rest: String,
    pub(super) splitting: Splitting,
}

impl Variable {
    pub(super) fn text(name: &str, value: String, form: WordForm) -> Self {
        let (name, value) = (name.to_owned(), VariableValue::Text(value));
        Self { name, value, form, scope: ValueScope::List }
    }

    /// A variable of every shell that names a folder.
    pub(super) fn named_folder(name: &str, folder: FolderName, changes: usize) -> Self {
        let value = VariableValue::Folder { folder, rest: String::new(), changes };
        let (name, form) = (name.to_owned(), WordForm::Literal);
        Self { name, value, form, scope: ValueScope::List }
    }

    pub(super) fn forget(&mut self) {
        self.value = VariableValue::Uncertain;
    }

    pub(super) fn is_set(&self) -> bool {
        self.value != VariableValue::Uncertain
    }

    /// Whether its value is known after that many `cd`.
    pub(super) fn is_known(&self, changes_now: usize) -> bool {
        match &self.value {
            VariableValue::Text(_) => true,
            VariableValue::Folder { folder: FolderName::Home, .. } => true,
            VariableValue::Folder { changes, .. } => *changes == changes_now,
            VariableValue::Uncertain => false,
        }
    }
}

/// Names that some shell gives a meaning of its own, besides those that may load code.
const SPECIAL_NAMES: &[&str] = &[
    "ALIASES",
    "ARGC",
    "ARGV",
    "ARGV0",
    "AUTO_RESUME",
    "BAUD",
    "BUILTINS",
    "COLUMNS",
    "COMMANDS",
    "COMPREPLY",
    "COPROC",
    "CPUTYPE",
    "CRITICAL",
    "DIRSTACK",
    "EGID",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "ERRNO",
    "EUID",
    "EXECIGNORE",
    "FIGNORE",
    "FUNCNAME",
    "FUNCNEST",
    "FUNCTIONS",
    "GALIASES",
    "GID",
    "GROUPS",
    "HISTCHARS",
    "HISTCMD",
    "HISTCONTROL",
    "HISTIGNORE",
    "HISTORY",
    "HISTSIZE",
    "HISTTIMEFORMAT",
    "HOSTNAME",
    "HOSTTYPE",
    "IGNOREEOF",
    "JOBS",
    "KEYTIMEOUT",
    "LANG",
    "LINENO",
    "LINES",
    "LISTMAX",
    "MACHTYPE",
    "MAIL",
    "MAILCHECK",
    "MODULES",
    "NULLCMD",
    "OPTARG",
    "OPTERR",
    "OPTIND",
    "OSTYPE",
    "PARAMETERS",
    "PIPESTATUS",
    "POSTEDIT",
    "PPID",
    "PROMPT",
    "PROMPT2",
    "PROMPT3",
    "PROMPT4",
    "PROMPT_DIRTRIM",
    "PS3",
    "PSVAR",
    "RANDOM",
    "READNULLCMD",
    "REPLY",
    "REPORTTIME",
    "RPROMPT",
    "RPS1",
    "SALIASES",
    "SAVEHIST",
    "SECONDS",
    "SIGNALS",
    "SPROMPT",
    "SRANDOM",
    "STATUS",
    "STTY",
    "TERM",
    "TIMEFMT",
    "TIMEFORMAT",
    "TMOUT",
    "TTY",
    "TTYIDLE",
    "UID",
    "USERNAME",
    "VENDOR",
    "WATCH",
    "WATCHFMT",
    "WORDCHARS",
    "_",
];

/// Starts of such names.
const SPECIAL_STARTS: &[&str] = &["LC_", "COMP_", "READLINE_", "ZLE_", "HIST", "NLSPATH"];

/// Names that would be refused in front of a command, and that no program reads if they are exported.
const FREE_NAMES: &[&str] = &[
    "A", "B", "BASE", "BRANCH", "D", "DIR", "F", "FILE", "N", "NAME", "PKG", "ROOT", "SHA", "SRC",
    "URL", "X",
];

/// Whether a line may set a variable of this name: no shell treats it in a special way, and no program
/// loads code by it if it is exported.
pub(super) fn is_free_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let is_special = SPECIAL_NAMES.contains(&upper.as_str())
        || SPECIAL_STARTS.iter().any(|start| upper.starts_with(start));
    let is_refused =
        !FREE_NAMES.contains(&upper.as_str()) && explain_refused_variable(name).is_some();
    !is_special && !is_refused
}
