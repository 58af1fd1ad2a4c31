//! `countersign doctor`: checks an installation and says what to do about each problem. It changes
//! nothing, except that the call with which it tries a hook is in the record.

mod assurance;
mod canary;
mod daemon;
mod folder;
mod graph;
mod programs;
mod record;

pub(crate) use programs::try_hooks;

use crate::assurance::DaemonFiles;
use crate::context::SetupContext;
use crate::graph_choice::GraphOption;
use clap::Args;
use countersign_console::{BOLD, Exit, Failure, GREEN, Page, RED, YELLOW, out};
use countersign_report::{RecordOption, StoreChoice};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    about = "Check the folder, the sockets, the graph, the record and the hooks of coding agents",
    before_help = "\
Examples:
  countersign doctor
  countersign doctor --deep    verify every entry of the ledger
  countersign doctor --json | jq '.checks[] | select(.state != \"ok\")'",
    after_help = "\
It changes nothing. If the daemon runs, each installed hook is tried with the call of a tool that
reads a file; the call is in the record, in the session countersign-doctor-canary. Exit codes: 0 without a problem, 1 with one. A warning is not a problem."
)]
pub struct DoctorArgs {
    /// Verify the whole ledger, not only its end
    #[arg(long)]
    pub(crate) deep: bool,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl DoctorArgs {
    /// The usual checks of this record.
    pub fn for_record(data: Option<PathBuf>, store: Option<StoreChoice>) -> Self {
        let (graph, record) = (GraphOption { file: None }, RecordOption { data, store });
        Self { deep: false, graph, record, json: true }
    }
}

/// The findings, in the order of the checks.
#[derive(Default)]
pub struct DoctorReport(Vec<DoctorFinding>);

struct DoctorFinding {
    about: &'static str,
    level: FindingLevel,
    text: String,
    /// What to do; empty if nothing is wrong.
    remedy: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FindingLevel {
    Ok,
    Warning,
    Problem,
}

impl FindingLevel {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

impl DoctorReport {
    fn add_ok(&mut self, about: &'static str, text: impl Into<String>) {
        let (text, remedy) = (text.into(), String::new());
        self.0.push(DoctorFinding { about, level: FindingLevel::Ok, text, remedy });
    }

    fn add_warning(
        &mut self,
        about: &'static str,
        text: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let (text, remedy) = (text.into(), remedy.into());
        self.0.push(DoctorFinding { about, level: FindingLevel::Warning, text, remedy });
    }

    fn add_problem(
        &mut self,
        about: &'static str,
        text: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let (text, remedy) = (text.into(), remedy.into());
        self.0.push(DoctorFinding { about, level: FindingLevel::Problem, text, remedy });
    }

    fn add_failure(&mut self, about: &'static str, failure: &Failure) {
        let (text, remedy) = describe_failure(failure);
        self.add_problem(about, text, remedy);
    }

    fn count(&self, level: FindingLevel) -> usize {
        self.0.iter().filter(|finding| finding.level == level).count()
    }

    fn draw(&self) -> Page {
        let mut page = Page::new();
        for DoctorFinding { about, level, text, remedy } in &self.0 {
            let style = match level {
                FindingLevel::Ok => GREEN,
                FindingLevel::Warning => YELLOW,
                FindingLevel::Problem => RED,
            };
            page.styled(style, &format!("{:<8}", level.word())).text(" ");
            page.styled(BOLD, about).text(": ").text(text).end();
            if !remedy.is_empty() {
                page.spaces(9).text("do: ").text(remedy).end();
            }
        }
        page
    }

    pub fn to_json(&self) -> Value {
        let checks = self.0.iter().map(|finding| {
            json!({
                "about": finding.about, "state": finding.level.word(), "text": finding.text,
                "remedy": finding.remedy,
            })
        });
        json!({
            "v": 1,
            "checks": checks.collect::<Vec<_>>(),
            "warnings": self.count(FindingLevel::Warning),
            "problems": self.count(FindingLevel::Problem),
        })
    }
}

/// `folder` is the daemon's; `files` says why they are not known if the settings are wrong.
pub fn doctor(
    args: &DoctorArgs,
    context: &SetupContext,
    folder: &Path,
    files: &Result<DaemonFiles, Failure>,
) -> Result<Exit, Failure> {
    let report = diagnose(args, context, folder, files);
    if args.json {
        out::show_json(&report.to_json())?;
    } else {
        out::show(&report.draw())?;
    }
    let has_problem = report.count(FindingLevel::Problem) > 0;
    Ok(if has_problem { Exit::Failure } else { Exit::Allowed })
}

/// Makes the checks, and prints nothing.
pub fn diagnose(
    args: &DoctorArgs,
    context: &SetupContext,
    folder: &Path,
    files: &Result<DaemonFiles, Failure>,
) -> DoctorReport {
    let mut report = DoctorReport::default();
    folder::check_folder(&mut report, folder);
    let status = match files {
        Ok(files) => daemon::check_daemon(&mut report, &files.sockets),
        Err(failure) => {
            report.add_failure("sockets", failure);
            None
        }
    };
    let graph = graph::check_graph(&mut report, args, folder, context, status.as_ref());
    if let (Some(graph), Ok(files)) = (graph, files) {
        assurance::check_assurance(&mut report, files, status.as_ref(), &graph);
    }
    record::check_record(&mut report, args, context);
    programs::check_programs(&mut report, context, status.as_ref());
    report
}

/// The text and the remedy of a failure.
fn describe_failure(failure: &Failure) -> (String, String) {
    match failure {
        Failure::Message { message, help, .. } => (message.clone(), help.clone()),
        Failure::Problems(files) => {
            let count: usize = files.iter().map(|file| file.list().len()).sum();
            let text = match count {
                1 => "it has 1 mistake and cannot be loaded".to_owned(),
                many => format!("it has {many} mistakes and cannot be loaded"),
            };
            (text, "run `countersign graph check`".to_owned())
        }
        Failure::OutputClosed => (String::new(), String::new()),
    }
}
