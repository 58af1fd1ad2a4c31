//! The amount of a payment: what a card names, and what a person types to confirm it.

use crate::model::call::Call;
use crate::model::graph::Graph;
use serde_json::Value;

/// Names of arguments that say how much, where the graph does not say which one does.
const NAMES: [&str; 8] =
    ["amount", "total", "total_amount", "amount_due", "grand_total", "price", "cost", "sum"];

/// The argument that the tool's mapping names as the amount.
pub fn find_mapped_amount<'a>(graph: Option<&Graph>, call: &'a Call) -> Option<&'a Value> {
    let tool = call.tool.as_ref()?;
    let pointer = graph?.tool(tool.as_str())?.amount.as_ref()?;
    call.args.pointer(pointer)
}

/// The mapped amount, or else the only argument whose name says that it is one.
pub fn find_amount<'a>(graph: Option<&Graph>, call: &'a Call) -> Option<&'a Value> {
    find_mapped_amount(graph, call).or_else(|| {
        let mut named = NAMES.iter().filter_map(|name| call.args.get(name)).filter(|value| {
            value.is_number() || value.as_str().is_some_and(|text| !text.trim().is_empty())
        });
        named.next().filter(|_| named.next().is_none())
    })
}

/// The amount as it stands in the call.
pub fn write_amount(amount: &Value) -> String {
    amount.as_str().map_or_else(|| amount.to_string(), str::to_owned)
}
