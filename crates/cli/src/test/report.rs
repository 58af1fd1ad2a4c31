//! What came of a case, for people and for programs.

use crate::page::{BOLD, DIM, GREEN, Page, RED};
use crate::problems;
use countersign_stories::{CaseOutcome, CaseReport, Failure};
use serde_json::Value;

/// What did not hold; nothing for a case that passed.
pub(super) fn page(report: &CaseReport) -> Page {
    let mut page = Page::new();
    match &report.outcome {
        CaseOutcome::Passed => {}
        CaseOutcome::Failed(failures) => {
            let steps = failures.chunk_by(|one, next| one.step == next.step);
            steps.for_each(|failures| failed(&mut page, report, failures));
        }
        CaseOutcome::Unreadable(found) => problems::errors(&mut page, found),
    }
    page
}

/// One step, with all of its expectations that did not hold.
fn failed(page: &mut Page, report: &CaseReport, failures: &[Failure]) {
    let Some(Failure { step, line, reasons, .. }) = failures.first() else { return };
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

/// Alone on its line, so that scripts find it.
pub(super) fn summary(passed: usize, failed: usize) -> Page {
    let mut page = Page::new();
    let good = if passed > 0 { GREEN } else { DIM };
    let bad = if failed > 0 { RED.bold() } else { DIM };
    page.styled(good, &format!("{passed} passed")).text(", ");
    page.styled(bad, &format!("{failed} failed")).end();
    page
}

pub(super) fn json(report: &CaseReport) -> Value {
    let mut value = report.to_json();
    if let (CaseOutcome::Unreadable(found), Some(fields)) = (&report.outcome, value.as_object_mut())
    {
        fields.insert("problems".to_owned(), problems::json(found));
    }
    value
}
