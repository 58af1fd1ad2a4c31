//! The rules as text in each format.

use super::{ToolRule, ToolRules};
use crate::file_text::{Pair, assign, write_name, write_plain};
use crate::node::Format;
use countersign_core::model::words::Tier;
use serde_json::json;

/// The domain, in one line.
pub(super) fn domain_pair(format: Format, rules: &ToolRules) -> Pair {
    let lists: Vec<String> = Tier::ALL
        .iter()
        .map(|tier| assign(format, tier.word(), &verbs(format, rules, *tier)))
        .collect();
    (write_key(format, &rules.domain), braces(format, &lists))
}

/// One mapping for each tool.
pub(super) fn tool_pairs(format: Format, rules: &ToolRules) -> Vec<Pair> {
    let pair = |rule: &ToolRule| {
        let actions = format!("[{}]", write_name(format, rule.action.as_str()));
        let value = braces(format, &[assign(format, "actions", &actions)]);
        (write_key(format, rule.tool.as_str()), value)
    };
    rules.tools.iter().map(pair).collect()
}

/// Tables for the end of a TOML file, or the two maps of another.
pub(super) fn write_block(format: Format, rules: &ToolRules) -> String {
    match format {
        Format::Toml => write_tables("domains.", rules),
        Format::Yaml => {
            let indented = |pair: &Pair| format!("  {}: {}\n", pair.0, pair.1);
            let tools: String = tool_pairs(format, rules).iter().map(indented).collect();
            format!("domains:\n{}tools:\n{tools}", indented(&domain_pair(format, rules)))
        }
        Format::Json => {
            let (name, lists) = domain_pair(format, rules);
            let pairs = tool_pairs(format, rules);
            let pairs: Vec<String> = pairs.iter().map(|(k, v)| format!("  {k}: {v}")).collect();
            let tools = pairs.join(",\n");
            format!("\"domains\": {{\n  {name}: {lists}\n}},\n\"tools\": {{\n{tools}\n}}\n")
        }
    }
}

/// Tables of TOML with headers of their own; `above` is the path to the domains.
pub(super) fn write_tables(above: &str, rules: &ToolRules) -> String {
    let key = |name: &str| write_key(Format::Toml, name);
    let mut text = format!("[{above}{}]\n", key(&rules.domain));
    for tier in Tier::ALL {
        text.push_str(&format!("{} = {}\n", tier.word(), verbs(Format::Toml, rules, *tier)));
    }
    for rule in &rules.tools {
        let action = write_name(Format::Toml, rule.action.as_str());
        text.push_str(&format!("\n[tools.{}]\nactions = [{action}]\n", key(rule.tool.as_str())));
    }
    text
}

fn verbs(format: Format, rules: &ToolRules, tier: Tier) -> String {
    let chosen = rules.tools.iter().filter(|rule| rule.tier == tier);
    let verbs: Vec<String> = chosen.map(|rule| write_name(format, rule.action.verb())).collect();
    format!("[{}]", verbs.join(", "))
}

fn braces(format: Format, members: &[String]) -> String {
    match format {
        Format::Json | Format::Yaml => format!("{{{}}}", members.join(", ")),
        Format::Toml => format!("{{ {} }}", members.join(", ")),
    }
}

fn write_key(format: Format, name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match format {
        Format::Json => json!(name).to_string(),
        Format::Toml if name.chars().all(is_bare) => name.to_owned(),
        Format::Toml => json!(name).to_string(),
        Format::Yaml => write_plain(name),
    }
}
