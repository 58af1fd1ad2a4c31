//! Names of actions and tools, for headlines and for what a choice covers.

use crate::limits;
use crate::phrases::{ActionPhrase, find_phrase};
use crate::text::DisplayText;
use countersign_core::model::names::{Action, Tool};

/// The phrase of an action that stands for a place, and what is said about the place.
pub(crate) fn find_place_phrase(action: &str) -> (Option<&'static ActionPhrase>, &'static str) {
    let places = [
        ("_secret", ", a secret"),
        ("_guarded", ", which other programs run unasked"),
        ("_outside_workspace", ", outside the workspace"),
    ];
    let found = places
        .iter()
        .find_map(|(suffix, place)| Some((find_phrase(action.strip_suffix(suffix)?)?, *place)));
    found.map_or((None, ""), |(phrase, place)| (Some(phrase), place))
}

/// The server and tool of an MCP call, as harnesses write them.
pub(crate) fn name_mcp_tool(tool: &Tool) -> Option<String> {
    let name = tool.as_str();
    let found = name
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"))
        .or_else(|| name.strip_prefix("MCP:").and_then(|rest| rest.split_once([':', '/'])));
    match found {
        Some((server, tool)) => {
            Some(format!("the MCP tool {} of {}", shorten(tool), shorten(server)))
        }
        None => {
            let is_mcp = name.starts_with("mcp_") || name.starts_with("MCP:");
            is_mcp.then(|| format!("the MCP tool {}", shorten(name)))
        }
    }
}

/// A name, or its beginning and end.
pub(crate) fn shorten(text: &str) -> String {
    let escaped = DisplayText::from_untrusted(text).to_string();
    if escaped.chars().count() <= limits::MAX_HEADLINE_CHARS {
        return escaped;
    }
    let half = limits::MAX_HEADLINE_CHARS / 2;
    let count = escaped.chars().count();
    let head: String = escaped.chars().take(half).collect();
    let tail: String = escaped.chars().skip(count - half).collect();
    format!("{head}…{tail}")
}

/// An action by its own words: `vault.read_key` is "Read key (vault)". A tool that no list names is an
/// action of the domain `tool`.
pub(crate) fn title_from_action(action: &Action) -> String {
    if let Some(tool) = action.as_str().strip_prefix("tool.") {
        return format!("Call the tool {}", shorten(tool));
    }
    let spell =
        |name: &str| DisplayText::from_untrusted(&name.replace(['.', '_'], " ")).to_string();
    let (domain, verb) = (spell(action.domain()), spell(action.verb()));
    let mut characters = verb.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string());
    let title = format!("{}{}", first.unwrap_or_default(), characters.as_str());
    match verb.contains(domain.trim_end_matches('s')) {
        true => title,
        false => format!("{title} ({domain})"),
    }
}

/// What an action does, without what it is done to.
pub(crate) fn title_of(action: &Action) -> String {
    let (phrase, place) = match find_phrase(action.as_str()) {
        Some(phrase) => (Some(phrase), ""),
        None => find_place_phrase(action.as_str()),
    };
    match phrase {
        Some(phrase) => format!("{}{place}", phrase.alone.replace(" {amount}", "")),
        None => title_from_action(action),
    }
}
