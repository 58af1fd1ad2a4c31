//! Measures a tree before an alias copies it.

use super::{DocumentNode, MapKey, NodeValue};

/// The number of nested lists and maps, including the node itself.
pub(super) fn nesting_depth(node: &DocumentNode) -> usize {
    match &node.value {
        NodeValue::List(items) => 1 + items.iter().map(nesting_depth).max().unwrap_or(0),
        NodeValue::Map(entries) => {
            1 + entries.iter().map(|e| nesting_depth(&e.value)).max().unwrap_or(0)
        }
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Int(_)
        | NodeValue::Float(_)
        | NodeValue::String(_) => 0,
    }
}

/// The approximate memory of a copy.
pub(super) fn estimate_copy_bytes(node: &DocumentNode) -> usize {
    let own = size_of::<DocumentNode>();
    own + match &node.value {
        NodeValue::String(text) => text.len(),
        NodeValue::List(items) => items.iter().map(estimate_copy_bytes).sum(),
        NodeValue::Map(entries) => entries
            .iter()
            .map(|e| size_of::<MapKey>() + e.key.name.len() + estimate_copy_bytes(&e.value))
            .sum(),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Int(_) | NodeValue::Float(_) => 0,
    }
}
