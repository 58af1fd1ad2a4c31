//! Lint: finds parts of a valid graph that probably do not do what the operator intended.
//!
//! Loading already refuses invalid graphs. Lint finds rules that have no effect, contradict their
//! list, or allow more than they seem to. Each finding points at the file; there are no checks of
//! style.

mod actions;
mod check;
mod commands;
mod contacts;
mod domains;
mod places;
mod presets;
mod references;
mod settings;
mod tools;

pub use check::LintCheck;

use crate::limits;
use crate::load::resolve_without_policies;
use crate::node::{self, DocumentNode, Format, MapEntry, NodeValue};
use crate::problem::{Problem, TextSpan};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_core::model::time::Date;
use countersign_core::model::words::Tier;

/// One suspicious place in a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    pub check: LintCheck,
    pub problem: Problem,
}

/// All findings in a graph, including the warnings of loading it, in the order of the file.
pub fn lint(bytes: &[u8], format: Format, today: Date) -> Result<Vec<LintFinding>, Vec<Problem>> {
    let root = node::parse(bytes, format)?;
    let loaded = resolve_without_policies(&root, Digest::zero())?;
    let mut findings = LintFindings::default();
    let future_dates = loaded.future_date_warnings(today);
    for problem in loaded.warnings.iter().chain(&future_dates).cloned() {
        findings.push(LintFinding { check: LintCheck::Reading, problem });
    }
    let linted = LintedGraph { root: &root, graph: &loaded.graph };
    domains::lint(&linted, &mut findings);
    contacts::lint(&linted, &mut findings);
    references::lint(&linted, &mut findings);
    tools::lint(&linted, &mut findings);
    commands::lint(&linted, &mut findings);
    places::lint(&linted, &mut findings);
    presets::lint(&linted, &mut findings);
    settings::lint(&linted, &mut findings);
    Ok(findings.finish())
}

/// Reports called tools that no pattern of the graph matches. `tools` holds names and call counts.
pub fn find_unmapped_tools<'a>(
    bytes: &[u8],
    format: Format,
    tools: impl IntoIterator<Item = (&'a str, u64)>,
) -> Result<Vec<LintFinding>, Vec<Problem>> {
    let root = node::parse(bytes, format)?;
    let loaded = resolve_without_policies(&root, Digest::zero())?;
    let mut findings = LintFindings::default();
    tools::find_unmapped_tools(
        &LintedGraph { root: &root, graph: &loaded.graph },
        tools,
        &mut findings,
    );
    Ok(findings.finish())
}

/// A graph in both forms: the syntax tree, for spans, and the resolved graph.
struct LintedGraph<'f> {
    root: &'f DocumentNode,
    graph: &'f Graph,
}

impl<'f> LintedGraph<'f> {
    fn entries(&self, key: &str) -> &'f [MapEntry] {
        self.root.get(key).and_then(DocumentNode::entries).unwrap_or_default()
    }

    fn has_tier(&self, action: &Action, tier: Tier) -> bool {
        self.graph.rule(action).is_some_and(|rule| rule.tier == tier)
    }
}

/// The strings of a list with their spans. Loading already refused anything else.
fn list_texts(list: Option<&DocumentNode>) -> impl Iterator<Item = (&str, TextSpan)> {
    let items = match list.map(|node| &node.value) {
        Some(NodeValue::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| match &item.value {
        NodeValue::String(text) => Some((text.as_str(), item.span)),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Int(_)
        | NodeValue::Float(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    })
}

/// The actions in a list, with their spans.
fn list_actions(list: Option<&DocumentNode>) -> impl Iterator<Item = (Action, TextSpan)> {
    list_texts(list)
        .filter_map(|(name, span)| Action::parse(name).ok().map(|action| (action, span)))
}

#[derive(Default)]
struct LintFindings {
    findings: Vec<LintFinding>,
    dropped_count: usize,
}

impl LintFindings {
    fn add(&mut self, check: LintCheck, span: TextSpan, message: String) {
        let problem = Problem::new(span, message, check.help());
        self.push(LintFinding { check, problem });
    }

    fn push(&mut self, finding: LintFinding) {
        if self.findings.len() < limits::MAX_PROBLEMS {
            self.findings.push(finding);
        } else {
            self.dropped_count += 1;
        }
    }

    fn finish(mut self) -> Vec<LintFinding> {
        self.findings.sort_by_key(|finding| finding.problem.span.start);
        if self.dropped_count > 0 {
            let span =
                self.findings.last().map_or(TextSpan::at_offset(0), |finding| finding.problem.span);
            let message = format!("{} more findings are not shown", self.dropped_count);
            let problem = Problem::new(span, message, "look at these first");
            self.findings.push(LintFinding { check: LintCheck::Reading, problem });
        }
        self.findings
    }
}
