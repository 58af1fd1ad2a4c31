//! Git commands that a rule allows run with words that rule out configured programs.
//!
//! The decision read git's configuration, and a file can change before the program runs the command.
//! Only for commands that read the repository: others need a credential helper, or hooks that somebody
//! wants to run. Only for a line that is one command: other lines run as they were written.

use countersign_api::CheckResponse;
use countersign_commands::{analyse, find_executed_words, is_reading_git};
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::words::Reason;
use countersign_harness::ToolUse;

/// The command line to run instead. A yes of the operator is for the line as it was shown.
pub(super) fn find_safer_command(tool_use: &ToolUse, response: &CheckResponse) -> Option<String> {
    let is_by_rule = matches!(response.reason, Reason::Autonomous | Reason::ReadOnly);
    let line = tool_use.args.get("command")?.as_str()?;
    if !is_by_rule || tool_use.tool.as_str() != "Bash" || !line.trim_start().starts_with("git ") {
        return None;
    }
    let Command::Plain { argv, .. } = analyse(line, None).command else { return None };
    is_reading_git(&argv).then(|| render_argv(&find_executed_words(&argv)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_api::CheckStatus;
    use countersign_core::model::names::Tool;
    use countersign_core::model::words::Outcome;
    use serde_json::json;

    fn rewrite(line: &str, reason: Reason) -> Option<String> {
        let (tool, args) = (Tool::parse("Bash").unwrap(), json!({"command": line}));
        let tool_use = ToolUse { tool, args, id: None, words: String::new() };
        let response = CheckResponse {
            status: CheckStatus::Allowed,
            outcome: Outcome::Allow,
            reason,
            sentence: String::new(),
            operation_id: None,
            note: String::new(),
            announcements: Vec::new(),
            question: None,
        };
        find_safer_command(&tool_use, &response)
    }

    #[test]
    fn a_reading_git_command_that_a_rule_allows_runs_no_configured_program() {
        for line in ["git status", "git rev-parse HEAD", "git cat-file -p HEAD", "git branch"] {
            assert!(rewrite(line, Reason::ReadOnly).is_some(), "{line}");
        }
        let line = rewrite("git diff 'a b'", Reason::Autonomous).unwrap();
        assert!(line.starts_with("git ") && line.contains(" -c core.fsmonitor=false "), "{line}");
        assert!(line.contains(" diff --no-ext-diff --no-textconv ") && line.ends_with(" 'a b'"));
    }

    #[test]
    fn everything_else_runs_as_it_was_written() {
        for line in [
            "git commit -m x",
            "git push",
            "git ls-remote",
            "git config --list",
            "git",
            "ls",
            "cd a && git diff",
            "git diff | head",
        ] {
            assert_eq!(rewrite(line, Reason::Autonomous), None, "{line}");
        }
        assert_eq!(rewrite("git diff", Reason::Granted), None);
    }
}
