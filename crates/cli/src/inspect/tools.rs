//! `inspect --tools`: tools that were called, and which of them the graph does not name.

use super::entries;
use super::seen::{Tool, Tools, count};
use crate::args::InspectArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::out;
use crate::page::{BOLD, GREEN, NONE, Page, YELLOW};
use crate::settings::Settings;
use crate::table::{self, Cell};
use anstyle::Style;
use countersign_core::model::graph::Graph;
use serde_json::{Value, json};

pub(super) fn tools(args: &InspectArgs, settings: &Settings) -> Result<Exit, Failure> {
    let given = args.graph.file.as_deref();
    let file =
        if settings.has_graph(given) { Some(GraphFile::open(given, settings)?) } else { None };
    let graph = file.as_ref().map(|file| &file.loaded.graph);
    let mut tools = Tools::new();
    entries(args, settings, |seen| {
        count(&mut tools, seen);
        Ok(())
    })?;
    if args.json {
        let rows: Vec<Value> = tools.iter().map(|(name, tool)| row(graph, name, tool)).collect();
        let file = file.as_ref().map(GraphFile::json);
        out::show_json(&json!({"v": 1, "graph": file, "tools": rows}))?;
    } else {
        out::show(&page(graph, &tools))?;
    }
    Ok(Exit::Allowed)
}

/// What the graph has to say about a tool.
enum Standing {
    NoGraph,
    Named,
    /// No pattern names it, but the graph lists what it was decided as.
    Unnamed,
    /// Nothing in the graph says what it is.
    Unknown,
}

impl Standing {
    fn of(graph: Option<&Graph>, name: &str, tool: &Tool) -> Self {
        let Some(graph) = graph else { return Self::NoGraph };
        let listed = tool.actions.iter().all(|action| graph.rule(action).is_some());
        match (graph.tool(name), listed && !tool.actions.is_empty()) {
            (Some(_), _) => Self::Named,
            (None, true) => Self::Unnamed,
            (None, false) => Self::Unknown,
        }
    }

    const fn said(&self) -> (Style, &'static str) {
        match self {
            Self::NoGraph => (NONE, "no graph"),
            Self::Named => (GREEN, "named"),
            Self::Unnamed => (YELLOW, "no pattern"),
            Self::Unknown => (YELLOW, "no action"),
        }
    }
}

fn page(graph: Option<&Graph>, tools: &Tools) -> Page {
    let mut page = Page::new();
    let headings = ["TOOL", "ACTIONS", "CALLS", "ALLOWED", "ASKED", "DENIED", "LAST", "GRAPH"];
    let cells = |(name, tool): (&String, &Tool)| {
        let (style, said) = Standing::of(graph, name, tool).said();
        vec![
            Cell::styled(BOLD, name.as_str()),
            Cell::new(actions(tool).join(", ")),
            Cell::new(tool.calls().to_string()),
            Cell::new(tool.allowed.to_string()),
            Cell::new(tool.asked.to_string()),
            Cell::new(tool.denied.to_string()),
            Cell::new(tool.last.to_string()),
            Cell::styled(style, said),
        ]
    };
    let rows: Vec<Vec<Cell>> = tools.iter().map(cells).collect();
    table::draw(&mut page, &headings, &rows);
    page
}

fn row(graph: Option<&Graph>, name: &str, tool: &Tool) -> Value {
    json!({
        "tool": name,
        "actions": actions(tool),
        "calls": tool.calls(),
        "allowed": tool.allowed,
        "asked": tool.asked,
        "denied": tool.denied,
        "last": tool.last.to_string(),
        "graph": Standing::of(graph, name, tool).said().1,
    })
}

fn actions(tool: &Tool) -> Vec<&str> {
    tool.actions.iter().map(|action| action.as_str()).collect()
}
