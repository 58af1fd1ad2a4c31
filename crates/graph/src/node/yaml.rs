//! YAML 1.2, from the events of `saphyr-parser`.
//!
//! One document, keys of plain text, no tags but `!!str`. Aliases are followed as far as the
//! limit on their expansion allows; what they bring in keeps the place where it is written.

use super::offsets::Offsets;
use super::size::{height, weight};
use super::{Entry, Key, Kind, Node, beyond_range, keys, scalar, too_deep};
use crate::limits;
use crate::problem::{Problem, Span};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};
use std::borrow::Cow;
use std::collections::HashMap;

pub(super) fn parse(text: &str) -> Result<Node, Vec<Problem>> {
    let mut builder = Builder::new(text);
    let result = builder.document();
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
struct Open {
    start: usize,
    anchor: usize,
    within: Within,
}

enum Within {
    List(Vec<Node>),
    Map(Vec<Entry>, Option<Key>),
}

struct Builder<'t> {
    text: &'t str,
    offsets: Offsets,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    aliased: usize,
    root: Option<Node>,
    duplicates: Vec<Problem>,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            offsets: Offsets::of(text),
            open: Vec::new(),
            anchors: HashMap::new(),
            aliased: 0,
            root: None,
            duplicates: Vec::new(),
        }
    }

    fn document(&mut self) -> Result<Node, Problem> {
        let mut parser = Parser::new_from_str(self.text);
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| self.unreadable(&error))?;
            let span = Span::new(self.offset(span.start), self.offset(span.end));
            self.event(event, span)?;
        }
        let empty = Node { span: Span::at(0), value: Kind::Null };
        Ok(self.root.take().unwrap_or(empty))
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_some() => Err(second_document(span)),
            Event::DocumentStart(_) => Ok(()),
            Event::Alias(anchor) => self.alias(anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                let span = self.without_properties(span, anchor, tag.as_deref());
                let value = plain_or_text(&text, style, tag, span)?;
                self.add_scalar(Node { span, value }, text, anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.open(span, anchor, tag.as_deref(), Within::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.open(span, anchor, tag.as_deref(), Within::Map(Vec::new(), None))
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
        }
    }

    fn offset(&self, marker: Marker) -> usize {
        self.offsets.byte(self.text, marker.index())
    }

    fn unreadable(&self, error: &ScanError) -> Problem {
        let at = self.offset(*error.marker());
        let message = match error.info() {
            "recursion limit exceeded" => return too_deep(Span::at(at)),
            info => format!("not readable as YAML: {info}"),
        };
        let help = "check the indentation and the quotes here and on the line above";
        Problem::new(Span::at(at), message, help)
    }

    /// Where a value itself begins, behind its `&anchor` and `!tag`.
    fn without_properties(&self, span: Span, anchor: usize, tag: Option<&Tag>) -> Span {
        if anchor == 0 && tag.is_none() {
            return span;
        }
        let mut start = span.start;
        while let Some(rest) = self.text.get(start..span.end) {
            if !rest.starts_with(['&', '!']) {
                break;
            }
            let property = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let behind = rest.get(property..).unwrap_or_default();
            start += property + (behind.len() - behind.trim_start().len());
        }
        Span::new(start, span.end)
    }

    fn open(
        &mut self,
        span: Span,
        anchor: usize,
        tag: Option<&Tag>,
        within: Within,
    ) -> Result<(), Problem> {
        if let Some(tag) = tag {
            return Err(unknown_tag(span, tag));
        }
        if self.open.len() == limits::DEPTH {
            return Err(too_deep(span));
        }
        if self.expects_key() {
            return Err(not_a_key(span));
        }
        let start = self.without_properties(span, anchor, tag).start;
        self.open.push(Open { start, anchor, within });
        Ok(())
    }

    fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { within: Within::Map(_, None), .. }))
    }

    fn close(&mut self, span: Span) -> Result<(), Problem> {
        let Some(Open { start, anchor, within }) = self.open.pop() else { return Ok(()) };
        let value = match within {
            Within::List(items) => Kind::List(items),
            Within::Map(entries, _) => {
                keys::refuse_duplicates(&entries, &mut self.duplicates);
                Kind::Map(entries)
            }
        };
        // A block has no closing mark: it ends with the last thing in it.
        let in_brackets = span.end > span.start;
        let end = if in_brackets { span.end } else { last_end(&value).unwrap_or(start).max(start) };
        self.add(Node { span: Span::new(start, end), value }, anchor)
    }

    fn add_scalar(&mut self, node: Node, text: Cow<'_, str>, anchor: usize) -> Result<(), Problem> {
        if let Some(Open { within: Within::Map(_, key @ None), .. }) = self.open.last_mut() {
            *key = Some(Key { span: node.span, name: text.into_owned() });
            return self.remember(&node, anchor);
        }
        let node = self.behind_its_colon(node);
        self.add(node, anchor)
    }

    fn remember(&mut self, node: &Node, anchor: usize) -> Result<(), Problem> {
        if anchor != 0 {
            let copy = self.copied(node, node.span)?;
            self.anchors.insert(anchor, copy);
        }
        Ok(())
    }

    /// The parser places a missing value before the colon; it belongs behind.
    fn behind_its_colon(&self, node: Node) -> Node {
        let Span { start, end } = node.span;
        let at_colon = start == end && self.text.get(start..).is_some_and(|r| r.starts_with(':'));
        if at_colon { Node { span: Span::at(start + 1), ..node } } else { node }
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        self.remember(&node, anchor)?;
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open { within: Within::List(items), .. }) => items.push(node),
            Some(Open { within: Within::Map(entries, key), .. }) => match key.take() {
                Some(key) => entries.push(Entry { key, value: node }),
                None => return Err(not_a_key(node.span)),
            },
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Problem> {
        let Some(node) = self.anchors.remove(&anchor) else {
            let message = "this alias stands inside of what it names";
            return Err(Problem::new(span, message, "write the value out"));
        };
        if self.open.len() + height(&node) > limits::DEPTH {
            return Err(too_deep(span));
        }
        let copy = self.copied(&node, span)?;
        self.anchors.insert(anchor, node);
        self.add(copy, 0)
    }

    fn copied(&mut self, node: &Node, span: Span) -> Result<Node, Problem> {
        self.aliased = self.aliased.saturating_add(weight(node));
        if self.aliased > limits::ALIASED_BYTES {
            let message = format!("aliases expand to more than {} bytes", limits::ALIASED_BYTES);
            return Err(Problem::new(span, message, "write out what is meant, or remove aliases"));
        }
        Ok(node.clone())
    }
}

fn last_end(value: &Kind) -> Option<usize> {
    match value {
        Kind::List(items) => items.last().map(|item| item.span.end),
        Kind::Map(entries) => entries.last().map(|e| e.value.span.end.max(e.key.span.end)),
        Kind::Null | Kind::Bool(_) | Kind::Int(_) | Kind::Float(_) | Kind::String(_) => None,
    }
}

fn plain_or_text(
    text: &str,
    style: ScalarStyle,
    tag: Option<Cow<'_, Tag>>,
    span: Span,
) -> Result<Kind, Problem> {
    match tag.as_deref() {
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => {
            Ok(Kind::String(text.to_owned()))
        }
        Some(tag) => Err(unknown_tag(span, tag)),
        None if style == ScalarStyle::Plain => {
            scalar::resolve(text).ok_or_else(|| beyond_range(span, text))
        }
        None => Ok(Kind::String(text.to_owned())),
    }
}

fn unknown_tag(span: Span, tag: &Tag) -> Problem {
    let handle = if tag.is_yaml_core_schema() { "!!" } else { tag.handle.as_str() };
    let message = format!("the tag `{handle}{}` is not read", tag.suffix);
    Problem::new(span, message, "remove it; put quotes around what should be text")
}

fn not_a_key(span: Span) -> Problem {
    Problem::new(span, "a key must be plain text", "give the entry a name, or quote it")
}

fn second_document(span: Span) -> Problem {
    let message = "a second document begins here, and a file is one document";
    Problem::new(span, message, "remove the `---`, or put the rest into a file of its own")
}
