//! Writes our entries into a settings file, and takes them out again.

use super::command::{HookTarget, handler_keys};
use super::document::{
    HookFileError, SettingsDocument, array_at, is_bare, object_at, property, to_input,
};
use super::find::{OwnHandler, own_handlers};
use super::programs::{EventEntry, HookFile};
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject};
use serde_json::Value;

impl HookFile {
    /// The text with our entries in it. A text that has them already stays as it is.
    pub fn merge(&self, text: &str, target: &HookTarget) -> Result<String, HookFileError> {
        let document = SettingsDocument::parse(text)?;
        self.remove_from(document.root(), |event| {
            !self.events.iter().any(|own| own.name == event)
        })?;
        let hooks = match object_at(document.root(), "hooks")? {
            Some(hooks) => hooks,
            None => document.root().object_value_or_set("hooks"),
        };
        for event in self.events {
            let groups = match array_at(&hooks, event.name)? {
                Some(groups) => groups,
                None => hooks.array_value_or_set(event.name),
            };
            self.merge_event(&groups, event, target)?;
        }
        Ok(document.render())
    }

    fn merge_event(
        &self,
        groups: &CstArray,
        event: &EventEntry,
        target: &HookTarget,
    ) -> Result<(), HookFileError> {
        let keys = handler_keys(self.program, event, target);
        let own = own_handlers(self.program, groups)?;
        if let [handler] = own.as_slice()
            && handler.matcher.as_deref() == event.matcher
        {
            return update_keys(&handler.node, &keys);
        }
        own.iter().for_each(OwnHandler::remove);
        let mut group = Vec::new();
        group.extend(event.matcher.map(|matcher| ("matcher".to_owned(), matcher.into())));
        group.push(("hooks".to_owned(), CstInputValue::Array(vec![input_object(keys)])));
        groups.append(CstInputValue::Object(group));
        Ok(())
    }

    /// The text without our entries, and without the lists that are empty then.
    pub fn remove(&self, text: &str) -> Result<String, HookFileError> {
        let document = SettingsDocument::parse(text)?;
        self.remove_from(document.root(), |_| true)?;
        Ok(document.render())
    }

    /// Removes our entries of some events. A text without one of them stays as it is.
    fn remove_from(
        &self,
        root: &CstObject,
        is_meant: impl Fn(&str) -> bool,
    ) -> Result<(), HookFileError> {
        let Some(hooks) = object_at(root, "hooks")? else { return Ok(()) };
        let names = hooks.properties().into_iter().filter_map(|event| event.decoded_name());
        let names: Vec<String> = names.filter(|name| is_meant(name)).collect();
        let mut has_removed = false;
        for name in names {
            let Some(groups) = array_at(&hooks, &name)? else { continue };
            let own = own_handlers(self.program, &groups)?;
            has_removed |= !own.is_empty();
            own.iter().for_each(OwnHandler::remove);
            if !own.is_empty() && is_bare(&groups.children()) {
                hooks.get(&name).into_iter().for_each(|event| event.remove());
            }
        }
        if has_removed && is_bare(&hooks.children()) {
            root.get("hooks").into_iter().for_each(|hooks| hooks.remove());
        }
        Ok(())
    }
}

/// Gives an object exactly these keys. What is right already stays as it is.
fn update_keys(object: &CstObject, keys: &[(&'static str, Value)]) -> Result<(), HookFileError> {
    let is_wanted = |name: Option<String>| keys.iter().any(|(key, _)| name.as_deref() == Some(key));
    let (_, unwanted): (Vec<_>, Vec<_>) =
        object.properties().into_iter().partition(|found| is_wanted(found.decoded_name()));
    unwanted.into_iter().for_each(|found| found.remove());
    for (key, value) in keys {
        match property(object, key)? {
            Some(found) if found.to_serde_value().as_ref() == Some(value) => {}
            Some(found) => found.set_value(to_input(value)),
            None => {
                object.append(key, to_input(value));
            }
        }
    }
    Ok(())
}

fn input_object(keys: Vec<(&'static str, Value)>) -> CstInputValue {
    let keys = keys.iter().map(|(key, value)| ((*key).to_owned(), to_input(value)));
    CstInputValue::Object(keys.collect())
}
