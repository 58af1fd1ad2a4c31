//! What a server says about its tools.
//!
//! All of it is a claim: annotations can raise the risk of a call, and defaults fill in arguments.
//! A fingerprint over the definition shows when it changes.

use crate::limits;
use crate::wire::{ArgumentHeaders, Members, encode_string, find, read_items, set_member};
use countersign_core::encoding::json;
use countersign_core::model::words::Risk;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The members of a definition that a model or a client acts on.
pub(crate) const PINNED_MEMBERS: [&str; 6] =
    ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

/// One tool as its server defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedTool {
    /// The pinned members, as text.
    pub(crate) pinned: String,
    /// Values for arguments that a call leaves out, as texts.
    defaults: Vec<(String, String)>,
    /// The risk that its annotations claim.
    pub(crate) risk: Option<Risk>,
    pub(crate) output: OutputSchema,
    pub(crate) argument_headers: ArgumentHeaders,
}

/// Whether clients check a result against a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputSchema {
    Declared,
    None,
}

impl ListedTool {
    pub(crate) fn read(text: &str) -> Option<(String, Self)> {
        let members = Members::read(text)?;
        let name = members.get_string("name")?;
        let pinned = PINNED_MEMBERS
            .iter()
            .filter_map(|key| Some(format!("{}:{}", encode_string(key), members.get(key)?)));
        let output = match members.get("outputSchema") {
            None | Some("null") => OutputSchema::None,
            Some(_) => OutputSchema::Declared,
        };
        let schema = members.get("inputSchema").unwrap_or("{}");
        let definition = Self {
            pinned: format!("{{{}}}", pinned.collect::<Vec<_>>().join(",")),
            defaults: read_defaults(schema),
            risk: claimed_risk(members.get("annotations").unwrap_or("{}")),
            output,
            argument_headers: ArgumentHeaders::read(schema),
        };
        Some((name, definition))
    }

    /// A hash over the pinned members. Neither their order nor blanks count.
    pub(crate) fn fingerprint(&self) -> String {
        let canonical =
            json::parse(self.pinned.as_bytes()).and_then(|value| json::canonical(&value));
        // A definition without a canonical form counts as changed with its every byte.
        let canonical = canonical.unwrap_or_else(|_| self.pinned.clone());
        let hash = Sha256::digest(canonical.as_bytes());
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.pinned == other.pinned || self.fingerprint() == other.fingerprint()
    }

    /// The arguments with the defaults that they lack.
    pub(crate) fn fill_in(&self, arguments: &str) -> String {
        let Some(members) = Members::read(arguments) else { return arguments.to_owned() };
        let lacking = self.defaults.iter().filter(|(name, _)| members.get(name).is_none());
        lacking.fold(arguments.to_owned(), |text, (name, value)| set_member(&text, name, value))
    }
}

fn read_defaults(schema: &str) -> Vec<(String, String)> {
    let Some(properties) = find(schema, &["properties"]).and_then(Members::read) else {
        return Vec::new();
    };
    let default = |name: &str| {
        let value = find(properties.get(name)?, &["default"])?;
        Some((name.to_owned(), value.to_owned()))
    };
    properties.names().filter_map(default).collect()
}

/// Only what a server says against its tool counts. A tool without annotations is judged by the
/// graph alone.
fn claimed_risk(annotations: &str) -> Option<Risk> {
    let members = Members::read(annotations)?;
    let is_set = |key: &str| members.get(key) == Some("true");
    let is_read_only = is_set("readOnlyHint");
    match (is_set("destructiveHint") && !is_read_only, is_set("openWorldHint")) {
        (true, _) => Some(Risk::High),
        (false, true) if !is_read_only => Some(Risk::Moderate),
        (false, _) => None,
    }
}

/// The tools of one server, as far as they are known.
#[derive(Default)]
pub(crate) struct ToolTable {
    tools: BTreeMap<String, ListedTool>,
    pub(crate) coverage: ListCoverage,
}

/// How much of a server's list is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ListCoverage {
    #[default]
    Partial,
    Complete,
}

impl ToolTable {
    /// Notes the usable definitions of a page, and returns those that may be shown. Of two tools with one
    /// name, the first counts.
    pub(crate) fn note_page<'t>(
        &mut self,
        result: &'t str,
        page_kind: ListPage,
        is_usable: impl Fn(&ListedTool) -> bool,
    ) -> Vec<&'t str> {
        if page_kind == ListPage::First {
            *self = Self::default();
        }
        let items = find(result, &["tools"]).and_then(read_items).unwrap_or_default();
        let mut shown = Vec::new();
        for item in items {
            let Some((name, definition)) = ListedTool::read(item) else { continue };
            let is_new = !self.tools.contains_key(&name) && is_usable(&definition);
            if is_new && is_tool_name(&name) && self.tools.len() < limits::MAX_TOOLS {
                self.tools.insert(name, definition);
                shown.push(item);
            }
        }
        if next_cursor(result).is_none() {
            self.coverage = ListCoverage::Complete;
        }
        shown
    }

    pub(crate) fn find(&self, name: &str) -> Option<&ListedTool> {
        self.tools.get(name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListPage {
    First,
    Later,
}

/// Where a list continues.
pub(crate) fn next_cursor(result: &str) -> Option<&str> {
    find(result, &["nextCursor"]).filter(|cursor| *cursor != "null")
}

/// ASCII only: other letters can look like these.
pub(crate) fn is_tool_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    !name.is_empty() && name.len() <= 128 && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ListedTool {
        ListedTool::read(text).unwrap().1
    }

    #[test]
    fn defaults_fill_in_what_a_call_leaves_out_and_nothing_else() {
        let tool = read(
            r#"{"name":"t","inputSchema":{"properties":{"n":{"default":1.0},"m":{"default":null},"k":{}}}}"#,
        );
        assert_eq!(tool.fill_in("{}"), r#"{"n":1.0,"m":null}"#);
        assert_eq!(tool.fill_in(r#"{"n":2, "x":3}"#), r#"{"n":2, "x":3,"m":null}"#);
    }

    #[test]
    fn annotations_raise_the_risk_and_never_lower_it() {
        let risk = |annotations: &str| {
            read(&format!(r#"{{"name":"t","annotations":{annotations}}}"#)).risk
        };
        assert_eq!(risk("{}"), None);
        assert_eq!(risk(r#"{"readOnlyHint":true}"#), None);
        assert_eq!(risk(r#"{"destructiveHint":true}"#), Some(Risk::High));
        assert_eq!(risk(r#"{"openWorldHint":true}"#), Some(Risk::Moderate));
        assert_eq!(risk(r#"{"destructiveHint":"yes","openWorldHint":1}"#), None);
    }

    #[test]
    fn every_pinned_member_changes_the_fingerprint_and_nothing_else_does() {
        let base = r#"{"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},"outputSchema":{},"annotations":{}}"#;
        let print = |text: &str| read(text).fingerprint();
        for (before, after) in [
            ("\"t\"", "\"u\""),
            ("\"T\"", "\"U\""),
            ("\"d\"", "\"d \""),
            ("\"object\"", "\"array\""),
            ("\"outputSchema\":{}", "\"outputSchema\":{\"a\":1}"),
            ("\"annotations\":{}", "\"annotations\":{\"readOnlyHint\":true}"),
        ] {
            assert_ne!(print(base), print(&base.replace(before, after)), "{after}");
        }
        let same = base.replace("\"name\":\"t\",", "\"_meta\":{}, \"icons\":[],\"name\": \"t\",");
        assert_eq!(print(base), print(&same));
    }

    #[test]
    fn a_second_tool_of_one_name_and_a_strange_name_are_not_shown() {
        let mut table = ToolTable::default();
        let page = r#"{"tools":[{"name":"a"},{"name":"a","description":"other"},{"name":"а"},{}],"nextCursor":"2"}"#;
        assert_eq!(table.note_page(page, ListPage::First, |_| true), [r#"{"name":"a"}"#]);
        assert_eq!(table.coverage, ListCoverage::Partial);
        table.note_page(r#"{"tools":[{"name":"b"}]}"#, ListPage::Later, |_| true);
        assert_eq!(table.tools.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(table.coverage, ListCoverage::Complete);
    }
}
