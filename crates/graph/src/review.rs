//! Stamping a review: the date changes, every other byte of the operator's file stays.
//!
//! The file is edited as text at the places where its dates stand or belong. Then it is read
//! again, and the stamp is refused unless the graph is the same but for the dates asked for.

mod edit;

use crate::load::{domain_entries, without_rules};
use crate::node::{self, Format, Node};
use crate::problem::Problem;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::{Graph, Reviewed};
use countersign_core::model::time::Date;
use edit::{Edit, Editor};

#[derive(Debug, thiserror::Error)]
pub enum StampError {
    #[error("the graph does not load, so that its review is not recorded")]
    Graph(Vec<Problem>),
    #[error("the graph has no domain `{0}`")]
    UnknownDomain(String),
    #[error("`last_reviewed` finds no place in {0}; write it there once by hand")]
    NoPlace(String),
    #[error("to write this date would change more than the date; write it by hand")]
    ChangesMore,
}

/// Writes the date of a review: of the named domains, or of the whole graph if none is named.
///
/// The whole graph's review writes the date at the root and every date that a domain has.
pub fn stamp(
    text: &str,
    format: Format,
    domains: &[String],
    date: Date,
) -> Result<String, StampError> {
    let root = node::parse(text.as_bytes(), format).map_err(StampError::Graph)?;
    let before = without_rules(&root, Digest::zero()).map_err(StampError::Graph)?.graph;
    let editor = Editor { text, format, date };
    let edits = if domains.is_empty() {
        whole_graph(&root, &editor)?
    } else {
        domains.iter().map(|name| one_domain(&root, name, &editor)).collect::<Result<_, _>>()?
    };
    let stamped = edit::apply(text, edits);
    let expected = if domains.is_empty() {
        before.reviewed_on(date)
    } else {
        with_domains_reviewed(before, domains, date)
    };
    match node::parse(stamped.as_bytes(), format).and_then(|n| without_rules(&n, Digest::zero())) {
        Ok(after) if after.graph == expected => Ok(stamped),
        Ok(_) | Err(_) => Err(StampError::ChangesMore),
    }
}

fn whole_graph(root: &Node, editor: &Editor<'_>) -> Result<Vec<Edit>, StampError> {
    let at_root = match root.get("last_reviewed") {
        Some(old) => Some(editor.replace(old)),
        None => editor.insert_at_root(root),
    };
    let mut edits = vec![at_root.ok_or_else(|| StampError::NoPlace("this file".to_owned()))?];
    let dated = domain_entries(root).into_iter().filter_map(|e| e.value.get("last_reviewed"));
    edits.extend(dated.map(|old| editor.replace(old)));
    Ok(edits)
}

fn one_domain(root: &Node, name: &str, editor: &Editor<'_>) -> Result<Edit, StampError> {
    let entry = domain_entries(root).into_iter().find(|entry| entry.key.name == name);
    let domain = &entry.ok_or_else(|| StampError::UnknownDomain(name.to_owned()))?.value;
    match domain.get("last_reviewed") {
        Some(old) => Some(editor.replace(old)),
        None => editor.insert_into(domain),
    }
    .ok_or_else(|| StampError::NoPlace(format!("the domain `{name}`")))
}

fn with_domains_reviewed(mut graph: Graph, domains: &[String], date: Date) -> Graph {
    for name in domains {
        if let Some(domain) = graph.domains.get_mut(name) {
            domain.last_reviewed = Some(Reviewed::On(date));
        }
    }
    graph
}
