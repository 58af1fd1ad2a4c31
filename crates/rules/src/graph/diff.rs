//! `graph diff`: what becomes looser or stricter between two graphs.

use super::args::GraphDiffArgs;
use super::proof::{self, ProofAttempt};
use crate::RulesContext;
use anstyle::Style;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, DIM, Exit, Failure, GREEN, Page, RED, YELLOW, out};
use countersign_core::model::graph::Graph;
use countersign_graph::diff::{self, DiffDirection, DiffSubject, Difference};
use countersign_setup::{GraphFile, GraphSearch};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What the table does not cover.
const SCOPE_NOTE: &str = "rules, not grants: a grant stays until it ends or is revoked";

pub(super) fn diff(args: &GraphDiffArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let (old, new) = match args.files.as_slice() {
        [old, new] => (GraphFile::open(old)?, GraphFile::open(new)?),
        files => {
            let data = args.daemon.path.as_deref();
            let old = GraphSearch { named: None, data, places: context.graph_places() }.open()?;
            old.announce();
            (old, GraphFile::open(files.first().map_or(Path::new(""), PathBuf::as_path))?)
        }
    };
    let differences = diff::diff_with_policies(&old.loaded, &new.loaded);
    let proof =
        args.prove.then(|| proof::try_prove(&old, &new, args.timeout, context)).transpose()?;
    if args.json {
        let mut value = to_json(&old, &new, &differences);
        if let (Some(proof), Some(fields)) = (&proof, value.as_object_mut()) {
            fields.insert("proof".to_owned(), proof.to_json());
        }
        out::show_json(&value)?;
    } else {
        let mut page = Page::new();
        if let Some(proof) = &proof {
            proof.draw_findings(&mut page);
        }
        draw(&mut page, &differences);
        if let Some(proof) = &proof {
            proof.draw_limits(&mut page);
        }
        out::show(&page)?;
    }
    let loosens = can_loosen(&differences, proof.as_ref(), &new.loaded.graph);
    Ok(if loosens { Exit::Failure } else { Exit::Allowed })
}

/// A proof replaces the comparison of policies; every other difference counts as compared.
fn can_loosen(differences: &[Difference], proof: Option<&ProofAttempt>, new: &Graph) -> bool {
    let proved = proof.is_some_and(ProofAttempt::allows_nothing_new);
    // A policy can restrict a command rule, and command rules are outside of the proof.
    let has_rules = !new.commands.allow.is_empty() || !new.commands.classes.is_empty();
    let covers_policies = proved && !has_rules;
    let counts = |difference: &&Difference| {
        !(covers_policies && matches!(difference.subject, DiffSubject::Policy(_)))
    };
    let loosens = differences.iter().filter(counts).any(|one| one.direction.can_loosen());
    loosens || (proof.is_some() && !proved)
}

fn draw(page: &mut Page, differences: &[Difference]) {
    if differences.is_empty() {
        page.text("no rule differs").end();
    } else {
        draw_differences(page, differences);
        let counts = DiffDirection::ALL.iter().copied();
        let counts: Vec<String> = counts
            .map(|direction| format!("{} {}", count(differences, direction), direction.word()))
            .collect();
        page.end().text(&counts.join(", ")).end();
    }
    page.styled(DIM, &format!("compared: {SCOPE_NOTE}")).end();
}

pub(super) fn draw_differences(page: &mut Page, differences: &[Difference]) {
    let rows: Vec<Vec<TableCell>> = differences.iter().map(cells).collect();
    table::draw(page, &["BECOMES", "WHERE", "WHAT", "BEFORE", "AFTER"], &rows);
}

fn cells(difference: &Difference) -> Vec<TableCell> {
    let Difference { subject, key, before, after, direction } = difference;
    vec![
        TableCell::styled(style(*direction), direction.word()),
        TableCell::styled(BOLD, subject.to_string()),
        TableCell::new(*key),
        TableCell::new(before.as_str()),
        TableCell::new(after.as_str()),
    ]
}

fn style(direction: DiffDirection) -> Style {
    match direction {
        DiffDirection::Looser => RED,
        DiffDirection::Unclear => YELLOW,
        DiffDirection::Stricter => GREEN,
        DiffDirection::Neither => DIM,
    }
}

fn count(differences: &[Difference], direction: DiffDirection) -> usize {
    differences.iter().filter(|difference| difference.direction == direction).count()
}

fn to_json(old: &GraphFile, new: &GraphFile, differences: &[Difference]) -> Value {
    let convert = |difference: &Difference| {
        let Difference { subject, key, before, after, direction } = difference;
        json!({
            "becomes": direction.word(),
            "kind": subject.kind(),
            "where": subject.to_string(),
            "what": key,
            "before": before,
            "after": after,
        })
    };
    let counts: serde_json::Map<String, Value> = DiffDirection::ALL
        .iter()
        .map(|direction| (direction.word().to_owned(), count(differences, *direction).into()))
        .collect();
    json!({
        "v": 1,
        "old": old.to_json(),
        "new": new.to_json(),
        "compares": SCOPE_NOTE,
        "counts": counts,
        "differences": differences.iter().map(convert).collect::<Vec<_>>(),
    })
}
