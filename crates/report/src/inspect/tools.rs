//! `inspect --tools`: the tools that were called, and which of them the graph does not map.

use super::tool_usage::{ToolUsage, ToolUsages, count_call};
use super::{InspectArgs, NamedGraph, visit_entries};
use crate::record::ReportContext;
use anstyle::Style;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, GREEN, NONE, Page, YELLOW, out};
use countersign_core::model::graph::Graph;
use serde_json::{Value, json};

pub(super) fn tools(
    args: &InspectArgs,
    context: &ReportContext,
    named: Option<NamedGraph<'_>>,
) -> Result<Exit, Failure> {
    let graph = named.as_ref().map(|named| named.graph);
    let mut tools = ToolUsages::new();
    visit_entries(args, context, |parsed| {
        count_call(&mut tools, parsed);
        Ok(())
    })?;
    if args.json {
        let rows: Vec<Value> =
            tools.iter().map(|(name, usage)| to_json(graph, name, usage)).collect();
        let file = named.map(
            |NamedGraph { name, graph }| json!({"file": name, "hash": graph.hash.to_string()}),
        );
        out::show_json(&json!({"v": 1, "graph": file, "tools": rows}))?;
    } else {
        out::show(&draw(graph, &tools))?;
    }
    Ok(Exit::Allowed)
}

/// How the graph covers a tool.
enum ToolStatus {
    NoGraph,
    /// A pattern matches it.
    Mapped,
    /// No pattern matches it, but the graph lists its actions.
    Unmapped,
    /// No pattern matches it, and the graph does not list its actions.
    Unlisted,
}

impl ToolStatus {
    fn new(graph: Option<&Graph>, name: &str, usage: &ToolUsage) -> Self {
        let Some(graph) = graph else { return Self::NoGraph };
        let is_listed = usage.actions.iter().all(|action| graph.rule(action).is_some());
        match (graph.tool(name), is_listed && !usage.actions.is_empty()) {
            (Some(_), _) => Self::Mapped,
            (None, true) => Self::Unmapped,
            (None, false) => Self::Unlisted,
        }
    }

    const fn styled_word(&self) -> (Style, &'static str) {
        match self {
            Self::NoGraph => (NONE, "no graph"),
            Self::Mapped => (GREEN, "mapped"),
            Self::Unmapped => (YELLOW, "no pattern"),
            Self::Unlisted => (YELLOW, "no action"),
        }
    }
}

fn draw(graph: Option<&Graph>, tools: &ToolUsages) -> Page {
    let mut page = Page::new();
    let headings = ["TOOL", "ACTIONS", "CALLS", "ALLOWED", "ASKED", "DENIED", "LAST", "GRAPH"];
    let cells = |(name, usage): (&String, &ToolUsage)| {
        let (style, word) = ToolStatus::new(graph, name, usage).styled_word();
        vec![
            TableCell::styled(BOLD, name.as_str()),
            TableCell::new(action_names(usage).join(", ")),
            TableCell::new(usage.calls().to_string()),
            TableCell::new(usage.allowed.to_string()),
            TableCell::new(usage.asked.to_string()),
            TableCell::new(usage.denied.to_string()),
            TableCell::new(usage.last.to_string()),
            TableCell::styled(style, word),
        ]
    };
    let rows: Vec<Vec<TableCell>> = tools.iter().map(cells).collect();
    table::draw(&mut page, &headings, &rows);
    page
}

fn to_json(graph: Option<&Graph>, name: &str, usage: &ToolUsage) -> Value {
    json!({
        "tool": name,
        "actions": action_names(usage),
        "calls": usage.calls(),
        "allowed": usage.allowed,
        "asked": usage.asked,
        "denied": usage.denied,
        "last": usage.last.to_string(),
        "graph": ToolStatus::new(graph, name, usage).styled_word().1,
    })
}

fn action_names(usage: &ToolUsage) -> Vec<&str> {
    usage.actions.iter().map(|action| action.as_str()).collect()
}
