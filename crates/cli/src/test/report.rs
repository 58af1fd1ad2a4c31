//! The report of a case, for people and for programs.

use countersign_console::{BOLD, DIM, GREEN, Page, RED, problems};
use countersign_stories::{CaseFailure, CaseOutcome, CaseReport};
use serde_json::Value;

/// The failed expectations; empty for a case that passed.
pub(super) fn draw(report: &CaseReport) -> Page {
    let mut page = Page::new();
    match &report.outcome {
        CaseOutcome::Passed => {}
        CaseOutcome::Failed(failures) => {
            let steps = failures.chunk_by(|one, next| one.step == next.step);
            steps.for_each(|failures| draw_step(&mut page, report, failures));
        }
        CaseOutcome::Unreadable(problems) => problems::draw_errors(&mut page, problems),
    }
    page
}

/// One step with all of its failed expectations.
fn draw_step(page: &mut Page, report: &CaseReport, failures: &[CaseFailure]) {
    let Some(CaseFailure { step, line, reasons, .. }) = failures.first() else { return };
    page.styled(RED.bold(), "failed").text(": ");
    page.styled(BOLD, &format!("{}:{line}: step {step}", report.file));
    page.styled(DIM, &format!(" of \"{}\"", report.story)).end();
    let mut line = |name: &str, text: &str| {
        page.text(&format!("  {name:<10}")).text(text).end();
    };
    for failure in failures {
        line("expected", &failure.expected);
        line("got", &failure.got);
    }
    reasons.iter().for_each(|reason| line("because", reason));
}

/// A line of its own, for scripts.
pub(super) fn draw_summary(passed: usize, failed: usize) -> Page {
    let mut page = Page::new();
    let passed_style = if passed > 0 { GREEN } else { DIM };
    let failed_style = if failed > 0 { RED.bold() } else { DIM };
    page.styled(passed_style, &format!("{passed} passed")).text(", ");
    page.styled(failed_style, &format!("{failed} failed")).end();
    page
}

pub(super) fn to_json(report: &CaseReport) -> Value {
    let mut value = report.to_json();
    if let (CaseOutcome::Unreadable(problems), Some(fields)) =
        (&report.outcome, value.as_object_mut())
    {
        fields.insert("problems".to_owned(), problems::to_json(problems).into());
    }
    value
}
