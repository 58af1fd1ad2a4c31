//! Codex runs a hook only after its user has trusted it. It keeps a hash of each trusted hook in its
//! configuration, under the place of the hook.

use super::command::HookCommand;
use super::find::InstalledHook;
use countersign_core::encoding::json;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Codex takes this for a hook without a timeout.
const DEFAULT_SECONDS: u64 = 600;
/// Codex waits no longer at the end of a session.
const MAX_END_SECONDS: u64 = 3;

/// Whether the user has trusted this hook as it is now. `config` is the text of `config.toml`, `path`
/// the file that the hook stands in.
pub fn is_trusted_by_codex(config: &str, path: &str, hook: &InstalledHook) -> bool {
    let Ok(table) = config.parse::<toml::Table>() else { return false };
    let (group, index) = hook.position;
    let place = format!("{path}:{}:{group}:{index}", snake_case(&hook.event));
    let state = table.get("hooks").and_then(|hooks| hooks.get("state")?.get(place));
    let Some(state) = state else { return false };
    let is_enabled = state.get("enabled").and_then(toml::Value::as_bool) != Some(false);
    let hash = state.get("trusted_hash").and_then(toml::Value::as_str);
    is_enabled && hash.is_some() && hash == trust_hash(hook).as_deref()
}

fn trust_hash(hook: &InstalledHook) -> Option<String> {
    let HookCommand::Shell(line) = &hook.command else { return None };
    let timeout = match (hook.event.as_str(), hook.timeout_seconds) {
        ("SessionEnd", given) => given.unwrap_or(1).clamp(1, MAX_END_SECONDS),
        (_, given) => given.unwrap_or(DEFAULT_SECONDS),
    };
    let handler = json!({"async": false, "command": line, "timeout": timeout, "type": "command"});
    let mut entry = json!({"event_name": snake_case(&hook.event), "hooks": [handler]});
    if let (Some(keys), Some(matcher)) = (entry.as_object_mut(), &hook.matcher) {
        keys.insert("matcher".to_owned(), Value::from(matcher.as_str()));
    }
    let text = json::canonical(&entry).ok()?;
    let hex: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("sha256:{hex}"))
}

/// `PreToolUse` becomes `pre_tool_use`.
fn snake_case(event: &str) -> String {
    let mut name = String::new();
    for c in event.chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook() -> InstalledHook {
        InstalledHook {
            event: "PreToolUse".to_owned(),
            matcher: Some("*".to_owned()),
            command: HookCommand::Shell("/usr/bin/countersign hook codex".to_owned()),
            timeout_seconds: Some(600),
            position: (1, 0),
        }
    }

    fn config(place: &str, hash: &str) -> String {
        format!("[hooks.state.\"/h/hooks.json:{place}\"]\ntrusted_hash = \"{hash}\"\n")
    }

    #[test]
    fn a_hook_is_trusted_at_its_place_and_as_it_is() {
        let hash = trust_hash(&hook()).unwrap();
        let trusted = config("pre_tool_use:1:0", &hash);
        let is_trusted =
            |text: &str, hook: &InstalledHook| is_trusted_by_codex(text, "/h/hooks.json", hook);
        assert!(is_trusted(&trusted, &hook()));
        assert!(!is_trusted(&format!("{trusted}enabled = false\n"), &hook()));
        assert!(!is_trusted(&config("pre_tool_use:0:0", &hash), &hook()));
        assert!(!is_trusted(&config("pre_tool_use:1:0", "sha256:00"), &hook()));
        assert!(!is_trusted(&trusted, &InstalledHook { timeout_seconds: Some(5), ..hook() }));
        assert!(!is_trusted(&trusted, &InstalledHook { matcher: None, ..hook() }));
        assert!(!is_trusted("", &hook()));
        assert!(!is_trusted("[hooks", &hook()));
    }

    /// Codex computes it in the same way; measured with version 0.166.0.
    #[test]
    fn the_hash_is_over_sorted_compact_json() {
        let text = "{\"event_name\":\"pre_tool_use\",\"hooks\":[{\"async\":false,\"command\":\
                    \"/usr/bin/countersign hook codex\",\"timeout\":600,\"type\":\"command\"}],\
                    \"matcher\":\"*\"}";
        let hex: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(trust_hash(&hook()), Some(format!("sha256:{hex}")));
    }
}
