//! Keys that this version knows and does not enforce yet.
//!
//! A graph that uses them is refused as a whole: to skip a deny rule would be to allow.

use crate::node::Node;
use crate::report::Report;

pub(crate) const KEYS: [&str; 1] = ["commands"];

pub(crate) fn refuse(root: &Node, report: &mut Report) {
    for entry in root.entries().unwrap_or_default() {
        let name = entry.key.name.as_str();
        if KEYS.contains(&name) {
            let message = format!("`{name}` is not enforced by this version");
            let help = "remove it; a graph whose rules would be skipped is not loaded";
            report.problem(entry.key.span, message, help);
        }
    }
}
