//! Command rules, each by itself: whether a rule reaches further than another is not asked.

use super::{Difference, Differences, NONE, Pair, Subject, either};
use countersign_core::model::graph::Graph;
use std::collections::BTreeMap;

/// From looser to stricter.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Said {
    Allow,
    Nothing,
    Deny,
}

pub(super) fn diff(graphs: &Pair<'_>, found: &mut Vec<Difference>) {
    let (old, new) = (said(graphs.old), said(graphs.new));
    for rule in either(old.keys(), new.keys()) {
        let of = |rules: &BTreeMap<String, Said>| rules.get(rule).copied().unwrap_or(Said::Nothing);
        let mut out = Differences { subject: Subject::Command(rule.clone()), found: &mut *found };
        out.ordered("commands", (of(&old), of(&new)), |said| {
            match said {
                Said::Allow => "allow",
                Said::Nothing => NONE,
                Said::Deny => "deny",
            }
            .to_owned()
        });
    }
}

/// Every rule, with blanks between its words that do not tell it from another.
fn said(graph: &Graph) -> BTreeMap<String, Said> {
    let plain = |body: &String| body.split_whitespace().collect::<Vec<_>>().join(" ");
    let allow = graph.commands.allow.iter().map(|body| (plain(body), Said::Allow));
    allow.chain(graph.commands.deny.iter().map(|body| (plain(body), Said::Deny))).collect()
}
