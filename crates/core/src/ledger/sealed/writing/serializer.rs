//! The serde interface of the writer: every serde type becomes a text, a list or an object.

use super::object::Object;
use super::{Done, List, Writer};
use crate::encoding::json::{self, JsonError};
use serde::Serialize;
use serde::ser;
use serde_json::Number;
use std::fmt::Display;

impl ser::Error for JsonError {
    fn custom<T: Display>(message: T) -> Self {
        Self::Syntax(message.to_string())
    }
}

impl<'a, 'p> ser::Serializer for &'a mut Writer<'p> {
    type Ok = ();
    type Error = JsonError;
    type SerializeSeq = List<'a, 'p>;
    type SerializeTuple = List<'a, 'p>;
    type SerializeTupleStruct = List<'a, 'p>;
    type SerializeTupleVariant = List<'a, 'p>;
    type SerializeMap = Object<'a, 'p>;
    type SerializeStruct = Object<'a, 'p>;
    type SerializeStructVariant = Object<'a, 'p>;

    fn serialize_bool(self, value: bool) -> Done {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Done {
        self.number(value)
    }

    fn serialize_i16(self, value: i16) -> Done {
        self.number(value)
    }

    fn serialize_i32(self, value: i32) -> Done {
        self.number(value)
    }

    fn serialize_i64(self, value: i64) -> Done {
        self.number(value)
    }

    fn serialize_u8(self, value: u8) -> Done {
        self.number(value)
    }

    fn serialize_u16(self, value: u16) -> Done {
        self.number(value)
    }

    fn serialize_u32(self, value: u32) -> Done {
        self.number(value)
    }

    fn serialize_u64(self, value: u64) -> Done {
        self.number(value)
    }

    fn serialize_f32(self, value: f32) -> Done {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Done {
        match Number::from_f64(value) {
            Some(number) => self.number(number),
            None => self.serialize_unit(),
        }
    }

    fn serialize_char(self, value: char) -> Done {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Done {
        json::write_string(value, &mut self.out);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Done {
        let mut list = List::begin(self, None)?;
        value.iter().try_for_each(|byte| list.item(byte))?;
        list.finish()
    }

    fn serialize_none(self) -> Done {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Done {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Done {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Done {
        let mut object = Object::begin(self, None)?;
        object.field(variant, value)?;
        object.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List<'a, 'p>, JsonError> {
        List::begin(self, None)
    }

    fn serialize_tuple(self, _: usize) -> Result<List<'a, 'p>, JsonError> {
        List::begin(self, None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<List<'a, 'p>, JsonError> {
        List::begin(self, None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<List<'a, 'p>, JsonError> {
        let around = self.enter(variant)?;
        List::begin(self, Some(around))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Object<'a, 'p>, JsonError> {
        Object::begin(self, None)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Object<'a, 'p>, JsonError> {
        Object::begin(self, None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Object<'a, 'p>, JsonError> {
        let around = self.enter(variant)?;
        Object::begin(self, Some(around))
    }
}

impl ser::SerializeSeq for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.item(value)
    }

    fn end(self) -> Done {
        self.finish()
    }
}

impl ser::SerializeTuple for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.item(value)
    }

    fn end(self) -> Done {
        self.finish()
    }
}

impl ser::SerializeTupleStruct for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.item(value)
    }

    fn end(self) -> Done {
        self.finish()
    }
}

impl ser::SerializeTupleVariant for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.item(value)
    }

    fn end(self) -> Done {
        self.finish()
    }
}

impl ser::SerializeMap for Object<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        self.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.value(value)
    }

    fn end(self) -> Done {
        self.finish()
    }
}

impl ser::SerializeStruct for Object<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Done {
        self.field(name, value)
    }

    fn end(self) -> Done {
        self.finish()
    }
}

impl ser::SerializeStructVariant for Object<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Done {
        self.field(name, value)
    }

    fn end(self) -> Done {
        self.finish()
    }
}
