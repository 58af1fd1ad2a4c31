//! `graph review`: the operator has read the graph, and its date says so.
//!
//! What is renewed is listed before anything is written. Only the date's bytes change.

use super::lock::refuse_if_locked;
use super::rows::rows;
use super::{count, date};
use crate::args::GraphReviewArgs;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::page::{BOLD, Page, YELLOW};
use crate::settings::Settings;
use crate::table::{self, Cell};
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
    let stamped = stamped(&file, &args.domains, today)?;
    out::show(&renewed(&file, &args.domains, today))?;
    if !args.yes && !agreed()? {
        out::tell(&Page::of("nothing was written"));
        return Ok(Exit::Cancelled);
    }
    files::replace(&file.path, &file.bytes, stamped.as_bytes())?;
    out::show(&Page::of(&format!("{}: reviewed {today}", file.name)))?;
    Ok(Exit::Allowed)
}

fn stamped(file: &GraphFile, domains: &[String], today: Date) -> Result<String, Failure> {
    let graph = &file.loaded.graph;
    let text = String::from_utf8_lossy(&file.bytes);
    stamp_review(&text, file.format, domains, today).map_err(|error| {
        let message = error.to_string();
        match error {
            StampError::UnknownDomain(name) => {
                let meant = suggest::domain(graph, &name);
                let help = meant.map_or_else(
                    || "`countersign graph show` lists them".to_owned(),
                    |meant| format!("did you mean `{meant}`?"),
                );
                Failure::usage(message, help)
            }
            StampError::InvalidGraph(found) => file.problems(found).into(),
            StampError::NoInsertionPoint(_) | StampError::ChangesMoreThanDate => {
                let help = format!("write `last_reviewed` with the date {today} into the file");
                Failure::new(message, help)
            }
        }
    })
}

/// What the review renews: for each domain its date, and what may happen without a question.
fn renewed(file: &GraphFile, chosen: &[String], today: Date) -> Page {
    let graph = &file.loaded.graph;
    let domains: Vec<_> = graph
        .domains
        .iter()
        .filter(|(name, _)| chosen.is_empty() || chosen.contains(name))
        .collect();
    let mut page = Page::new();
    let what = count(domains.len(), "domain");
    page.text(&format!("{}: this review renews {what}, as of {today}", file.name)).end();
    let verbs = autonomous(graph);
    let row = |(name, domain): &(&String, &Domain)| {
        let due = graph.is_decayed(Some(domain), today);
        let reviewed = date(graph.reviewed(Some(domain)));
        vec![
            Cell::styled(BOLD, name.as_str()),
            if due {
                Cell::styled(YELLOW, format!("{reviewed}, due"))
            } else {
                Cell::new(reviewed)
            },
            Cell::new(verbs.get(name.as_str()).map_or_else(String::new, |verbs| verbs.join(", "))),
        ]
    };
    let rows: Vec<Vec<Cell>> = domains.iter().map(row).collect();
    table::draw(&mut page, &["DOMAIN", "REVIEWED", "AUTONOMOUS"], &rows);
    page
}

/// What is autonomous, by domain.
fn autonomous(graph: &Graph) -> BTreeMap<&str, Vec<&str>> {
    let mut verbs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in rows(graph).iter().filter(|row| row.rule.tier == Tier::Autonomous) {
        verbs.entry(row.action.domain()).or_default().push(row.action.verb());
    }
    verbs
}

/// Asks at the terminal. Anything but a clear yes is no.
fn agreed() -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Failure::usage(
            "nobody can be asked, because this is not a terminal",
            "read the list above, then run it again with `--yes`",
        ));
    }
    let mut prompt = Page::new();
    prompt.styled(BOLD, "Have you read it, and does it still hold? [y/N] ");
    out::tell(&prompt);
    let mut reply = String::new();
    let read = BufReader::new(stdin.lock().take(limits::REPLY_BYTES)).read_line(&mut reply);
    read.map_err(|error| Failure::new(format!("no answer: {error}"), "nothing was written"))?;
    Ok(matches!(reply.trim().to_lowercase().as_str(), "y" | "yes"))
}
