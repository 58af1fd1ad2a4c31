//! Lint: what a graph that loads may not mean as it stands.
//!
//! A graph that is wrong is refused when it is read. Here are the rules that are valid and yet do
//! nothing, do the opposite of what their list says, or let more happen than they look like. Each
//! check is about something that can be shown in the file; matters of taste are not here.

mod actions;
mod check;
mod commands;
mod contacts;
mod domains;
mod references;
mod settings;
mod tools;

pub use check::Check;

use crate::limits;
use crate::load::without_rules;
use crate::node::{self, Entry, Format, Kind, Node};
use crate::problem::{Problem, Span};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_core::model::time::Date;
use countersign_core::model::words::Tier;

/// One thing that should be looked at, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub check: Check,
    pub problem: Problem,
}

/// Everything that is found in a graph, in the order of the file; warnings of its reading too.
pub fn lint(bytes: &[u8], format: Format, today: Date) -> Result<Vec<Finding>, Vec<Problem>> {
    let root = node::parse(bytes, format)?;
    let loaded = without_rules(&root, Digest::zero())?;
    let mut found = Findings::default();
    let ahead = loaded.future_dates(today);
    for problem in loaded.warnings.iter().chain(&ahead).cloned() {
        found.keep(Finding { check: Check::Reading, problem });
    }
    let file = File { root: &root, graph: &loaded.graph };
    domains::lint(&file, &mut found);
    contacts::lint(&file, &mut found);
    references::lint(&file, &mut found);
    tools::lint(&file, &mut found);
    commands::lint(&file, &mut found);
    settings::lint(&file, &mut found);
    Ok(found.finish())
}

/// Tools that were called and that no pattern of the graph names, with how often.
pub fn called<'a>(
    bytes: &[u8],
    format: Format,
    tools: impl IntoIterator<Item = (&'a str, u64)>,
) -> Result<Vec<Finding>, Vec<Problem>> {
    let root = node::parse(bytes, format)?;
    let loaded = without_rules(&root, Digest::zero())?;
    let mut found = Findings::default();
    tools::called(&File { root: &root, graph: &loaded.graph }, tools, &mut found);
    Ok(found.finish())
}

/// A graph twice: as it is written, for places, and as it is meant.
struct File<'f> {
    root: &'f Node,
    graph: &'f Graph,
}

impl<'f> File<'f> {
    fn entries(&self, key: &str) -> &'f [Entry] {
        self.root.get(key).and_then(Node::entries).unwrap_or_default()
    }

    fn is(&self, action: &Action, tier: Tier) -> bool {
        self.graph.rule(action).is_some_and(|rule| rule.tier == tier)
    }
}

/// The texts of a list with their places; what is no text was refused before.
fn texts(list: Option<&Node>) -> impl Iterator<Item = (&str, Span)> {
    let items = match list.map(|node| &node.value) {
        Some(Kind::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| match &item.value {
        Kind::String(text) => Some((text.as_str(), item.span)),
        Kind::Null
        | Kind::Bool(_)
        | Kind::Int(_)
        | Kind::Float(_)
        | Kind::List(_)
        | Kind::Map(_) => None,
    })
}

/// The actions that a list names, with their places.
fn actions_of(list: Option<&Node>) -> impl Iterator<Item = (Action, Span)> {
    texts(list).filter_map(|(name, span)| Action::parse(name).ok().map(|action| (action, span)))
}

#[derive(Default)]
struct Findings {
    kept: Vec<Finding>,
    not_kept: usize,
}

impl Findings {
    fn add(&mut self, check: Check, span: Span, message: String) {
        let problem = Problem::new(span, message, check.help());
        self.keep(Finding { check, problem });
    }

    fn keep(&mut self, finding: Finding) {
        if self.kept.len() < limits::PROBLEMS {
            self.kept.push(finding);
        } else {
            self.not_kept += 1;
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        self.kept.sort_by_key(|finding| finding.problem.span.start);
        if self.not_kept > 0 {
            let span = self.kept.last().map_or(Span::at(0), |finding| finding.problem.span);
            let message = format!("{} more findings are not shown", self.not_kept);
            let problem = Problem::new(span, message, "look at these first");
            self.kept.push(Finding { check: Check::Reading, problem });
        }
        self.kept
    }
}
