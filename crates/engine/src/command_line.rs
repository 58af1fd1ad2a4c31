//! The command line and the patches of a call, where the graph says that a tool takes one.

use countersign_commands::find_patched_files;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{CallDraft, Malformed};
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::graph::ToolMapping;
use countersign_core::model::names::Tool;
use serde_json::{Value, json};
use std::borrow::Cow;

/// Analyses the command line and the patches in the arguments that the tool's mapping points to.
pub(crate) fn analyse_arguments(
    facts: &Facts,
    mut draft: CallDraft,
) -> Result<CallDraft, Malformed> {
    let mapping = draft.tool.as_ref().and_then(|tool| facts.graph?.tool(tool.as_str()));
    if let Some(mapping) = mapping {
        draft.cwd = find_folder(mapping, &draft)?;
        draft.patched_files = find_patched_files(mapping, &draft.args);
    }
    if let Some(given) = &mut draft.command {
        given.command.place(draft.cwd.as_deref());
    }
    let Some(tool) = &draft.tool else { return Ok(draft) };
    let pointer = mapping.and_then(|mapping| mapping.command.as_deref());
    let Some(pointer) = pointer else { return Ok(draft) };
    let argument = draft.args.pointer(pointer).map(|value| read_line(tool, value)).transpose()?;
    let Some(line) = argument.flatten() else {
        // Arguments without a command line here may hold another one where nobody looks.
        let has_other_arguments = draft.command.is_some() && draft.args != json!({});
        return match has_other_arguments {
            true => Err(Malformed::AnotherCommand(tool.clone())),
            false => Ok(draft),
        };
    };
    let given = draft.command.as_ref().map(|given| &given.command);
    let cwd = given.and_then(Command::cwd).or(draft.cwd.as_deref());
    let analysed = countersign_commands::analyse(&line, cwd);
    if given.is_some_and(|given| *given != analysed.command) {
        return Err(Malformed::AnotherCommand(tool.clone()));
    }
    draft.command = Some(analysed);
    Ok(draft)
}

/// The folder in which the tool runs its command line: the one of its arguments, seen from the one
/// that was observed.
fn find_folder(mapping: &ToolMapping, draft: &CallDraft) -> Result<Option<String>, Malformed> {
    let named = mapping.folder.iter().find_map(|pointer| draft.args.pointer(pointer));
    let folder = match named {
        None | Some(Value::Null) => return Ok(draft.cwd.clone()),
        // Some tools take `~` and `$` for the home folder or a variable, others for a name.
        Some(Value::String(folder)) if !folder.starts_with(['~', '$']) => folder.as_str(),
        Some(folder) => {
            return Err(Malformed::Unreadable(format!(
                "the folder to run in, {folder}, is no path"
            )));
        }
    };
    let observed = draft.cwd.as_deref().filter(|_| !folder.starts_with('/'));
    Ok(Some(match (observed, folder) {
        (Some(observed), "" | ".") => observed.to_owned(),
        (Some(observed), folder) => format!("{}/{folder}", observed.trim_end_matches('/')),
        (None, folder) => folder.to_owned(),
    }))
}

/// A command line is a text or a list of words. Anything else could run without being readable.
fn read_line<'a>(tool: &Tool, value: &'a Value) -> Result<Option<Cow<'a, str>>, Malformed> {
    let unreadable = || Malformed::Unreadable(format!("the command line of `{tool}` is no text"));
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(Cow::Borrowed(text))),
        Value::Array(words) => {
            let word = |word: &Value| word.as_str().map(str::to_owned).ok_or_else(unreadable);
            let argv = words.iter().map(word).collect::<Result<Vec<_>, _>>()?;
            Ok(Some(Cow::Owned(render_argv(&argv))))
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => Err(unreadable()),
    }
}
