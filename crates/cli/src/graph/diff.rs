//! `graph diff`: what becomes looser and what stricter from one graph to another.

use crate::args::GraphDiff;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::out;
use crate::page::{BOLD, DIM, GREEN, Page, RED, YELLOW};
use crate::settings::Settings;
use crate::table::{self, Cell};
use anstyle::Style;
use countersign_graph::diff::{self, Difference, Turn};
use serde_json::{Value, json};

/// What a reader could take the table for, and it is not.
const COMPARES: &str =
    "rules, not grants: consent that was given stays until it ends or is revoked";

pub(crate) fn diff(args: &GraphDiff, settings: &Settings) -> Result<Exit, Failure> {
    let old = GraphFile::open(Some(&args.old), settings)?;
    let new = GraphFile::open(Some(&args.new), settings)?;
    let found = diff::diff(&old.loaded.graph, &new.loaded.graph);
    if args.json {
        out::show_json(&json(&old, &new, &found))?;
    } else {
        out::show(&page(&found))?;
    }
    let loosens = found.iter().any(|difference| difference.turn.may_loosen());
    Ok(if loosens { Exit::Failure } else { Exit::Allowed })
}

fn page(found: &[Difference]) -> Page {
    let mut page = Page::new();
    if found.is_empty() {
        page.text("no rule differs").end();
    } else {
        let rows: Vec<Vec<Cell>> = found.iter().map(cells).collect();
        table::draw(&mut page, &["BECOMES", "WHERE", "WHAT", "BEFORE", "AFTER"], &rows);
        let counts = Turn::ALL.map(|turn| format!("{} {}", count(found, turn), turn.word()));
        page.end().text(&counts.join(", ")).end();
    }
    page.styled(DIM, &format!("compared: {COMPARES}")).end();
    page
}

fn cells(difference: &Difference) -> Vec<Cell> {
    let Difference { subject, what, before, after, turn } = difference;
    vec![
        Cell::styled(style(*turn), turn.word()),
        Cell::styled(BOLD, subject.to_string()),
        Cell::new(*what),
        Cell::new(before.as_str()),
        Cell::new(after.as_str()),
    ]
}

fn style(turn: Turn) -> Style {
    match turn {
        Turn::Looser => RED,
        Turn::Unclear => YELLOW,
        Turn::Stricter => GREEN,
        Turn::Neither => DIM,
    }
}

fn count(found: &[Difference], turn: Turn) -> usize {
    found.iter().filter(|difference| difference.turn == turn).count()
}

fn json(old: &GraphFile, new: &GraphFile, found: &[Difference]) -> Value {
    let one = |difference: &Difference| {
        let Difference { subject, what, before, after, turn } = difference;
        json!({
            "becomes": turn.word(),
            "kind": subject.kind(),
            "where": subject.to_string(),
            "what": what,
            "before": before,
            "after": after,
        })
    };
    let counts: serde_json::Map<String, Value> = Turn::ALL
        .iter()
        .map(|turn| (turn.word().to_owned(), Value::from(count(found, *turn))))
        .collect();
    json!({
        "v": 1,
        "old": old.json(),
        "new": new.json(),
        "compares": COMPARES,
        "counts": counts,
        "differences": found.iter().map(one).collect::<Vec<_>>(),
    })
}
