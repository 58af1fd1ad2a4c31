//! One simple command, as the strict parser reads it.

use super::Join;
use countersign_core::model::command::render_argv;
use std::fmt;

/// One simple command, with its words as the program would receive them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Variables that are set in front of it, for this command alone.
    pub assignments: Vec<Assignment>,
    pub argv: Vec<String>,
    /// The indices of words that are patterns: the shell replaces them by the names that match.
    pub patterns: Vec<usize>,
    /// The indices of words in which the shell replaces `$?` by the status of another command.
    pub statuses: Vec<usize>,
    pub redirections: Vec<Redirection>,
    /// The text of its here-document, which is literal.
    pub input: Option<String>,
    /// How it is joined to the next segment, or the groups that end behind it to what follows them.
    pub join: Option<Join>,
    pub origin: SegmentOrigin,
    /// Whether its status is turned around.
    pub status: StatusUse,
    /// The groups that begin in front of it, the outermost first.
    pub opens: Vec<Group>,
    /// How many groups end behind it.
    pub closes: usize,
    /// What begins with a folder that only the disk knows. In the words it stands as it was written.
    pub named_folders: Vec<FolderUse>,
}

/// What the shell does with the status of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusUse {
    #[default]
    Kept,
    /// `!` stands in front of it, or of the pipe that it begins.
    Negated,
}

/// Commands that are judged as one member of a list: `( … )`, `{ …; }`, `if`, and a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What it changes ends with it.
    Subshell,
    /// It runs in the shell of the line, all of it or a part of it.
    Inline,
}

/// A folder that a word names without its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderName {
    /// `~` and `$HOME`
    Home,
    /// `$PWD` and `$(pwd)`
    Current,
    /// `$(git rev-parse --show-toplevel)`
    Repository,
}

impl FolderName {
    /// One way to write it.
    pub const fn as_written(self) -> &'static str {
        match self {
            Self::Home => "~",
            Self::Current => "$PWD",
            Self::Repository => "$(git rev-parse --show-toplevel)",
        }
    }
}

/// A text of a command that begins with a named folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderUse {
    pub at: FolderUseAt,
    pub folder: FolderName,
    /// What follows the folder: nothing, or a `/` with more.
    pub rest: String,
    pub splitting: Splitting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderUseAt {
    Word(usize),
    Assignment(usize),
}

/// Whether a shell splits the path of the folder at its blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Splitting {
    Never,
    AtBlanks,
}

/// Where a command stands in its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SegmentOrigin {
    #[default]
    Line,
    /// It is one iteration of a loop, with the variable of the loop replaced.
    Loop,
    /// The line has set a variable before it, with a name that no program reads.
    BehindVariable,
    /// The line has set a variable before it that a program may read if it was exported.
    BehindSetting,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub value: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Redirection {
    /// `2>&1`
    ErrorsToOutput,
    /// `>/dev/null`
    DiscardOutput,
    /// `2>/dev/null`
    DiscardErrors,
    File(FileRedirection),
}

/// A stream that is written to a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileRedirection {
    pub stream: Stream,
    pub mode: WriteMode,
    pub path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    Output,
    Errors,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteMode {
    Replace,
    Append,
}

impl Segment {
    /// Whether it is nothing but literal words, as they were written.
    pub fn is_plain(&self) -> bool {
        self.has_only_words()
            && self.origin == SegmentOrigin::Line
            && self.status == StatusUse::Kept
            && self.opens.is_empty()
            && self.closes == 0
            && self.named_folders.is_empty()
    }

    fn names_folder(&self, word: usize) -> bool {
        self.named_folders.iter().any(|one| one.at == FolderUseAt::Word(word))
    }

    /// Whether it is nothing but words whose values are known.
    pub fn has_only_words(&self) -> bool {
        self.assignments.is_empty()
            && self.patterns.is_empty()
            && self.statuses.is_empty()
            && self.redirections.is_empty()
            && self.input.is_none()
    }
}

impl fmt::Display for Redirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ErrorsToOutput => f.write_str("2>&1"),
            Self::DiscardOutput => f.write_str(">/dev/null"),
            Self::DiscardErrors => f.write_str("2>/dev/null"),
            Self::File(FileRedirection { stream, mode, path }) => {
                let stream = if *stream == Stream::Errors { "2" } else { "" };
                let mode = if *mode == WriteMode::Append { ">>" } else { ">" };
                write!(f, "{stream}{mode}{}", render_argv(std::slice::from_ref(path)))
            }
        }
    }
}

/// The command in one canonical form, without its here-document.
impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Assignment { name, value } in &self.assignments {
            write!(f, "{name}={} ", render_argv(std::slice::from_ref(value)))?;
        }
        for (index, word) in self.argv.iter().enumerate() {
            let blank = if index > 0 { " " } else { "" };
            let is_graphic = word.bytes().all(|b| b.is_ascii_graphic());
            if self.patterns.contains(&index) || (self.names_folder(index) && is_graphic) {
                write!(f, "{blank}{word}")?;
            } else if self.statuses.contains(&index) {
                let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
                write!(f, "{blank}\"{}\"", escaped.replace('`', "\\`"))?;
            } else {
                write!(f, "{blank}{}", render_argv(std::slice::from_ref(word)))?;
            }
        }
        self.redirections.iter().try_for_each(|redirection| write!(f, " {redirection}"))
    }
}
