//! A judged command line, for people and for programs.

use crate::page::{BOLD, DIM, GREEN, Page, RED, YELLOW};
use countersign_commands::{Cause, Judged, Judgement, Places, Rules, Verdict, Warning};
use countersign_core::command::rendered;
use serde_json::{Value, json};

pub(super) fn page(rules: &Rules, judged: &Judged, places: &Places) -> Page {
    let mut page = Page::new();
    let style = match judged.verdict {
        Verdict::Match { .. } => GREEN.bold(),
        Verdict::Ask { .. } => YELLOW.bold(),
        Verdict::Deny { .. } => RED.bold(),
    };
    page.styled(style, judged.verdict.word());
    if let Some(why) = because(rules, &judged.verdict) {
        page.text(": ").text(&why);
    }
    page.end();
    for (number, judgement) in (1..).zip(&judged.segments) {
        segment(&mut page, rules, (number, judgement));
    }
    for warning in rules.warnings(places) {
        page.styled(YELLOW, "warning").text(": ").text(&warned(rules, &warning)).end();
    }
    page
}

fn segment(page: &mut Page, rules: &Rules, (number, judgement): (usize, &Judgement)) {
    let found = &judgement.segment;
    page.styled(BOLD, &format!("{number}. ")).text(&rendered(&found.argv));
    for redirection in &found.redirections {
        page.styled(DIM, " ").styled(DIM, redirection);
    }
    page.end();
    page.text("   argv  ").text(&json!(found.argv).to_string()).end();
    match &judgement.covered {
        Ok(at) => page.text("   rule  ").styled(GREEN, name(rules, *at)).end(),
        Err(why) => page.text("   none  ").text(why).end(),
    };
}

fn name(rules: &Rules, at: usize) -> &str {
    rules.all().get(at).map(|rule| rule.text.as_str()).unwrap_or_default()
}

fn warned(rules: &Rules, warning: &Warning) -> String {
    format!("`{}`: {}", name(rules, warning.rule), warning.why)
}

fn because(rules: &Rules, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Match { .. } => None,
        Verdict::Deny { why, cause: Cause::Rule(at) } => {
            Some(format!("{why}: `{}`", name(rules, *at)))
        }
        Verdict::Ask { why } | Verdict::Deny { why, .. } => Some(why.clone()),
    }
}

pub(super) fn json(rules: &Rules, judged: &Judged, places: &Places) -> Value {
    let segment = |judgement: &Judgement| {
        let rule = judgement.covered.as_ref().ok().map(|at| name(rules, *at));
        json!({
            "argv": judgement.segment.argv,
            "redirections": judgement.segment.redirections,
            "rule": rule,
            "why": judgement.covered.as_ref().err(),
        })
    };
    let warnings: Vec<_> =
        rules.warnings(places).iter().map(|warning| warned(rules, warning)).collect();
    json!({
        "v": 1,
        "verdict": judged.verdict.word(),
        "why": because(rules, &judged.verdict),
        "segments": judged.segments.iter().map(segment).collect::<Vec<_>>(),
        "warnings": warnings,
    })
}
