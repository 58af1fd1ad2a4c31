//! `graph diff`: what becomes looser and what stricter from one graph to another.

use super::proof::{self, Attempt};
use crate::args::GraphDiffArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::out;
use crate::page::{BOLD, DIM, GREEN, Page, RED, YELLOW};
use crate::settings::Settings;
use crate::table::{self, Cell};
use anstyle::Style;
use countersign_core::model::graph::Graph;
use countersign_graph::diff::{self, DiffSubject, Difference, Direction};
use serde_json::{Value, json};

/// What a reader could take the table for, and it is not.
const COMPARES: &str =
    "rules, not grants: consent that was given stays until it ends or is revoked";

pub(super) fn diff(args: &GraphDiffArgs, settings: &Settings) -> Result<Exit, Failure> {
    let old = GraphFile::open(Some(&args.old), settings)?;
    let new = GraphFile::open(Some(&args.new), settings)?;
    let found = diff::diff_with_policies(&old.loaded, &new.loaded);
    let proof =
        args.prove.then(|| proof::attempt(&old, &new, args.timeout, settings)).transpose()?;
    if args.json {
        let mut shown = json(&old, &new, &found);
        if let (Some(proof), Some(fields)) = (&proof, shown.as_object_mut()) {
            fields.insert("proof".to_owned(), proof.json());
        }
        out::show_json(&shown)?;
    } else {
        let mut page = page(&found);
        if let Some(proof) = &proof {
            proof.page(&mut page);
        }
        out::show(&page)?;
    }
    Ok(exit(&found, proof.as_ref(), &new.loaded.graph))
}

/// What is proved of the policies counts for them; whatever else differs counts as ever.
fn exit(found: &[Difference], proof: Option<&Attempt>, new: &Graph) -> Exit {
    let proved = proof.is_some_and(|proof| proof.allows_nothing_new());
    // A policy can stand against a command rule, and those are outside of the proof.
    let covered = proved && new.commands.allow.is_empty();
    let counts = |difference: &&Difference| {
        !(covered && matches!(difference.subject, DiffSubject::Policy(_)))
    };
    let loosens = found.iter().filter(counts).any(|difference| difference.direction.can_loosen());
    if loosens || (proof.is_some() && !proved) { Exit::Failure } else { Exit::Allowed }
}

fn page(found: &[Difference]) -> Page {
    let mut page = Page::new();
    if found.is_empty() {
        page.text("no rule differs").end();
    } else {
        let rows: Vec<Vec<Cell>> = found.iter().map(cells).collect();
        table::draw(&mut page, &["BECOMES", "WHERE", "WHAT", "BEFORE", "AFTER"], &rows);
        let counts = Direction::ALL.map(|turn| format!("{} {}", count(found, turn), turn.word()));
        page.end().text(&counts.join(", ")).end();
    }
    page.styled(DIM, &format!("compared: {COMPARES}")).end();
    page
}

fn cells(difference: &Difference) -> Vec<Cell> {
    let Difference { subject, key: what, before, after, direction: turn } = difference;
    vec![
        Cell::styled(style(*turn), turn.word()),
        Cell::styled(BOLD, subject.to_string()),
        Cell::new(*what),
        Cell::new(before.as_str()),
        Cell::new(after.as_str()),
    ]
}

fn style(turn: Direction) -> Style {
    match turn {
        Direction::Looser => RED,
        Direction::Unclear => YELLOW,
        Direction::Stricter => GREEN,
        Direction::Neither => DIM,
    }
}

fn count(found: &[Difference], turn: Direction) -> usize {
    found.iter().filter(|difference| difference.direction == turn).count()
}

fn json(old: &GraphFile, new: &GraphFile, found: &[Difference]) -> Value {
    let one = |difference: &Difference| {
        let Difference { subject, key: what, before, after, direction: turn } = difference;
        json!({
            "becomes": turn.word(),
            "kind": subject.kind(),
            "where": subject.to_string(),
            "what": what,
            "before": before,
            "after": after,
        })
    };
    let counts: serde_json::Map<String, Value> = Direction::ALL
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
