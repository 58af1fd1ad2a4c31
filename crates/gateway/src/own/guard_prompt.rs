//! The prompt of a reviewer for what needs most care. The same text is an agent file for coding agents:
//! its first lines are for these and not part of the prompt.

use crate::wire::{RpcResponse, encode_string};

pub(crate) const GUARD_PROMPT: &str = "high-consent-guard";

const AGENT_FILE: &str = include_str!("high-consent-guard.md");

const DESCRIPTION: &str = "Reviews one action before the operator is asked about it: sends, payments, \
     credentials, destructive changes, sharing. It reads and advises, and approves nothing.";

fn text() -> &'static str {
    let parts = AGENT_FILE.splitn(3, "---\n");
    parts.last().unwrap_or(AGENT_FILE).trim()
}

/// The definition for a list of prompts.
pub(crate) fn define_guard_prompt() -> String {
    let (name, description) = (encode_string(GUARD_PROMPT), encode_string(DESCRIPTION));
    let action = "{\"name\":\"action\",\"description\":\"The action to review: tool, arguments, and why\",\
                  \"required\":false}";
    format!("{{\"name\":{name},\"description\":{description},\"arguments\":[{action}]}}")
}

/// The prompt, with the action that it is about if the client names one.
pub(crate) fn get_guard_prompt(action: Option<&str>) -> RpcResponse {
    let text = match action {
        Some(action) => {
            format!("{}\n\nThe action to review, as its agent describes it:\n{action}", text())
        }
        None => text().to_owned(),
    };
    let (description, text) = (encode_string(DESCRIPTION), encode_string(&text));
    RpcResponse::Result(format!(
        "{{\"description\":{description},\"messages\":[{{\"role\":\"user\",\"content\":\
         {{\"type\":\"text\",\"text\":{text}}}}}]}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::category::FLOORS;

    #[test]
    fn the_prompt_explains_categories_that_exist_and_has_no_front_matter() {
        assert!(text().starts_with("You review one action"), "{}", text());
        let known: Vec<&str> = FLOORS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let quoted: Vec<&str> =
            text().split('`').skip(1).step_by(2).filter(|word| word.contains('_')).collect();
        assert!(quoted.len() >= 32, "{quoted:?}");
        for word in quoted {
            assert!(known.contains(&word), "{word}");
        }
    }
}
