//! The lines of a graph that would end a question for all agents.
//!
//! They are printed and never written: a graph belongs to its operator.

use super::candidates::SuggestionCandidate;
use super::{SuggestionInput, list_declines};
use crate::text::DisplayText;
use countersign_commands::{RuleEffect, parse_body};
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::grant::Coverage;
use countersign_core::model::graph::{Graph, Rule};
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::place::{ActionOrigin, Bound, StandsForPlace};
use countersign_core::model::words::{Risk, Tier};
use serde::{Deserialize, Serialize};

/// Lines for the graph.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedRule {
    /// As YAML, or what to move.
    pub lines: Vec<DisplayText>,
    /// What they would cover, in one phrase.
    pub covers: DisplayText,
}

impl SuggestedRule {
    fn new(lines: &[String], covers: &str) -> Self {
        Self {
            lines: lines.iter().map(|line| DisplayText::from_untrusted(line)).collect(),
            covers: DisplayText::from_untrusted(covers),
        }
    }
}

/// The lines that would end it, unless anybody's call of the kind was declined.
pub(super) fn suggest_rule(
    input: SuggestionInput<'_>,
    candidate: &SuggestionCandidate<'_>,
) -> Option<SuggestedRule> {
    if list_declines(input).any(|(_, call, item)| candidate.names(call, item)) {
        return None;
    }
    let graph = input.graph?;
    let within = candidate.grant.within.as_deref().unwrap_or_default();
    let tool = within.iter().find_map(Bound::tool);
    match (&candidate.grant.coverage, tool) {
        (Coverage::Command { .. }, _) => allow_command(candidate),
        (Coverage::Action(_), Some(tool)) => map_tool(graph, tool),
        (Coverage::Action(action), None) => move_to_autonomous(graph, candidate, action),
        (_, _) => None,
    }
}

/// A command that no class names yet, exactly as it was written.
fn allow_command(candidate: &SuggestionCandidate<'_>) -> Option<SuggestedRule> {
    let bounds = candidate.like.item.bounds.as_deref();
    let is_classed = bounds.is_some_and(|bounds| bounds.origin == ActionOrigin::Class);
    let Some(Command::Plain { argv, .. }) = &candidate.like.call.command else { return None };
    let line = render_argv(argv);
    if is_classed || parse_body(RuleEffect::Allow, &line).is_err() {
        return None;
    }
    let lines = ["commands:".to_owned(), "  allow:".to_owned(), format!("    - {}", quote(&line))];
    let covers = "this exact command of every agent, in every folder; \
                  under `classes` it would be decided as an action of yours";
    Some(SuggestedRule::new(&lines, covers))
}

/// One MCP tool as an action of its own.
fn map_tool(graph: &Graph, tool: &Tool) -> Option<SuggestedRule> {
    let (server, name) = tool.as_str().strip_prefix("mcp__")?.split_once("__")?;
    let verb = name.to_lowercase().replace(['-', '.'], "_");
    let action = Action::new(&server.to_lowercase().replace(['-', '.'], "_"), &verb).ok()?;
    if graph.rule(&action).is_some() || graph.domains.get(action.domain()).is_some() {
        return None;
    }
    let lines = [
        "tools:".to_owned(),
        format!("  {}: {{actions: [{action}]}}", quote(tool.as_str())),
        "domains:".to_owned(),
        format!(
            "  {}: {{autonomous: [{}], requires_approval: [], blocked: []}}",
            action.domain(),
            action.verb()
        ),
    ];
    let covers = "every call of this tool by every agent, whatever its arguments";
    Some(SuggestedRule::new(&lines, covers))
}

/// Only up to moderate risk, and for no action that runs commands or stands for a place.
fn move_to_autonomous(
    graph: &Graph,
    candidate: &SuggestionCandidate<'_>,
    action: &Action,
) -> Option<SuggestedRule> {
    let rule = graph.rule(action)?;
    let bounds = candidate.like.item.bounds.as_deref();
    let is_place = bounds.is_some_and(|bounds| bounds.stands_for_place == StandsForPlace::Yes);
    if rule.tier != Tier::RequiresApproval
        || rule.risk > Risk::Moderate
        || is_place
        || runs_commands(rule)
    {
        return None;
    }
    let covers = format!("every call of {action} by every agent, up to {} risk", rule.risk);
    let preset = graph.preset.as_ref().filter(|preset| preset.moved_from.contains_key(action));
    let line = match preset {
        Some(preset) => {
            format!("remove {action} from `presets.{}.requires_approval`", preset.name)
        }
        None => format!(
            "move `{}` of `domains.{}` from `requires_approval` to `autonomous`",
            action.verb(),
            action.domain()
        ),
    };
    Some(SuggestedRule::new(&[line], &covers))
}

fn runs_commands(rule: &Rule) -> bool {
    rule.categories.iter().any(|category| category.as_str() == "shell_exec")
}

/// A YAML scalar in single quotes.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
