//! The coding and assistive graphs load without a warning and match their documentation.

use countersign_core::model::category::{Category, FLOORS};
use countersign_core::model::graph::{AskingRule, Graph, WhenIdle};
use countersign_core::model::names::Action;
use countersign_core::model::time::Date;
use countersign_core::model::words::{Risk, Tier, Undo};
use countersign_graph::{Format, load_graph, review};
use std::collections::BTreeSet;

pub(crate) const CODING: &str = include_str!("../../../../graphs/coding/countersign.yaml");
pub(crate) const ASSISTIVE: &str = include_str!("../../../../graphs/assistive/countersign.yaml");

fn load_without_warnings(text: &str) -> Graph {
    let loaded = load_graph("countersign.yaml", text.as_bytes(), Format::Yaml).unwrap();
    assert_eq!(loaded.warnings, []);
    loaded.graph
}

fn filter_actions(graph: &Graph, wanted: impl Fn(&Action) -> bool) -> Vec<&str> {
    let mut found: Vec<_> =
        graph.rules.keys().filter(|action| wanted(action)).map(Action::as_str).collect();
    found.sort_unstable();
    found
}

fn used_categories(graph: &Graph) -> BTreeSet<&str> {
    graph.rules.values().flat_map(|rule| &rule.categories).map(Category::as_str).collect()
}

#[test]
fn looking_and_work_inside_the_workspace_are_autonomous_in_the_coding_graph() {
    let graph = load_without_warnings(CODING);
    let of_risk = |risk: Risk| {
        let is_free = |action: &Action| {
            let rule = &graph.rules[action];
            rule.tier == Tier::Autonomous && rule.risk == risk
        };
        filter_actions(&graph, is_free).join(" ")
    };
    assert_eq!(
        of_risk(Risk::ReadOnly),
        "files.read files.search git.diff git.log git.status plan.ask plan.note plan.status system.inspect"
    );
    assert_eq!(
        of_risk(Risk::Low),
        "agents.load_skill agents.message agents.spawn build.compile build.format build.lint test.run"
    );
    assert_eq!(of_risk(Risk::Moderate), "build.script files.create files.edit");
    assert_eq!((of_risk(Risk::High), of_risk(Risk::Critical)), (String::new(), String::new()));
}

#[test]
fn the_coding_graph_uses_every_category_of_coding_work() {
    let graph = load_without_warnings(CODING);
    let used = used_categories(&graph);
    let work = ["file-edit", "git", "git-local", "git-remote", "network"];
    for name in work.iter().chain(&["test", "build", "lint", "script"]) {
        assert!(used.contains(name), "{name}");
    }
}

/// Tool, action, and the pointers to its command line or targets.
const TOOLS: [(&str, &str, &str); 40] = [
    // Claude Code
    ("Bash", "shell.run", "command /command"),
    ("Read", "files.read", "/file_path"),
    ("Glob", "files.search", "/path /pattern"),
    ("Edit", "files.edit", "/file_path"),
    ("NotebookEdit", "files.edit", "/notebook_path"),
    ("WebFetch", "network.fetch", "/url"),
    ("Agent", "agents.spawn", ""),
    ("TodoWrite", "plan.note", ""),
    ("Skill", "agents.load_skill", ""),
    ("mcp__tracker__read", "mcp.call", ""),
    // Codex
    ("apply_patch", "files.edit", "/input /command /patch /patchText /patch_text"),
    ("spawn_agent", "agents.spawn", ""),
    ("update_plan", "plan.note", ""),
    ("view_image", "files.read", "/path"),
    // Gemini CLI
    ("run_shell_command", "shell.run", "command /command"),
    ("replace", "files.edit", "/file_path"),
    ("read_many_files", "files.read", "/include"),
    ("google_web_search", "network.search", ""),
    ("invoke_agent", "agents.spawn", ""),
    ("mcp_tracker_read", "mcp.call", ""),
    ("save_memory", "files.edit_guarded", ""),
    // Copilot CLI
    ("bash", "shell.run", "command /command"),
    ("powershell", "shell.powershell", ""),
    ("view", "files.read", "/path"),
    ("create", "files.create", "/path"),
    ("edit", "files.edit", "/path /filePath"),
    ("web_fetch", "network.fetch", "/url"),
    // Cursor
    ("Shell", "shell.run", "command /command"),
    ("Write", "files.edit", "/file_path"),
    ("Delete", "files.delete", "/file_path"),
    ("Task", "agents.spawn", ""),
    ("MCP:read", "mcp.call", ""),
    // opencode
    ("read", "files.read", "/filePath"),
    ("write", "files.edit", "/filePath"),
    ("glob", "files.search", "/path /dir_path /pattern"),
    ("webfetch", "network.fetch", "/url"),
    ("task", "agents.spawn", ""),
    ("multiedit", "files.edit", "/filePath"),
    ("list", "files.search", "/path"),
    ("StructuredOutput", "plan.note", ""),
];

#[test]
fn the_tools_of_coding_agents_map_to_the_documented_actions() {
    let graph = load_without_warnings(CODING);
    for (tool, action, pointers) in TOOLS {
        let mapping = graph.tool(tool).unwrap();
        let actions: Vec<_> = mapping.actions.iter().map(Action::as_str).collect();
        let command = mapping.command.iter().map(|pointer| format!("command {pointer}"));
        let found: Vec<_> = command.chain(mapping.target.clone()).collect();
        assert_eq!((actions, found.join(" ")), (vec![action], pointers.to_owned()), "{tool}");
    }
    // A tool `create_task` of an MCP server `tracker` has the last name in opencode.
    for unknown in ["js_repl", "discovered_tool_x", "tracker-read", "tracker_create_task"] {
        assert_eq!(graph.tool(unknown), None, "{unknown}");
    }
}

/// The 33 categories of the screen protocol: all known ones except those of the other two systems.
fn screen_categories() -> BTreeSet<&'static str> {
    let others = [
        "filesystem_read",
        "filesystem_write",
        "filesystem_delete",
        "git_write",
        "git_push",
        "http_fetch",
        "shell_exec",
        "paid_api_call",
        "deploy",
        "external_message",
        "file-edit",
        "git",
        "git-local",
        "git-remote",
        "network",
        "test",
        "build",
        "lint",
        "script",
    ];
    let known = FLOORS.iter().flat_map(|(_, names)| names.iter().copied());
    known.filter(|name| !others.contains(name)).collect()
}

#[test]
fn the_assistive_graph_uses_all_33_categories_and_no_other() {
    assert_eq!(screen_categories().len(), 33);
    assert_eq!(used_categories(&load_without_warnings(ASSISTIVE)), screen_categories());
}

#[test]
fn only_low_risk_actions_of_the_assistive_graph_pass_while_idle() {
    let graph = load_without_warnings(ASSISTIVE);
    for (action, rule) in &graph.rules {
        let standard = rule.risk == Risk::Low;
        assert_eq!(rule.when_idle == WhenIdle::Pass, standard, "{action}");
        assert_eq!(rule.assumed_undo() == Undo::Reversible, standard, "{action}");
        assert_eq!(rule.tier == Tier::Autonomous, rule.risk == Risk::ReadOnly, "{action}");
    }
}

#[test]
fn a_review_of_a_shipped_graph_changes_one_date() {
    let date = Date::parse("2026-02-01").unwrap();
    for text in [CODING, ASSISTIVE] {
        let stamped = review::stamp_review(text, Format::Yaml, &[], date).unwrap();
        assert_eq!(stamped, text.replace("last_reviewed: 2026-01-05", "last_reviewed: 2026-02-01"));
    }
}

/// The risk of every action of the coding graph, for people to read line by line.
#[test]
fn the_risks_of_the_coding_graph_are_the_committed_table() {
    let graph = load_without_warnings(CODING);
    let mut table = String::new();
    for risk in Risk::ALL {
        table.push_str(&format!("{risk}\n"));
        let mut rules: Vec<_> = graph.rules.iter().filter(|(_, rule)| rule.risk == *risk).collect();
        rules.sort_by(|one, other| one.0.cmp(other.0));
        for (action, rule) in rules {
            let always = if rule.asking == AskingRule::Always { ", asked each time" } else { "" };
            table.push_str(&format!("  {action:32} {}{always}\n", rule.tier));
        }
    }
    insta::assert_snapshot!(table);
}
