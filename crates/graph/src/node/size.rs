//! How large a tree is: what an alias would copy, before it is copied.

use super::{Key, Kind, Node};

/// Levels of lists and maps, the node's own included.
pub(super) fn height(node: &Node) -> usize {
    match &node.value {
        Kind::List(items) => 1 + items.iter().map(height).max().unwrap_or(0),
        Kind::Map(entries) => 1 + entries.iter().map(|e| height(&e.value)).max().unwrap_or(0),
        Kind::Null | Kind::Bool(_) | Kind::Int(_) | Kind::Float(_) | Kind::String(_) => 0,
    }
}

/// Memory that a copy takes, roughly.
pub(super) fn weight(node: &Node) -> usize {
    let own = size_of::<Node>();
    own + match &node.value {
        Kind::String(text) => text.len(),
        Kind::List(items) => items.iter().map(weight).sum(),
        Kind::Map(entries) => {
            entries.iter().map(|e| size_of::<Key>() + e.key.name.len() + weight(&e.value)).sum()
        }
        Kind::Null | Kind::Bool(_) | Kind::Int(_) | Kind::Float(_) => 0,
    }
}
