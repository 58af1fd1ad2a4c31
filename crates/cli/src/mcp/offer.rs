//! After `mcp add`: offers rules for the new server's tools, and writes what the operator chose into
//! the graph.
//!
//! Tools describe themselves, and nothing checks that. So at most those that say they only read run
//! without a question, and only if the operator says so.

use super::args::{McpAddArgs, OfferedRules};
use super::test::{Claim, TestedTool, test_tools, tools_page};
use crate::settings::Settings;
use countersign_console::{BOLD, Failure, Page, is_confirmed, out};
use countersign_core::model::graph::ToolPattern;
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::words::Tier;
use countersign_graph::tool_rules::{
    InsertError, ToolRule, ToolRules, insert_tool_rules, write_tool_rules,
};
use countersign_rules::{pluralize, refuse_if_locked};
use countersign_setup::{GraphFile, files};
use std::io::IsTerminal;
use std::path::Path;

pub(super) fn offer_rules(args: &McpAddArgs, settings: &Settings) -> Result<(), Failure> {
    let name = args.name.as_str();
    let chosen = match args.rules {
        Some(OfferedRules::None) => None,
        Some(chosen) => Some(Chooser::Flag(chosen)),
        None => std::io::stdin().is_terminal().then_some(Chooser::Terminal),
    };
    let Some(chooser) = chosen else {
        let mut page = Page::new();
        page.text("none of its tools is allowed by that. See what would be asked:").end();
        page.text(&format!("  countersign mcp test {name}")).end();
        return out::show(&page);
    };
    let file = args.graph.search(args.data.as_deref(), settings.graph_places()).open()?;
    let tested = test_tools(name, args.data.as_deref(), &file, settings)?;
    out::show(&tools_page(name, &tested))?;
    let rules = chooser.choose(name, &file, &tested)?;
    if rules.tools.is_empty() {
        return out::show(&Page::from_line("no rule was written; none of its tools is allowed"));
    }
    write_rules(args, &file, &rules)
}

/// Who says which rules are written.
enum Chooser {
    Flag(OfferedRules),
    Terminal,
}

impl Chooser {
    fn choose(
        &self,
        server: &str,
        file: &GraphFile,
        tools: &[TestedTool],
    ) -> Result<ToolRules, Failure> {
        let new: Vec<(&TestedTool, ToolRule)> = tools
            .iter()
            .filter_map(|tool| Some((tool, build_rule(server, tool)?)))
            .filter(|(_, rule)| !has_mapping(file, &rule.tool))
            .collect();
        let (reading, others): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|(tool, _)| tool.claim == Claim::ReadsOnly);
        let mut chosen = Vec::new();
        if self.accepts(OfferedRules::ReadOnly, &reading, &READING)? {
            chosen.extend(reading);
        }
        if self.accepts(OfferedRules::All, &others, &OTHERS)? {
            chosen.extend(others);
        }
        let tools = chosen.into_iter().map(|(_, rule)| rule).collect();
        Ok(ToolRules { domain: server.to_owned(), tools })
    }

    fn accepts(
        &self,
        least: OfferedRules,
        group: &[(&TestedTool, ToolRule)],
        texts: &GroupTexts,
    ) -> Result<bool, Failure> {
        match self {
            _ if group.is_empty() => Ok(false),
            Self::Flag(OfferedRules::All) => Ok(true),
            Self::Flag(flag) => Ok(*flag == least),
            Self::Terminal => {
                let mut page = Page::new();
                let names: Vec<&str> = group.iter().map(|(tool, _)| tool.name.as_str()).collect();
                page.styled(BOLD, &pluralize(group.len(), "tool")).text(texts.what);
                page.text(&names.join(", ")).end();
                page.text(texts.note).end();
                out::show(&page)?;
                is_confirmed(texts.question)
            }
        }
    }
}

/// What a person is asked about a group of tools.
struct GroupTexts {
    what: &'static str,
    note: &'static str,
    question: &'static str,
}

const READING: GroupTexts = GroupTexts {
    what: " that say they only read: ",
    note: "That is what the server claims; Countersign cannot check it.",
    question: "Let them run without asking?",
};

const OTHERS: GroupTexts = GroupTexts {
    what: " that do not say so: ",
    note: "Each would get an action of its own, so that you can allow it alone. They still ask.",
    question: "Write rules for them?",
};

/// None for a name that a graph cannot hold.
fn build_rule(server: &str, tool: &TestedTool) -> Option<ToolRule> {
    let tier = match tool.claim {
        Claim::ReadsOnly => Tier::Autonomous,
        Claim::Unspecified => Tier::RequiresApproval,
    };
    let action = Action::new(server, &tool.name).ok()?;
    let tool = Tool::parse(&format!("mcp__{server}__{}", tool.name)).ok()?;
    Some(ToolRule { tool, action, tier })
}

/// What the operator wrote for a tool stays.
fn has_mapping(file: &GraphFile, tool: &Tool) -> bool {
    let own = ToolPattern::Exact(tool.as_str().to_owned());
    file.loaded.graph.tools.iter().any(|mapping| mapping.pattern == own)
}

fn write_rules(args: &McpAddArgs, file: &GraphFile, rules: &ToolRules) -> Result<(), Failure> {
    refuse_if_locked(&file.path)?;
    let text = String::from_utf8_lossy(&file.bytes);
    let edited = insert_tool_rules(&text, file.format, rules)
        .map_err(|error| leave_to_person(file, rules, error))?;
    let backup = files::back_up(&file.path, &file.bytes, &format!("before-mcp-{}", args.name))?;
    files::replace(&file.path, &file.bytes, edited.as_bytes())?;
    if let Err(failure) = GraphFile::open(&file.path) {
        files::replace(&file.path, edited.as_bytes(), &file.bytes)?;
        return Err(failure);
    }
    let mut page = Page::new();
    page.text(&format!("wrote {} to ", pluralize(rules.tools.len(), "rule")));
    page.styled(BOLD, &file.name).end();
    page.text("To take them back, remove the domain and its tools there, or put the file back:");
    page.end().text(&format!("  cp {} {}", quote(&backup), quote(&file.path))).end();
    out::show(&page)
}

/// The lines, if the file cannot be edited safely.
fn leave_to_person(file: &GraphFile, rules: &ToolRules, error: InsertError) -> Failure {
    let message = error.to_string();
    if let InsertError::InvalidGraph(problems) = error {
        return file.problems(problems).into();
    }
    let mut page = Page::from_line("Lines for the graph, to be added by hand:");
    for line in write_tool_rules(file.format, rules).lines() {
        page.text(line).end();
    }
    let help = match out::show(&page) {
        Ok(()) => "add the lines above by hand; the server is added, and nothing else was written",
        Err(_) => "the server is added, and nothing else was written",
    };
    Failure::new(message, help)
}

fn quote(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
