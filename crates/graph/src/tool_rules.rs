//! Writes actions for a server's tools into the operator's file and changes nothing else.
//!
//! The tools get a domain of their own. As with a review, the file is edited as text and parsed
//! again; the edit is refused unless the graph differs only in what was to be added.
//!
//! See docs/decisions/0083-rules-that-mcp-add-writes.md.

mod insert;
mod rule_text;

use crate::load::resolve_without_policies;
use crate::node::{self, Format};
use crate::problem::Problem;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::{Conditions, Domain, Graph, ToolMapping, ToolPattern};
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::words::Tier;

/// What is added: one domain, and an action in it for each tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRules {
    pub domain: String,
    pub tools: Vec<ToolRule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRule {
    pub tool: Tool,
    /// The tool's action, in the domain of all of them.
    pub action: Action,
    pub tier: Tier,
}

#[derive(Debug, thiserror::Error)]
pub enum InsertError {
    #[error("the graph does not load, so nothing is added to it")]
    InvalidGraph(Vec<Problem>),
    #[error("the graph has a domain `{0}` already")]
    DomainExists(String),
    #[error("the graph has a mapping for `{0}` already")]
    ToolExists(String),
    #[error("the lines cannot be added without changing something else")]
    ChangesMore,
}

/// The text of the file with these rules.
pub fn insert_tool_rules(
    text: &str,
    format: Format,
    rules: &ToolRules,
) -> Result<String, InsertError> {
    let root = node::parse(text.as_bytes(), format).map_err(InsertError::InvalidGraph)?;
    let before =
        resolve_without_policies(&root, Digest::zero()).map_err(InsertError::InvalidGraph)?.graph;
    refuse_existing(&before, rules)?;
    let edited = insert::insert(text, format, &root, rules).ok_or(InsertError::ChangesMore)?;
    let after = node::parse(edited.as_bytes(), format)
        .and_then(|node| resolve_without_policies(&node, Digest::zero()));
    match after {
        Ok(after) if has_only_added(&before, &after.graph, rules) => Ok(edited),
        Ok(_) | Err(_) => Err(InsertError::ChangesMore),
    }
}

/// The lines for a person to add.
pub fn write_tool_rules(format: Format, rules: &ToolRules) -> String {
    rule_text::write_block(format, rules)
}

/// A name that differs only in case or blanks counts as the same one, as in the rest of the file.
fn refuse_existing(graph: &Graph, rules: &ToolRules) -> Result<(), InsertError> {
    let named = |name: &&String| name.eq_ignore_ascii_case(&rules.domain);
    if let Some(name) = graph.domains.keys().find(named) {
        return Err(InsertError::DomainExists(name.clone()));
    }
    let is_added = |mapping: &&ToolMapping| is_one_of(&mapping.pattern, rules);
    match graph.tools.iter().find(is_added) {
        Some(ToolMapping { pattern: ToolPattern::Exact(name), .. }) => {
            Err(InsertError::ToolExists(name.clone()))
        }
        Some(_) | None => Ok(()),
    }
}

fn is_one_of(pattern: &ToolPattern, rules: &ToolRules) -> bool {
    match pattern {
        ToolPattern::Exact(name) => rules.tools.iter().any(|rule| rule.tool.as_str() == name),
        ToolPattern::Prefix(_) => false,
    }
}

fn has_only_added(before: &Graph, after: &Graph, rules: &ToolRules) -> bool {
    let is_right = |rule: &ToolRule| {
        let mapping = after
            .tools
            .iter()
            .find(|mapping| mapping.pattern == ToolPattern::Exact(rule.tool.as_str().to_owned()));
        mapping.is_some_and(|mapping| mapping.actions == [rule.action.clone()])
            && after.rules.get(&rule.action).is_some_and(|found| found.tier == rule.tier)
    };
    let is_plain = |domain: &Domain| domain.conditions == Conditions::NONE;
    let is_right =
        rules.tools.iter().all(is_right) && after.domains.get(&rules.domain).is_some_and(is_plain);
    let mut rest = after.clone();
    rest.domains = rest
        .domains
        .iter()
        .filter(|(name, _)| **name != rules.domain)
        .map(|(name, domain)| (name.clone(), domain.clone()))
        .collect();
    rest.rules.retain(|action, _| !rules.tools.iter().any(|rule| rule.action == *action));
    rest.tools.retain(|mapping| !is_one_of(&mapping.pattern, rules));
    is_right && rest == *before
}
