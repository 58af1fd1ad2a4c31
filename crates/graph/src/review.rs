//! Writes a review date into the operator's file and changes no other byte.
//!
//! The file is edited as text, at the spans of the dates or where they belong. Then it is parsed
//! again, and the edit is refused unless the graph differs only in the requested dates.

mod edit;

use crate::load::{domain_entries, resolve_without_policies};
use crate::node::{self, DocumentNode, Format};
use crate::problem::Problem;
use crate::text_edit::{self, Edit};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::{Graph, LastReview};
use countersign_core::model::time::Date;
use edit::Editor;

#[derive(Debug, thiserror::Error)]
pub enum StampError {
    #[error("the graph does not load, so its review is not recorded")]
    InvalidGraph(Vec<Problem>),
    #[error("the graph has no domain `{0}`")]
    UnknownDomain(String),
    #[error("there is no place for `last_reviewed` in {0}; write it there once by hand")]
    NoInsertionPoint(String),
    #[error("writing this date would change more than the date; write it by hand")]
    ChangesMoreThanDate,
}

/// Writes the review date of the given domains, or of the whole graph if `domains` is empty.
///
/// A review of the whole graph writes the date at the root and updates every domain that has one.
pub fn stamp_review(
    text: &str,
    format: Format,
    domains: &[String],
    date: Date,
) -> Result<String, StampError> {
    let root = node::parse(text.as_bytes(), format).map_err(StampError::InvalidGraph)?;
    let before =
        resolve_without_policies(&root, Digest::zero()).map_err(StampError::InvalidGraph)?.graph;
    let editor = Editor { text, format, date };
    let edits = if domains.is_empty() {
        edits_for_graph(&root, &editor)?
    } else {
        domains
            .iter()
            .map(|name| edit_for_domain(&root, name, &editor))
            .collect::<Result<_, _>>()?
    };
    let stamped = text_edit::apply_edits(text, edits);
    let expected = if domains.is_empty() {
        before.reviewed_on(date)
    } else {
        mark_domains_reviewed(before, domains, date)
    };
    match node::parse(stamped.as_bytes(), format)
        .and_then(|n| resolve_without_policies(&n, Digest::zero()))
    {
        Ok(after) if after.graph == expected => Ok(stamped),
        Ok(_) | Err(_) => Err(StampError::ChangesMoreThanDate),
    }
}

fn edits_for_graph(root: &DocumentNode, editor: &Editor<'_>) -> Result<Vec<Edit>, StampError> {
    let at_root = match root.get("last_reviewed") {
        Some(old) => Some(editor.replace_date(old)),
        None => editor.insert_at_root(root),
    };
    let mut edits =
        vec![at_root.ok_or_else(|| StampError::NoInsertionPoint("this file".to_owned()))?];
    let dated = domain_entries(root).into_iter().filter_map(|e| e.value.get("last_reviewed"));
    edits.extend(dated.map(|old| editor.replace_date(old)));
    Ok(edits)
}

fn edit_for_domain(
    root: &DocumentNode,
    name: &str,
    editor: &Editor<'_>,
) -> Result<Edit, StampError> {
    let entry = domain_entries(root).into_iter().find(|entry| entry.key.name == name);
    let domain = &entry.ok_or_else(|| StampError::UnknownDomain(name.to_owned()))?.value;
    match domain.get("last_reviewed") {
        Some(old) => Some(editor.replace_date(old)),
        None => editor.insert_in_domain(domain),
    }
    .ok_or_else(|| StampError::NoInsertionPoint(format!("the domain `{name}`")))
}

fn mark_domains_reviewed(mut graph: Graph, domains: &[String], date: Date) -> Graph {
    for name in domains {
        if let Some(domain) = graph.domains.get_mut(name) {
            domain.last_reviewed = Some(LastReview::On(date));
        }
    }
    graph
}
