//! Finds our entries in a settings file.

use super::command::{HookCommand, HookTarget};
use super::document::{HookFileError, SettingsDocument, array_at, is_bare, object_at, property};
use super::programs::HookFile;
use crate::Program;
use jsonc_parser::cst::{CstArray, CstNode, CstObject};

/// Whether a settings file has our entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookState {
    Absent,
    Current,
    /// Some are missing, or differ from what would be installed now.
    Outdated,
}

/// One of our entries in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledHook {
    pub event: String,
    pub matcher: Option<String>,
    pub command: HookCommand,
    pub timeout_seconds: Option<u64>,
    /// Where it stands: the group in the list of the event, and the entry in that group.
    pub position: (usize, usize),
}

pub(super) struct OwnHandler {
    pub(super) node: CstObject,
    pub(super) matcher: Option<String>,
    position: (usize, usize),
    command: HookCommand,
    group: CstObject,
    handlers: CstArray,
}

impl OwnHandler {
    fn describe(self, event: &str) -> InstalledHook {
        let keys = self.node.to_serde_value();
        let timeout_seconds = keys.and_then(|keys| keys.get("timeout")?.as_u64());
        let (event, matcher, command) = (event.to_owned(), self.matcher, self.command);
        InstalledHook { event, matcher, command, timeout_seconds, position: self.position }
    }

    /// Removes it, and its group if nothing else is in it.
    pub(super) fn remove(&self) {
        self.node.clone().remove();
        if is_bare(&self.handlers.children()) {
            self.group.clone().remove();
        }
    }
}

impl HookFile {
    pub fn find(&self, text: &str, target: &HookTarget) -> Result<HookState, HookFileError> {
        Ok(match self.installed(text)?.is_empty() {
            true => HookState::Absent,
            false if self.merge(text, target)? == text => HookState::Current,
            false => HookState::Outdated,
        })
    }

    /// Whether the program reads this text. Claude Code 2.1.325 and Codex 0.166.0 ignore a whole file
    /// for one comment or trailing comma, and then no hook runs.
    pub fn check_readable(&self, text: &str) -> Result<(), HookFileError> {
        SettingsDocument::check_strict(text)
    }

    /// Our entries, in the order of the file.
    pub fn installed(&self, text: &str) -> Result<Vec<InstalledHook>, HookFileError> {
        let document = SettingsDocument::parse(text)?;
        let mut found = Vec::new();
        let Some(hooks) = object_at(document.root(), "hooks")? else { return Ok(found) };
        for event in hooks.properties().into_iter().filter_map(|event| event.decoded_name()) {
            let Some(groups) = array_at(&hooks, &event)? else { continue };
            let own = own_handlers(self.program, &groups)?;
            found.extend(own.into_iter().map(|handler| handler.describe(&event)));
        }
        Ok(found)
    }
}

/// A group or a handler that is no object is not ours, and stays as it is.
pub(super) fn own_handlers(
    program: Program,
    groups: &CstArray,
) -> Result<Vec<OwnHandler>, HookFileError> {
    let mut found = Vec::new();
    for (group_index, group) in groups.elements().iter().enumerate() {
        let Some(group) = group.as_object() else { continue };
        let Some(handlers) = array_at(&group, "hooks")? else { continue };
        for (index, handler) in handlers.elements().iter().enumerate() {
            let Some((node, command)) = own_command(program, handler) else { continue };
            found.push(OwnHandler {
                node,
                matcher: read_matcher(&group)?,
                position: (group_index, index),
                command,
                group: group.clone(),
                handlers: handlers.clone(),
            });
        }
    }
    Ok(found)
}

fn own_command(program: Program, handler: &CstNode) -> Option<(CstObject, HookCommand)> {
    let node = handler.as_object()?;
    let command = HookCommand::read(&node.to_serde_value()?)?;
    command.target(program).map(|_| (node, command))
}

fn read_matcher(group: &CstObject) -> Result<Option<String>, HookFileError> {
    let Some(matcher) = property(group, "matcher")? else { return Ok(None) };
    let text = matcher.value().and_then(|value| value.as_string_lit());
    Ok(text.and_then(|text| text.decoded_value().ok()))
}
