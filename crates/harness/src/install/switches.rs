//! Keys of the programs' settings that turn hooks off.

use super::document::{SettingsDocument, property};
use crate::Program;

/// The key that keeps our hooks from running, if this text has one. A text that cannot be read has
/// none: the program cannot read it either.
pub fn find_disabling_key(program: Program, text: &str) -> Option<&'static str> {
    match program {
        Program::ClaudeCode => {
            let document = SettingsDocument::parse(text).ok()?;
            let is_set = |key: &&str| {
                let found = property(document.root(), key).ok().flatten();
                found.is_some_and(|found| found.to_serde_value() == Some(true.into()))
            };
            ["disableAllHooks", "allowManagedHooksOnly"].into_iter().find(|key| is_set(key))
        }
        Program::Codex => {
            let table: toml::Table = text.parse().ok()?;
            if table.get("allow_managed_hooks_only").and_then(toml::Value::as_bool) == Some(true) {
                return Some("allow_managed_hooks_only");
            }
            let features = table.get("features")?;
            let is_off =
                |key: &&str| features.get(*key).and_then(toml::Value::as_bool) == Some(false);
            ["hooks", "codex_hooks"].into_iter().find(is_off)
        }
    }
}

/// Beginnings of variables that lead a program or its hooks astray: to other files of ours, another home, or
/// other code.
const MISLEADING: [&str; 10] = [
    "COUNTERSIGN_",
    "XDG_",
    "LD_",
    "DYLD_",
    "HOME",
    "PATH",
    "BASH_ENV",
    "NODE_OPTIONS",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
];

/// The variables in the settings of a project that decide what a hook or a command really is.
pub fn find_misleading_variables(text: &str) -> Vec<String> {
    let settings = super::document::parse_settings(text).unwrap_or_default();
    let Some(variables) = settings.get("env").and_then(|env| env.as_object()) else {
        return Vec::new();
    };
    let is_meant = |name: &&String| {
        MISLEADING.iter().any(|start| match start.ends_with('_') {
            true => name.starts_with(start),
            false => name == start,
        })
    };
    variables.keys().filter(is_meant).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_lead_a_hook_astray_are_found() {
        let text = r#"{"env": {"COUNTERSIGN_DATA": "/e", "HOME": "/e", "HOMEPAGE": "x", "LD_PRELOAD": "e"}}"#;
        let mut found = find_misleading_variables(text);
        found.sort();
        assert_eq!(found, ["COUNTERSIGN_DATA", "HOME", "LD_PRELOAD"]);
        assert!(find_misleading_variables("{\"env\": []}").is_empty());
        assert!(find_misleading_variables("{").is_empty());
    }

    #[test]
    fn only_a_key_that_is_set_turns_hooks_off() {
        let claude = |text| find_disabling_key(Program::ClaudeCode, text);
        assert_eq!(claude("{}"), None);
        assert_eq!(claude("{\"disableAllHooks\": false}"), None);
        assert_eq!(claude("{\"disableAllHooks\": true} // off"), Some("disableAllHooks"));
        assert_eq!(claude("{\"allowManagedHooksOnly\": true}"), Some("allowManagedHooksOnly"));
        let codex = |text| find_disabling_key(Program::Codex, text);
        assert_eq!(codex("model = \"x\""), None);
        assert_eq!(codex("[features]\nhooks = true"), None);
        assert_eq!(codex("[features]\nhooks = false"), Some("hooks"));
        assert_eq!(codex("allow_managed_hooks_only = true"), Some("allow_managed_hooks_only"));
    }
}
