//! `countersign doctor`: what is in order, what is not, and what to do about it. It looks, and
//! changes nothing.

mod daemon;
mod graph;
mod place;
mod record;

use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, GREEN, Page, RED, YELLOW};
use crate::settings::Settings;
use serde_json::{Value, json};

/// What was found, in the order in which it was looked for.
#[derive(Default)]
struct Findings(Vec<Finding>);

struct Finding {
    about: &'static str,
    state: State,
    text: String,
    /// What to do; nothing where all is well.
    remedy: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fine,
    Warning,
    Problem,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

impl Findings {
    fn fine(&mut self, about: &'static str, text: impl Into<String>) {
        self.add(State::Fine, about, (text.into(), String::new()));
    }

    fn warn(&mut self, about: &'static str, text: impl Into<String>, remedy: impl Into<String>) {
        self.add(State::Warning, about, (text.into(), remedy.into()));
    }

    fn problem(&mut self, about: &'static str, text: impl Into<String>, remedy: impl Into<String>) {
        self.add(State::Problem, about, (text.into(), remedy.into()));
    }

    fn failed(&mut self, about: &'static str, failure: &Failure) {
        let (text, remedy) = said(failure);
        self.problem(about, text, remedy);
    }

    fn add(&mut self, state: State, about: &'static str, (text, remedy): (String, String)) {
        self.0.push(Finding { about, state, text, remedy });
    }

    fn count(&self, state: State) -> usize {
        self.0.iter().filter(|finding| finding.state == state).count()
    }

    fn page(&self) -> Page {
        let mut page = Page::new();
        for Finding { about, state, text, remedy } in &self.0 {
            let style = match state {
                State::Fine => GREEN,
                State::Warning => YELLOW,
                State::Problem => RED,
            };
            page.styled(style, &format!("{:<8}", state.word())).text(" ");
            page.styled(BOLD, about).text(": ").text(text).end();
            if !remedy.is_empty() {
                page.blanks(9).text("do: ").text(remedy).end();
            }
        }
        page
    }

    fn json(&self) -> Value {
        let checks = self.0.iter().map(|finding| {
            json!({
                "about": finding.about, "state": finding.state.word(), "text": finding.text,
                "remedy": finding.remedy,
            })
        });
        json!({
            "v": 1,
            "checks": checks.collect::<Vec<_>>(),
            "warnings": self.count(State::Warning),
            "problems": self.count(State::Problem),
        })
    }
}

pub(crate) fn doctor(args: &args::DoctorArgs, settings: &Settings) -> Result<Exit, Failure> {
    let mut findings = Findings::default();
    let folder = args.record.folder(settings)?;
    place::folder(&mut findings, &folder);
    let status = daemon::look(&mut findings, &folder, settings);
    let file = graph::look(&mut findings, args, (&folder, settings), status.as_ref());
    daemon::assurance(&mut findings, &folder, (settings, status.as_ref()), file.as_deref());
    record::look(&mut findings, args, settings);
    if args.json {
        out::show_json(&findings.json())?;
    } else {
        out::show(&findings.page())?;
    }
    Ok(if findings.count(State::Problem) == 0 { Exit::Allowed } else { Exit::Failure })
}

/// A failure as a line and what to do.
fn said(failure: &Failure) -> (String, String) {
    match failure {
        Failure::Said { message, help, .. } => (message.clone(), help.clone()),
        Failure::Problems(files) => {
            let count: usize = files.iter().map(|file| file.list().len()).sum();
            let text = match count {
                1 => "1 mistake keeps it from being read".to_owned(),
                many => format!("{many} mistakes keep it from being read"),
            };
            (text, "`countersign graph check` shows them".to_owned())
        }
        Failure::Unheard => (String::new(), String::new()),
    }
}
