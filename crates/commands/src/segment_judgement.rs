//! What is judged of one simple command, and how it is executed then.

use crate::classes::CoveringClass;
use crate::context::ProgramFile;
use crate::covering::{Covering, FolderLocation, SegmentHead};
use crate::git;
use crate::line_paths::LinePaths;
use crate::lookthrough::find_inner_start;
use crate::strict::Segment;
use crate::working_folders::FolderSet;
use countersign_core::model::danger::Danger;
use countersign_core::model::place::ConsentReach;
use countersign_core::model::words::Detector;

/// The judgement of one simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentJudgement {
    pub segment: Segment,
    /// The folders in which it may run; none if nobody knows.
    pub folders: Vec<String>,
    /// Its words, with patterns replaced by what they match now.
    pub argv: Vec<String>,
    /// Where the command starts that the rule is for, behind the wrappers.
    pub inner_start: usize,
    /// The file that the program's name would start.
    pub program_file: ProgramFile,
    /// The files that its redirections and options write, with every link followed.
    pub edited: Vec<String>,
    pub covering: Result<Covering, String>,
    /// For a `cd` to an existing folder: where that lies.
    pub leads_to: Option<FolderLocation>,
    /// The action of the class rule that covers it, and that rule.
    pub class: Option<CoveringClass>,
    /// Its paths, without those of its redirections, and the folders in which it runs.
    pub paths: LinePaths,
    /// The paths of `edited`.
    pub edited_paths: LinePaths,
    pub detectors: Vec<Detector>,
    /// Those of the line that this command has by itself.
    pub dangers: Vec<Danger>,
    pub head: Option<SegmentHead>,
    /// Whether a yes to it can reach further than one call.
    pub widest: ConsentReach,
}

/// How to execute a judged command: by its words, not by its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The file to start, if the disk was consulted; `argv[0]` keeps the name it was called by.
    pub file: Option<String>,
    /// The words of the command. Git gets extra options that keep a repository's configuration
    /// from running other programs.
    pub argv: Vec<String>,
}

impl SegmentJudgement {
    pub(crate) fn new(segment: Segment, folders: &FolderSet) -> Self {
        Self {
            folders: if folders.is_open { Vec::new() } else { folders.known.clone() },
            argv: segment.argv.clone(),
            inner_start: 0,
            program_file: ProgramFile::Unknown,
            edited: Vec::new(),
            covering: Err("no rule matches it".to_owned()),
            leads_to: None,
            class: None,
            paths: LinePaths::default(),
            edited_paths: LinePaths::default(),
            detectors: Vec::new(),
            dangers: Vec::new(),
            head: None,
            widest: ConsentReach::Open,
            segment,
        }
    }

    /// The invocation that runs exactly what was judged.
    pub fn invocation(&self) -> Invocation {
        let file = match &self.program_file {
            ProgramFile::Protected { path } | ProgramFile::Replaceable { path, .. } => {
                Some(path.clone())
            }
            ProgramFile::Unknown | ProgramFile::Absent { .. } | ProgramFile::NotFound { .. } => {
                None
            }
        };
        Invocation { file, argv: add_neutral_words(&self.argv, self.inner_start) }
    }
}

/// The words to execute for words that somebody approved. Git gets extra options that keep its
/// configuration from running other programs, behind `timeout`, `nice` and `env` as well.
pub fn find_executed_words(argv: &[String]) -> Vec<String> {
    add_neutral_words(argv, find_inner_start(argv, &[]).unwrap_or(0))
}

fn add_neutral_words(argv: &[String], inner_start: usize) -> Vec<String> {
    let (wrappers, inner) = argv.split_at_checked(inner_start).unwrap_or_default();
    let inner = git::neutralize(inner).unwrap_or_else(|| inner.to_vec());
    [wrappers, &inner].concat()
}
