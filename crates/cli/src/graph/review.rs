//! `graph review`: records that the operator has read the graph today.
//!
//! It lists what the review renews before it writes. Only the bytes of the date change.

use super::action_rows::action_rows;
use super::lock::refuse_if_locked;
use super::{pluralize, review_date};
use crate::args::GraphReviewArgs;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::page::{BOLD, Page, YELLOW};
use crate::settings::Settings;
use crate::table::{self, TableCell};
use crate::{files, limits, out, suggest};
use countersign_core::model::graph::{Domain, Graph};
use countersign_core::model::time::Date;
use countersign_core::model::words::Tier;
use countersign_engine::Clock;
use countersign_graph::review::{StampError, stamp_review};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, IsTerminal, Read};

pub(super) fn review(args: &GraphReviewArgs, settings: &Settings) -> Result<Exit, Failure> {
    let file = GraphFile::open(args.graph.file.as_deref(), settings)?;
    refuse_if_locked(&file.path)?;
    let today = SystemClock.now().date();
    let stamped = stamp(&file, &args.domains, today)?;
    out::show(&draw_renewal(&file, &args.domains, today))?;
    if !args.yes && !is_confirmed()? {
        out::eprint(&Page::from_line("nothing was written"));
        return Ok(Exit::Cancelled);
    }
    files::replace(&file.path, &file.bytes, stamped.as_bytes())?;
    out::show(&Page::from_line(&format!("{}: reviewed {today}", file.name)))?;
    Ok(Exit::Allowed)
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

/// The autonomous verbs of each domain.
fn autonomous_verbs(graph: &Graph) -> BTreeMap<&str, Vec<&str>> {
    let mut verbs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in action_rows(graph).iter().filter(|row| row.rule.tier == Tier::Autonomous) {
        verbs.entry(row.action.domain()).or_default().push(row.action.verb());
    }
    verbs
}

/// Asks at the terminal. Only `y` and `yes` count as yes.
fn is_confirmed() -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Failure::usage(
            "cannot ask for confirmation: stdin is not a terminal",
            "read the list above, then run it again with `--yes`",
        ));
    }
    let mut prompt = Page::new();
    prompt.styled(BOLD, "Have you read it, and is it still right? [y/N] ");
    out::eprint(&prompt);
    let mut reply = String::new();
    let read = BufReader::new(stdin.lock().take(limits::MAX_REPLY_BYTES)).read_line(&mut reply);
    read.map_err(|error| Failure::new(format!("no answer: {error}"), "nothing was written"))?;
    Ok(matches!(reply.trim().to_lowercase().as_str(), "y" | "yes"))
}
