//! A settings file as a tree that keeps every byte.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{
    CstArray, CstContainerNode, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode,
};
use jsonc_parser::errors::ParseError;
use serde_json::Value;

/// Why a settings file is left as it is.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum HookFileError {
    #[error("line {line}, column {column}: {why}")]
    Syntax { line: usize, column: usize, why: String },
    #[error("the file is no JSON object")]
    NoObject,
    #[error("line {line}: `{key}` is not {expected}")]
    WrongKind { line: usize, key: String, expected: &'static str },
    #[error("line {line}: `{key}` stands in the file a second time")]
    Twice { line: usize, key: String },
}

/// Comments and trailing commas are accepted, because editors and programs do. Anything else that is no
/// JSON is a mistake that somebody has to look at.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

const BYTE_ORDER_MARK: char = '\u{feff}';

pub(super) struct SettingsDocument {
    root: CstRootNode,
    object: CstObject,
    mark: Option<char>,
}

impl SettingsDocument {
    /// An empty text becomes an empty object.
    pub(super) fn parse(text: &str) -> Result<Self, HookFileError> {
        let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (Some(BYTE_ORDER_MARK), rest),
            None => (None, text),
        };
        let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| syntax_error(&error))?;
        let object = root.object_value_or_create().ok_or(HookFileError::NoObject)?;
        Ok(Self { root, object, mark })
    }

    /// Whether a reader accepts the text that takes neither comments nor trailing commas.
    pub(super) fn check_strict(text: &str) -> Result<(), HookFileError> {
        Self::parse(text)?;
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        match serde_json::from_str::<serde::de::IgnoredAny>(text) {
            Err(error) if !text.trim().is_empty() => Err(HookFileError::Syntax {
                line: error.line(),
                column: error.column(),
                why: "comments and trailing commas are not allowed".to_owned(),
            }),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    pub(super) fn render(&self) -> String {
        let mark: String = self.mark.into_iter().collect();
        format!("{mark}{}", self.root)
    }

    pub(super) fn root(&self) -> &CstObject {
        &self.object
    }
}

fn syntax_error(error: &ParseError) -> HookFileError {
    HookFileError::Syntax {
        line: error.line_display(),
        column: error.column_display(),
        why: error.kind().to_string().to_lowercase(),
    }
}

/// What a program reads of its settings. None if it cannot read them.
pub(crate) fn parse_settings(text: &str) -> Option<Value> {
    SettingsDocument::parse(text).ok()?.root.to_serde_value()
}

/// A literal of a language whose lists and texts look like those of JSON.
pub(crate) fn parse_loosely(text: &str) -> Option<Value> {
    let options = ParseOptions { allow_single_quoted_strings: true, ..OPTIONS };
    CstRootNode::parse(text, &options).ok()?.to_serde_value()
}

/// The property, if there is one. Readers of JSON take the last of two with the same name, and a person
/// may have looked at the first.
pub(super) fn property(
    object: &CstObject,
    key: &str,
) -> Result<Option<CstObjectProp>, HookFileError> {
    let is_named = |prop: &CstObjectProp| prop.decoded_name().as_deref() == Some(key);
    let mut found = object.properties().into_iter().filter(is_named);
    match (found.next(), found.next()) {
        (found, None) => Ok(found),
        (_, Some(second)) => {
            let line = line_number(&CstNode::from(CstContainerNode::ObjectProp(second)));
            Err(HookFileError::Twice { line, key: key.to_owned() })
        }
    }
}

/// The object at a key, if the key is there.
pub(super) fn object_at(object: &CstObject, key: &str) -> Result<Option<CstObject>, HookFileError> {
    let Some(found) = property(object, key)? else { return Ok(None) };
    found.object_value().map(Some).ok_or_else(|| wrong_kind(&found, key, "an object"))
}

/// The list at a key, if the key is there.
pub(super) fn array_at(object: &CstObject, key: &str) -> Result<Option<CstArray>, HookFileError> {
    let Some(found) = property(object, key)? else { return Ok(None) };
    found.array_value().map(Some).ok_or_else(|| wrong_kind(&found, key, "a list"))
}

/// Whether a list or an object holds nothing, not even a comment.
pub(super) fn is_bare(children: &[CstNode]) -> bool {
    children.iter().all(|child| child.is_token() || child.is_whitespace() || child.is_newline())
}

fn wrong_kind(found: &CstObjectProp, key: &str, expected: &'static str) -> HookFileError {
    let line = line_number(&CstNode::from(CstContainerNode::ObjectProp(found.clone())));
    HookFileError::WrongKind { line, key: key.to_owned(), expected }
}

/// The tree knows no positions, so the lines before the node are counted.
fn line_number(node: &CstNode) -> usize {
    let before: usize = node.previous_siblings().map(|node| count_lines(&node)).sum();
    let above: usize = node
        .ancestors()
        .flat_map(|parent| CstNode::from(parent).previous_siblings().collect::<Vec<_>>())
        .map(|node| count_lines(&node))
        .sum();
    before + above + 1
}

fn count_lines(node: &CstNode) -> usize {
    node.to_string().matches('\n').count()
}

/// A value in the form that the tree takes.
pub(super) fn to_input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(to_input).collect()),
        Value::Object(keys) => CstInputValue::Object(
            keys.iter().map(|(key, value)| (key.clone(), to_input(value))).collect(),
        ),
    }
}
