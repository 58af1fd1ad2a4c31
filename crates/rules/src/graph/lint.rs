//! `graph lint`: rules that are valid but may not do what their author intended.

use super::args::GraphLintArgs;
use super::pluralize;
use crate::RulesContext;
use countersign_console::{Exit, Failure, GREEN, Page, YELLOW, out, problems};
use countersign_graph::Problems;
use countersign_graph::lint::{self, LintFinding};
use countersign_report::count_tools;
use countersign_setup::{FoundLayer, GraphFile, find_layer};
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn lint(args: &GraphLintArgs, context: &RulesContext) -> Result<Exit, Failure> {
    if args.repository {
        return lint_repository(context);
    }
    let file = args.graph.search(args.record.data.as_deref(), context.graph_places()).open()?;
    let today = context.now().date();
    let fail = |problems| Failure::from(file.problems(problems));
    let mut findings = lint::lint(&file.bytes, file.format, today).map_err(fail)?;
    if args.seen {
        let tools = count_tools(&*args.record.open_reader(&context.record)?)?;
        let calls = tools.iter().map(|(name, usage)| (name.as_str(), usage.calls()));
        findings.extend(lint::find_unmapped_tools(&file.bytes, file.format, calls).map_err(fail)?);
    }
    if args.json {
        let findings: Vec<Value> =
            findings.iter().flat_map(|finding| finding_json(&file, finding)).collect();
        out::show_json(&json!({"v": 1, "graph": file.to_json(), "findings": findings}))?;
    } else {
        out::show(&draw(&file, &findings))?;
    }
    Ok(if findings.is_empty() { Exit::Allowed } else { Exit::Failure })
}

/// For a check that runs before a change is merged: it needs no graph.
fn lint_repository(context: &RulesContext) -> Result<Exit, Failure> {
    let found = find_layer(&context.file_system(), context.home.as_deref(), Path::new("."))?;
    let Some(FoundLayer { path, layer }) = found else {
        let message = "this repository has no rules of its own";
        return Err(Failure::usage(message, "they are in `countersign.yaml` in its root"));
    };
    let Some(parts) = layer.untrusted_parts(&path) else {
        let text = format!("{path}: valid; it only narrows, so it holds for everybody at once");
        out::show(&Page::from_line(&text))?;
        return Ok(Exit::Allowed);
    };
    let mut page = Page::new();
    problems::draw_warnings(&mut page, &parts, "needs trust");
    page.text(&format!("{path}: valid; everybody has to run `countersign graph trust` for it"))
        .end();
    out::show(&page)?;
    Ok(Exit::Failure)
}

fn to_problems(file: &GraphFile, finding: &LintFinding) -> Problems {
    file.problems(vec![finding.problem.clone()])
}

fn draw(file: &GraphFile, findings: &[LintFinding]) -> Page {
    let mut page = Page::new();
    for finding in findings {
        problems::draw_warnings(&mut page, &to_problems(file, finding), finding.check.word());
    }
    page.text(&file.name).text(": ");
    if findings.is_empty() {
        page.styled(GREEN, "clean").text("; no findings").end();
    } else {
        page.styled(YELLOW, &pluralize(findings.len(), "finding"));
        page.text("; the graph is valid").end();
    }
    page
}

fn finding_json(file: &GraphFile, finding: &LintFinding) -> Vec<Value> {
    let mut values = problems::to_json(&to_problems(file, finding));
    for fields in values.iter_mut().filter_map(Value::as_object_mut) {
        fields.insert("check".to_owned(), Value::from(finding.check.word()));
    }
    values
}
