//! Writes the canonical text of an entry's body in one pass, with the private fields in a separate
//! text.
//!
//! It builds no `Value` in between, because every decision comes through here. The fields of an
//! object are written in the order of serialisation and sorted when the object ends.

mod object;
mod serializer;

use super::{DECISION_PATHS, ErasedValue};
use countersign_core::encoding::json::{self, JsonError};
use countersign_core::encoding::limits;
use object::Field;
use serde::Serialize;
use serde_json::Number;

/// The change itself is one more object, outside of the body.
const ENVELOPE_DEPTH: usize = 1;
const BODY_PREFIX: &str = "{\"body\":";
/// No kind of entry has more private paths than one about a decision.
const MAX_PATHS: usize = DECISION_PATHS.len();

type WriteResult = Result<(), JsonError>;

/// The open part and the sealed part of an entry.
pub(super) struct Parts {
    pub open: String,
    pub sealed: Option<String>,
}

/// Writes a change, which is an object of `kind` and `body`. There are at most `MAX_PATHS` paths.
pub(super) fn write_change(
    change: &impl Serialize,
    private: &[(&str, ErasedValue)],
) -> Result<Parts, JsonError> {
    let mut writer = CanonicalWriter {
        out: String::with_capacity(1024),
        depth: 0,
        fields: Vec::with_capacity(64),
        scratch: String::new(),
        private,
        matching: (0..private.len()).fold(0, |bits, bit| bits | 1 << bit),
        offsets: [0; MAX_PATHS],
        level: 0,
        pointer: String::new(),
        sealed: Vec::new(),
    };
    change.serialize(&mut writer)?;
    let sealed = writer.join_sealed();
    let mut open = writer.out;
    // In canonical order the body comes before the kind.
    match open.rfind(",\"kind\":") {
        Some(end) if open.starts_with(BODY_PREFIX) => {
            open.truncate(end);
            open.drain(..BODY_PREFIX.len());
        }
        _ => "{}".clone_into(&mut open),
    }
    Ok(Parts { open, sealed })
}

struct CanonicalWriter<'p> {
    out: String,
    depth: usize,
    /// The fields of all unfinished objects, those of the innermost last.
    fields: Vec<Field>,
    /// A buffer for sorting fields.
    scratch: String,
    private: &'p [(&'p str, ErasedValue)],
    /// The private paths that lead through the current position, one bit for each.
    matching: u32,
    /// The offset of the next step in each path.
    offsets: [u8; MAX_PATHS],
    /// The number of steps from the change to the current position, while some path fits.
    level: usize,
    /// The pointer to the current position, while some path fits.
    pointer: String,
    /// Pointers to private fields, and their values.
    sealed: Vec<(String, String)>,
}

/// A step into an object or a list.
#[derive(Clone, Copy)]
enum PathStep<'n> {
    Field(&'n str),
    Item(usize),
}

impl PathStep<'_> {
    /// The rest of a path that begins with this step.
    fn strip_from(self, path: &str) -> Option<&str> {
        let left = match self {
            Self::Field(name) => path.strip_prefix(name)?,
            Self::Item(at) => {
                let end = path.bytes().position(|byte| byte == b'/').unwrap_or(path.len());
                let (segment, left) = path.split_at_checked(end)?;
                (segment == "*" || segment.parse() == Ok(at)).then_some(left)?
            }
        };
        if left.is_empty() { Some(left) } else { left.strip_prefix('/') }
    }
}

impl CanonicalWriter<'_> {
    fn write_number(&mut self, number: impl Into<Number>) -> WriteResult {
        json::write_number(&number.into(), &mut self.out)
    }

    fn enter_level(&mut self) -> WriteResult {
        if self.depth > limits::ARGUMENT_DEPTH + ENVELOPE_DEPTH {
            return Err(JsonError::TooDeep);
        }
        self.depth += 1;
        Ok(())
    }

    /// Writes a value one step deeper, into the open or the sealed part.
    fn write_child<T: Serialize + ?Sized>(&mut self, into: PathStep<'_>, value: &T) -> WriteResult {
        if self.depth > limits::ARGUMENT_DEPTH + ENVELOPE_DEPTH {
            return Err(JsonError::TooDeep);
        }
        if self.matching == 0 {
            return value.serialize(self);
        }
        let (matching, offsets, at) = (self.matching, self.offsets, self.pointer.len());
        let ends = self.level > 0 && self.narrow_paths(into);
        self.level += 1;
        let done = if ends { self.write_sealed(value) } else { value.serialize(&mut *self) };
        self.level -= 1;
        self.pointer.truncate(at);
        (self.matching, self.offsets) = (matching, offsets);
        done
    }

    /// Keeps only the paths that contain this step, and returns whether one of them ends with it.
    fn narrow_paths(&mut self, into: PathStep<'_>) -> bool {
        let (mut left, mut ends) = (0, false);
        for (bit, ((path, _), offset)) in self.private.iter().zip(&mut self.offsets).enumerate() {
            if self.matching & (1 << bit) == 0 {
                continue;
            }
            if let Some(rest) =
                path.get(usize::from(*offset)..).and_then(|path| into.strip_from(path))
            {
                left |= 1 << bit;
                ends |= rest.is_empty();
                *offset = u8::try_from(path.len() - rest.len()).unwrap_or(u8::MAX);
            }
        }
        self.matching = left;
        if left != 0 {
            self.pointer.push('/');
            match into {
                PathStep::Field(name) => self.pointer.push_str(name),
                PathStep::Item(at) => self.pointer.push_str(&at.to_string()),
            }
        }
        ends
    }

    /// Writes a private value into the sealed part. An empty value stays in the open part: it
    /// reveals nothing.
    fn write_sealed<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
        let here = std::mem::take(&mut self.out);
        let depth = std::mem::replace(&mut self.depth, 1 + ENVELOPE_DEPTH);
        self.matching = 0;
        let written = value.serialize(&mut *self);
        let text = std::mem::replace(&mut self.out, here);
        self.depth = depth;
        written?;
        if matches!(text.as_str(), "null" | "\"\"" | "[]" | "{}") {
            self.out.push_str(&text);
        } else {
            self.out.push_str("null");
            self.sealed.push((self.pointer.clone(), text));
        }
        Ok(())
    }

    /// Rewrites the text of an object in the order of its sorted fields.
    fn sort_fields(&mut self, start: usize, first: usize) {
        let unsorted = &mut self.scratch;
        unsorted.clear();
        unsorted.push_str(self.out.get(start..).unwrap_or_default());
        self.out.truncate(start);
        for (at, field) in self.fields.get(first..).unwrap_or_default().iter().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            let field = unsorted.get(field.from - start..field.to - start);
            self.out.push_str(field.unwrap_or_default());
        }
    }

    fn join_sealed(&mut self) -> Option<String> {
        if self.sealed.is_empty() {
            return None;
        }
        self.sealed.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut text = String::with_capacity(512);
        for (at, (pointer, value)) in self.sealed.iter().enumerate() {
            text.push(if at == 0 { '{' } else { ',' });
            json::write_string(pointer, &mut text);
            text.push(':');
            text.push_str(value);
        }
        text.push('}');
        Some(text)
    }

    /// Writes `{"Variant":` before a variant with several fields, and steps into it.
    fn enter_variant(&mut self, variant: &'static str) -> Result<SavedPosition, JsonError> {
        let enclosing = SavedPosition {
            matching: self.matching,
            offsets: self.offsets,
            at: self.pointer.len(),
        };
        self.enter_level()?;
        self.out.push('{');
        json::write_string(variant, &mut self.out);
        self.out.push(':');
        // No private path ends at such a variant.
        if self.matching != 0 && self.level > 0 {
            self.narrow_paths(PathStep::Field(variant));
        }
        self.level += 1;
        Ok(enclosing)
    }

    fn leave_variant(&mut self, enclosing: SavedPosition) {
        self.out.push('}');
        self.depth -= 1;
        self.level -= 1;
        (self.matching, self.offsets) = (enclosing.matching, enclosing.offsets);
        self.pointer.truncate(enclosing.at);
    }
}

/// The position before a variant was entered.
struct SavedPosition {
    matching: u32,
    offsets: [u8; MAX_PATHS],
    at: usize,
}

struct ListWriter<'a, 'p> {
    writer: &'a mut CanonicalWriter<'p>,
    items: usize,
    /// The enclosing variant, which ends with the list.
    enclosing: Option<SavedPosition>,
}

impl<'a, 'p> ListWriter<'a, 'p> {
    fn begin(
        writer: &'a mut CanonicalWriter<'p>,
        enclosing: Option<SavedPosition>,
    ) -> Result<Self, JsonError> {
        writer.enter_level()?;
        writer.out.push('[');
        Ok(Self { writer, items: 0, enclosing })
    }

    fn write_item<T: Serialize + ?Sized>(&mut self, item: &T) -> WriteResult {
        if self.items > 0 {
            self.writer.out.push(',');
        }
        self.items += 1;
        self.writer.write_child(PathStep::Item(self.items - 1), item)
    }

    fn finish(self) -> WriteResult {
        self.writer.out.push(']');
        self.writer.depth -= 1;
        if let Some(enclosing) = self.enclosing {
            self.writer.leave_variant(enclosing);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[derive(Serialize)]
    struct Change<T> {
        kind: &'static str,
        body: T,
    }

    #[derive(Serialize)]
    struct Body {
        zone: u8,
        attempt: Attempt,
        list: Vec<(String, Vec<u8>)>,
        #[serde(skip_serializing_if = "Option::is_none")]
        none: Option<bool>,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Attempt {
        Unit,
        One(Value),
        Two(Value, Value),
        Named { words: Value, id: u64 },
    }

    const PRIVATE: [(&str, ErasedValue); 5] = [
        ("attempt/one/words", ErasedValue::Null),
        ("attempt/two/1", ErasedValue::Null),
        ("attempt/named/words", ErasedValue::Null),
        ("list/*/1", ErasedValue::List),
        ("zone/none", ErasedValue::Null),
    ];

    fn write_body(body: impl Serialize) -> (String, Option<String>) {
        let parts = write_change(&Change { kind: "k", body }, &PRIVATE).unwrap();
        (parts.open, parts.sealed)
    }

    fn write_attempt(attempt: Attempt) -> (String, Option<String>) {
        write_body(Body { zone: 1, attempt, list: Vec::new(), none: None })
    }

    #[test]
    fn fields_are_in_canonical_order_at_every_depth() {
        let body = json!({"b": {"\u{1F600}": 1, "\u{FB33}": 2, "a": 0.5}, "a": [true, null]});
        let expected = json::canonical(&body).unwrap();
        assert_eq!(write_body(&body), (expected, None));
        let (open, _) = write_attempt(Attempt::Unit);
        assert_eq!(open, r#"{"attempt":"unit","list":[],"zone":1}"#);
    }

    #[test]
    fn names_with_escapes_sort_by_their_unescaped_form() {
        let names = [
            "a",
            "a b",
            "a\"b",
            "a!",
            "a#",
            "aa",
            "a\\",
            "a\n",
            "",
            "é",
            "\u{FB33}",
            "\u{1F600}",
            "9",
        ];
        let body: Value = names.iter().map(|name| ((*name).to_owned(), json!(1))).collect();
        assert_eq!(write_body(&body), (json::canonical(&body).unwrap(), None));
        let numbers = std::collections::BTreeMap::from([(10, "x"), (9, "y")]);
        assert_eq!(write_body(&numbers), (r#"{"10":"x","9":"y"}"#.to_owned(), None));
    }

    #[test]
    fn a_private_field_is_in_the_sealed_part_under_its_pointer() {
        let (open, sealed) =
            write_attempt(Attempt::One(json!({"words": {"z": "s", "a": 1}, "id": 7})));
        assert_eq!(open, r#"{"attempt":{"one":{"id":7,"words":null}},"list":[],"zone":1}"#);
        assert_eq!(sealed.as_deref(), Some(r#"{"/attempt/one/words":{"a":1,"z":"s"}}"#));
        let (open, sealed) = write_attempt(Attempt::Named { words: json!(["s"]), id: 7 });
        assert_eq!(open, r#"{"attempt":{"named":{"id":7,"words":null}},"list":[],"zone":1}"#);
        assert_eq!(sealed.as_deref(), Some(r#"{"/attempt/named/words":["s"]}"#));
        let (open, sealed) = write_attempt(Attempt::Two(json!(1), json!("s")));
        assert_eq!(open, r#"{"attempt":{"two":[1,null]},"list":[],"zone":1}"#);
        assert_eq!(sealed.as_deref(), Some(r#"{"/attempt/two/1":"s"}"#));
    }

    #[test]
    fn a_name_that_contains_a_slash_matches_no_path() {
        let body = json!({"attempt/one": {"words": 1}, "attempt": {"one/words": 2, "": 3}});
        assert_eq!(write_body(&body), (json::canonical(&body).unwrap(), None));
    }

    #[test]
    fn every_item_of_a_list_is_checked_and_empty_values_stay() {
        let list =
            vec![("a".to_owned(), vec![1]), ("b".to_owned(), vec![]), ("c".to_owned(), vec![2])];
        let (open, sealed) = write_body(Body { zone: 1, attempt: Attempt::Unit, list, none: None });
        assert_eq!(open, r#"{"attempt":"unit","list":[["a",null],["b",[]],["c",null]],"zone":1}"#);
        assert_eq!(sealed.as_deref(), Some(r#"{"/list/0/1":[1],"/list/2/1":[2]}"#));
    }

    #[test]
    fn a_change_without_a_body_is_an_empty_object() {
        let parts = write_change(&json!({"kind": "restarted"}), &PRIVATE).unwrap();
        assert_eq!((parts.open.as_str(), parts.sealed), ("{}", None));
    }

    #[test]
    fn a_value_without_canonical_form_is_refused_in_both_parts() {
        let refused = |body: Value| write_change(&Change { kind: "k", body }, &PRIVATE).err();
        let inexact = Some(JsonError::Inexact("9007199254740993".to_owned()));
        assert_eq!(refused(json!({"a": 9_007_199_254_740_993_u64})), inexact);
        let nested = |levels: usize| (0..levels).fold(json!(1), |value, _| json!([value]));
        assert_eq!(
            refused(json!({"a": nested(limits::ARGUMENT_DEPTH + 1)})),
            Some(JsonError::TooDeep)
        );
        assert_eq!(refused(json!({"a": nested(limits::ARGUMENT_DEPTH - 1)})), None);
        let private = |levels| json!({"attempt": {"one": {"words": nested(levels)}}});
        assert_eq!(refused(private(limits::ARGUMENT_DEPTH - 1)), None);
        assert_eq!(refused(private(limits::ARGUMENT_DEPTH + 1)), Some(JsonError::TooDeep));
    }
}
