//! `graph check`: every problem at its place, every warning, and one line if all is well.

use super::{count, date, decay, decayed};
use crate::args::GraphCheckArgs;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::page::{GREEN, Page, RED};
use crate::settings::Settings;
use crate::{out, problems};
use countersign_core::model::graph::{Graph, Reviewed};
use countersign_core::model::time::Date;
use countersign_engine::Clock;
use countersign_graph::Problems;
use serde_json::{Value, json};

pub(super) fn check(args: &GraphCheckArgs, settings: &Settings) -> Result<Exit, Failure> {
    match GraphFile::open(args.file.as_deref(), settings) {
        Ok(file) => fine(args, &file),
        // Here problems are the result that was asked for.
        Err(Failure::Problems(files)) => wrong(args, &files),
        Err(failure) => Err(failure),
    }
}

fn wrong(args: &GraphCheckArgs, files: &[Problems]) -> Result<Exit, Failure> {
    let names: Vec<_> = files.iter().map(Problems::name).collect();
    if args.json {
        let graph = json!({"file": names.first(), "hash": null});
        let problems: Vec<Value> = files
            .iter()
            .filter_map(|file| problems::json(file).as_array().cloned())
            .flatten()
            .collect();
        out::show_json(&json!({"v": 1, "graph": graph, "problems": problems, "warnings": []}))?;
        return Ok(Exit::Failure);
    }
    let mut page = Page::new();
    files.iter().for_each(|file| problems::errors(&mut page, file));
    let problems = files.iter().map(|file| file.list().len()).sum();
    page.text(&names.join(", ")).text(": ");
    page.styled(RED, &count(problems, "problem")).text("; nothing of it is loaded").end();
    out::show(&page)?;
    Ok(Exit::Failure)
}

fn fine(args: &GraphCheckArgs, file: &GraphFile) -> Result<Exit, Failure> {
    let today = SystemClock.now().date();
    let mut warnings = file.loaded.warnings.clone();
    warnings.extend(file.loaded.future_date_warnings(today));
    let warnings = file.problems(warnings);
    let graph = &file.loaded.graph;
    if args.json {
        out::show_json(&json!({
            "v": 1,
            "graph": file.json(),
            "problems": [],
            "warnings": problems::json(&warnings),
            "domains": graph.domains.len(),
            "actions": graph.rules.len(),
            "policies": file.policies(),
            "decayed_domains": decayed(graph, today),
        }))?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    problems::warnings(&mut page, &warnings);
    page.text(&file.name).text(": ").styled(GREEN, "fine").text("; ");
    page.text(&count(graph.domains.len(), "domain")).text(", ");
    page.text(&count(graph.rules.len(), "action")).text(", ");
    match file.policies().len() {
        0 => {}
        1 => {
            page.text("1 policy, ");
        }
        several => {
            page.text(&format!("{several} policies, "));
        }
    }
    page.text(&reviewed(graph, today)).end();
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// When it was reviewed, and what it means if that is too long ago.
fn reviewed(graph: &Graph, today: Date) -> String {
    let until = "until `countersign graph review`, what is autonomous asks, except for reading";
    let (date, due) = (date(&graph.last_reviewed), decayed(graph, today));
    match (&graph.last_reviewed, due) {
        (Reviewed::Never, 0) => decay(graph),
        (Reviewed::On(_) | Reviewed::Unreadable(_), 0) => {
            format!("reviewed {date}; {}", decay(graph))
        }
        (_, some) if some < graph.domains.len() => {
            format!("{} due for review: there, {until}", count(some, "domain"))
        }
        (Reviewed::Never, _) => format!("never reviewed: {until}"),
        (Reviewed::On(_) | Reviewed::Unreadable(_), _) => {
            format!("reviewed {date} and due again: {until}")
        }
    }
}
