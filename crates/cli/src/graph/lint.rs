//! `graph lint`: rules that load and yet may not mean what they say, each at its place.

use super::count;
use crate::args::GraphLintArgs;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::inspect::tools_in;
use crate::page::{GREEN, Page, YELLOW};
use crate::settings::Settings;
use crate::{out, problems};
use countersign_engine::Clock;
use countersign_graph::Problems;
use countersign_graph::lint::{self, LintFinding};
use serde_json::{Value, json};

pub(super) fn lint(args: &GraphLintArgs, settings: &Settings) -> Result<Exit, Failure> {
    let file = GraphFile::open(args.file.as_deref(), settings)?;
    let today = SystemClock.now().date();
    let refused = |problems| Failure::from(file.problems(problems));
    let mut findings = lint::lint(&file.bytes, file.format, today).map_err(refused)?;
    if args.seen {
        let tools = tools_in(&*args.record.to_read(settings)?)?;
        let called = tools.iter().map(|(name, tool)| (name.as_str(), tool.calls()));
        findings
            .extend(lint::find_unmapped_tools(&file.bytes, file.format, called).map_err(refused)?);
    }
    if args.json {
        let found: Vec<Value> = findings.iter().map(|finding| json(&file, finding)).collect();
        out::show_json(&json!({"v": 1, "graph": file.json(), "findings": found}))?;
    } else {
        out::show(&page(&file, &findings))?;
    }
    Ok(if findings.is_empty() { Exit::Allowed } else { Exit::Failure })
}

fn one(file: &GraphFile, finding: &LintFinding) -> Problems {
    file.problems(vec![finding.problem.clone()])
}

fn page(file: &GraphFile, findings: &[LintFinding]) -> Page {
    let mut page = Page::new();
    for finding in findings {
        problems::findings(&mut page, &one(file, finding), finding.check.word());
    }
    page.text(&file.name).text(": ");
    if findings.is_empty() {
        page.styled(GREEN, "clean").text("; nothing was found").end();
    } else {
        page.styled(YELLOW, &count(findings.len(), "finding"));
        page.text("; the graph loads, and holds as it is written").end();
    }
    page
}

fn json(file: &GraphFile, finding: &LintFinding) -> Value {
    let mut value = problems::json(&one(file, finding));
    let mut value = value.get_mut(0).map(Value::take).unwrap_or(Value::Null);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("check".to_owned(), Value::from(finding.check.word()));
    }
    value
}
