//! `countersign doctor`: checks an installation and says what to do about each problem. It changes
//! nothing, except that the call with which it tries a hook is in the record.

mod assurance;
mod canary;
mod daemon;
mod folder;
mod graph;
mod programs;
mod record;

use crate::args::DoctorArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, GREEN, Page, RED, YELLOW};
use crate::settings::Settings;
use serde_json::{Value, json};

/// The findings, in the order of the checks.
#[derive(Default)]
struct DoctorReport(Vec<DoctorFinding>);

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

    fn to_json(&self) -> Value {
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

pub(crate) fn doctor(args: &DoctorArgs, settings: &Settings) -> Result<Exit, Failure> {
    let mut report = DoctorReport::default();
    let folder = args.record.folder(settings)?;
    folder::check_folder(&mut report, &folder);
    let status = daemon::check_daemon(&mut report, &folder, settings);
    let graph = graph::check_graph(&mut report, args, &folder, settings, status.as_ref());
    if let Some(graph) = graph {
        assurance::check_assurance(&mut report, &folder, settings, status.as_ref(), &graph);
    }
    record::check_record(&mut report, args, settings);
    programs::check_programs(&mut report, settings, status.as_ref());
    if args.json {
        out::show_json(&report.to_json())?;
    } else {
        out::show(&report.draw())?;
    }
    let has_problem = report.count(FindingLevel::Problem) > 0;
    Ok(if has_problem { Exit::Failure } else { Exit::Allowed })
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
