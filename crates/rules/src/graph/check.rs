//! `graph check`: every problem and warning with its position, and one summary line.

use super::args::GraphCheckArgs;
use super::{count_decayed_domains, describe_decay, pluralize, review_date};
use crate::RulesContext;
use countersign_console::{Exit, Failure, GREEN, Page, RED, out, problems};
use countersign_core::model::graph::{Graph, LastReview};
use countersign_core::model::time::Date;
use countersign_graph::Problems;
use countersign_setup::GraphFile;
use serde_json::{Value, json};

pub(super) fn check(args: &GraphCheckArgs, context: &RulesContext) -> Result<Exit, Failure> {
    match args.graph.search(args.daemon.path.as_deref(), context.graph_places()).open() {
        Ok(file) => print_valid(args, &file, context.now().date()),
        // For this command, problems are the result.
        Err(Failure::Problems(files)) => print_problems(args, &files),
        Err(failure) => Err(failure),
    }
}

fn print_problems(args: &GraphCheckArgs, files: &[Problems]) -> Result<Exit, Failure> {
    let names: Vec<_> = files.iter().map(Problems::name).collect();
    if args.json {
        let graph = json!({"file": names.first(), "hash": null});
        let problems: Vec<Value> = files.iter().flat_map(problems::to_json).collect();
        out::show_json(&json!({"v": 1, "graph": graph, "problems": problems, "warnings": []}))?;
        return Ok(Exit::Failure);
    }
    let mut page = Page::new();
    files.iter().for_each(|file| problems::draw_errors(&mut page, file));
    let count = files.iter().map(|file| file.list().len()).sum();
    page.text(&names.join(", ")).text(": ");
    page.styled(RED, &pluralize(count, "problem")).text("; the graph cannot be loaded").end();
    out::show(&page)?;
    Ok(Exit::Failure)
}

fn print_valid(args: &GraphCheckArgs, file: &GraphFile, today: Date) -> Result<Exit, Failure> {
    let mut warnings = file.loaded.warnings.clone();
    warnings.extend(file.loaded.future_date_warnings(today));
    let warnings = file.problems(warnings);
    let graph = &file.loaded.graph;
    if args.json {
        out::show_json(&json!({
            "v": 1,
            "graph": file.to_json(),
            "problems": [],
            "warnings": problems::to_json(&warnings),
            "domains": graph.domains.len(),
            "actions": graph.rules.len(),
            "policies": file.policy_names(),
            "decayed_domains": count_decayed_domains(graph, today),
        }))?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    problems::draw_warnings(&mut page, &warnings, "warning");
    page.text(&file.name).text(": ").styled(GREEN, "valid").text("; ");
    page.text(&pluralize(graph.domains.len(), "domain")).text(", ");
    page.text(&pluralize(graph.rules.len(), "action")).text(", ");
    match file.policy_names().len() {
        0 => &mut page,
        1 => page.text("1 policy, "),
        several => page.text(&format!("{several} policies, ")),
    };
    page.text(&describe_review(graph, today)).end();
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// The last review, and the effect if it is too long ago.
fn describe_review(graph: &Graph, today: Date) -> String {
    let effect = "until `countersign graph review`, autonomous actions ask, except read-only ones";
    let (date, due) = (review_date(&graph.last_reviewed), count_decayed_domains(graph, today));
    match (&graph.last_reviewed, due) {
        (LastReview::Never, 0) => describe_decay(graph),
        (LastReview::On(_) | LastReview::Unreadable(_), 0) => {
            format!("reviewed {date}; {}", describe_decay(graph))
        }
        (_, some) if some < graph.domains.len() => {
            format!("{} due for review: there, {effect}", pluralize(some, "domain"))
        }
        (LastReview::Never, _) => format!("never reviewed: {effect}"),
        (LastReview::On(_) | LastReview::Unreadable(_), _) => {
            format!("reviewed {date} and due again: {effect}")
        }
    }
}
