//! `graph review`: records that the operator has read the graph today.
//!
//! It lists what the review renews before it writes. Only the bytes of the date change.

use super::args::GraphReviewArgs;
use super::lock::refuse_if_locked;
use super::{autonomous_verbs, pluralize, review_date};
use crate::RulesContext;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, Page, YELLOW, is_confirmed, out, suggest};
use countersign_core::model::graph::Domain;
use countersign_core::model::time::Date;
use countersign_graph::review::{StampError, stamp_review};
use countersign_setup::{GraphFile, GraphSearch, files};
use std::path::PathBuf;

pub(super) fn review(args: &GraphReviewArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let (named, domains) = split_arguments(args)?;
    let data = args.daemon.path.as_deref();
    let file =
        GraphSearch { named: named.as_deref(), data, places: context.graph_places() }.open()?;
    refuse_if_locked(&file.path)?;
    let today = context.now().date();
    let stamped = stamp(&file, &domains, today)?;
    out::show(&draw_renewal(&file, &domains, today))?;
    if !args.yes && !is_confirmed("Have you read it, and is it still right?")? {
        out::eprint(&Page::from_line("nothing was written"));
        return Ok(Exit::Cancelled);
    }
    files::replace(&file.path, &file.bytes, stamped.as_bytes())?;
    out::show(&Page::from_line(&format!("{}: reviewed {today}", file.name)))?;
    Ok(Exit::Allowed)
}

/// A domain contains no dot, so an argument with a dot or a slash is the file.
fn split_arguments(args: &GraphReviewArgs) -> Result<(Option<PathBuf>, Vec<String>), Failure> {
    let is_file = |text: &&String| text.contains(['.', '/']);
    let mut files: Vec<PathBuf> = args.domains.iter().filter(is_file).map(PathBuf::from).collect();
    files.extend(args.graph.file.clone());
    if files.len() > 1 {
        return Err(Failure::usage("several graphs are named", "review one after the other"));
    }
    let domains = args.domains.iter().filter(|text| !is_file(text)).cloned().collect();
    Ok((files.pop(), domains))
}

fn stamp(file: &GraphFile, domains: &[String], today: Date) -> Result<String, Failure> {
    let graph = &file.loaded.graph;
    let text = String::from_utf8_lossy(&file.bytes);
    stamp_review(&text, file.format, domains, today).map_err(|error| {
        let message = error.to_string();
        match error {
            StampError::UnknownDomain(name) => {
                let similar = suggest::similar_domain(graph, &name);
                let help = similar.map_or_else(
                    || "`countersign graph show` lists them".to_owned(),
                    |domain| format!("did you mean `{domain}`?"),
                );
                Failure::usage(message, help)
            }
            StampError::InvalidGraph(problems) => file.problems(problems).into(),
            StampError::NoInsertionPoint(_) | StampError::ChangesMoreThanDate => {
                let help = format!("write `last_reviewed` with the date {today} into the file");
                Failure::new(message, help)
            }
        }
    })
}

/// What the review renews: each domain with its date and its autonomous actions.
fn draw_renewal(file: &GraphFile, chosen: &[String], today: Date) -> Page {
    let graph = &file.loaded.graph;
    let domains: Vec<_> = graph
        .domains
        .iter()
        .filter(|(name, _)| chosen.is_empty() || chosen.contains(name))
        .collect();
    let mut page = Page::new();
    let what = pluralize(domains.len(), "domain");
    page.text(&format!("{}: this review renews {what}, as of {today}", file.name)).end();
    let verbs = autonomous_verbs(graph);
    let row = |(name, domain): &(&String, &Domain)| {
        let due = graph.is_decayed(Some(domain), today);
        let reviewed = review_date(graph.reviewed(Some(domain)));
        vec![
            TableCell::styled(BOLD, name.as_str()),
            if due {
                TableCell::styled(YELLOW, format!("{reviewed}, due"))
            } else {
                TableCell::new(reviewed)
            },
            TableCell::new(
                verbs.get(name.as_str()).map_or_else(String::new, |verbs| verbs.join(", ")),
            ),
        ]
    };
    let rows: Vec<Vec<TableCell>> = domains.iter().map(row).collect();
    table::draw(&mut page, &["DOMAIN", "REVIEWED", "AUTONOMOUS"], &rows);
    page
}
