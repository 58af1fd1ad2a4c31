//! An object that is being written. Its fields are sorted when it ends.

use super::{CanonicalWriter, PathStep, SavedPosition, WriteResult};
use countersign_core::encoding::json::{self, JsonError};
use serde::Serialize;
use std::cmp::Ordering;

/// A field of an unfinished object: the start and end of its name, and the end of its value.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub from: usize,
    name: usize,
    pub to: usize,
    /// The first letters of the name, if it sorts as it is written. They usually suffice to compare
    /// two names.
    letters: Option<u64>,
}

impl Field {
    fn name(self, out: &str) -> &str {
        out.get(self.from..self.name).unwrap_or_default()
    }

    fn compare(self, other: Self, out: &str) -> Ordering {
        let (one, two) = (self.name(out), other.name(out));
        if let (Some(a), Some(b)) = (self.letters, other.letters) {
            // The closing quote sorts before every character that a longer name could have there.
            return a.cmp(&b).then_with(|| one.cmp(two));
        }
        let read = |name: &str| serde_json::from_str::<String>(name).unwrap_or_default();
        json::compare_keys(&read(one), &read(two))
    }
}

/// Whether a name is written without escapes, and its characters sort after a quote and in the same
/// order as in UTF-16.
fn sorts_as_written(name: &str) -> bool {
    name.bytes().all(|byte| byte > b'"' && byte < 0x7f && byte != b'\\')
}

/// The first eight letters as one number, which sorts as they do.
fn first_letters(name: &str) -> u64 {
    let mut first = [0; 8];
    first.iter_mut().zip(name.bytes()).for_each(|(letter, byte)| *letter = byte);
    u64::from_be_bytes(first)
}

pub(super) struct ObjectWriter<'a, 'p> {
    writer: &'a mut CanonicalWriter<'p>,
    /// The start of its first field in the text, and the index of that field.
    start: usize,
    first: usize,
    enclosing: Option<SavedPosition>,
}

impl<'a, 'p> ObjectWriter<'a, 'p> {
    pub fn begin(
        writer: &'a mut CanonicalWriter<'p>,
        enclosing: Option<SavedPosition>,
    ) -> Result<Self, JsonError> {
        writer.enter_level()?;
        writer.out.push('{');
        let (start, first) = (writer.out.len(), writer.fields.len());
        Ok(Self { writer, start, first, enclosing })
    }

    /// Starts a field; its name is written next.
    fn start_field(&mut self) -> usize {
        if self.writer.fields.len() > self.first {
            self.writer.out.push(',');
        }
        self.writer.out.len()
    }

    fn push_field(&mut self, from: usize, letters: Option<u64>) {
        let name = self.writer.out.len();
        self.writer.out.push(':');
        self.writer.fields.push(Field { from, name, to: name, letters });
    }

    /// Writes a field name from the source code.
    fn write_name(&mut self, name: &'static str) {
        debug_assert!(sorts_as_written(name), "{name}");
        let from = self.start_field();
        self.writer.out.push('"');
        self.writer.out.push_str(name);
        self.writer.out.push('"');
        self.push_field(from, Some(first_letters(name)));
    }

    /// Writes a field name from data.
    pub fn write_key<T: Serialize + ?Sized>(&mut self, key: &T) -> WriteResult {
        let from = self.start_field();
        key.serialize(&mut *self.writer)?;
        match self.writer.out.as_bytes().get(from) {
            Some(b'"') => {}
            Some(b'-' | b'0'..=b'9') => {
                self.writer.out.insert(from, '"');
                self.writer.out.push('"');
            }
            Some(_) | None => return Err(JsonError::Syntax("a key is not a string".to_owned())),
        }
        let name = self.writer.out.get(from + 1..).and_then(|name| name.strip_suffix('"'));
        let letters = name.filter(|name| sorts_as_written(name)).map(first_letters);
        self.push_field(from, letters);
        Ok(())
    }

    pub fn write_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> WriteResult {
        self.write_name(name);
        self.writer.write_child(PathStep::Field(name), value)?;
        self.end_field();
        Ok(())
    }

    /// The value of the last key.
    pub fn write_value<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
        // If no path fits, the name is not needed.
        let last = self.writer.fields.last().filter(|_| self.writer.matching != 0);
        let name = last.and_then(|last| serde_json::from_str(last.name(&self.writer.out)).ok());
        // A name with a slash would look like several steps, so it must match none.
        let name = name.filter(|name: &String| !name.contains('/')).unwrap_or_default();
        self.writer.write_child(PathStep::Field(&name), value)?;
        self.end_field();
        Ok(())
    }

    fn end_field(&mut self) {
        let to = self.writer.out.len();
        if let Some(field) = self.writer.fields.last_mut() {
            field.to = to;
        }
    }

    pub fn finish(self) -> WriteResult {
        let CanonicalWriter { out, fields, .. } = &mut *self.writer;
        let own = fields.get_mut(self.first..).unwrap_or_default();
        if !own.is_sorted_by(|a, b| a.compare(*b, out).is_le()) {
            own.sort_by(|a, b| a.compare(*b, out));
            self.writer.sort_fields(self.start, self.first);
        }
        self.writer.fields.truncate(self.first);
        self.writer.out.push('}');
        self.writer.depth -= 1;
        if let Some(enclosing) = self.enclosing {
            self.writer.leave_variant(enclosing);
        }
        Ok(())
    }
}
