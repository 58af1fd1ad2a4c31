//! Writes the canonical text of an entry's body in one pass, with the private fields in a separate
//! text.
//!
//! It builds no `Value` in between, because every decision comes through here. The fields of an
//! object are written in the order of serialisation and sorted when the object ends.

mod object;
mod serializer;

use super::{Blank, OF_DECISIONS};
use crate::encoding::json::{self, JsonError};
use crate::encoding::limits;
use object::Field;
use serde::Serialize;
use serde_json::Number;

/// The change is one more object around the body.
const ENVELOPE: usize = 1;
const BEGIN: &str = "{\"body\":";
/// No kind of entry has more private paths than one about a decision.
const PATHS: usize = OF_DECISIONS.len();

type Done = Result<(), JsonError>;

/// The open part and the sealed part of an entry.
pub(super) struct Parts {
    pub open: String,
    pub apart: Option<String>,
}

/// Writes a change, which is an object of `kind` and `body`. There are at most `PATHS` private paths.
pub(super) fn parts(
    change: &impl Serialize,
    private: &[(&str, Blank)],
) -> Result<Parts, JsonError> {
    let mut writer = Writer {
        out: String::with_capacity(1024),
        depth: 0,
        fields: Vec::with_capacity(64),
        aside: String::new(),
        private,
        fits: (0..private.len()).fold(0, |fits, bit| fits | 1 << bit),
        next: [0; PATHS],
        level: 0,
        at: String::new(),
        apart: Vec::new(),
    };
    change.serialize(&mut writer)?;
    let apart = writer.kept_apart();
    let mut open = writer.out;
    // In canonical order the body comes before the kind.
    match open.rfind(",\"kind\":") {
        Some(end) if open.starts_with(BEGIN) => {
            open.truncate(end);
            open.drain(..BEGIN.len());
        }
        _ => "{}".clone_into(&mut open),
    }
    Ok(Parts { open, apart })
}

struct Writer<'p> {
    out: String,
    depth: usize,
    /// The fields of all unfinished objects, those of the innermost last.
    fields: Vec<Field>,
    /// A buffer for sorting fields.
    aside: String,
    private: &'p [(&'p str, Blank)],
    /// The private paths that lead through the current position, one bit for each.
    fits: u32,
    /// The offset of the next step in each path.
    next: [u8; PATHS],
    /// The number of steps from the change to the current position, while some path fits.
    level: usize,
    /// The pointer to the current position, while some path fits.
    at: String,
    /// Pointers to private fields, and their values.
    apart: Vec<(String, String)>,
}

/// A step into an object or a list.
#[derive(Clone, Copy)]
enum Into<'n> {
    Field(&'n str),
    Item(usize),
}

impl Into<'_> {
    /// The rest of a path that begins with this step.
    fn along(self, path: &str) -> Option<&str> {
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

impl Writer<'_> {
    fn number(&mut self, number: impl std::convert::Into<Number>) -> Done {
        json::write_number(&number.into(), &mut self.out)
    }

    fn deeper(&mut self) -> Done {
        if self.depth > limits::ARGUMENT_DEPTH + ENVELOPE {
            return Err(JsonError::TooDeep);
        }
        self.depth += 1;
        Ok(())
    }

    /// Writes a value one step deeper, into the open or the sealed part.
    fn step<T: Serialize + ?Sized>(&mut self, into: Into<'_>, value: &T) -> Done {
        if self.depth > limits::ARGUMENT_DEPTH + ENVELOPE {
            return Err(JsonError::TooDeep);
        }
        if self.fits == 0 {
            return value.serialize(self);
        }
        let (fits, next, at) = (self.fits, self.next, self.at.len());
        let ends = self.level > 0 && self.narrow(into);
        self.level += 1;
        let done = if ends { self.keep_apart(value) } else { value.serialize(&mut *self) };
        self.level -= 1;
        self.at.truncate(at);
        (self.fits, self.next) = (fits, next);
        done
    }

    /// Keeps only the paths that contain this step, and returns whether one of them ends with it.
    fn narrow(&mut self, into: Into<'_>) -> bool {
        let (mut left, mut ends) = (0, false);
        for (bit, ((path, _), next)) in self.private.iter().zip(&mut self.next).enumerate() {
            if self.fits & (1 << bit) == 0 {
                continue;
            }
            if let Some(rest) = path.get(usize::from(*next)..).and_then(|path| into.along(path)) {
                left |= 1 << bit;
                ends |= rest.is_empty();
                *next = u8::try_from(path.len() - rest.len()).unwrap_or(u8::MAX);
            }
        }
        self.fits = left;
        if left != 0 {
            self.at.push('/');
            match into {
                Into::Field(name) => self.at.push_str(name),
                Into::Item(at) => self.at.push_str(&at.to_string()),
            }
        }
        ends
    }

    /// Writes a private value into the sealed part. An empty value stays in the open part: it
    /// reveals nothing.
    fn keep_apart<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        let here = std::mem::take(&mut self.out);
        let depth = std::mem::replace(&mut self.depth, 1 + ENVELOPE);
        self.fits = 0;
        let written = value.serialize(&mut *self);
        let text = std::mem::replace(&mut self.out, here);
        self.depth = depth;
        written?;
        if matches!(text.as_str(), "null" | "\"\"" | "[]" | "{}") {
            self.out.push_str(&text);
        } else {
            self.out.push_str("null");
            self.apart.push((self.at.clone(), text));
        }
        Ok(())
    }

    /// Rewrites the text of an object in the order of its sorted fields.
    fn put_in_order(&mut self, start: usize, first: usize) {
        let as_they_came = &mut self.aside;
        as_they_came.clear();
        as_they_came.push_str(self.out.get(start..).unwrap_or_default());
        self.out.truncate(start);
        for (at, field) in self.fields.get(first..).unwrap_or_default().iter().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            let field = as_they_came.get(field.from - start..field.to - start);
            self.out.push_str(field.unwrap_or_default());
        }
    }

    fn kept_apart(&mut self) -> Option<String> {
        if self.apart.is_empty() {
            return None;
        }
        self.apart.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut text = String::with_capacity(512);
        for (at, (pointer, value)) in self.apart.iter().enumerate() {
            text.push(if at == 0 { '{' } else { ',' });
            json::write_string(pointer, &mut text);
            text.push(':');
            text.push_str(value);
        }
        text.push('}');
        Some(text)
    }

    /// Writes `{"Variant":` before a variant with several fields, and steps into it.
    fn enter(&mut self, variant: &'static str) -> Result<Around, JsonError> {
        let around = Around { fits: self.fits, next: self.next, at: self.at.len() };
        self.deeper()?;
        self.out.push('{');
        json::write_string(variant, &mut self.out);
        self.out.push(':');
        // No private path ends at such a variant.
        if self.fits != 0 && self.level > 0 {
            self.narrow(Into::Field(variant));
        }
        self.level += 1;
        Ok(around)
    }

    fn leave(&mut self, around: Around) {
        self.out.push('}');
        self.depth -= 1;
        self.level -= 1;
        (self.fits, self.next) = (around.fits, around.next);
        self.at.truncate(around.at);
    }
}

/// The position before a variant was entered.
struct Around {
    fits: u32,
    next: [u8; PATHS],
    at: usize,
}

struct List<'a, 'p> {
    writer: &'a mut Writer<'p>,
    items: usize,
    /// The enclosing variant, which ends with the list.
    around: Option<Around>,
}

impl<'a, 'p> List<'a, 'p> {
    fn begin(writer: &'a mut Writer<'p>, around: Option<Around>) -> Result<Self, JsonError> {
        writer.deeper()?;
        writer.out.push('[');
        Ok(Self { writer, items: 0, around })
    }

    fn item<T: Serialize + ?Sized>(&mut self, item: &T) -> Done {
        if self.items > 0 {
            self.writer.out.push(',');
        }
        self.items += 1;
        self.writer.step(Into::Item(self.items - 1), item)
    }

    fn finish(self) -> Done {
        self.writer.out.push(']');
        self.writer.depth -= 1;
        if let Some(around) = self.around {
            self.writer.leave(around);
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

    const PRIVATE: [(&str, Blank); 5] = [
        ("attempt/one/words", Blank::Null),
        ("attempt/two/1", Blank::Null),
        ("attempt/named/words", Blank::Null),
        ("list/*/1", Blank::List),
        ("zone/none", Blank::Null),
    ];

    fn written(body: impl Serialize) -> (String, Option<String>) {
        let parts = parts(&Change { kind: "k", body }, &PRIVATE).unwrap();
        (parts.open, parts.apart)
    }

    fn of(attempt: Attempt) -> (String, Option<String>) {
        written(Body { zone: 1, attempt, list: Vec::new(), none: None })
    }

    #[test]
    fn fields_are_in_canonical_order_at_every_depth() {
        let body = json!({"b": {"\u{1F600}": 1, "\u{FB33}": 2, "a": 0.5}, "a": [true, null]});
        let expected = json::canonical(&body).unwrap();
        assert_eq!(written(&body), (expected, None));
        let (open, _) = of(Attempt::Unit);
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
        assert_eq!(written(&body), (json::canonical(&body).unwrap(), None));
        let numbers = std::collections::BTreeMap::from([(10, "x"), (9, "y")]);
        assert_eq!(written(&numbers), (r#"{"10":"x","9":"y"}"#.to_owned(), None));
    }

    #[test]
    fn a_private_field_is_in_the_sealed_part_under_its_pointer() {
        let (open, apart) = of(Attempt::One(json!({"words": {"z": "s", "a": 1}, "id": 7})));
        assert_eq!(open, r#"{"attempt":{"one":{"id":7,"words":null}},"list":[],"zone":1}"#);
        assert_eq!(apart.as_deref(), Some(r#"{"/attempt/one/words":{"a":1,"z":"s"}}"#));
        let (open, apart) = of(Attempt::Named { words: json!(["s"]), id: 7 });
        assert_eq!(open, r#"{"attempt":{"named":{"id":7,"words":null}},"list":[],"zone":1}"#);
        assert_eq!(apart.as_deref(), Some(r#"{"/attempt/named/words":["s"]}"#));
        let (open, apart) = of(Attempt::Two(json!(1), json!("s")));
        assert_eq!(open, r#"{"attempt":{"two":[1,null]},"list":[],"zone":1}"#);
        assert_eq!(apart.as_deref(), Some(r#"{"/attempt/two/1":"s"}"#));
    }

    #[test]
    fn a_name_that_contains_a_slash_matches_no_path() {
        let body = json!({"attempt/one": {"words": 1}, "attempt": {"one/words": 2, "": 3}});
        assert_eq!(written(&body), (json::canonical(&body).unwrap(), None));
    }

    #[test]
    fn every_item_of_a_list_is_checked_and_empty_values_stay() {
        let list =
            vec![("a".to_owned(), vec![1]), ("b".to_owned(), vec![]), ("c".to_owned(), vec![2])];
        let (open, apart) = written(Body { zone: 1, attempt: Attempt::Unit, list, none: None });
        assert_eq!(open, r#"{"attempt":"unit","list":[["a",null],["b",[]],["c",null]],"zone":1}"#);
        assert_eq!(apart.as_deref(), Some(r#"{"/list/0/1":[1],"/list/2/1":[2]}"#));
    }

    #[test]
    fn a_change_without_a_body_is_an_empty_object() {
        let parts = parts(&json!({"kind": "restarted"}), &PRIVATE).unwrap();
        assert_eq!((parts.open.as_str(), parts.apart), ("{}", None));
    }

    #[test]
    fn a_value_without_canonical_form_is_refused_in_both_parts() {
        let refused = |body: Value| parts(&Change { kind: "k", body }, &PRIVATE).err();
        let inexact = Some(JsonError::Inexact("9007199254740993".to_owned()));
        assert_eq!(refused(json!({"a": 9_007_199_254_740_993_u64})), inexact);
        let nested = |levels: usize| (0..levels).fold(json!(1), |value, _| json!([value]));
        assert_eq!(
            refused(json!({"a": nested(limits::ARGUMENT_DEPTH + 1)})),
            Some(JsonError::TooDeep)
        );
        assert_eq!(refused(json!({"a": nested(limits::ARGUMENT_DEPTH - 1)})), None);
        let apart = |levels| json!({"attempt": {"one": {"words": nested(levels)}}});
        assert_eq!(refused(apart(limits::ARGUMENT_DEPTH - 1)), None);
        assert_eq!(refused(apart(limits::ARGUMENT_DEPTH + 1)), Some(JsonError::TooDeep));
    }
}
