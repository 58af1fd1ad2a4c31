//! Builds the tree from the YAML 1.2 events of `saphyr-parser`.
//!
//! Accepts one document, scalar keys, and no tag except `!!str`. Aliases are expanded up to a
//! limit; the copied nodes keep the spans of the anchor.

use super::byte_offsets::ByteOffsets;
use super::size::{estimate_copy_bytes, nesting_depth};
use super::{
    DocumentNode, MapEntry, MapKey, NodeValue, duplicate_keys, nested_too_deep,
    number_out_of_range, scalar,
};
use crate::limits;
use crate::problem::{Problem, TextSpan};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};
use std::borrow::Cow;
use std::collections::HashMap;

pub(super) fn parse(text: &str) -> Result<DocumentNode, Vec<Problem>> {
    let mut builder = Builder::new(text);
    let result = builder.build_document();
    let mut problems = builder.duplicates;
    match result {
        Ok(node) if problems.is_empty() => Ok(node),
        Ok(_) => Err(problems),
        Err(problem) => {
            problems.push(problem);
            Err(problems)
        }
    }
}

/// A list or map that is not closed yet.
struct OpenCollection {
    start: usize,
    anchor: usize,
    collection: Collection,
}

enum Collection {
    List(Vec<DocumentNode>),
    Map(Vec<MapEntry>, Option<MapKey>),
}

struct Builder<'t> {
    text: &'t str,
    offsets: ByteOffsets,
    open_collections: Vec<OpenCollection>,
    anchors: HashMap<usize, DocumentNode>,
    aliased_bytes: usize,
    root: Option<DocumentNode>,
    duplicates: Vec<Problem>,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            offsets: ByteOffsets::new(text),
            open_collections: Vec::new(),
            anchors: HashMap::new(),
            aliased_bytes: 0,
            root: None,
            duplicates: Vec::new(),
        }
    }

    fn build_document(&mut self) -> Result<DocumentNode, Problem> {
        let mut parser = Parser::new_from_str(self.text);
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| self.syntax_problem(&error))?;
            let span = TextSpan::new(self.byte_offset(span.start), self.byte_offset(span.end));
            self.handle_event(event, span)?;
        }
        let empty = DocumentNode { span: TextSpan::at_offset(0), value: NodeValue::Null };
        Ok(self.root.take().unwrap_or(empty))
    }

    fn handle_event(&mut self, event: Event<'_>, span: TextSpan) -> Result<(), Problem> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_some() => Err(second_document(span)),
            Event::DocumentStart(_) => Ok(()),
            Event::Alias(anchor) => self.expand_alias(anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                let span = self.skip_properties(span, anchor, tag.as_deref());
                let value = resolve_scalar(&text, style, tag, span)?;
                self.add_scalar(DocumentNode { span, value }, text, anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.open_collection(span, anchor, tag.as_deref(), Collection::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => self.open_collection(
                span,
                anchor,
                tag.as_deref(),
                Collection::Map(Vec::new(), None),
            ),
            Event::SequenceEnd | Event::MappingEnd => self.close_collection(span),
        }
    }

    fn byte_offset(&self, marker: Marker) -> usize {
        self.offsets.byte_offset(self.text, marker.index())
    }

    fn syntax_problem(&self, error: &ScanError) -> Problem {
        let offset = self.byte_offset(*error.marker());
        let message = match error.info() {
            "recursion limit exceeded" => return nested_too_deep(TextSpan::at_offset(offset)),
            info => format!("not readable as YAML: {info}"),
        };
        let help = "check the indentation and the quotes here and on the line above";
        Problem::new(TextSpan::at_offset(offset), message, help)
    }

    /// The span of the value itself, after its `&anchor` and `!tag`.
    fn skip_properties(&self, span: TextSpan, anchor: usize, tag: Option<&Tag>) -> TextSpan {
        if anchor == 0 && tag.is_none() {
            return span;
        }
        let mut start = span.start;
        while let Some(rest) = self.text.get(start..span.end) {
            if !rest.starts_with(['&', '!']) {
                break;
            }
            let property = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let after_property = rest.get(property..).unwrap_or_default();
            start += property + (after_property.len() - after_property.trim_start().len());
        }
        TextSpan::new(start, span.end)
    }

    fn open_collection(
        &mut self,
        span: TextSpan,
        anchor: usize,
        tag: Option<&Tag>,
        within: Collection,
    ) -> Result<(), Problem> {
        if let Some(tag) = tag {
            return Err(unknown_tag(span, tag));
        }
        if self.open_collections.len() == limits::MAX_DEPTH {
            return Err(nested_too_deep(span));
        }
        if self.expects_key() {
            return Err(not_a_key(span));
        }
        let start = self.skip_properties(span, anchor, tag).start;
        self.open_collections.push(OpenCollection { start, anchor, collection: within });
        Ok(())
    }

    fn expects_key(&self) -> bool {
        matches!(
            self.open_collections.last(),
            Some(OpenCollection { collection: Collection::Map(_, None), .. })
        )
    }

    fn close_collection(&mut self, span: TextSpan) -> Result<(), Problem> {
        let Some(OpenCollection { start, anchor, collection: within }) =
            self.open_collections.pop()
        else {
            return Ok(());
        };
        let value = match within {
            Collection::List(items) => NodeValue::List(items),
            Collection::Map(entries, _) => {
                duplicate_keys::refuse_duplicates(&entries, &mut self.duplicates);
                NodeValue::Map(entries)
            }
        };
        // A block collection has no closing mark: it ends with its last child.
        let in_brackets = span.end > span.start;
        let end = if in_brackets {
            span.end
        } else {
            end_of_last_child(&value).unwrap_or(start).max(start)
        };
        self.add_node(DocumentNode { span: TextSpan::new(start, end), value }, anchor)
    }

    fn add_scalar(
        &mut self,
        node: DocumentNode,
        text: Cow<'_, str>,
        anchor: usize,
    ) -> Result<(), Problem> {
        if let Some(OpenCollection { collection: Collection::Map(_, key @ None), .. }) =
            self.open_collections.last_mut()
        {
            *key = Some(MapKey { span: node.span, name: text.into_owned() });
            return self.store_anchor(&node, anchor);
        }
        let node = self.move_after_colon(node);
        self.add_node(node, anchor)
    }

    fn store_anchor(&mut self, node: &DocumentNode, anchor: usize) -> Result<(), Problem> {
        if anchor != 0 {
            let copy = self.copy_within_limit(node, node.span)?;
            self.anchors.insert(anchor, copy);
        }
        Ok(())
    }

    /// The parser reports a missing value before the colon; it belongs after it.
    fn move_after_colon(&self, node: DocumentNode) -> DocumentNode {
        let TextSpan { start, end } = node.span;
        let at_colon = start == end && self.text.get(start..).is_some_and(|r| r.starts_with(':'));
        if at_colon { DocumentNode { span: TextSpan::at_offset(start + 1), ..node } } else { node }
    }

    fn add_node(&mut self, node: DocumentNode, anchor: usize) -> Result<(), Problem> {
        self.store_anchor(&node, anchor)?;
        match self.open_collections.last_mut() {
            None => self.root = Some(node),
            Some(OpenCollection { collection: Collection::List(items), .. }) => items.push(node),
            Some(OpenCollection { collection: Collection::Map(entries, key), .. }) => {
                match key.take() {
                    Some(key) => entries.push(MapEntry { key, value: node }),
                    None => return Err(not_a_key(node.span)),
                }
            }
        }
        Ok(())
    }

    fn expand_alias(&mut self, anchor: usize, span: TextSpan) -> Result<(), Problem> {
        let Some(node) = self.anchors.remove(&anchor) else {
            let message = "this alias is inside the value it refers to";
            return Err(Problem::new(span, message, "write the value out"));
        };
        if self.open_collections.len() + nesting_depth(&node) > limits::MAX_DEPTH {
            return Err(nested_too_deep(span));
        }
        let copy = self.copy_within_limit(&node, span)?;
        self.anchors.insert(anchor, node);
        self.add_node(copy, 0)
    }

    fn copy_within_limit(
        &mut self,
        node: &DocumentNode,
        span: TextSpan,
    ) -> Result<DocumentNode, Problem> {
        self.aliased_bytes = self.aliased_bytes.saturating_add(estimate_copy_bytes(node));
        if self.aliased_bytes > limits::MAX_ALIASED_BYTES {
            let message =
                format!("aliases expand to more than {} bytes", limits::MAX_ALIASED_BYTES);
            return Err(Problem::new(span, message, "write the values out, or remove aliases"));
        }
        Ok(node.clone())
    }
}

fn end_of_last_child(value: &NodeValue) -> Option<usize> {
    match value {
        NodeValue::List(items) => items.last().map(|item| item.span.end),
        NodeValue::Map(entries) => entries.last().map(|e| e.value.span.end.max(e.key.span.end)),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Int(_)
        | NodeValue::Float(_)
        | NodeValue::String(_) => None,
    }
}

fn resolve_scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<Cow<'_, Tag>>,
    span: TextSpan,
) -> Result<NodeValue, Problem> {
    match tag.as_deref() {
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => {
            Ok(NodeValue::String(text.to_owned()))
        }
        Some(tag) => Err(unknown_tag(span, tag)),
        None if style == ScalarStyle::Plain => {
            scalar::parse_scalar(text).ok_or_else(|| number_out_of_range(span, text))
        }
        None => Ok(NodeValue::String(text.to_owned())),
    }
}

fn unknown_tag(span: TextSpan, tag: &Tag) -> Problem {
    let handle = if tag.is_yaml_core_schema() { "!!" } else { tag.handle.as_str() };
    let message = format!("the tag `{handle}{}` is not supported", tag.suffix);
    Problem::new(span, message, "remove it; put quotes around text")
}

fn not_a_key(span: TextSpan) -> Problem {
    Problem::new(span, "a key must be plain text", "give the entry a name, or quote it")
}

fn second_document(span: TextSpan) -> Problem {
    let message = "a second document starts here, but a file may contain only one";
    Problem::new(span, message, "remove the `---`, or move the rest to another file")
}
